// Regions of exported programs in which some operators compute in a lower precision (rule SC-114).
#pragma once

#include <span>
#include <string>

#include <reel/autograd/value.hpp>

namespace reel::jit {

/// In force on this thread while it lives; regions nest. NotImplementedError for devices other than `cpu`, ValueError
/// for a dtype that is neither bfloat16 nor float16.
class AutocastRegion {
public:
    AutocastRegion(const std::string& device, ScalarType dtype, bool enabled);
    ~AutocastRegion();
    AutocastRegion(const AutocastRegion&) = delete;

private:
    ScalarType before_;
};

/// Casts the tensors among the operands of `aten::NAME` as the region around asks; outside of regions nothing.
void autocast(const std::string& name, std::span<IValue> operands);

} // namespace reel::jit
