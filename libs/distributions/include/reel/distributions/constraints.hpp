// Sets that parameters and values lie in, as objects: `constraints::positive().check(x)`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <reel/autograd/tensor.hpp>

namespace reel::distributions {

/// A set of tensors of `event_dim()` dimensions (0: of numbers). `check` says for each of a batch whether it lies in
/// it.
class Constraint {
public:
    using Check = std::function<Tensor(const Tensor& value)>;
    Constraint(std::string name, Check check, std::int64_t event_dim = 0, bool is_discrete = false)
        : name_(std::move(name)), check_(std::move(check)), event_dim_(event_dim), is_discrete_(is_discrete) {}
    Tensor check(const Tensor& value) const { return check_(value); }
    /// As `torch.distributions.constraints` prints it: `GreaterThan(lower_bound=0.0)`.
    const std::string& str() const { return name_; }
    std::int64_t event_dim() const { return event_dim_; }
    bool is_discrete() const { return is_discrete_; }

private:
    std::string name_;
    Check check_;
    std::int64_t event_dim_;
    bool is_discrete_;
};

/// PyTorch's, under its names. Bounds belong to the sets where the names say so; NaN lies in none.
namespace constraints {
Constraint real();
Constraint boolean();
Constraint nonnegative_integer();
Constraint positive_integer();
Constraint integer_interval(std::int64_t lower_bound, std::int64_t upper_bound);
Constraint positive();
Constraint nonnegative();
Constraint greater_than(double lower_bound);
Constraint greater_than_eq(double lower_bound);
Constraint less_than(double upper_bound);
Constraint interval(double lower_bound, double upper_bound);           ///< both ends belong to it
Constraint half_open_interval(double lower_bound, double upper_bound); ///< the lower end does
Constraint unit_interval();
/// Vectors.
Constraint real_vector();
Constraint one_hot();
Constraint simplex(); ///< non-negative, of the sum 1 up to 1e-6
Constraint multinomial(std::int64_t upper_bound);
/// Matrices.
Constraint square();
Constraint symmetric(); ///< up to 1e-6
Constraint lower_triangular();
Constraint lower_cholesky();
Constraint corr_cholesky(); ///< lower, with a positive diagonal and rows of length 1
Constraint positive_semidefinite();
Constraint positive_definite();
/// `base` in each of the last `reinterpreted_batch_ndims` dimensions of a batch, as one event.
Constraint independent(const Constraint& base, std::int64_t reinterpreted_batch_ndims);
} // namespace constraints

} // namespace reel::distributions
