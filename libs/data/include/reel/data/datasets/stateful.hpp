// Datasets that keep their own place.
#pragma once

#include <reel/autograd/error.hpp>
#include <reel/data/datasets/base.hpp>
#include <reel/data/detail/state.hpp>

namespace reel::data::datasets {

/// Base of datasets that decide themselves what comes next: `get_batch(batch_size)` gives nullopt when the pass is
/// over, and `reset()` starts a new one. Loaders over it are `StatefulDataLoader`s; all their workers share the one
/// dataset, which must lock what it writes.
template <class Self, class Batch = std::vector<Example<>>, class BatchRequest = std::size_t>
class StatefulDataset : public BatchDataset<Self, std::optional<Batch>, BatchRequest> {
public:
    virtual void reset() = 0;
    /// Where it stands. The defaults throw NotImplementedError.
    virtual Value state_dict() const {
        REEL_THROW(NotImplementedError, "StatefulDataset: the dataset does not override state_dict(), so its place "
                                        "cannot be saved");
    }
    virtual void load_state_dict(const Value&) {
        REEL_THROW(NotImplementedError, "StatefulDataset: the dataset does not override load_state_dict(), so its "
                                        "place cannot be restored");
    }
    /// The state dict's entries in an archive; for `reel::save(dataset, path)` and `reel::load(dataset, path)`.
    virtual void save(serialize::OutputArchive& archive) const { data::detail::write_state(archive, state_dict()); }
    virtual void load(serialize::InputArchive& archive) { load_state_dict(data::detail::read_state(archive)); }
};

} // namespace reel::data::datasets
