// Steps that are recorded.
#include "recorded_step.hpp"

#include <cmath>

#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/extrema.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/shape/strided.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace reel::optim::detail {

namespace {
thread_local bool recorded = false;
} // namespace

RecordedSteps::RecordedSteps(bool on) : before_(std::exchange(recorded, on)) {}
RecordedSteps::~RecordedSteps() { recorded = before_; }
bool steps_are_recorded() { return recorded; }

Tensor Recorded::tensor_like(const Tensor& other) const {
    return is_number() ? reel::full_like(other.detach(), number_) : tensor_;
}
Recorded operator+(const Recorded& a, const Recorded& b) {
    if (b.is_number()) return a.is_number() ? Recorded(a.number_ + b.number_) : Recorded(a.tensor_ + b.number_);
    return Recorded(a.is_number() ? a.number_ + b.tensor_ : a.tensor_ + b.tensor_);
}
Recorded operator-(const Recorded& a, const Recorded& b) {
    if (b.is_number()) return a.is_number() ? Recorded(a.number_ - b.number_) : Recorded(a.tensor_ - b.number_);
    return Recorded(a.is_number() ? a.number_ - b.tensor_ : a.tensor_ - b.tensor_);
}
Recorded operator*(const Recorded& a, const Recorded& b) {
    if (b.is_number()) return a.is_number() ? Recorded(a.number_ * b.number_) : Recorded(a.tensor_ * b.number_);
    return Recorded(a.is_number() ? a.number_ * b.tensor_ : a.tensor_ * b.tensor_);
}
Recorded operator/(const Recorded& a, const Recorded& b) {
    if (b.is_number()) return a.is_number() ? Recorded(a.number_ / b.number_) : Recorded(a.tensor_ / b.number_);
    return Recorded(a.is_number() ? a.number_ / b.tensor_ : a.tensor_ / b.tensor_);
}
Recorded operator-(const Recorded& a) { return a.is_number() ? Recorded(-a.number_) : Recorded(-a.tensor_); }
Recorded operator>(const Recorded& a, const Recorded& b) {
    Recorded r(reel::gt(a.tensor_, b.tensor_like(a.tensor_)));
    r.compared_ = a.tensor_;
    return r;
}
Recorded operator<(const Recorded& a, const Recorded& b) {
    Recorded r(reel::lt(a.tensor_, b.tensor_like(a.tensor_)));
    r.compared_ = a.tensor_;
    return r;
}
Recorded sqrt(const Recorded& a) { return a.is_number() ? Recorded(std::sqrt(a.number_)) : Recorded(a.tensor_.sqrt()); }
Recorded abs(const Recorded& a) { return a.is_number() ? Recorded(std::abs(a.number_)) : Recorded(a.tensor_.abs()); }
Recorded maximum(const Recorded& a, const Recorded& b) {
    return Recorded(reel::maximum(a.tensor_like(b.tensor_), b.tensor_like(a.tensor_)));
}
Recorded minimum(const Recorded& a, const Recorded& b) {
    return Recorded(reel::minimum(a.tensor_like(b.tensor_), b.tensor_like(a.tensor_)));
}
Recorded where(const Recorded& condition, const Recorded& a, const Recorded& b) {
    const Tensor& like = condition.compared_;
    return Recorded(reel::where(condition.tensor_, a.tensor_like(like), b.tensor_like(like)));
}

void open_operands(const Tensor* const* tensors, int n, Recorded* x) {
    for (int i = 0; i < n; ++i) {
        // Clones, since the tensors are overwritten in the end and the tape may have saved what was read.
        const Tensor t = i == 1 ? *tensors[i] : reel::clone(*tensors[i]);
        x[i] = Recorded(t.is_complex() ? reel::view_as_real(t) : t);
    }
}
void write_back(const Tensor* const* tensors, int n, const Recorded* x) {
    for (int i = 0; i < n; ++i) {
        if (i == 1) continue; // the gradient
        const Tensor fresh = x[i].tensor_like(*tensors[i]);
        tensors[i]->copy_(tensors[i]->is_complex() ? reel::view_as_complex(fresh) : fresh);
    }
}

} // namespace reel::optim::detail
