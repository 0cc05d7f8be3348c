// The stages of one call.
#include "op_fuzz/attempt.hpp"

#include <new>
#include <typeinfo>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>

#include "op_fuzz/messages.hpp"
#include "op_fuzz/snapshot.hpp"

namespace op_fuzz {

using namespace reel;
using autograd::variable_list;

const char* name_of(Stage s) {
    constexpr const char* names[stages] = {"draw", "forward", "in place", "backward", "double backward"};
    return names[int(s)];
}
const char* name_of(Outcome o) {
    constexpr const char* names[outcomes] = {
        "fine",    "refused", "out of memory", "endless", "foreign exception", "operand changed", "outside storage",
        "message", "printed", "crash",         "hang"};
    return names[int(o)];
}

namespace {

/// Runs `f`, which returns a finding about its result or nothing; true when it came through. What it refuses must not
/// have changed `operands`.
template <class F> bool stage(Stage s, const Observer& observer, const std::vector<Tensor>& operands, F f) {
    observer.begins(s);
    const Snapshot before(operands);
    const auto refused = [&](Outcome how, const std::string& text) {
        const std::string changed = before.difference();
        if (changed.empty()) observer.ended(s, how, text);
        else observer.ended(s, Outcome::OperandChanged, changed + "; threw: " + text);
        return false;
    };
    try {
        const std::string outside = f();
        observer.ended(s, outside.empty() ? Outcome::Fine : Outcome::OutsideStorage, outside);
        return outside.empty();
    } catch (const OutOfMemoryError& e) {
        return refused(Outcome::OutOfMemory, e.what());
    } catch (const Error& e) {
        return refused(Outcome::Refused, e.what());
    } catch (const std::exception& e) {
        return refused(Outcome::Foreign, e.what());
    } catch (...) {
        return refused(Outcome::Foreign, "not a std::exception");
    }
}

/// Those whose gradient can be asked for, with seeds of ones.
void seed(const variable_list& tensors, variable_list& roots, variable_list& seeds) {
    constexpr std::int64_t most = 1 << 16;
    for (const Tensor& t : tensors) {
        if (!t.defined() || !t.requires_grad() || !isDifferentiableType(t.scalar_type()) || t.numel() > most) continue;
        roots.push_back(t);
        seeds.push_back(ones_like(t));
    }
}

std::string first_outside(const variable_list& tensors) {
    for (const Tensor& t : tensors) {
        const std::string why = outside_storage(Value(t));
        if (!why.empty()) return why;
    }
    return {};
}

void differentiate(const variable_list& outputs, const variable_list& inputs, const Observer& observer) {
    variable_list gradients;
    const auto pass = [&](Stage s, const variable_list& of) {
        return stage(s, observer, inputs, [&] {
            variable_list roots, seeds;
            seed(of, roots, seeds);
            gradients = roots.empty() ? variable_list() : autograd::grad(roots, inputs, seeds, true, true, true);
            return first_outside(gradients);
        });
    };
    const auto live = [](const variable_list& ts) {
        variable_list roots, seeds;
        seed(ts, roots, seeds);
        return !roots.empty();
    };
    if (!live(outputs) || !pass(Stage::Backward, outputs)) return;
    const variable_list first = gradients;
    if (live(first)) pass(Stage::DoubleBackward, first);
}

void in_place(const ops::Op& op, const Call& call, const Observer& observer) {
    if (!op.has_inplace() || call.args.empty() || !call.args[0].isTensor() || !call.args[0].toTensor().defined())
        return;
    Call own = copied(call);
    Tensor operand = call.args[0].toTensor();
    try {
        if (operand.requires_grad() && operand.is_leaf()) operand = operand.clone(); // a leaf may not be written then
    } catch (const OutOfMemoryError&) {
        return;
    }
    own.args[0] = Value(operand);
    stage(Stage::InPlace, observer, tensors_of(own),
          [&] { return outside_storage(op.call_inplace(own.args, own.kwargs)); });
}

} // namespace

void attempt(const ops::Op& op, const Call& call, const Observer& observer) {
    const std::vector<Tensor> operands = tensors_of(call);
    const Observer speaking{observer.begins, [&](Stage s, Outcome o, const std::string& text) {
                                observer.ended(s, o, text);
                                if (o != Outcome::Refused || (s != Stage::Forward && s != Stage::InPlace)) return;
                                const std::string fault = message_fault(op, call, text);
                                if (!fault.empty()) observer.ended(s, Outcome::Message, fault + ": " + text);
                            }};
    manual_seed(42);
    Value result;
    const bool came_through = stage(Stage::Forward, speaking, operands, [&] {
        result = op.call(call.args, call.kwargs);
        return outside_storage(result);
    });
    variable_list outputs, inputs;
    collect_tensors(result, outputs);
    for (const Tensor& t : operands)
        if (t.requires_grad()) inputs.push_back(t);
    if (came_through && !inputs.empty()) differentiate(outputs, inputs, observer);
    manual_seed(42);
    in_place(op, call, speaking);
}

} // namespace op_fuzz
