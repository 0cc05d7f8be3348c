// The forms of ops that write into tensors of the caller, as libtorch's `add_out(out, a, b)`; each stands beside its
// op. The output is resized where its sizes differ (with a warning unless empty); its dtype must be one that the result
// can be cast to. Error when an argument requires grad while recording.
#pragma once

#include <reel/autograd/ops.hpp>
