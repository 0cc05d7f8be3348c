// The objects of a state, each with the way its tensors are cut.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <reel/autograd/tensor.hpp>
#include <reel/autograd/value.hpp>
#include <reel/distributed/fully_shard.hpp>

namespace reel::distributed::checkpoint {

/// A tensor on its way into a checkpoint.
struct OutgoingTensor {
    std::string name;
    Tensor rows;                  ///< this rank's, or all
    std::optional<Shard> shard{}; ///< what they are of
    bool only_here = false;       ///< no other rank has it
};
/// Gives the mark that stands for a tensor.
using Deposit = std::function<Value(OutgoingTensor)>;
/// Gives the tensor that a mark stands for: the shard's rows of it, or all. Small tensors stand for themselves, and are
/// cut alike. ValueError for a whole of other sizes than the shard's.
using Fetch = std::function<Value(const Value& mark, const std::optional<Shard>& shard)>;

namespace detail {
class Item {
public:
    explicit Item(std::string name, bool local = false) : name_(std::move(name)), local_(local) {}
    virtual ~Item() = default;
    const std::string& name() const { return name_; }
    /// Has every rank its own?
    bool is_local() const { return local_; }
    /// The state, with `deposit`'s marks in place of tensors.
    virtual Value save(const Deposit& deposit) const = 0;
    /// Is what the others saved wanted, too?
    virtual bool is_spread() const { return local_; }
    /// What the ranks saved, as one; `first` is the first rank's.
    virtual Value merged(Value first, const Value& other) const { return (void)other, first; }
    /// Reads and checks everything; what it gives back changes the object.
    virtual std::function<void()> prepare(const Value& saved, const Fetch& fetch) = 0;

private:
    std::string name_;
    bool local_;
};
} // namespace detail

/// `value` with `fn(tensor, path)` in place of each tensor, however deep.
Value with_tensors_replaced(const Value& value, const std::string& path,
                            const std::function<Value(const Tensor&, const std::string& path)>& fn);
/// `value` with `fetch`'s tensors in place of marks, whole unless it says otherwise.
Value with_marks_fetched(const Value& value, const Fetch& fetch);
Value mark_of(const std::string& tensor);
/// The name that the mark stands for; null for other values.
const std::string* marked(const Value& value);

} // namespace reel::distributed::checkpoint
