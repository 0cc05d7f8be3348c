#include <reel/rl/replay/tensor_storage.hpp>

#include <reel/autograd/grad_mode.hpp>

#include "replay/state.hpp"
#include "tensordict/dict_impl.hpp"

namespace reel::rl {
namespace {

std::vector<std::int64_t> with_rows(IntArrayRef sizes, std::int64_t rows) {
    std::vector<std::int64_t> r(sizes.begin(), sizes.end());
    r[0] = rows;
    return r;
}
/// The same dictionary structure over other tensors, which are taken in the order of the leaves.
TensorDict same_structure(const TensorDict& rows, std::int64_t max_size, const std::vector<Tensor>& leaves,
                          std::size_t& next) {
    TensorDict dict(with_rows(rows.batch_size(), max_size));
    for (const auto& [key, item] : rows.items()) {
        if (item.is_dict()) dict.set(key, same_structure(item.dict(), max_size, leaves, next));
        else dict.set(key, leaves[next++]);
    }
    return dict;
}
void collect_leaves(const TensorDict& dict, const std::optional<NestedKey>& outer,
                    std::vector<std::pair<NestedKey, Tensor>>& leaves) {
    for (const auto& [key, item] : dict.items()) {
        const NestedKey path = outer ? key.under(*outer) : key;
        if (item.is_dict()) collect_leaves(item.dict(), path, leaves);
        else leaves.emplace_back(path, item.tensor());
    }
}
std::size_t count_leaves(const TensorDict& dict) { return dict.keys(true, true).size(); }
/// The names that there are, for messages.
std::string listed(const std::vector<std::pair<NestedKey, Tensor>>& leaves) {
    std::string text;
    for (const auto& [key, tensor] : leaves) text += (text.empty() ? "" : ", ") + key.str();
    return text;
}
/// The likeliest of the other side's names, for messages.
std::string meant(const TensorDict& dict, const NestedKey& key) {
    const std::vector<NestedKey> nearest = detail::nearest_keys(dict, key);
    return nearest.empty() ? "" : "; the nearest that there is: " + nearest[0].str();
}

} // namespace

void TensorStorage::check(const TensorDict& rows) const {
    if (leaves_.empty()) {
        REEL_CHECK_WITH(KeyError, count_leaves(rows) > 0, name(), ": the rows have no entries at all");
        return;
    }
    for (const auto& [key, stored] : leaves_) {
        const Entry* entry = rows.find(key);
        REEL_CHECK_WITH(KeyError, entry && entry->is_tensor(), name(), ": the rows have no tensor ", key,
                        ", which the entries stored so far have: ", listed(leaves_), meant(rows, key));
        const Tensor& given = entry->tensor();
        REEL_CHECK(given.sizes().slice(1) == stored.sizes().slice(1), name(), ": ", key, " is ", given.sizes(),
                   ", but entries are stored as ", stored.sizes(), ": after the first, all sizes must agree");
        REEL_CHECK_TYPE(given.scalar_type() == stored.scalar_type(), name(), ": ", key, " is ", given.scalar_type(),
                        ", but entries are stored as ", stored.scalar_type());
    }
    if (count_leaves(rows) == leaves_.size()) return;
    for (const NestedKey& key : rows.keys(true, true))
        REEL_CHECK_WITH(KeyError, data_.contains(key), name(), ": the rows have an entry ", key,
                        " that those stored so far do not have: ", listed(leaves_), meant(data_, key),
                        "; leave it out with exclude({", key, "}), or clear() the buffer and store it from the start");
}

void TensorStorage::allocate_like(const TensorDict& rows) {
    std::vector<std::pair<NestedKey, Tensor>> leaves;
    collect_leaves(rows, std::nullopt, leaves);
    std::vector<Tensor> tensors;
    try {
        for (auto& [key, tensor] : leaves) {
            tensor = allocate(key, with_rows(tensor.sizes(), max_size_), tensor);
            tensors.push_back(tensor);
        }
    } catch (...) {
        release();
        throw;
    }
    std::size_t next = 0;
    data_ = same_structure(rows, max_size_, tensors, next);
    leaves_ = std::move(leaves);
}

void TensorStorage::write(std::int64_t begin, const TensorDict& rows, std::int64_t from, std::int64_t count) {
    const NoGradGuard no_grad;
    if (leaves_.empty()) allocate_like(rows);
    for (const auto& [key, stored] : leaves_) {
        const Tensor& given = rows.find(key)->tensor();
        const Tensor part = count == given.size(0) ? given : given.narrow(0, from, count);
        stored.narrow(0, begin, count).copy_(part);
    }
    size_ = std::max(size_, begin + count);
}

TensorDict TensorStorage::get(const Tensor& index) const {
    const NoGradGuard no_grad;
    return data_[index];
}
Tensor TensorStorage::column(const NestedKey& key) const { return data_[key].narrow(0, 0, size_); }

Value TensorStorage::state_dict(bool copies) const {
    ValueDict state{{"size", size_}, {"max_size", max_size_}};
    if (!leaves_.empty()) state.set("data", replay::value_of(data_, size_, copies));
    return state;
}
CommitLoad TensorStorage::prepare_load(const Value& state) {
    const std::int64_t size = replay::count_in(state, name(), "size", max_size_);
    const Value& saved_for = replay::entry(state, name(), "max_size");
    REEL_CHECK_VALUE(saved_for.isInt() && saved_for.toInt() == max_size_, name(), ": load_state_dict: 'max_size' is ",
                     saved_for.repr(), ", but this storage has ", max_size_, " places");
    if (!state.toGenericDict().contains("data")) {
        REEL_CHECK_WITH(KeyError, size == 0, name(), ": load_state_dict: the state has no 'data' for ", size,
                        " entries");
        return [this] { clear(); };
    }
    const TensorDict rows = replay::dict_in(replay::entry(state, name(), "data"), name());
    REEL_CHECK_VALUE(rows.batch_dims() > 0 && rows.batch_size(0) == size, name(), ": load_state_dict: 'size' is ", size,
                     ", but the batch size of 'data' is ", IntArrayRef(rows.batch_size()));
    check(rows);
    return [this, rows, size] {
        clear();
        if (size > 0) write(0, rows, 0, size);
    };
}

} // namespace reel::rl
