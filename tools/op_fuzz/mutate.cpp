// Mutations of arguments other than tensors, and of calls.
#include "op_fuzz/mutate.hpp"

#include <algorithm>
#include <limits>

#include "op_fuzz/samples.hpp"

namespace op_fuzz {

using namespace reel;

namespace {
constexpr std::int64_t int_min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t int_max = std::numeric_limits<std::int64_t>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
} // namespace

std::int64_t odd_integer(Dice& dice) {
    using I = std::int64_t;
    if (dice.once_in(2)) return I(dice.below(16)) - 4;
    return dice.one_of({I(0), I(-1), I(64), I(1000), I(65536), (I(1) << 31) - 1, I(1) << 31, -(I(1) << 31), I(1) << 32,
                        I(1) << 33, I(1) << 40, I(1) << 61, I(1) << 62, int_max, int_max - 1, int_min, int_min + 1});
}

double odd_number(Dice& dice) {
    if (dice.once_in(3)) return 4 * dice.uniform();
    return dice.one_of(
        {0.0, -0.0, 1.0, -1.0, 0.5, 1.5, infinity, -infinity, nan, 1e308, -1e308, 1e18, -1e19, 1e-320, 65536.0});
}

Value any_value(Dice& dice) {
    switch (dice.below(11)) {
    case 0:
        return {};
    case 1:
        return odd_integer(dice);
    case 2:
        return odd_number(dice);
    case 3:
        return dice.once_in(2);
    case 4:
        return std::complex<double>(odd_number(dice), odd_number(dice));
    case 5:
        return dice.one_of({"", "mean", "sum", "none", "reflect", "same", "nearest", "fro", "mps", "not a mode"});
    case 6:
        return std::string(10000, 'x');
    case 7:
        return dice.one_of({kDouble, kHalf, kLong, kBool, kComplexFloat, kByte});
    case 8:
        return Device(dice.one_of({"cpu", "meta"}));
    case 9:
        return Value::list({});
    default:
        return mutated_tensor(drawn_tensor({2, 3}, kDouble, dice), dice);
    }
}

namespace {

Value mutated_list(const Value& v, Dice& dice) {
    std::vector<Value> e = v.elements();
    bool tuple = v.isTuple();
    const auto at = [&] { return e.begin() + std::ptrdiff_t(dice.below(e.size())); };
    switch (e.empty() ? 4 + dice.below(3) : dice.below(10)) {
    case 0:
        e.erase(at());
        break;
    case 1:
        e.push_back(*at());
        break;
    case 2:
        std::reverse(e.begin(), e.end());
        break;
    case 3:
        for (Value& x : e) x = e[0];
        break;
    case 4:
        if (e.empty()) e.push_back(odd_integer(dice));
        else e.clear();
        break;
    case 5:
        for (const Value filler = e.empty() ? Value(1) : e[0]; e.size() < 70 + dice.below(4);) e.push_back(filler);
        break;
    case 6:
        if (e.empty()) return odd_integer(dice);
        return e[dice.below(e.size())]; // a value in the place of a list
    default:
        Value& one = *at();
        one = mutated(one, dice);
    }
    return tuple != dice.once_in(10) ? Value::tuple(std::move(e)) : Value::list(std::move(e));
}

} // namespace

Value mutated(const Value& v, Dice& dice) {
    if (dice.once_in(12)) return any_value(dice);
    if (dice.once_in(30) && !v.isSequence()) return Value::list({v, v});
    switch (v.kind()) {
    case Value::Kind::Tensor:
        if (!v.toTensor().defined()) return any_value(dice);
        return mutated_tensor(v.toTensor(), dice);
    case Value::Kind::Bool:
        return dice.once_in(4) ? Value(odd_integer(dice)) : Value(!v.toBool());
    case Value::Kind::Int:
        if (dice.once_in(12)) return drawn_tensor({}, kLong, dice);
        return dice.once_in(10) ? Value(odd_number(dice)) : Value(odd_integer(dice));
    case Value::Kind::Double:
        return dice.once_in(10) ? Value(odd_integer(dice)) : Value(odd_number(dice));
    case Value::Kind::List:
    case Value::Kind::Tuple:
        return mutated_list(v, dice);
    default:
        return any_value(dice);
    }
}

namespace {

/// Gives an argument that the call leaves out.
void add_argument(const ops::Schema& schema, Call& call, Dice& dice) {
    if (schema.arguments.empty()) return;
    const ops::Argument& a = dice.one_of(schema.arguments);
    if (a.type == "TensorOptions") {
        const char* const name = dice.one_of({"dtype", "device", "requires_grad", "layout", "pin_memory"});
        call.kwargs.set(Value(name), dice.once_in(2) ? any_value(dice) : Value(kHalf));
    } else {
        const Value v = value_of_type(a.type, {2, 3}, dice);
        call.kwargs.set(Value(a.name), dice.once_in(2) ? mutated(v, dice) : v);
    }
}

/// The last argument by position is given by name.
void name_last(const ops::Schema& schema, Call& call) {
    const std::size_t last = call.args.size() - 1;
    if (last >= schema.arguments.size()) return;
    Kwargs named;
    named.set(Value(schema.arguments[last].name), call.args[last]);
    for (const auto& [key, v] : call.kwargs) named.set(key, v);
    call.kwargs = std::move(named);
    call.args.pop_back();
}

void mutate_value(Call& call, Dice& dice) {
    const std::size_t n = call.args.size() + call.kwargs.size();
    if (n == 0) return call.args.push_back(any_value(dice));
    const std::size_t i = dice.below(n);
    Value& v = i < call.args.size() ? call.args[i] : (call.kwargs.begin() + (i - call.args.size()))->second;
    v = mutated(v, dice);
}

} // namespace

void mutate(const ops::Op& op, Call& call, Dice& dice) {
    const std::size_t changes = dice.one_of({0, 1, 1, 1, 1, 1, 2, 2, 3});
    for (std::size_t i = 0; i < changes; ++i) {
        const ops::Schema& schema = dice.one_of(op.schemas);
        const std::size_t kind = dice.below(24);
        if (kind == 0 && !call.args.empty()) call.args.pop_back();
        else if (kind == 1) call.args.push_back(any_value(dice));
        else if (kind == 2) call.kwargs.set(Value("no_such_argument"), any_value(dice));
        else if (kind == 3 && !call.args.empty()) name_last(schema, call);
        else if (kind <= 5) add_argument(schema, call, dice);
        else mutate_value(call, dice);
    }
}

bool has_endless_operand(const Call& call) {
    constexpr std::int64_t bearable = std::int64_t(1) << 24;
    for (const Tensor& t : tensors_of(call)) {
        double n = 1;
        for (const std::int64_t s : t.sizes()) n *= double(s);
        if (!(n <= double(bearable))) return true;
    }
    return false;
}

} // namespace op_fuzz
