// Backward passes.
#include "hooks/interp.hpp"

namespace replay {

using namespace reel;

namespace {

std::vector<Tensor> tensors(Interp& i, Frame& f, const json::value& list, bool allow_none = false) {
    std::vector<Tensor> r;
    for (const auto& v : list.as_array()) r.push_back(i.tensor_operand(v, f, allow_none));
    return r;
}
std::vector<Tensor> optional_tensors(Interp& i, Frame& f, const json::object& ins, std::string_view name,
                                     bool allow_none) {
    const json::value* list = ins.if_contains(name);
    return list && !list->is_null() ? tensors(i, f, *list, allow_none) : std::vector<Tensor>();
}
std::optional<bool> optional_flag(const json::object& ins, std::string_view name) {
    const json::value* v = ins.if_contains(name);
    return v && !v->is_null() ? std::optional(v->as_bool()) : std::nullopt;
}

} // namespace

void add_pass_instructions(InstructionTable& t) {
    t["backward"] = [](Interp& i, Frame& f, const json::object& ins) {
        const auto roots = tensors(i, f, ins.at("of"));
        const auto seeds = optional_tensors(i, f, ins, "grads", true);
        const auto inputs = optional_tensors(i, f, ins, "inputs", false);
        const json::value* given = ins.if_contains("inputs");
        REEL_CHECK(!given || given->is_null() || !inputs.empty(), "backward: inputs is empty");
        autograd::backward(roots, seeds, optional_flag(ins, "retain"), flag(ins, "create", false), inputs);
        return Value();
    };
    t["grad"] = [](Interp& i, Frame& f, const json::object& ins) {
        const auto roots = tensors(i, f, ins.at("of")), inputs = tensors(i, f, ins.at("wrt"));
        const auto seeds = optional_tensors(i, f, ins, "grads", true);
        std::vector<Value> r;
        for (const Tensor& g :
             autograd::grad(roots, inputs, seeds, optional_flag(ins, "retain"), flag(ins, "create", false),
                            optional_flag(ins, "allow_unused"), flag(ins, "materialize", false)))
            r.push_back(none_if_undefined(g));
        return Value::tuple(std::move(r));
    };
    t["queue_callback"] = [](Interp& i, Frame&, const json::object& ins) {
        autograd::queue_callback([&i, hook = text(ins, "hook")] { i.fire(hook, nullptr, {}, {}); });
        return Value();
    };
}

} // namespace replay
