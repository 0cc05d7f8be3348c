// Lists: shared and mutable (rules SC-39, SC-51).
#include <algorithm>

#include <reel/autograd/error.hpp>
#include <reel/script/function.hpp>
#include <reel/script/object.hpp>

#include "ops/own.hpp"
#include "ops/slice.hpp"
#include "run/limits.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;
using Int = std::int64_t;
using Elements = std::vector<IValue>;

void claim(std::size_t elements) { run_state().claim(elements * sizeof(IValue)); }

/// The place that `index` means, from the back when negative.
std::size_t place(const Elements& list, const IValue& index) {
    const Int n = Int(list.size()), i = index.toInt() < 0 ? index.toInt() + n : index.toInt();
    REEL_CHECK_INDEX(i >= 0 && i < n, "list index out of range");
    return std::size_t(i);
}
IValue get_item(Span a) { return a[0].elements()[place(a[0].elements(), a[1])]; }
IValue set_item(Span a) {
    Elements& list = a[0].list_elements();
    list[place(list, a[1])] = std::move(a[2]);
    return std::move(a[0]);
}
IValue append(Span a) {
    Elements& list = a[0].list_elements();
    claim(list.size() + 1);
    list.push_back(std::move(a[1]));
    return std::move(a[0]);
}
IValue extend(Span a) {
    Elements& list = a[0].list_elements();
    const Elements more = a[1].elements(); // may be this very list
    claim(list.size() + more.size());
    list.insert(list.end(), more.begin(), more.end());
    return {};
}
IValue extended(Span a) {
    extend(a);
    return std::move(a[0]);
}
IValue insert(Span a) {
    Elements& list = a[0].list_elements();
    const Int n = Int(list.size()), i = a[1].toInt();
    claim(list.size() + 1);
    list.insert(list.begin() + std::clamp<Int>(i < 0 ? i + n : i, 0, n), std::move(a[2]));
    return {};
}
IValue pop(Span a) {
    Elements& list = a[0].list_elements();
    REEL_CHECK_INDEX(!list.empty(), "pop from empty list");
    const auto at = list.begin() + std::ptrdiff_t(place(list, a[1]));
    IValue taken = std::move(*at);
    list.erase(at);
    return taken;
}
IValue delete_item(Span a) {
    Elements& list = a[0].list_elements();
    list.erase(list.begin() + std::ptrdiff_t(place(list, a[1])));
    return {};
}
IValue clear(Span a) {
    a[0].list_elements().clear();
    return {};
}
IValue reverse(Span a) {
    Elements& list = a[0].list_elements();
    std::reverse(list.begin(), list.end());
    return {};
}
IValue length(Span a) { return Int(a[0].elements().size()); }
IValue copy(Span a) { return IValue::list(a[0].elements()); }

IValue concatenated(Span a) {
    Elements list = a[0].elements();
    const Elements& more = a[1].elements();
    claim(list.size() + more.size());
    list.insert(list.end(), more.begin(), more.end());
    return IValue::list(std::move(list));
}
Elements repeated(const Elements& list, Int times) {
    Elements out;
    if (times <= 0 || list.empty()) return out;
    std::size_t size = 0;
    REEL_CHECK_WITH(OutOfMemoryError,
                    !__builtin_mul_overflow(list.size(), std::size_t(times), &size) && size < (std::size_t(1) << 48),
                    "list repetition: ", list.size(), " elements ", times, " times are too many");
    claim(size);
    out.reserve(size);
    for (Int i = 0; i < times; ++i) out.insert(out.end(), list.begin(), list.end());
    return out;
}
IValue times(Span a) { return IValue::list(repeated(a[0].elements(), a[1].toInt())); }
IValue times_from_left(Span a) { return IValue::list(repeated(a[1].elements(), a[0].toInt())); }
IValue times_in_place(Span a) {
    Elements& list = a[0].list_elements();
    list = repeated(list, a[1].toInt());
    return std::move(a[0]);
}
IValue slice(Span a) {
    const Elements& list = a[0].elements();
    Elements out;
    for_slice(list.size(), a[1], a[2], a[3], [&](std::size_t i) { out.push_back(list[i]); });
    return IValue::list(std::move(out));
}

auto found(const Elements& list, const IValue& what) {
    return std::find_if(list.begin(), list.end(), [&](const IValue& e) { return equal(e, what); });
}
IValue contains(Span a) { return found(a[0].elements(), a[1]) != a[0].elements().end(); }
IValue index(Span a) {
    const Elements& list = a[0].elements();
    const auto at = found(list, a[1]);
    REEL_CHECK_VALUE(at != list.end(), "'", str(a[1]), "' is not in list");
    return Int(at - list.begin());
}
IValue count(Span a) {
    const Elements& list = a[0].elements();
    return Int(std::count_if(list.begin(), list.end(), [&](const IValue& e) { return equal(e, a[1]); }));
}
IValue remove(Span a) {
    Elements& list = a[0].list_elements();
    const auto at = found(list, a[1]);
    REEL_CHECK_VALUE(at != list.end(), "list.remove(x): x not in list");
    list.erase(list.begin() + (at - list.cbegin()));
    return {};
}

bool before(const IValue& a, const IValue& b) {
    if (a.isString()) return a.toStringRef() < b.toStringRef();
    if (a.isTensor()) return a.toTensor().lt(b.toTensor()).item().toBool();
    if (a.isSequence())
        return std::lexicographical_compare(a.elements().begin(), a.elements().end(), b.elements().begin(),
                                            b.elements().end(), before);
    if (a.isDouble()) { // nan would not be an order
        const double x = a.toDouble(), y = b.toDouble();
        return x < y || (y != y && x == x);
    }
    if (is_object(a)) {
        Function* const less = to_object(a)->type()->find_method("__lt__");
        REEL_CHECK_TYPE(less, "sort: ", to_object(a)->type()->name(), " has no __lt__");
        return (*less)({a, b}).toBool();
    }
    REEL_CHECK_TYPE(a.isScalar(), "sort: elements of type ", a.kind_name(), " have no order");
    return a.toInt() < b.toInt();
}
void sort(Elements& list, bool reversed) {
    // Sorted apart: comparing tensors may throw in the middle.
    Elements sorted = list;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [reversed](const IValue& a, const IValue& b) { return reversed ? before(b, a) : before(a, b); });
    list = std::move(sorted);
}
IValue sort_in_place(Span a) {
    sort(a[0].list_elements(), a[1].toBool());
    return {};
}
IValue sorted(Span a) {
    Elements list = a[0].elements();
    sort(list, false);
    return IValue::list(std::move(list));
}

IValue sum(Span a) {
    double total = 0;
    std::complex<double> complex = 0;
    std::uint64_t whole = 0;
    const Elements& list = a[0].elements();
    for (const IValue& e : list) {
        if (e.isComplexDouble()) complex += e.toComplexDouble();
        else if (e.isDouble()) total += e.toDouble();
        else whole += std::uint64_t(e.toInt());
    }
    if (list.empty() || list[0].isInt() || list[0].isBool()) return Int(whole);
    return list[0].isDouble() ? IValue(total) : IValue(complex);
}
/// The empty sum of floats is one.
IValue sum_of_floats(Span a) { return a[0].elements().empty() ? IValue(0.) : sum(a); }

IValue range_list(Span a) {
    Elements out;
    const Int n = a[0].toInt();
    if (n > 0) {
        REEL_CHECK_WITH(OutOfMemoryError, n < Int(1) << 48, "range: a list of ", n, " elements is too long");
        claim(std::size_t(n));
    }
    for (Int i = 0; i < n; ++i) out.push_back(i);
    return IValue::list(std::move(out));
}

constexpr Line lines[] = {
    {"aten::__getitem__.t", get_item},
    {"aten::select.t", get_item},
    {"aten::_set_item.t", set_item},
    {"aten::append.t", append},
    {"aten::extend.t", extend},
    {"aten::insert.t", insert},
    {"aten::pop.t", pop},
    {"aten::Delete.t", delete_item},
    {"aten::clear.t", clear},
    {"aten::reverse.t", reverse},
    {"aten::len.t", length},
    {"aten::len.any", length},
    {"aten::copy.t", copy},
    {"aten::list.t", copy},
    {"aten::Size", copy},
    {"aten::add.t", concatenated},
    {"aten::add_.t", extended},
    {"aten::mul.left_t", times},
    {"aten::mul.right_", times_from_left},
    {"aten::mul_.t", times_in_place},
    {"aten::slice.t", slice},
    {"aten::__contains__.int_list", contains},
    {"aten::__contains__.str_list", contains},
    {"aten::__contains__.float_list", contains},
    {"aten::index.list_int", index},
    {"aten::index.list_float", index},
    {"aten::index.list_bool", index},
    {"aten::index.list_str", index},
    {"aten::index.list_Tensor", index},
    {"aten::count.int", count},
    {"aten::count.float", count},
    {"aten::count.bool", count},
    {"aten::count.str", count},
    {"aten::count.Tensor", count},
    {"aten::remove.int", remove},
    {"aten::remove.float", remove},
    {"aten::remove.bool", remove},
    {"aten::remove.str", remove},
    {"aten::remove.Tensor", remove},
    {"aten::sort.int", sort_in_place},
    {"aten::sort.float", sort_in_place},
    {"aten::sort.bool", sort_in_place},
    {"aten::sort.str", sort_in_place},
    {"aten::sort.Tensor", sort_in_place},
    {"aten::sort.any", sort_in_place},
    {"aten::sorted.*", sorted},
    {"aten::sum.*", sum},
    {"aten::sum.float", sum_of_floats},
    {"prim::rangelist", range_list},
};

} // namespace

std::span<const Line> lists() { return lines; }

} // namespace reel::jit::own
