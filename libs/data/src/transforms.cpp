#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/division.hpp>
#include <reel/autograd/ops/shape/stack.hpp>
#include <reel/data/transforms.hpp>

namespace reel::data::transforms {

namespace {
/// Moves the member of every example into a vector.
template <class E> std::vector<Tensor> take(std::vector<E>& examples, Tensor E::*member) {
    std::vector<Tensor> r;
    r.reserve(examples.size());
    for (E& e : examples) r.push_back(std::move(e.*member));
    return r;
}
} // namespace

Example<> Stack<Example<>>::apply_batch(std::vector<Example<>> examples) {
    return {reel::stack(take(examples, &Example<>::data)), reel::stack(take(examples, &Example<>::target))};
}
TensorExample Stack<TensorExample>::apply_batch(std::vector<TensorExample> examples) {
    return reel::stack(take(examples, &TensorExample::data));
}

namespace detail {
Tensor channel_constants(ArrayRef<double> values) {
    Tensor r = reel::empty({std::int64_t(values.size()), 1, 1}, kFloat);
    float* p = r.data_ptr<float>();
    for (const double v : values) *p++ = float(v);
    return r;
}
Tensor normalized(const Tensor& input, const Tensor& mean, const Tensor& stddev) {
    return reel::div(reel::sub(input, mean), stddev);
}
} // namespace detail

} // namespace reel::data::transforms
