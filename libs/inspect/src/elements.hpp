// What of a tensor may be other than zero.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::inspect {

/// Detached: the values of a sparse gradient, added up where several lie in one place; any other tensor itself.
inline Tensor elements_of(const Tensor& t) { return t.is_sparse() ? t.detach().coalesce().values() : t.detach(); }

} // namespace reel::inspect
