// Entries of any shape.
#pragma once

#include <vector>

#include <reel/rl/replay/storage.hpp>

namespace reel::rl {

/// Each entry is a dictionary of its own. Entries may differ in names and shapes; those of one sample may not, since
/// they are stacked.
class ListStorage : public ReplayStorage {
public:
    explicit ListStorage(std::int64_t max_size);
    const char* name() const override { return "ListStorage"; }
    void check(const TensorDict& rows) const override;
    void write(std::int64_t begin, const TensorDict& rows, std::int64_t from, std::int64_t count) override;
    TensorDict get(const Tensor& index) const override;
    Tensor column(const NestedKey& key) const override;
    void clear() override;
    Value state_dict(bool copies = true) const override;
    CommitLoad prepare_load(const Value& state) override;

private:
    std::vector<TensorDict> entries_;
};

} // namespace reel::rl
