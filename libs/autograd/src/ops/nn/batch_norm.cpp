// Normalisation per channel: over the batch, over groups of channels, over one example.
#include <reel/autograd/detail/pin.hpp>
#include <reel/autograd/kernels/batch_norm.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/nn/batch_norm.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <optional>

#include "ops/nn/norm.hpp"
#include "ops/shape/shape_util.hpp"
#include "tape/inplace.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

void check_channels(const char* op, const char* argument, const Tensor& t, std::int64_t channels) {
    REEL_CHECK(!t.defined() || (t.dim() == 1 && t.size(0) == channels), op, ": ", argument, " has shape ",
               t.defined() ? t.sizes() : IntArrayRef(), "; expected one entry for each of the ", channels, " channels");
}
void check_input(const char* op, const Tensor& input) {
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()), op, ": input is ", dtype_name(input.scalar_type()),
                               "; expected a floating dtype");
}
NormGeometry geometry(const Tensor& input, std::int64_t groups) {
    NormGeometry g{input.size(0), input.size(1), 1, groups};
    for (std::int64_t d = 2; d < input.dim(); ++d) g.length *= input.size(d);
    return g;
}
norm_layers::Plan plan_of(const NormGeometry& g, double eps, bool constant_stats) {
    norm_layers::Plan p;
    p.affine_sizes = Dims{g.batch, g.channels, g.length};
    p.affine_dims = Dims{0, 2};
    p.weight_shape = Dims{1, g.channels, 1};
    p.stat_sizes = g.groups == 0 ? p.affine_sizes : Dims{g.batch, g.groups, g.channels / g.groups * g.length};
    p.stat_dims = g.groups == 0 ? Dims{0, 2} : Dims{2};
    p.eps = eps;
    p.constant_stats = constant_stats;
    return p;
}

/// The dtype in which the device's kernels read input and write results: 16 bits where they can, else the compute
/// dtype.
ScalarType read_as(const Tensor& input) {
    const bool narrow = kernels::norm_forward_of_16_bits.has(input.device().type());
    return narrow ? input.scalar_type() : norm_layers::compute_dtype(input.scalar_type());
}
bool is_narrow(const Tensor& t) { return t.scalar_type() != norm_layers::compute_dtype(t.scalar_type()); }

/// Means and variances per stat in float64.
struct Moments {
    Tensor mean, var;
    Moments(const char* op, const NormGeometry& g, const Tensor& x)
        : mean(empty_raw(g.num_stats(), kDouble, x.device())), var(empty_raw(g.num_stats(), kDouble, x.device())) {
        (is_narrow(x) ? kernels::norm_moments_of_16_bits : kernels::norm_moments)(op, g, mean, var, x);
    }
    /// From what the map was made with.
    Moments(const Tensor& mean_, const Tensor& rstd, double eps) : mean(cast_raw(mean_, kDouble)) {
        const NoGradGuard guard;
        const Tensor wide = cast_raw(rstd, kDouble);
        var = clamp_min(reciprocal(wide * wide) - eps, 0);
    }
};
/// 1 / sqrt(var + eps) in `t`; `var` is float64.
Tensor rstd_of(const char* op, const Tensor& var, ScalarType t, double eps) {
    Tensor rstd = empty_raw(var.sizes(), t, var.device());
    kernels::norm_rstd(op, rstd, var, eps);
    return rstd;
}

/// The result `y` of the affine map with given moments, recorded. `mean` and `rstd` are in the compute dtype.
Tensor recorded(const char* op, const NormGeometry& g, const Tensor& input, const Tensor& weight, const Tensor& bias,
                const Tensor& y, const Tensor& mean, const Tensor& rstd, double eps, bool constant_stats) {
    const ScalarType t = mean.scalar_type(), seen = y.scalar_type();
    Tensor out = cast_raw(y, input.scalar_type());
    norm_layers::record(
        op, plan_of(g, eps, constant_stats), input, weight, bias, out, mean, rstd,
        [op, g, t, seen, constant_stats](const Tensor& grad, const Tensor& input, const Tensor& weight,
                                         const Tensor& mean, const Tensor& rstd, norm_layers::Wanted wanted) {
            const Tensor x = norm_layers::dense(input, seen), gy = norm_layers::dense(grad, seen),
                         w = norm_layers::dense(weight, t);
            const auto made = [&](bool want, IntArrayRef sizes, ScalarType dtype) {
                return want ? empty_raw(sizes, dtype, gy.device()) : Tensor();
            };
            std::array<Tensor, 3> r{made(wanted.input, input.sizes(), seen), made(wanted.weight, g.channels, t),
                                    made(wanted.bias, g.channels, t)};
            (is_narrow(x) ? kernels::norm_backward_of_16_bits
                          : kernels::norm_backward)(op, g, gy, x, mean, rstd, w, constant_stats, r[0], r[1], r[2]);
            return r;
        });
    return out;
}
/// `x` is the input, dense as the kernels read it.
Tensor apply(const char* op, const NormGeometry& g, const Tensor& input, const Tensor& x, const Tensor& weight,
             const Tensor& bias, const Tensor& mean, const Tensor& rstd, double eps, bool constant_stats) {
    const ScalarType t = mean.scalar_type();
    const Tensor y = empty_raw(input.sizes(), x.scalar_type(), input.device());
    (is_narrow(x) ? kernels::norm_forward_of_16_bits : kernels::norm_forward)(
        op, g, y, x, mean, rstd, norm_layers::dense(weight, t), norm_layers::dense(bias, t));
    return recorded(op, g, input, weight, bias, y, mean, rstd, eps, constant_stats);
}

/// The running moments that a call moves: running += momentum (value - running), in their dtype, version bumped. Both
/// are asked whether they may be written before either is.
class Running {
public:
    Running(const char* op, const Tensor& input, const Tensor& mean, const Tensor& var)
        : op_(op), mean_(writable(op, input, mean)), var_(writable(op, input, var)) {}
    bool any() const { return mean_.defined() || var_.defined(); }
    /// By the mean over examples of their moments; `scale` makes the variance one of a sample.
    void move(const Moments& m, double scale, double momentum) const {
        move_one(mean_, m.mean, 1, momentum);
        move_one(var_, m.var, scale, momentum);
    }

private:
    /// `running` itself, or undefined when it stays as it is.
    static Tensor writable(const char* op, const Tensor& input, const Tensor& running) {
        const bool stays = !running.defined() || running.is_meta() || input.is_meta() || input.numel() == 0;
        if (stays || impl::passes_over(running, op)) return {};
        const NoGradGuard guard;
        check_inplace(running, op);
        return running;
    }
    void move_one(const Tensor& running, const Tensor& moments, double scale, double momentum) const {
        if (!running.defined()) return;
        const NoGradGuard guard;
        const Tensor old = contiguous_raw(cast_raw(running, kDouble)),
                     fresh = empty_raw(running.sizes(), kDouble, running.device());
        kernels::norm_running(op_, fresh, old, moments, scale, momentum);
        copy_raw(running, fresh);
        rebase_history(running, Tensor(), op_);
    }
    const char* op_;
    Tensor mean_, var_;
};
/// The map in ops that record themselves, for running moments that require grad.
Tensor normalized_by(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean,
                     const Tensor& var, ScalarType t, double eps) {
    Dims shape(std::size_t(input.dim()), 1);
    shape[1] = input.size(1);
    const auto wide = [&](const Tensor& v) { return reshape(v.to(t), shape); };
    Tensor y = (input.to(t) - wide(mean)) * rsqrt(wide(var) + eps);
    if (weight.defined()) y = y * wide(weight);
    if (bias.defined()) y = y + wide(bias);
    return y.to(input.scalar_type());
}

struct Result {
    Tensor out, mean, rstd;
};
/// By the device's kernel for all of it; nothing where it has none or does not take the case.
std::optional<Result> in_one_call(const char* op, const NormGeometry& g, const Tensor& input, const Tensor& x,
                                  const Tensor& weight, const Tensor& bias, double eps) {
    if (!kernels::batch_norm.has(input.device().type()) || input.numel() == 0) return std::nullopt;
    const ScalarType t = x.scalar_type();
    const Tensor y = empty_raw(input.sizes(), t, input.device()), mean = empty_raw({g.channels}, t, input.device()),
                 rstd = empty_raw({g.channels}, t, input.device());
    if (!kernels::batch_norm(op, g, y, mean, rstd, x, norm_layers::dense(weight, t), norm_layers::dense(bias, t), eps))
        return std::nullopt;
    return Result{recorded(op, g, input, weight, bias, y, mean, rstd, eps, false), mean, rstd};
}
Result batch_norm_any(const char* op, const Tensor& input, const Tensor& weight, const Tensor& bias,
                      const Tensor& running_mean, const Tensor& running_var, bool training, double momentum,
                      double eps) {
    check_input(op, input);
    const ScalarType t = norm_layers::compute_dtype(input.scalar_type()),
                     stats = weight.defined() ? weight.scalar_type() : input.scalar_type();
    if (input.dim() < 2) { // only an empty vector has no channel dimension
        REEL_CHECK(input.dim() == 1 && input.numel() == 0, op, ": input has shape ", input.sizes(),
                   "; expected at least two dimensions, [N, C, ...]");
        return {reel::clone(input), empty_raw({0}, stats, input.device()), empty_raw({0}, stats, input.device())};
    }
    const NormGeometry g = geometry(input, 0);
    check_channels(op, "weight", weight, g.channels);
    check_channels(op, "bias", bias, g.channels);
    check_channels(op, "running_mean", running_mean, g.channels);
    check_channels(op, "running_var", running_var, g.channels);
    if (t == input.scalar_type()) // low precision may be mixed with float32
        for (const Tensor* p : {&weight, &bias, &running_mean, &running_var})
            REEL_CHECK(!p->defined() || p->scalar_type() == t, op, ": mixed dtypes: input is ", dtype_name(t),
                       ", weight, bias or a running moment is ", dtype_name(p->scalar_type()), "; convert one of them");
    REEL_CHECK(training || (running_mean.defined() && running_var.defined()), op,
               ": running_mean and running_var are needed outside of training");
    if (!training && needs_recording(running_mean, running_var))
        return {normalized_by(input, weight, bias, running_mean, running_var, t, eps), empty_raw({0}, stats),
                empty_raw({0}, stats)};
    if (!training) {
        const Tensor mean = norm_layers::dense(running_mean, t);
        const Tensor var = norm_layers::dense(running_var, kDouble);
        const Tensor rstd = rstd_of(op, var, t, eps), none = empty_raw({0}, stats, input.device());
        return {apply(op, g, input, norm_layers::dense(input, read_as(input)), weight, bias, mean, rstd, eps, true),
                none, none};
    }
    const Running running(op, input, running_mean, running_var);
    const Tensor x = norm_layers::dense(input, read_as(input));
    const double n = double(g.count());
    if (std::optional<Result> r = in_one_call(op, g, input, x, weight, bias, eps)) {
        if (running.any()) running.move(Moments(r->mean, r->rstd, eps), n / (n - 1), momentum);
        return {r->out, cast_raw(r->mean, stats), cast_raw(r->rstd, stats)};
    }
    const Moments m(op, g, x);
    const Tensor mean = cast_raw(m.mean, t), rstd = rstd_of(op, m.var, t, eps);
    Tensor out = apply(op, g, input, x, weight, bias, mean, rstd, eps, false);
    running.move(m, n / (n - 1), momentum);
    return {out, cast_raw(mean, stats), cast_raw(rstd, stats)};
}

} // namespace

/// (x - mean) / sqrt(var + eps) * weight + bias per channel of input [N, C, ...], with the batch's moments in training
/// (the running ones then move by `momentum`), else with the running ones. Returns also the batch's mean and 1 /
/// sqrt(var + eps).
REEL_OP("native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
        "training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
        rule, out)
std::tuple<Tensor, Tensor, Tensor> native_batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                                     const Tensor& running_mean, const Tensor& running_var,
                                                     bool training, double momentum, double eps) {
    const Result r =
        batch_norm_any("native_batch_norm", input, weight, bias, running_mean, running_var, training, momentum, eps);
    return {r.out, r.mean, r.rstd};
}
REEL_OP("batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
        "training, float momentum, float eps, bool cudnn_enabled) -> Tensor",
        rule,
        samples(call(numbers({2, 3, 4}), numbers({3}, 41), numbers({3}, 42), numbers({3}, 43),
                     numbers({3}, 44).abs() + 0.5, true, 0.1, 1e-5, true),
                call(numbers({2, 3, 4}), numbers({3}, 41), numbers({3}, 42), numbers({3}, 43),
                     numbers({3}, 44).abs() + 0.5, false, 0.1, 1e-5, true),
                call(numbers({2, 3, 4}), none, none, none, none, true, 0.1, 1e-5, true)))
Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                  const Tensor& running_var, bool training, double momentum, double eps, bool) {
    return batch_norm_any("batch_norm", input, weight, bias, running_mean, running_var, training, momentum, eps).out;
}
REEL_OP("nn.functional.batch_norm(Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight=None, "
        "Tensor? bias=None, bool training=False,"
        " float momentum=0.1, float eps=1e-05) -> Tensor",
        rule, cpp("functional_batch_norm"))
Tensor functional_batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                             const Tensor& weight, const Tensor& bias, bool training, double momentum, double eps) {
    if (training && input.dim() >= 2)
        REEL_CHECK_VALUE(input.size(1) == 0 || input.numel() / std::max<std::int64_t>(input.size(1), 1) != 1,
                         "batch_norm: expected more than one value per channel when training, got input ",
                         input.sizes());
    return batch_norm_any("batch_norm", input, weight, bias, running_mean, running_var, training, momentum, eps).out;
}

namespace {
Tensor grouped(const char* op, const Tensor& input, std::int64_t num_groups, const Tensor& weight, const Tensor& bias,
               double eps) {
    check_input(op, input);
    const NormGeometry g = geometry(input, num_groups);
    check_channels(op, "weight", weight, g.channels);
    check_channels(op, "bias", bias, g.channels);
    const ScalarType t = norm_layers::compute_dtype(input.scalar_type());
    const Tensor x = norm_layers::dense(input, read_as(input));
    if (kernels::group_norm.has(input.device().type())) {
        const auto fresh = [&](IntArrayRef sizes, ScalarType dtype) { return empty_raw(sizes, dtype, input.device()); };
        const Tensor y = fresh(input.sizes(), x.scalar_type()), mean = fresh(g.num_stats(), t),
                     rstd = fresh(g.num_stats(), t);
        kernels::group_norm(op, g, y, mean, rstd, x, norm_layers::dense(weight, t), norm_layers::dense(bias, t), eps);
        return recorded(op, g, input, weight, bias, y, mean, rstd, eps, false);
    }
    const Moments m(op, g, x);
    return apply(op, g, input, x, weight, bias, cast_raw(m.mean, t), rstd_of(op, m.var, t, eps), eps, false);
}
} // namespace

/// Normalises each of `num_groups` groups of channels of every example of input [N, C, ...].
REEL_OP("nn.functional.group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float "
        "eps=1e-05) -> Tensor",
        rule)
Tensor group_norm(const Tensor& input, std::int64_t num_groups, const Tensor& weight, const Tensor& bias, double eps) {
    REEL_CHECK(input.dim() >= 2, "group_norm: input has shape ", input.sizes(),
               "; expected at least two dimensions, [N, C, ...]");
    const std::int64_t channels = input.size(1);
    REEL_CHECK(num_groups > 0 && channels % num_groups == 0, "group_norm: ", channels, " channels do not divide into ",
               num_groups, " groups");
    REEL_CHECK(input.size(0) == 0 || input.numel() > 0, "group_norm: input has shape ", input.sizes(),
               "; only the batch dimension may be empty");
    if (input.size(0) > 0)
        REEL_CHECK_VALUE(input.numel() / num_groups > 1,
                         "group_norm: expected more than one value per group, got input ", input.sizes(), " with ",
                         num_groups, " groups");
    return grouped("group_norm", input, num_groups, weight, bias, eps);
}

/// group_norm with the means and 1 / sqrt(var + eps) of the groups, [N, groups]; all three are differentiable.
REEL_OP("native_group_norm(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group, float eps) -> "
        "(Tensor, Tensor, Tensor)",
        rule)
std::tuple<Tensor, Tensor, Tensor> native_group_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                                     std::int64_t N, std::int64_t C, std::int64_t HxW,
                                                     std::int64_t group, double eps) {
    check_input("native_group_norm", input);
    check_sizes("native_group_norm", {N, C, HxW}, input.scalar_type());
    REEL_CHECK(group > 0 && C % group == 0, "native_group_norm: ", C, " channels do not divide into ", group,
               " groups");
    REEL_CHECK(input.numel() == N * C * HxW, "native_group_norm: input ", input.sizes(),
               " does not have N C HxW = ", N * C * HxW, " elements");
    check_channels("native_group_norm", "weight", weight, C);
    check_channels("native_group_norm", "bias", bias, C);
    const ScalarType t = norm_layers::compute_dtype(input.scalar_type());
    const Tensor x = reshape(input.to(t), {N, group, C / group * HxW});
    const Tensor mean = reel::mean(x, IntArrayRef{2}, true), centred = x - mean;
    const Tensor rstd = rsqrt(reel::mean(centred * centred, IntArrayRef{2}, true) + eps);
    Tensor y = reshape(centred * rstd, {N, C, HxW});
    if (weight.defined()) y = y * reshape(weight.to(t), {1, C, 1});
    if (bias.defined()) y = y + reshape(bias.to(t), {1, C, 1});
    const ScalarType out = input.scalar_type();
    Tensor means = reshape(mean, {N, group}), rstds = reshape(rstd, {N, group});
    if (!input.requires_grad()) { // the three are outputs of one op: all or none of them are on the tape
        means = means.clone();
        rstds = rstds.clone();
        for (const Tensor& t : {means, rstds})
            record("native_group_norm", {weight, bias}, t, {}, [](RuleContext&) -> GradList {
                return {Tensor(), Tensor()};
            });
    }
    return {reshape(y, input.sizes()).to(out), means.to(out), rstds.to(out)};
}

/// Normalises every channel of every example of input [N, C, ...] with its own moments, or with the running ones.
/// Running moments follow the mean of the examples' ones.
REEL_OP("instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
        "use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor",
        rule,
        samples(call(numbers({2, 3, 4}), numbers({3}, 41), numbers({3}, 42), numbers({3}, 43),
                     numbers({3}, 44).abs() + 0.5, true, 0.1, 1e-5, true),
                call(numbers({2, 3, 4}), numbers({3}, 41), numbers({3}, 42), numbers({3}, 43),
                     numbers({3}, 44).abs() + 0.5, false, 0.1, 1e-5, true),
                call(numbers({2, 3, 4}), none, none, none, none, true, 0.1, 1e-5, true)))
Tensor instance_norm(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                     const Tensor& running_var, bool use_input_stats, double momentum, double eps, bool) {
    REEL_CHECK(input.dim() >= 2, "instance_norm: input has shape ", input.sizes(),
               "; expected at least two dimensions, [N, C, ...]");
    if (!use_input_stats) return batch_norm(input, weight, bias, running_mean, running_var, false, momentum, eps, true);
    check_channels("instance_norm", "running_mean", running_mean, input.size(1));
    check_channels("instance_norm", "running_var", running_var, input.size(1));
    const Running running("instance_norm", input, running_mean, running_var);
    Tensor out = grouped("instance_norm", input, input.size(1), weight, bias, eps);
    if (running.any()) {
        const NormGeometry g = geometry(input, input.size(1));
        const Moments m("instance_norm", g, norm_layers::dense(input, read_as(input)));
        const double n = double(g.length);
        running.move(m, n / (n - 1), momentum);
    }
    return out;
}
REEL_OP("nn.functional.instance_norm(Tensor input, Tensor? running_mean=None, Tensor? running_var=None, Tensor? "
        "weight=None, Tensor? bias=None,"
        " bool use_input_stats=True, float momentum=0.1, float eps=1e-05) -> Tensor",
        composite, cpp("functional_instance_norm"))
Tensor functional_instance_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                                const Tensor& weight, const Tensor& bias, bool use_input_stats, double momentum,
                                double eps) {
    if (use_input_stats && input.dim() >= 2)
        REEL_CHECK_VALUE(input.size(0) * input.size(1) == 0 || input.numel() / (input.size(0) * input.size(1)) != 1,
                         "instance_norm: expected more than one spatial element when training, got input ",
                         input.sizes());
    return instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, true);
}

} // namespace reel
