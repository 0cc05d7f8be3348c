// Results that go into tensors of the caller: `add_out(out, a, b)`, and `out=` in calls by name.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor.hpp>
#include <reel/autograd/value.hpp>

namespace reel::detail {

/// While it lives nothing is recorded. Throws Error when an operand or an output requires grad while recording: nothing
/// of a history can be kept in memory that another result overwrites.
class OutForm {
public:
    template <class... A> explicit OutForm(const char* op, const A&... operands) : op_(op) { (refuse(operands), ...); }

    /// Writes `results` into `outs`: checked first, all of them, then resized where the sizes differ (with a warning
    /// unless empty), then written. Throws TypeError where a dtype cannot be cast, or must not be, Error for other
    /// devices and for memory that several elements share.
    void write(std::span<const Tensor> outs, std::span<const Tensor> results) const;
    Tensor& write(const Tensor& out, const Tensor& result) const;

private:
    void refuse(const Tensor& t) const;
    void refuse(TensorList list) const {
        for (const Tensor& t : list) refuse(t);
    }
    void refuse(const Value& v) const;
    void refuse(std::span<const Value> values) const {
        for (const Value& v : values) refuse(v);
    }
    template <class T> void refuse(const T&) const {}

    const char* op_;
    bool recording_ = GradMode::is_enabled();
    NoGradGuard guard_;
};

/// Must outputs of `op` have the very dtype of the result (flag `out_exact`), or is one that it can be cast to enough?
bool out_has_exact_dtype(std::string_view op);
/// The tensor, or the tensors within, of an argument `out` or of a result.
std::vector<Tensor> tensors_of(const char* op, const Value& v);

/// `out=` in a call by name: runs `compute`, writes what it returns into `out` (a tensor, or as many as there are
/// results) and returns `out`.
template <class F> Value into_out(const char* op, const Value& out, std::span<const Value> operands, F compute) {
    const std::vector<Tensor> outs = tensors_of(op, out);
    const OutForm form(op, operands, TensorList(outs));
    form.write(outs, tensors_of(op, compute()));
    return out;
}

} // namespace reel::detail
