// The part of a tensor's autograd state that is allocated only when used.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include <reel/autograd/detail/mutex.hpp>
#include <reel/autograd/detail/spin_lock.hpp>
#include <reel/autograd/memory.hpp>
#include <reel/autograd/node.hpp>

namespace reel::autograd {

struct PlaceRecord; // places.cpp

/// Returns an undefined tensor, or the leaf itself.
using PostAccumulateFn = std::function<Tensor(const Tensor&)>;

/// A leaf's accumulator, which it does not keep alive (T-33): a dying one takes itself out.
class WeakAccumulator {
public:
    /// Null where there is none.
    NodePtr get() const noexcept {
        const std::lock_guard lock(lock_);
        return alive();
    }
    /// Puts `fresh` here, unless another one came first: that is returned.
    NodePtr get_or_put(NodePtr fresh) noexcept {
        const std::lock_guard lock(lock_);
        if (NodePtr first = alive()) return first;
        node_ = fresh.get();
        return fresh;
    }
    void take_out(const Node& dying) noexcept {
        const std::lock_guard lock(lock_);
        if (node_ == &dying) node_ = nullptr;
    }
    void reset() noexcept {
        const std::lock_guard lock(lock_);
        node_ = nullptr;
    }

private:
    NodePtr alive() const noexcept { return node_ && node_->try_add_ref() ? NodePtr::adopt(node_) : nullptr; }
    Node* node_ = nullptr;
    mutable SpinLock lock_;
};

struct AutogradMeta {
    static void* operator new(std::size_t n) { return cpu_alloc(n); }
    static void operator delete(void* p, std::size_t n) noexcept { cpu_free(p, n); }
    Tensor grad;
    Mutex mutex; ///< guards accumulation into `grad` (E-34)
    WeakAccumulator accumulator;
    std::shared_ptr<HookTable<TensorHookFn>> hooks; ///< tensor hooks of a leaf (T-6)
    std::shared_ptr<HookTable<PostAccumulateFn>> post_accumulate;
    bool grad_dtype_set = false;
    std::optional<ScalarType> grad_dtype; ///< E-78, valid when set
    std::unique_ptr<std::string> name;    ///< null for none
    std::shared_ptr<PlaceRecord> places; ///< of modules that have the tensor among their parameters, null for none ever
    std::atomic<bool> left_place = false; ///< another tensor is there now, and nobody was told yet
    bool keeps_version = false;           ///< an inference tensor only through set_data: it goes on counting (E-9)
};

/// Does in-place work on it move a version?
inline bool counts_version(const TensorImpl& t) { return !t.is_inference || (t.meta() && t.meta()->keeps_version); }

namespace impl {
/// Warns, once, when a tensor gets a gradient although its module has another one in its place.
void note_gradient_of_left(const Tensor& t);
} // namespace impl

/// Called by a dying tensor: its node must not write to it any more (T-12).
void forget_retained(TensorImpl& t);

} // namespace reel::autograd
