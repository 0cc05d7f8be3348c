// Regions in which some operators compute in a lower precision: of exported programs (rule SC-114), and `with
// torch.autocast(...)` of archives.
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

/// Whether this thread is in a region that casts.
bool autocast_is_on();
/// Casts the tensors among the operands of `aten::NAME` as the region around asks; outside of regions nothing.
void autocast(const std::string& name, std::span<IValue> operands);

} // namespace reel::jit
