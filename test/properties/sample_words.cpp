#include "sample_words.hpp"

namespace properties {

SampleCall SampleCall::with(const char* name, Value value) const {
    SampleCall other = *this;
    other.kwargs.set(name, std::move(value));
    return other;
}
SampleCall SampleCall::as(const char* alias) const {
    SampleCall other = *this;
    other.op = alias;
    return other;
}
SampleCall SampleCall::by_convention() const {
    SampleCall other = *this;
    other.convention = true;
    return other;
}

Tensor numbers(IntArrayRef sizes, std::uint64_t seed, ScalarType dtype) {
    return noise_like(empty(sizes, dtype), seed);
}
Tensor numbers(IntArrayRef sizes, ScalarType dtype) { return numbers(sizes, 9, dtype); }
Tensor spread(double low, double high, std::int64_t operand) {
    constexpr std::int64_t rows = 5, columns = 7, count = rows * columns;
    const double from = low > -infinity ? low : high < infinity ? high - 3 : -2.1;
    const double width = (high < infinity ? high : low > -infinity ? low + 3 : 2.3) - from;
    const Tensor t = empty({rows, columns}, kDouble);
    // Steps of 13 through the places, so that neighbours differ, and operands meet in other pairs.
    for (std::int64_t i = 0; i < count; ++i)
        t.data_ptr<double>()[i] =
            from + width * (double((13 * i + 5 * operand) % count) + 0.37 + 0.11 * double(operand)) / double(count);
    return t;
}
Tensor spread_complex(std::int64_t operand) {
    return reel::complex(spread(0.3, 1.5, operand), spread(-1.2, 0.8, operand + 1));
}
Tensor definite(std::int64_t n, ScalarType dtype) {
    const Tensor a = numbers({n, n}, 5, dtype);
    return matmul(a, conj(transpose(a, 0, 1)).resolve_conj()) + eye(n, n, TensorOptions(dtype));
}
Tensor longs(std::vector<std::int64_t> values) { return tensor(std::move(values), TensorOptions(kLong)); }
Value ints(std::vector<std::int64_t> values) { return Value(std::move(values)); }
Value tensors(const std::vector<Tensor>& list) {
    std::vector<Value> values;
    for (const Tensor& t : list) values.push_back(t.defined() ? Value(t) : Value());
    return Value::list(std::move(values));
}
Value gates(std::int64_t count) {
    const std::int64_t rows = 2 * count;
    return tensors({numbers({rows, 3}, 30), numbers({rows, 2}, 31), numbers({rows}, 32), numbers({rows}, 33)});
}

void add(std::vector<Sample>& list, const char* op, const std::vector<std::string>& schemas, const char* where,
         std::initializer_list<SampleCall> calls) {
    for (const SampleCall& c : calls)
        list.push_back({c.op.empty() ? op : c.op, where, c.args, c.kwargs, {}, c.convention, schemas, c.whole_domain});
}

} // namespace properties
