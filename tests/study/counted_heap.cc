// A file of its own: inlined beside a new, the delete below looks to the compiler like another
// heap's.
#include "counted_heap.h"

#include <cstdlib>
#include <new>

namespace {
thread_local std::int64_t allocations = 0;

void* counted(std::size_t size) {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void* counted_or_throw(std::size_t size) {
  void* const memory = counted(size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}
}  // namespace

std::int64_t steelyard::study::allocations_here() { return allocations; }

// Every form but the aligned ones, which have their own delete: a sanitizer minds a mixture.
void* operator new(std::size_t size) { return counted_or_throw(size); }
void* operator new[](std::size_t size) { return counted_or_throw(size); }
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return counted(size);
}
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return counted(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
