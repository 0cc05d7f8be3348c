// Instructions on tensors: arithmetic, views, in-place work, flags and gradients.
#include "hooks/interp.hpp"

#include <reel/autograd/ops.hpp>

namespace replay {

using namespace reel;

namespace {

Scalar number(const Value& v) {
    if (!v.isScalar()) throw Skip{};
    return v.toScalar();
}
template <class WithTensor, class WithNumber>
Value tensor_and_any(Interp& i, Frame& f, const json::object& ins, WithTensor with_tensor, WithNumber with_number) {
    const Tensor a = i.tensor_in(ins, f, 0);
    const Value b = i.in(ins, f, 1);
    if (b.isTensor()) return Value(with_tensor(a, b.toTensor()));
    return Value(with_number(a, number(b)));
}
template <Tensor (*fn)(const Tensor&)> Value unary(Interp& i, Frame& f, const json::object& ins) {
    return Value(fn(i.tensor_in(ins, f, 0)));
}
std::int64_t integer(const json::object& ins, std::string_view name) { return ins.at(name).to_number<std::int64_t>(); }
std::int64_t dim_of(const json::object& ins) { return ins.contains("dim") ? integer(ins, "dim") : 0; }
Value tuple_of(const std::vector<Tensor>& tensors) {
    return Value::tuple(std::vector<Value>(tensors.begin(), tensors.end()));
}

#define REEL_REPLAY_BINARY(name)                                                                                       \
    t[#name] = [](Interp& i, Frame& f, const json::object& ins) {                                                      \
        return tensor_and_any(                                                                                         \
            i, f, ins, [](const Tensor& a, const Tensor& b) { return reel::name(a, b); },                              \
            [](const Tensor& a, const Scalar& b) { return reel::name(a, b); });                                        \
    }

void add_arithmetic(InstructionTable& t) {
    REEL_REPLAY_BINARY(add);
    REEL_REPLAY_BINARY(sub);
    REEL_REPLAY_BINARY(mul);
    REEL_REPLAY_BINARY(div);
    t["linear"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Tensor x = i.tensor_in(ins, f, 0), w = i.tensor_in(ins, f, 1);
        return Value(reel::linear(x, w, i.optional_tensor_in(ins, f, 2)));
    };
    t["tanh"] = unary<reel::tanh>;
    t["sigmoid"] = unary<reel::sigmoid>;
    t["exp"] = unary<reel::exp>;
    t["relu"] = unary<reel::relu>;
    t["sum"] = [](Interp& i, Frame& f, const json::object& ins) { return Value(reel::sum(i.tensor_in(ins, f, 0))); };
    t["mean"] = [](Interp& i, Frame& f, const json::object& ins) { return Value(reel::mean(i.tensor_in(ins, f, 0))); };
    t["clone"] = [](Interp& i, Frame& f, const json::object& ins) {
        return Value(reel::clone(i.tensor_in(ins, f, 0)));
    };
    t["detach"] = [](Interp& i, Frame& f, const json::object& ins) { return Value(i.tensor_in(ins, f, 0).detach()); };
    t["cast"] = [](Interp& i, Frame& f, const json::object& ins) {
        return Value(i.tensor_in(ins, f, 0).to(dtype_from_name(text(ins, "dtype").c_str())));
    };
}

void add_views(InstructionTable& t) {
    t["view"] = [](Interp& i, Frame& f, const json::object& ins) {
        std::vector<std::int64_t> shape;
        for (const auto& s : ins.at("shape").as_array()) shape.push_back(s.to_number<std::int64_t>());
        return Value(reel::view(i.tensor_in(ins, f, 0), IntArrayRef(shape)));
    };
    t["select"] = [](Interp& i, Frame& f, const json::object& ins) {
        return Value(reel::select(i.tensor_in(ins, f, 0), 0, integer(ins, "index")));
    };
    t["narrow"] = [](Interp& i, Frame& f, const json::object& ins) {
        return Value(reel::narrow(i.tensor_in(ins, f, 0), dim_of(ins), integer(ins, "start"), integer(ins, "length")));
    };
    t["chunk"] = [](Interp& i, Frame& f, const json::object& ins) {
        return tuple_of(reel::chunk(i.tensor_in(ins, f, 0), integer(ins, "n"), dim_of(ins)));
    };
    t["unbind"] = [](Interp& i, Frame& f, const json::object& ins) {
        return tuple_of(reel::unbind(i.tensor_in(ins, f, 0), 0));
    };
    t["cat"] = [](Interp& i, Frame& f, const json::object& ins) {
        std::vector<Tensor> parts;
        const std::vector<Value> all = i.all_in(ins, f);
        for (const Value& v : all.size() == 1 && all[0].isSequence() ? all[0].elements() : all) {
            if (!v.isTensor()) throw Skip{};
            parts.push_back(v.toTensor());
        }
        return Value(reel::cat(parts, dim_of(ins)));
    };
}

void add_in_place(InstructionTable& t) {
    t["add_"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Tensor a = i.tensor_in(ins, f, 0);
        const Value b = i.in(ins, f, 1);
        if (b.isTensor()) a.add_(b.toTensor());
        else a.add_(number(b));
        return Value();
    };
    t["mul_"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Tensor a = i.tensor_in(ins, f, 0);
        const Value b = i.in(ins, f, 1);
        if (b.isTensor()) a.mul_(b.toTensor());
        else a.mul_(number(b));
        return Value();
    };
    t["copy_"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Tensor a = i.tensor_in(ins, f, 0), b = i.tensor_in(ins, f, 1);
        a.copy_(b);
        return Value();
    };
    t["zero_"] = [](Interp& i, Frame& f, const json::object& ins) {
        i.tensor_in(ins, f, 0).zero_();
        return Value();
    };
    t["detach_"] = [](Interp& i, Frame& f, const json::object& ins) {
        i.tensor_in(ins, f, 0).detach_();
        return Value();
    };
}

void add_state(InstructionTable& t) {
    t["grad_of"] = [](Interp& i, Frame& f, const json::object& ins) {
        return none_if_undefined(i.tensor_in(ins, f, 0).grad());
    };
    t["set_grad"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Tensor a = i.tensor_in(ins, f, 0);
        a.set_grad(i.optional_tensor_in(ins, f, 1));
        return Value();
    };
    t["set_data"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Tensor a = i.tensor_in(ins, f, 0), b = i.tensor_in(ins, f, 1);
        a.set_data(b);
        return Value();
    };
    t["requires_grad_"] = [](Interp& i, Frame& f, const json::object& ins) {
        i.tensor_in(ins, f, 0).requires_grad_(flag(ins, "flag", true));
        return Value();
    };
    t["retain_grad"] = [](Interp& i, Frame& f, const json::object& ins) {
        i.tensor_in(ins, f, 0).retain_grad();
        return Value();
    };
    t["parameter"] = [](Interp& i, Frame& f, const json::object& ins) {
        return Value(Tensor(nn::Parameter(i.tensor_in(ins, f, 0), flag(ins, "rg", true))));
    };
    t["version"] = [](Interp& i, Frame& f, const json::object& ins) {
        return Value(i.tensor_in(ins, f, 0)._version());
    };
    t["shares"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Tensor a = i.tensor_in(ins, f, 0), b = i.tensor_in(ins, f, 1);
        return Value(a.is_alias_of(b));
    };
    t["info"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Tensor a = i.tensor_in(ins, f, 0);
        return Value(ValueDict{{"requires_grad", Value(a.requires_grad())},
                               {"is_leaf", Value(a.is_leaf())},
                               {"has_grad_fn", Value(bool(a.grad_fn()))},
                               {"retains_grad", Value(a.retains_grad())}});
    };
}

} // namespace

void add_tensor_instructions(InstructionTable& t) {
    add_arithmetic(t);
    add_views(t);
    add_in_place(t);
    add_state(t);
}

} // namespace replay
