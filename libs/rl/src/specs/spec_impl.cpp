#include "specs/spec_impl.hpp"

namespace reel::rl::detail {

std::string sizes_text(const std::vector<std::int64_t>& sizes) {
    std::string text = "[";
    for (std::size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
    return text + "]";
}

void SpecImpl::lacks(const char* what) const {
    REEL_THROW(ValueError, summary(), ": a spec of this kind has no ", what);
}
std::int64_t SpecImpl::n() const { lacks("number of choices (n)"); }
const std::vector<std::int64_t>& SpecImpl::nvec() const { lacks("list of numbers of choices (nvec)"); }
Tensor SpecImpl::bound(bool) const { lacks("bounds (low, high)"); }
Tensor SpecImpl::to_categorical(const Tensor&) const { lacks("categorical form"); }
Tensor SpecImpl::to_one_hot(const Tensor&) const { lacks("one-hot form"); }
TensorSpec SpecImpl::to_categorical_spec() const { lacks("categorical form"); }
TensorSpec SpecImpl::to_one_hot_spec() const { lacks("one-hot form"); }
std::string SpecImpl::summary() const {
    return str(name(), "(", domain(), domain().empty() ? "" : ", ", "shape=", sizes_text(shape),
               ", dtype=", dtype_name(dtype), ")");
}

} // namespace reel::rl::detail
