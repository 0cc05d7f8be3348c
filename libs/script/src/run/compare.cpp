// `is` and `==` of scripts.
#include <algorithm>

#include <reel/autograd/error.hpp>
#include <reel/script/object.hpp>

namespace reel::jit {

bool same(const IValue& a, const IValue& b) {
    if (is_object(a) && is_object(b)) return to_object(a) == to_object(b);
    if (is_future(a) && is_future(b)) return &to_future(a) == &to_future(b);
    if (a.isTuple() && b.isTuple()) {
        const auto &x = a.elements(), &y = b.elements();
        return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
    }
    return a.is(b);
}

namespace {
bool equal_numbers(const IValue& a, const IValue& b) {
    if (a.isComplexDouble() || b.isComplexDouble()) return a.toComplexDouble() == b.toComplexDouble();
    if (a.isDouble() || b.isDouble()) return a.toDouble() == b.toDouble();
    return a.toInt() == b.toInt();
}
bool equal_dicts(const ValueDict& a, const ValueDict& b) {
    return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const ValueDict::Item& item) {
               const IValue* const other = b.find(item.first);
               return other && equal(item.second, *other);
           });
}
/// As `==` of tensors in a condition: one element that is true.
bool equal_tensors(const Tensor& a, const Tensor& b) {
    if (!a.defined() || !b.defined()) return a.defined() == b.defined();
    return a.eq(b).item().toBool();
}
} // namespace

bool equal(const IValue& a, const IValue& b) {
    if (a.isScalar() && b.isScalar()) return equal_numbers(a, b);
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
    case IValue::Kind::Tensor:
        return equal_tensors(a.toTensor(), b.toTensor());
    case IValue::Kind::List:
    case IValue::Kind::Tuple: {
        const auto &x = a.elements(), &y = b.elements();
        return std::equal(x.begin(), x.end(), y.begin(), y.end(), equal);
    }
    case IValue::Kind::Dict:
        return equal_dicts(a.toGenericDict(), b.toGenericDict());
    case IValue::Kind::Boxed:
        if (is_enum(a) && is_enum(b)) {
            const EnumMember &x = to_enum(a), &y = to_enum(b);
            return x.index == y.index && x.type->equals(*y.type);
        }
        return same(a, b);
    default:
        return a.is(b);
    }
}

} // namespace reel::jit
