// From bound values to C++ arguments, and from results to values: what the generated thunks call.
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include <reel/autograd/random.hpp>
#include <reel/autograd/value.hpp>

namespace reel::ops::convert {

inline Tensor opt_tensor(const Value& v) { return v.isNone() ? Tensor() : v.toTensor(); }
inline std::vector<Tensor> opt_tensors(const Value& v) { return v.toTensorVector(); }
inline std::optional<std::int64_t> opt_int(const Value& v) { return v.toOptional<std::int64_t>(); }
inline std::optional<double> opt_double(const Value& v) { return v.toOptional<double>(); }
inline std::optional<bool> opt_bool(const Value& v) { return v.toOptional<bool>(); }
inline std::optional<Scalar> opt_scalar(const Value& v) { return v.toOptional<Scalar>(); }
inline std::optional<ScalarType> opt_dtype(const Value& v) { return v.toOptional<ScalarType>(); }
inline std::optional<Device> opt_device(const Value& v) {
    return v.isNone() ? std::nullopt : std::optional(v.toDevice());
}
inline std::optional<std::string_view> opt_str(const Value& v) {
    return v.isNone() ? std::nullopt : std::optional<std::string_view>(v.toStringRef());
}
/// The word that the three arguments of a loss mean; the first two are older, and warn.
std::string_view reduction(const Value& size_average, const Value& reduce, const Value& reduction);
inline std::optional<Generator> opt_generator(const Value& v) { return v.toOptional<Generator>(); }
inline std::vector<std::int64_t> ints(const Value& v) {
    return v.isSequence() ? v.toIntVector() : std::vector<std::int64_t>{v.toInt()};
}
/// Entries that are None become `no_size`: "as the input has it".
inline std::vector<std::int64_t> ints_or_none(const Value& v) {
    std::vector<std::int64_t> r;
    for (const Value& e : v.elements()) r.push_back(e.isNone() ? detail::no_size : e.toInt());
    return r;
}
inline std::vector<double> doubles(const Value& v) {
    return v.isSequence() ? v.toDoubleVector() : std::vector<double>{v.toDouble()};
}
/// Owns the integers that an OptionalIntArrayRef borrows for the call.
struct OptInts {
    explicit OptInts(const Value& v) : has(!v.isNone()), data(has ? ints(v) : std::vector<std::int64_t>{}) {}
    operator OptionalIntArrayRef() const {
        return has ? OptionalIntArrayRef(IntArrayRef(data)) : OptionalIntArrayRef();
    }
    bool has;
    std::vector<std::int64_t> data;
};
struct OptDoubles {
    explicit OptDoubles(const Value& v) : has(!v.isNone()), data(has ? doubles(v) : std::vector<double>{}) {}
    operator std::optional<ArrayRef<double>>() const {
        return has ? std::optional(ArrayRef<double>(data)) : std::nullopt;
    }
    bool has;
    std::vector<double> data;
};
std::optional<MemoryFormat> opt_memory_format(const Value& v);
TensorOptions options(const Value& v);

inline Value result(const Tensor& t) { return Value(t); }
inline Value result(Tensor& t) { return Value(t); }
inline Value result(Tensor&& t) { return Value(std::move(t)); }
inline Value result(const std::vector<Tensor>& v) { return Value(v); }
inline Value result(const std::vector<std::int64_t>& v) { return Value(v); }
template <class... T> Value result(const std::tuple<T...>& t) { return Value(t); }
template <class T> Value result(const T& v) { return Value(v); }

} // namespace reel::ops::convert
