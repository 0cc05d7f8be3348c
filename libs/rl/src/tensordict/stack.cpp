// stack and cat.
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/stack.hpp>

#include "tensordict/dict_impl.hpp"

namespace reel::rl {

using namespace detail;

namespace {

/// Dictionaries joined entry by entry.
class Join {
public:
    Join(const char* op, std::int64_t dim, bool along_new, std::size_t count)
        : op_(op), dim_(dim), along_new_(along_new), count_(count) {
        tensors_.reserve(count);
    }
    /// Of dictionaries that lie at one place, `path`.
    TensorDict operator()(const std::vector<const DictImpl*>& dicts, const Path& path) {
        const DictImpl& first = *dicts[0];
        for (std::size_t i = 1; i < count_; ++i) check_batch_size(first, *dicts[i], i, path);
        auto result = DictImpl::make(joined_size(dicts, path), first.device, first.slots.size());
        for (std::size_t k = 0; k < first.slots.size(); ++k) {
            const std::string& name = first.slots[k].name;
            const Path own(path, name);
            if (first.slots[k].entry.is_tensor()) {
                result->slots.push_back({name, tensor(dicts, k, own)});
                continue;
            }
            std::vector<const DictImpl*> nested;
            nested.reserve(count_);
            for (std::size_t i = 0; i < count_; ++i)
                nested.push_back(&DictImpl::of(entry(dicts, i, k, /*is_dict=*/true, own).dict()));
            result->slots.push_back({name, (*this)(nested, own)});
        }
        for (std::size_t i = 1; i < count_; ++i) check_no_more(first, *dicts[i], i, path);
        return DictImpl::handle(std::move(result));
    }

private:
    Tensor tensor(const std::vector<const DictImpl*>& dicts, std::size_t k, const Path& path) {
        tensors_.clear();
        for (std::size_t i = 0; i < count_; ++i)
            tensors_.push_back(entry(dicts, i, k, /*is_dict=*/false, path).tensor());
        const IntArrayRef model = tensors_[0].sizes();
        for (std::size_t i = 1; i < count_; ++i) {
            const IntArrayRef sizes = tensors_[i].sizes();
            bool same = sizes.size() == model.size();
            for (std::size_t d = 0; same && d < sizes.size(); ++d)
                same = sizes[d] == model[d] || (!along_new_ && std::int64_t(d) == dim_);
            REEL_CHECK(same, op_, "(TensorDict): ", path.str(), " has sizes ", sizes, " in dictionary ", i, " and ",
                       model, " in dictionary 0; pad the entries to one size, or exclude(", path.str(), ") before");
        }
        return along_new_ ? reel::stack(tensors_, dim_) : reel::cat(tensors_, dim_);
    }
    /// Entry `k` of dictionary 0 in dictionary `i`, mostly at the same place.
    const Entry& entry(const std::vector<const DictImpl*>& dicts, std::size_t i, std::size_t k, bool is_dict,
                       const Path& path) {
        const std::string& name = dicts[0]->slots[k].name;
        const DictImpl& dict = *dicts[i];
        const DictImpl::Slot* slot = k < dict.slots.size() && dict.slots[k].name == name
                                         ? &dict.slots[k]
                                         : const_cast<DictImpl&>(dict).find(name);
        REEL_CHECK_WITH(KeyError, slot, op_, "(TensorDict): ", path.str(), " is in dictionary 0 and not in ",
                        "dictionary ", i, "; all must have the same entries: exclude(", path.str(),
                        ") it, or fill it in");
        REEL_CHECK_TYPE(slot->entry.is_dict() == is_dict, op_, "(TensorDict): ", path.str(), " is a ",
                        is_dict ? "TensorDict" : "tensor", " in dictionary 0 and a ", is_dict ? "tensor" : "TensorDict",
                        " in dictionary ", i);
        return slot->entry;
    }
    void check_no_more(const DictImpl& first, const DictImpl& other, std::size_t i, const Path& path) {
        if (first.slots.size() == other.slots.size()) return; // those of the first were all found
        for (const DictImpl::Slot& slot : other.slots) {
            const Path own(path, slot.name);
            REEL_CHECK_WITH(KeyError, const_cast<DictImpl&>(first).find(slot.name), op_, "(TensorDict): ", own.str(),
                            " is in dictionary ", i,
                            " and not in dictionary 0; all must have the same entries: exclude(", own.str(),
                            ") it, or fill it in");
        }
    }
    void check_batch_size(const DictImpl& first, const DictImpl& other, std::size_t i, const Path& path) {
        bool same = first.batch_size.size() == other.batch_size.size();
        for (std::size_t d = 0; same && d < first.batch_size.size(); ++d)
            same = first.batch_size[d] == other.batch_size[d] || (!along_new_ && std::int64_t(d) == dim_);
        REEL_CHECK(same, op_, "(TensorDict): ", path.str(), " has batch size ", IntArrayRef(other.batch_size),
                   " in dictionary ", i, " and ", IntArrayRef(first.batch_size), " in dictionary 0");
    }
    Dims joined_size(const std::vector<const DictImpl*>& dicts, const Path& path) {
        Dims sizes(dicts[0]->batch_size);
        // A nested dictionary's batch size can be made shorter than its parent's behind the parent's back.
        REEL_CHECK(std::int64_t(sizes.size()) + along_new_ > dim_, op_, "(TensorDict): ", path.str(),
                   " has batch size ", IntArrayRef(sizes), ", which is shorter than that of the dictionary around it");
        if (along_new_) sizes.insert(sizes.begin() + dim_, std::int64_t(count_));
        else
            for (std::size_t i = 1; i < count_; ++i)
                REEL_CHECK_VALUE(
                    !__builtin_add_overflow(sizes[std::size_t(dim_)], dicts[i]->batch_size[std::size_t(dim_)],
                                            &sizes[std::size_t(dim_)]),
                    op_, "(TensorDict): the batch would have more than 2^63 elements along dimension ", dim_);
        return sizes;
    }

    const char* op_;
    std::int64_t dim_;
    bool along_new_;
    std::size_t count_;
    std::vector<Tensor> tensors_;
};

TensorDict join(const char* op, const std::vector<TensorDict>& dicts, std::int64_t dim, bool along_new) {
    REEL_CHECK(!dicts.empty(), op, "(TensorDict): expected at least one dictionary");
    std::vector<const DictImpl*> impls;
    impls.reserve(dicts.size());
    for (const TensorDict& dict : dicts) impls.push_back(&DictImpl::of(dict));
    const auto dims = impls[0]->batch_dims() + along_new;
    REEL_CHECK_INDEX(dim >= -dims && dim < dims, op, "(TensorDict): dimension ", dim, " is out of range for ",
                     along_new ? "a new one of " : "", "the batch size ", IntArrayRef(impls[0]->batch_size));
    return Join(op, dim < 0 ? dim + dims : dim, along_new, dicts.size())(impls, Path());
}

} // namespace

TensorDict stack(const std::vector<TensorDict>& dicts, std::int64_t dim) { return join("stack", dicts, dim, true); }
TensorDict cat(const std::vector<TensorDict>& dicts, std::int64_t dim) { return join("cat", dicts, dim, false); }

} // namespace reel::rl
