// Optimizers over a module's parameters.
#include "hooks/interp.hpp"

#if __has_include(<reel/optim/factory.hpp>)
#include <reel/optim/factory.hpp>
#include <reel/optim/optimizer.hpp>

namespace replay {

using namespace reel;

namespace {
optim::Optimizer& optimizer(Interp& i, const json::object& ins) {
    const auto it = i.optimizers.find(text(ins, "name"));
    if (it == i.optimizers.end()) throw Skip{};
    return *std::static_pointer_cast<optim::Optimizer>(it->second);
}
} // namespace

void add_optimizer_instructions(InstructionTable& t) {
    t["optimizer"] = [](Interp& i, Frame& f, const json::object& ins) {
        Kwargs options;
        for (const char* name : {"lr", "momentum", "weight_decay"})
            if (const json::value* v = ins.if_contains(name)) options.set(Value(name), Value(v->to_number<double>()));
        std::shared_ptr<optim::Optimizer> made =
            optim::make_optimizer(text(ins, "type"), i.module(ins, f)->parameters(), options);
        i.optimizers[text(ins, "name")] = made;
        return Value();
    };
    t["opt_step"] = [](Interp& i, Frame&, const json::object& ins) {
        optimizer(i, ins).step();
        return Value();
    };
    t["opt_zero_grad"] = [](Interp& i, Frame&, const json::object& ins) {
        optimizer(i, ins).zero_grad(flag(ins, "set_to_none", true));
        return Value();
    };
}

} // namespace replay
#else
namespace replay {
void add_optimizer_instructions(InstructionTable&) {}
} // namespace replay
#endif
