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

#include <reel/autograd/detail/mutex.hpp>

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
/// round on (C-22). `Fn` carries its flags, so flags go with the hook. Adding a hook at either end and removing one
/// from anywhere take constant time, but for a search by halves: removed hooks leave gaps and prepended ones wait until
/// the next snapshot puts the table in order, which costs no more than the round that follows. No hook is copied,
/// except by the first change after a snapshot.
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
        const bool waits = prepend && (!waiting_.empty() || (records_ && records_->size() > few));
        if (!waits) old = own();
        const std::uint64_t id = next_hook_id();
        if (waits) {
            waiting_.push_back(Record{id, std::move(fn)});
            in_order_ = false;
        } else {
            records_->insert(prepend ? records_->begin() : records_->end(), Record{id, std::move(fn)});
            prepended_ += prepend;
        }
        return id;
    }
    void remove(std::uint64_t id) noexcept override {
        // Destroyed after the lock is released: a hook's captures may own tensors.
        std::shared_ptr<Records> old, rest;
        std::optional<Record> removed;
        std::lock_guard lock(mutex_);
        Record* const at =
            waiting_.empty() ? nullptr : find(waiting_.data(), waiting_.data() + waiting_.size(), id, rising);
        if (at) [[unlikely]] {
            removed.emplace(std::move(*at));
            at->id |= gap;
            ++gaps_;
        } else {
            const std::optional<std::size_t> place = find(id);
            if (!place) return;
            const bool close = lent_ || records_->size() <= few; // whoever copies them all can as well close the gap
            old = own();
            Record& r = (*records_)[*place];
            removed.emplace(std::move(r));
            if (close) [[likely]] {
                records_->erase(records_->begin() + std::ptrdiff_t(*place));
                prepended_ -= *place < prepended_;
            } else {
                r.id |= gap;
                ++gaps_;
                in_order_ = false;
            }
        }
        if (gaps_ < count()) return;
        in_order_ = true;
        rest = std::exchange(records_, nullptr); // none is left
        waiting_.clear();
        gaps_ = prepended_ = 0;
    }
    void clear() {
        std::shared_ptr<Records> old;
        Records waiting;
        std::lock_guard lock(mutex_);
        old = std::exchange(records_, nullptr);
        waiting.swap(waiting_);
        gaps_ = prepended_ = 0;
        in_order_ = true;
    }
    /// Null when the table is empty.
    Snapshot snapshot() const {
        std::lock_guard lock(mutex_);
        if (!in_order_) [[unlikely]]
            put_in_order();
        lent_ = true;
        return records_;
    }
    bool empty() const {
        std::lock_guard lock(mutex_);
        return count() == 0;
    }
    /// Takes over another table's hooks under their order (deep copies of modules, M-50).
    void copy_from(const HookTable& o) {
        if (&o == this) return;
        std::shared_ptr<Records> old;
        Records waiting;
        std::scoped_lock lock(mutex_, o.mutex_);
        if (!o.in_order_) o.put_in_order();
        old = std::exchange(records_, o.records_);
        waiting.swap(waiting_);
        prepended_ = o.prepended_;
        gaps_ = 0;
        in_order_ = true;
        lent_ = o.lent_ = true;
    }

private:
    static constexpr std::uint64_t gap = std::uint64_t(1) << 63; ///< in the id of a record whose hook is gone
    static constexpr std::size_t few = 16;                       ///< of which moving all is nothing
    enum Order { rising, falling };

    /// With gaps.
    std::size_t count() const { return (records_ ? records_->size() : 0) + waiting_.size(); }
    /// Makes `records_` a list that nobody else reads; returns the one that others may be reading, to be let go of.
    std::shared_ptr<Records> own() const {
        if (records_ && !lent_) return nullptr;
        auto fresh = records_ ? std::make_shared<Records>(*records_) : std::make_shared<Records>();
        if (!records_) prepended_ = 0;
        lent_ = false;
        return std::exchange(records_, std::move(fresh));
    }
    /// Closes the gaps and puts what was prepended before the rest, the last one foremost.
    [[gnu::noinline, gnu::cold]] void put_in_order() const {
        const auto is_there = [](const Record& r) { return !(r.id & gap); };
        auto fresh = std::make_shared<Records>();
        fresh->reserve(count() - gaps_);
        for (auto r = waiting_.rbegin(); r != waiting_.rend(); ++r)
            if (is_there(*r)) fresh->push_back(std::move(*r));
        std::size_t prepended = fresh->size();
        for (std::size_t i = 0; records_ && i < records_->size(); ++i) {
            Record& r = (*records_)[i];
            if (!is_there(r)) continue;
            prepended += i < prepended_;
            if (lent_) fresh->push_back(r);
            else fresh->push_back(std::move(r));
        }
        waiting_.clear();
        records_ = std::move(fresh);
        prepended_ = prepended;
        gaps_ = 0;
        in_order_ = true;
        lent_ = false;
    }
    static Record* find(Record* first, Record* last, std::uint64_t id, Order order) {
        Record* const at = std::lower_bound(first, last, id, [&](const Record& r, std::uint64_t i) {
            return order == rising ? (r.id & ~gap) < i : (r.id & ~gap) > i;
        });
        return at != last && at->id == id ? at : nullptr;
    }
    /// Ids fall through the prepended hooks, which come first, and rise through the others.
    std::optional<std::size_t> find(std::uint64_t id) const {
        if (!records_) return std::nullopt;
        Record *const first = records_->data(), *const middle = first + prepended_,
                      *const last = first + records_->size();
        const Record* at = find(first, middle, id, falling);
        if (!at) at = find(middle, last, id, rising);
        return at ? std::optional(std::size_t(at - first)) : std::nullopt;
    }
    mutable Mutex mutex_;
    mutable std::shared_ptr<Records> records_; ///< null when there are none
    mutable Records waiting_;                  ///< prepended since the last snapshot, the last one at the end
    mutable std::size_t prepended_ = 0;        ///< how many of `records_` were
    mutable std::size_t gaps_ = 0;             ///< in both
    mutable bool in_order_ = true;             ///< no gaps, nobody waits
    mutable bool lent_ = false;                ///< somebody may be reading `records_`: it may not change any more
};

/// Adds `fn` to `table`, creating the table on first use.
template <class Fn> RemovableHandle add_hook(std::shared_ptr<HookTable<Fn>>& table, Fn fn, bool prepend = false) {
    if (!table) table = std::make_shared<HookTable<Fn>>();
    const std::uint64_t id = table->add(std::move(fn), prepend);
    return RemovableHandle(id, table);
}

} // namespace reel
