// Invariants of our own code. Never for input: input gets an Error.
#pragma once

#include <cstdio>
#include <cstdlib>

#define STEELYARD_CHECK(condition, why)                                                            \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::fprintf(stderr, "steelyard: broken invariant at %s:%d: %s\n", __FILE__, __LINE__, why); \
      std::abort();                                                                                \
    }                                                                                              \
  } while (false)
