// Ordered hook tables with snapshots, and the handles that remove hooks from them (rules C-15 to C-24).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace reel {

/// Next id of the one process-wide counter that all hook kinds share (C-19).
std::uint64_t next_hook_id();

namespace autograd::impl {
/// Tells observers (reel/autograd/observe.hpp) that a hook was removed.
void note_hook_removed(std::uint64_t id);
} // namespace autograd::impl

/// What a handle needs to know of a table.
class HookTableBase {
public:
    virtual ~HookTableBase() = default;
    virtual void remove(std::uint64_t id) noexcept = 0;
};

/// Returned by every registration. Copyable; refers weakly to the table, so it may outlive the owner (C-20).
/// Destroying it does not remove the hook (C-21).
class RemovableHandle {
public:
    RemovableHandle() = default;
    RemovableHandle(std::uint64_t id, std::weak_ptr<HookTableBase> table) : id_(id), table_(std::move(table)) {}
    std::uint64_t id() const { return id_; }
    /// Also serves as libtorch's `unsigned` hook index.
    operator unsigned() const { return unsigned(id_); }
    /// Does the owner of the hooks still exist?
    bool owner_alive() const { return !table_.expired(); }
    /// Idempotent, never throws.
    void remove() noexcept {
        if (auto table = table_.lock()) {
            table->remove(id_);
            autograd::impl::note_hook_removed(id_);
        }
        table_.reset();
    }

private:
    std::uint64_t id_ = 0;
    std::weak_ptr<HookTableBase> table_;
};

/// Removes its hook when the scope is left.
class ScopedHook {
public:
    explicit ScopedHook(RemovableHandle h) : handle_(std::move(h)) {}
    ScopedHook(ScopedHook&&) = default;
    ~ScopedHook() { handle_.remove(); }

private:
    RemovableHandle handle_;
};

/// An ordered table of hooks of one kind. A round runs over a snapshot: what changes meanwhile counts from the next
/// round on (C-22). `Fn` carries its flags, so flags go with the hook. Adding a hook behind the others and removing the
/// last one take constant time, and no hook is copied; the first change after a snapshot copies the table.
template <class Fn> class HookTable final : public HookTableBase {
public:
    struct Record {
        std::uint64_t id;
        Fn fn;
    };
    using Records = std::vector<Record>;
    using Snapshot = std::shared_ptr<const Records>;

    std::uint64_t add(Fn fn, bool prepend = false) {
        std::shared_ptr<Records> old;
        std::lock_guard lock(mutex_);
        old = own();
        const std::uint64_t id = next_hook_id();
        records_->insert(prepend ? records_->begin() : records_->end(), Record{id, std::move(fn)});
        prepended_ += prepend;
        return id;
    }
    void remove(std::uint64_t id) noexcept override {
        // Destroyed after the lock is released: a hook's captures may own tensors.
        std::shared_ptr<Records> old;
        std::optional<Record> removed;
        std::lock_guard lock(mutex_);
        const std::optional<std::size_t> place = find(id);
        if (!place) return;
        old = own();
        const auto at = records_->begin() + std::ptrdiff_t(*place);
        removed.emplace(std::move(*at));
        records_->erase(at);
        if (*place < prepended_) --prepended_;
        if (records_->empty()) records_ = nullptr;
    }
    void clear() {
        std::shared_ptr<Records> old;
        std::lock_guard lock(mutex_);
        old = std::exchange(records_, nullptr);
        prepended_ = 0;
    }
    /// Null when the table is empty.
    Snapshot snapshot() const {
        std::lock_guard lock(mutex_);
        lent_ = true;
        return records_;
    }
    bool empty() const {
        std::lock_guard lock(mutex_);
        return records_ == nullptr;
    }
    /// Takes over another table's hooks under their order (deep copies of modules, M-50).
    void copy_from(const HookTable& o) {
        if (&o == this) return;
        std::shared_ptr<Records> old;
        std::scoped_lock lock(mutex_, o.mutex_);
        old = std::exchange(records_, o.records_);
        prepended_ = o.prepended_;
        lent_ = o.lent_ = true;
    }

private:
    /// Makes `records_` a list that nobody else reads; returns the one that others may be reading, to be let go of.
    std::shared_ptr<Records> own() {
        if (records_ && !lent_) return nullptr;
        auto fresh = records_ ? std::make_shared<Records>(*records_) : std::make_shared<Records>();
        if (!records_) prepended_ = 0;
        lent_ = false;
        return std::exchange(records_, std::move(fresh));
    }
    /// Ids fall through the prepended hooks, which come first, and rise through the others.
    std::optional<std::size_t> find(std::uint64_t id) const {
        if (!records_) return std::nullopt;
        const auto first = records_->begin(), middle = first + std::ptrdiff_t(prepended_), last = records_->end();
        auto at = std::lower_bound(first, middle, id, [](const Record& r, std::uint64_t i) { return r.id > i; });
        if (at == middle || at->id != id)
            at = std::lower_bound(middle, last, id, [](const Record& r, std::uint64_t i) { return r.id < i; });
        if (at == last || at->id != id) return std::nullopt;
        return std::size_t(at - first);
    }
    mutable std::mutex mutex_;
    std::shared_ptr<Records> records_; ///< null when there are none
    std::size_t prepended_ = 0;
    mutable bool lent_ = false; ///< somebody may be reading `records_`: it may not change any more
};

/// Adds `fn` to `table`, creating the table on first use.
template <class Fn> RemovableHandle add_hook(std::shared_ptr<HookTable<Fn>>& table, Fn fn, bool prepend = false) {
    if (!table) table = std::make_shared<HookTable<Fn>>();
    const std::uint64_t id = table->add(std::move(fn), prepend);
    return RemovableHandle(id, table);
}

} // namespace reel
