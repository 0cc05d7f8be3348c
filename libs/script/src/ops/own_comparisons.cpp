// Comparisons, logic, and the least and the largest (rule SC-43).
#include <algorithm>
#include <functional>

#include <reel/autograd/error.hpp>
#include <reel/script/object.hpp>

#include "ops/pair.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;

bool less(const IValue& a, const IValue& b) {
    if (a.isString() && b.isString()) return a.toStringRef() < b.toStringRef();
    if (a.isSequence() && b.isSequence()) {
        const auto &x = a.elements(), &y = b.elements();
        return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), less);
    }
    if (a.isDouble() || b.isDouble()) return a.toDouble() < b.toDouble();
    return a.toInt() < b.toInt();
}
bool at_most(const IValue& a, const IValue& b) {
    // Not the negation of `b < a`: nan is neither.
    return a.isDouble() || b.isDouble() ? a.toDouble() <= b.toDouble() : !less(b, a);
}

IValue lt(Span a) { return less(a[0], a[1]); }
IValue gt(Span a) { return less(a[1], a[0]); }
IValue le(Span a) { return at_most(a[0], a[1]); }
IValue ge(Span a) { return at_most(a[1], a[0]); }
IValue eq(Span a) { return equal(a[0], a[1]); }
IValue ne(Span a) { return !equal(a[0], a[1]); }
/// Lists of tensors: each pair is compared as a whole.
IValue is(Span a) { return same(a[0], a[1]); }
IValue is_not(Span a) { return !same(a[0], a[1]); }
IValue negation(Span a) { return !a[0].toBool(); }

/// Of two numbers; a float when either is one.
IValue as_joint_kind(const IValue& chosen, const IValue& other) {
    return other.isDouble() && !chosen.isDouble() ? IValue(chosen.toDouble()) : chosen;
}
const IValue& extreme(const std::vector<IValue>& elements, bool largest) {
    REEL_CHECK_VALUE(!elements.empty(), largest ? "max" : "min", "() arg is an empty sequence");
    return largest ? *std::max_element(elements.begin(), elements.end(), less)
                   : *std::min_element(elements.begin(), elements.end(), less);
}
IValue least(Span a) {
    if (a.size() == 1) return extreme(a[0].elements(), false);
    const bool second = less(a[1], a[0]);
    return as_joint_kind(a[second], a[!second]);
}
IValue largest(Span a) {
    if (a.size() == 1) return extreme(a[0].elements(), true);
    const bool second = less(a[0], a[1]);
    return as_joint_kind(a[second], a[!second]);
}

bool truth(const IValue& v) {
    if (v.isString()) return !v.toStringRef().empty();
    return v.isDouble() ? v.toDouble() != 0 : v.toScalar().toBool();
}
IValue any(Span a) {
    const auto& e = a[0].elements();
    return std::any_of(e.begin(), e.end(), truth);
}
IValue all(Span a) {
    const auto& e = a[0].elements();
    return std::all_of(e.begin(), e.end(), truth);
}

/// Each line for numbers, strings, lists of them, devices and enums.
constexpr Line lines[] = {
    {"aten::lt.*", lt, false, pair<lt, std::less<std::int64_t>{}, std::less<double>{}>},
    {"aten::gt.*", gt, false, pair<gt, std::greater<std::int64_t>{}, std::greater<double>{}>},
    {"aten::le.*", le, false, pair<le, std::less_equal<std::int64_t>{}, std::less_equal<double>{}>},
    {"aten::ge.*", ge, false, pair<ge, std::greater_equal<std::int64_t>{}, std::greater_equal<double>{}>},
    {"aten::eq.*", eq, false, pair<eq, std::equal_to<std::int64_t>{}, std::equal_to<double>{}>},
    {"aten::ne.*", ne, false, pair<ne, std::not_equal_to<std::int64_t>{}, std::not_equal_to<double>{}>},
    {"aten::eq.Tensor_list", eq},
    {"aten::ne.Tensor_list", ne},
    {"aten::__is__.*", is},
    {"aten::__isnot__.*", is_not},
    {"aten::__not__.*", negation},
    {"prim::min.*", least},
    {"prim::max.*", largest},
    {"aten::any.*", any},
    {"aten::all.*", all},
};

} // namespace

std::span<const Line> comparisons() { return lines; }

} // namespace reel::jit::own
