#include <reel/autograd/ops/shape/stack.hpp>
#include <reel/rl/replay/list_storage.hpp>

#include <algorithm>

#include <reel/autograd/grad_mode.hpp>

#include "replay/state.hpp"

namespace reel::rl {

ListStorage::ListStorage(std::int64_t max_size) : ReplayStorage(max_size) {}

void ListStorage::check(const TensorDict& rows) const {
    REEL_CHECK_WITH(KeyError, !rows.empty(), "ListStorage: the rows have no entries at all");
}
void ListStorage::write(std::int64_t begin, const TensorDict& rows, std::int64_t from, std::int64_t count) {
    const NoGradGuard no_grad;
    std::vector<TensorDict> copies;
    for (std::int64_t i = 0; i < count; ++i) copies.push_back(rows[from + i].detach().clone());
    if (entries_.size() < std::size_t(begin + count)) entries_.resize(std::size_t(begin + count));
    std::move(copies.begin(), copies.end(), entries_.begin() + begin);
    size_ = std::int64_t(entries_.size());
}
TensorDict ListStorage::get(const Tensor& index) const {
    const std::int64_t* place = index.data_ptr<std::int64_t>();
    std::vector<TensorDict> chosen;
    for (std::int64_t i = 0; i < index.numel(); ++i) chosen.push_back(entries_[std::size_t(place[i])]);
    return rl::stack(chosen);
}
Tensor ListStorage::column(const NestedKey& key) const {
    std::vector<Tensor> values;
    for (const TensorDict& entry : entries_) values.push_back(entry[key]);
    return reel::stack(values);
}
void ListStorage::clear() {
    entries_.clear();
    size_ = 0;
}
Value ListStorage::state_dict(bool copies) const {
    std::vector<Value> entries;
    for (const TensorDict& entry : entries_) entries.push_back(replay::value_of(entry.unsqueeze(0), 1, copies));
    return ValueDict{{"size", size_}, {"max_size", max_size_}, {"entries", Value::list(std::move(entries))}};
}
CommitLoad ListStorage::prepare_load(const Value& state) {
    const Value& saved_for = replay::entry(state, name(), "max_size");
    REEL_CHECK_VALUE(saved_for.isInt() && saved_for.toInt() == max_size_, name(), ": load_state_dict: 'max_size' is ",
                     saved_for.repr(), ", but this storage has ", max_size_, " places");
    const Value& list = replay::entry(state, name(), "entries");
    REEL_CHECK_TYPE(list.isList(), name(), ": load_state_dict: 'entries' is ", list.repr(), ", expected a list");
    const std::int64_t size = replay::count_in(state, name(), "size", max_size_);
    REEL_CHECK_VALUE(std::int64_t(list.elements().size()) == size, name(), ": load_state_dict: 'size' is ", size,
                     ", but there are ", list.elements().size(), " entries");
    std::vector<TensorDict> entries;
    for (const Value& v : list.elements()) {
        const TensorDict row = replay::dict_in(v, name());
        REEL_CHECK_VALUE(row.batch_dims() > 0 && row.batch_size(0) == 1, name(),
                         ": load_state_dict: an entry has the batch size ", IntArrayRef(row.batch_size()),
                         ", expected [1] and its own");
        entries.push_back(row[0].clone());
    }
    return [this, entries] {
        entries_ = entries;
        size_ = std::int64_t(entries_.size());
    };
}

} // namespace reel::rl
