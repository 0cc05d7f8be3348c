// Ordered hook tables with snapshots, and the handles that remove hooks from them (rules C-15 to C-24).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
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
/// round on (C-22). `Fn` carries its flags, so flags go with the hook.
template <class Fn> class HookTable final : public HookTableBase {
public:
    struct Record {
        std::uint64_t id;
        Fn fn;
    };
    using Snapshot = std::shared_ptr<const std::vector<Record>>;

    std::uint64_t add(Fn fn, bool prepend = false) {
        std::lock_guard lock(mutex_);
        auto fresh =
            records_ ? std::make_shared<std::vector<Record>>(*records_) : std::make_shared<std::vector<Record>>();
        const std::uint64_t id = next_hook_id();
        fresh->insert(prepend ? fresh->begin() : fresh->end(), Record{id, std::move(fn)});
        records_ = std::move(fresh);
        return id;
    }
    void remove(std::uint64_t id) noexcept override {
        Snapshot old; // destroyed after the lock is released: a hook's captures may own tensors
        std::lock_guard lock(mutex_);
        if (!records_) return;
        auto fresh = std::make_shared<std::vector<Record>>();
        for (const Record& r : *records_)
            if (r.id != id) fresh->push_back(r);
        old = std::exchange(records_, fresh->empty() ? nullptr : Snapshot(std::move(fresh)));
    }
    void clear() {
        Snapshot old;
        std::lock_guard lock(mutex_);
        old = std::exchange(records_, nullptr);
    }
    /// Null when the table is empty.
    Snapshot snapshot() const {
        std::lock_guard lock(mutex_);
        return records_;
    }
    bool empty() const { return snapshot() == nullptr; }
    /// Takes over another table's hooks under their order (deep copies of modules, M-50).
    void copy_from(const HookTable& o) {
        auto s = o.snapshot();
        std::lock_guard lock(mutex_);
        records_ = std::move(s);
    }

private:
    mutable std::mutex mutex_;
    Snapshot records_;
};

/// Adds `fn` to `table`, creating the table on first use.
template <class Fn> RemovableHandle add_hook(std::shared_ptr<HookTable<Fn>>& table, Fn fn, bool prepend = false) {
    if (!table) table = std::make_shared<HookTable<Fn>>();
    const std::uint64_t id = table->add(std::move(fn), prepend);
    return RemovableHandle(id, table);
}

} // namespace reel
