#include <cstdio>

#include "command/command.h"

namespace steelyard::command {

void print_out(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_error(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace steelyard::command
