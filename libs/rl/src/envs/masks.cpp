#include "envs/masks.hpp"

#include <cstring>

#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>

#include "specs/spec_impl.hpp"

namespace reel::rl::detail {
namespace {

bool plain(const Tensor& flags) {
    return flags.scalar_type() == kBool && flags.device().is_cpu() && flags.is_contiguous();
}

} // namespace

bool any_set(const Tensor& flags) {
    if (!plain(flags)) return reel::any(flags.to(kBool)).item<bool>();
    return std::memchr(flags.data_ptr<bool>(), 1, std::size_t(flags.numel())) != nullptr;
}
bool all_set(const Tensor& flags) {
    if (!plain(flags)) return reel::all(flags.to(kBool)).item<bool>();
    return std::memchr(flags.data_ptr<bool>(), 0, std::size_t(flags.numel())) == nullptr;
}

Tensor either(const Tensor& a, const Tensor& b) { return any_set(b) ? reel::logical_or(a, b) : a; }

Tensor batch_mask(const TensorDict& td, const std::vector<std::int64_t>& batch_size, const std::string& who) {
    const Entry* entry = td.find("_reset");
    if (!entry) return {};
    Tensor mask = entry->tensor();
    REEL_CHECK_TYPE(mask.scalar_type() == kBool, who, ".reset: expected a bool mask under '_reset', got dtype ",
                    dtype_name(mask.scalar_type()));
    if (mask.sizes().size() == batch_size.size() + 1 && mask.sizes().back() == 1) mask = mask.squeeze(-1);
    REEL_CHECK(mask.sizes().equals(batch_size), who, ".reset: expected a mask of sizes ", sizes_text(batch_size),
               ", or that and 1, under '_reset', got ", sizes_text(entry->tensor().sizes().vec()));
    return all_set(mask) ? Tensor() : mask.contiguous();
}

Tensor where_rows(const Tensor& mask, const Tensor& chosen, const Tensor& other) {
    Tensor m = mask;
    if (m.dim() > chosen.dim()) m = reel::any(m.flatten(chosen.dim() - 1), -1);
    std::vector<std::int64_t> sizes = m.sizes().vec();
    sizes.resize(std::size_t(chosen.dim()), 1);
    return chosen.where(m.reshape(sizes), other);
}

} // namespace reel::rl::detail
