#include "load/plan.h"

namespace steelyard::load {

wire::Fields fields_of(const Target& target) {
  wire::Fields fields = target.fields;
  if (!target.api_key.empty()) {
    fields.emplace_back("Authorization", "Bearer " + target.api_key.reveal());
  }
  return fields;
}

}  // namespace steelyard::load
