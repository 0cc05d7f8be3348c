#include <reel/autograd/detail/outer_product.hpp>

#include <reel/autograd/parallel.hpp>

namespace reel::detail {

namespace {
template <class T> void keep(char* into, const Tensor& t, std::size_t dim) {
    const T* const from = t.data_ptr<T>();
    for (std::int64_t i = 0; i < t.numel(); ++i) reinterpret_cast<T*>(into)[i] = from[i * t.strides()[dim]];
}
template <class T> void write_rows(const OuterProduct& p, char* into) {
    const T* const left = reinterpret_cast<const T*>(p.left());
    const T* const right = reinterpret_cast<const T*>(p.right());
    const T base = T(p.base());
    const std::int64_t columns = p.columns();
    parallel_for(0, p.rows(), std::max<std::int64_t>(1, 32768 / columns), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            T* const row = reinterpret_cast<T*>(into) + i * columns;
            for (std::int64_t j = 0; j < columns; ++j) row[j] = left[i] * right[j] + base;
        }
    });
}
} // namespace

OuterProduct::OuterProduct(const Tensor& left, const Tensor& right, double base)
    : dtype_(left.scalar_type()), rows_(left.numel()), columns_(right.numel()), base_(base), right_at_(left.nbytes()),
      numbers_(left.nbytes() + right.nbytes()) {
    const auto keep_one = dtype_ == kFloat ? &keep<float> : &keep<double>;
    keep_one(numbers_.data(), left, 0);
    keep_one(numbers_.data() + right_at_, right, 1);
}
void OuterProduct::write(char* into) const {
    if (dtype_ == kFloat) write_rows<float>(*this, into);
    else write_rows<double>(*this, into);
}

} // namespace reel::detail
