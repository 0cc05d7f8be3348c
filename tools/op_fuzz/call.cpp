// Copies and texts of calls.
#include "op_fuzz/call.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>

namespace op_fuzz {

using namespace reel;

Value copied(const Value& v) {
    if (!v.isSequence()) return v;
    std::vector<Value> elements;
    for (const Value& e : v.elements()) elements.push_back(copied(e));
    return v.isTuple() ? Value::tuple(std::move(elements)) : Value::list(std::move(elements));
}

Call copied(const Call& call) {
    Call r;
    for (const Value& v : call.args) r.args.push_back(copied(v));
    for (const auto& [key, v] : call.kwargs) r.kwargs.set(key, copied(v));
    return r;
}

void collect_tensors(const Value& v, std::vector<Tensor>& out) {
    if (v.isTensor()) {
        if (v.toTensor().defined()) out.push_back(v.toTensor());
    } else if (v.isSequence()) {
        for (const Value& e : v.elements()) collect_tensors(e, out);
    }
}

std::vector<Tensor> tensors_of(const Call& call) {
    std::vector<Tensor> r;
    for (const Value& v : call.args) collect_tensors(v, r);
    for (const auto& [key, v] : call.kwargs) collect_tensors(v, r);
    return r;
}

namespace {

/// The first and the last of a long list.
template <class List, class Text> std::string listed(const List& list, char open, char close, Text text) {
    constexpr std::size_t shown = 12;
    std::string s(1, open);
    std::size_t i = 0;
    for (const auto& e : list) {
        if (i == shown) break;
        s += (i++ ? ", " : "") + text(e);
    }
    if (list.size() > shown) s += str(", ... ", list.size());
    return s + close;
}
std::string sizes_text(IntArrayRef sizes) {
    return listed(sizes, '[', ']', [](std::int64_t n) { return std::to_string(n); });
}

template <class T> std::string value_at(const char* p) {
    const T v = *reinterpret_cast<const T*>(p);
    if constexpr (std::is_integral_v<T>) return std::to_string(v);
    else if constexpr (std::is_convertible_v<T, double>) return str(double(v));
    else return Value(std::complex<double>(v)).repr();
}
std::string value_at(const char* p, ScalarType t) {
    switch (t) {
#define REEL_CASE(T, Name)                                                                                             \
    case ScalarType::Name:                                                                                             \
        return value_at<T>(p);
        REEL_FORALL_SCALAR_TYPES(REEL_CASE)
#undef REEL_CASE
    default:
        return "?";
    }
}
std::string few_values(const Tensor& t) {
    std::string s = "{";
    std::vector<std::int64_t> index(std::size_t(t.dim()));
    for (std::int64_t i = 0; i < t.numel(); ++i) {
        std::int64_t at = 0;
        for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * t.strides()[d];
        s +=
            (i ? ", " : "") + value_at(static_cast<const char*>(t.data_ptr()) + at * t.element_size(), t.scalar_type());
        for (std::size_t d = index.size(); d-- > 0;) {
            if (++index[d] < t.sizes()[d]) break;
            index[d] = 0;
        }
    }
    return s + "}";
}
/// By every size, since their product may have wrapped.
bool is_small(const Tensor& t) {
    return t.numel() > 0 && t.numel() <= 6 &&
           std::all_of(t.sizes().begin(), t.sizes().end(), [](auto n) { return n <= 6; });
}
std::string describe(const Tensor& t) {
    if (!t.defined()) return "undefined";
    std::string s = dtype_name(t.scalar_type()) + sizes_text(t.sizes());
    if (t.is_meta()) return s + " meta";
    if (!t.is_contiguous()) s += "/s" + sizes_text(t.strides());
    if (t.storage_offset() != 0) s += "@" + std::to_string(t.storage_offset());
    if (t.requires_grad()) s += t.is_leaf() ? " grad" : " grad_fn";
    if (t.is_cpu() && is_small(t)) s += few_values(t);
    return s;
}

} // namespace

std::string describe(const Value& v) {
    if (v.isTensor()) return describe(v.toTensor());
    if (v.isSequence())
        return listed(v.elements(), v.isTuple() ? '(' : '[', v.isTuple() ? ')' : ']',
                      [](const Value& e) { return describe(e); });
    std::string s = v.repr();
    if (s.size() > 80) s = s.substr(0, 60) + str("... ", s.size());
    return s;
}

std::string describe(const std::string& op, const Call& call) {
    std::string s = op + "(";
    for (std::size_t i = 0; i < call.args.size(); ++i) s += (i ? ", " : "") + describe(call.args[i]);
    bool first = call.args.empty();
    for (const auto& [key, v] : call.kwargs) {
        s += (first ? "" : ", ") + (key.isString() ? key.toStringRef() : key.repr()) + "=" + describe(v);
        first = false;
    }
    return s + ")";
}

} // namespace op_fuzz
