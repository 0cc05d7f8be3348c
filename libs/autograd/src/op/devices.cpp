// One device for all operands of a call by name.
#include "op/devices.hpp"

#include <reel/autograd/error.hpp>

namespace reel::ops {

namespace {

using Names = std::vector<std::pair<std::string_view, std::string_view>>; ///< schemas and arguments
Names& anywhere() {
    static Names names;
    return names;
}
bool may_live_apart(const Schema& schema, std::string_view argument) {
    for (const auto& [text, name] : anywhere())
        if (text == schema.text && name == argument) return true;
    return false;
}

/// The operand that says where a call runs: the first one that is no number.
struct Leader {
    const Tensor* tensor = nullptr;
    std::size_t argument = 0, place = 0; ///< in a list
};
bool is_number(const Tensor& t) { return t.dim() == 0 && t.device() == Device(kCPU); }
std::string name_of(const Schema& schema, std::size_t argument, std::size_t place) {
    const Argument& a = schema.arguments[argument];
    return a.type.find('[') == std::string::npos ? a.name : str(a.name, "[", place, "]");
}
bool may_hold_tensors(const Argument& a) { return a.type.starts_with("Tensor") || a.type == "Value"; }
/// Compares one operand with those before it.
void meet(const std::string& name, const Schema& schema, Leader& leader, const Tensor& t, std::size_t argument,
          std::size_t place) {
    if (!t.defined()) return;
    if (leader.tensor && leader.tensor->device() == t.device()) return;
    if (is_number(t) || may_live_apart(schema, schema.arguments[argument].name)) return;
    REEL_CHECK(!leader.tensor, name, ": operands live on ", leader.tensor->device(), " (",
               name_of(schema, leader.argument, leader.place), ") and ", t.device(), " (",
               name_of(schema, argument, place), "); move one of them with to()");
    leader = {&t, argument, place};
}

} // namespace

void may_live_anywhere(const char* schema_text, const char* argument) {
    anywhere().emplace_back(schema_text, argument);
}

void check_devices(const std::string& name, const Schema& schema, std::span<const Value> bound) {
    Leader leader;
    for (std::size_t i = 0; i < bound.size(); ++i) {
        if (bound[i].isTensor()) meet(name, schema, leader, bound[i].toTensor(), i, 0);
        else if (may_hold_tensors(schema.arguments[i]) && bound[i].isSequence()) {
            std::size_t place = 0;
            for (const Value& e : bound[i].elements()) {
                if (e.isTensor()) meet(name, schema, leader, e.toTensor(), i, place);
                ++place;
            }
        }
    }
}

} // namespace reel::ops
