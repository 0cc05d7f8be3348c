#include "detail/rows.hpp"

#include <cstring>
#include <utility>

#include <reel/autograd/grad_mode.hpp>

namespace reel::rl::detail {

Rows::Rows(std::string whose, std::string without) : whose_(std::move(whose)), without_(std::move(without)) {}

void Rows::start(std::int64_t count, std::int64_t dim) {
    count_ = count;
    dim_ = dim;
    planned_ = false;
    nodes_.clear();
    leaves_.clear();
}

void Rows::write(std::int64_t row, const TensorDict& dict) {
    if (!planned_) plan(dict);
    bool same = size_of(dict) == size_;
    for (const Node& node : nodes_) {
        const Entry* entry = dict.find(node.key);
        same = same && entry && entry->is_dict() && entry->dict().size() == node.size;
    }
    if (!same) refuse_names(dict, row);
    for (Leaf& leaf : leaves_) {
        const Entry* entry = dict.find(leaf.key);
        if (!entry || !entry->is_tensor()) refuse_names(dict, row);
        copy(leaf, row, entry->tensor());
    }
}

TensorDict Rows::take() {
    TensorDict result(batch_size_);
    for (const Node& node : nodes_) // also those that hold no tensor
        if (node.size == 0) result.set(node.key, TensorDict(batch_size_));
    for (Leaf& leaf : leaves_) {
        result.set(leaf.key, std::move(leaf.all));
        leaf.first = Tensor();
    }
    planned_ = false;
    return result;
}

std::size_t Rows::size_of(const TensorDict& dict) const {
    return dict.size() - std::size_t(!without_.empty() && dict.contains(without_));
}

void Rows::plan(const TensorDict& dict) {
    nodes_.clear();
    leaves_.clear();
    size_ = size_of(dict);
    batch_size_ = dict.batch_size();
    batch_size_.insert(batch_size_.begin() + dim_, count_);
    for (const auto& [key, entry] : dict.items()) {
        if (key.back() == without_) continue;
        if (entry.is_dict()) add_node(key, entry.dict());
        else add_leaf(key, entry.tensor());
    }
    planned_ = true;
}
void Rows::add_node(const NestedKey& key, const TensorDict& dict) {
    nodes_.push_back({key, dict.size()});
    for (const auto& [name, entry] : dict.items()) {
        const NestedKey path = name.under(key);
        if (entry.is_dict()) add_node(path, entry.dict());
        else add_leaf(path, entry.tensor());
    }
}
void Rows::add_leaf(NestedKey key, const Tensor& tensor) {
    std::vector<std::int64_t> sizes(tensor.sizes().begin(), tensor.sizes().end());
    Leaf leaf{std::move(key), tensor, Tensor()};
    if (tensor.is_cpu()) {
        leaf.blocks = 1;
        leaf.bytes = tensor.element_size();
        for (std::int64_t d = 0; d < tensor.dim(); ++d) (d < dim_ ? leaf.blocks : leaf.bytes) *= sizes[std::size_t(d)];
    }
    sizes.insert(sizes.begin() + dim_, count_);
    leaf.all = tensor.new_empty(sizes);
    leaves_.push_back(std::move(leaf));
}

void Rows::copy(Leaf& leaf, std::int64_t row, const Tensor& value) const {
    REEL_CHECK(value.is_same_size(leaf.first) && value.scalar_type() == leaf.first.scalar_type() &&
                   value.device() == leaf.first.device(),
               whose_, ": the entry ", leaf.key, " is of shape ", value.sizes(), " and ",
               dtype_name(value.scalar_type()), " on ", value.device(), ", where the first one was of shape ",
               leaf.first.sizes(), " and ", dtype_name(leaf.first.scalar_type()), " on ", leaf.first.device(),
               ": all that come into one batch must be alike");
    if (leaf.blocks > 0 && value.is_contiguous()) {
        const char* from = static_cast<const char*>(value.data_ptr());
        char* to = static_cast<char*>(leaf.all.data_ptr()) + row * leaf.bytes;
        for (std::int64_t b = 0; b < leaf.blocks; ++b, from += leaf.bytes, to += leaf.bytes * count_)
            std::memcpy(to, from, std::size_t(leaf.bytes));
        return;
    }
    const NoGradGuard no_grad;
    leaf.all.select(dim_, row).copy_(value);
}

void Rows::refuse_names(const TensorDict& dict, std::int64_t row) const {
    for (const Leaf& leaf : leaves_) {
        const Entry* entry = dict.find(leaf.key);
        REEL_CHECK_WITH(KeyError, entry && entry->is_tensor(), whose_, ": there is no tensor ", leaf.key, " at index ",
                        row,
                        ", but at the first one: all that come into one batch must have the same "
                        "entries");
    }
    for (const NestedKey& key : dict.keys(true, true)) {
        bool known = key.front() == without_;
        for (const Leaf& leaf : leaves_) known = known || leaf.key == key;
        REEL_CHECK_WITH(KeyError, known, whose_, ": the tensor ", key, " at index ", row,
                        " was not there at the first one: all that come into one batch must have the same entries");
    }
    REEL_THROW(KeyError, whose_, ": dictionaries without tensors differ at index ", row, " from the first one");
}

} // namespace reel::rl::detail
