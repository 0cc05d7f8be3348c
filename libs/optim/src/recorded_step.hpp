// Steps that are recorded: the text of a rule, applied to tensors by operations of the tape.
#pragma once

#include <functional>
#include <initializer_list>

#include <reel/autograd/tensor.hpp>

namespace reel::optim::detail {

/// While one lives with `on`, steps on this thread are recorded.
class RecordedSteps {
public:
    explicit RecordedSteps(bool on);
    ~RecordedSteps();
    RecordedSteps(const RecordedSteps&) = delete;

private:
    bool before_;
};
bool steps_are_recorded();

/// What a rule computes with: a tensor, or a number that combines with tensors of any dtype without changing it.
class Recorded {
public:
    Recorded() = default;
    explicit Recorded(double number) : number_(number) {}
    explicit Recorded(Tensor tensor) : tensor_(std::move(tensor)) {}
    /// Like `other`, where it is a number.
    Tensor tensor_like(const Tensor& other) const;

    friend Recorded operator+(const Recorded& a, const Recorded& b);
    friend Recorded operator-(const Recorded& a, const Recorded& b);
    friend Recorded operator*(const Recorded& a, const Recorded& b);
    friend Recorded operator/(const Recorded& a, const Recorded& b);
    friend Recorded operator-(const Recorded& a);
    friend Recorded operator>(const Recorded& a, const Recorded& b);
    friend Recorded operator<(const Recorded& a, const Recorded& b);
    friend Recorded sqrt(const Recorded& a);
    friend Recorded abs(const Recorded& a);
    friend Recorded maximum(const Recorded& a, const Recorded& b);
    friend Recorded minimum(const Recorded& a, const Recorded& b);
    friend Recorded where(const Recorded& condition, const Recorded& a, const Recorded& b);

private:
    bool is_number() const { return !tensor_.defined(); }
    Tensor tensor_;
    Tensor compared_; ///< of a condition: the tensor that it was asked of
    double number_ = 0;
};

/// The operands of a step as a rule reads them (complex ones as pairs of real numbers), and back into the tensors.
void open_operands(const Tensor* const* tensors, int n, Recorded* x);
void write_back(const Tensor* const* tensors, int n, const Recorded* x);

template <class Rule>
void record_step(const Rule& rule, const Tensor& param, const Tensor& grad,
                 std::initializer_list<std::reference_wrapper<const Tensor>> state) {
    const Tensor* tensors[2 + Rule::states] = {&param, &grad};
    int n = 2;
    for (const Tensor& t : state) tensors[n++] = &t;
    Recorded x[2 + Rule::states];
    open_operands(tensors, n, x);
    rule(x);
    write_back(tensors, n, x);
}

} // namespace reel::optim::detail
