// What every sampler is.
#pragma once

#include <cstddef>
#include <optional>
#include <typeinfo>
#include <vector>

#include <reel/data/detail/state.hpp>

namespace reel::data::samplers {

namespace detail {
[[noreturn]] void throw_no_state(const std::type_info& sampler, const char* method);
}

/// Says in which order a loader visits a dataset, by handing out requests for batches: mostly lists of indices.
template <class BatchRequest = std::vector<std::size_t>> class Sampler {
public:
    using BatchRequestType = BatchRequest;
    virtual ~Sampler() = default;
    /// Starts a new pass, over `new_size` elements if given. Loaders call it when a pass begins.
    virtual void reset(std::optional<std::size_t> new_size = std::nullopt) = 0;
    /// The request for the next `batch_size` elements, or for as many as there are left; nullopt when the pass is over.
    virtual std::optional<BatchRequest> next(std::size_t batch_size) = 0;
    /// Place and order. The default throws NotImplementedError.
    virtual Value state_dict() const { detail::throw_no_state(typeid(*this), "state_dict()"); }
    /// Goes on where the saved sampler stood: `next` gives the same bit for bit. The default throws
    /// NotImplementedError; errors of the samplers here: KeyError, TypeError, ValueError for another sampler's state.
    virtual void load_state_dict(const Value&) { detail::throw_no_state(typeid(*this), "load_state_dict()"); }
    /// The state dict's entries in an archive; for `reel::save(sampler, path)` and `reel::load(sampler, path)`.
    virtual void save(serialize::OutputArchive& archive) const { data::detail::write_state(archive, state_dict()); }
    virtual void load(serialize::InputArchive& archive) { load_state_dict(data::detail::read_state(archive)); }
};

} // namespace reel::data::samplers
