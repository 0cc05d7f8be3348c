// The entries of a module's tables, and the members of its class that stand for them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <reel/autograd/registered.hpp>
#include <reel/nn/module.hpp>

namespace reel::nn::detail {

/// A computed entry stands in no table: its members are made of the module's other tensors (src/module/computed.cpp).
enum class EntryKind : std::uint8_t { Parameter, Buffer, Child, Computed };

/// How a computed entry comes to its tensor. Functions get the module, so that copies of it have them too.
struct Computation {
    std::function<Tensor(Module&)> value;
    /// What an assignment to the member means; null: the next call overwrites what was assigned.
    std::function<void(Module&, const Tensor&)> assign = {};
};

/// One entry. Members are known by their distance from the module, so that copies and moves of it keep them.
struct Entry final : autograd::impl::Place {
    /// A handle or holder that got the entry; a member only if it lies within the module.
    struct Seen {
        std::ptrdiff_t offset;
        const void* what; ///< it got, to be compared
        bool given;       ///< to the registration, rather than what got its result
    };

    Entry(Module& m, std::string n, EntryKind k) : owner(&m), name(std::move(n)), kind(k) {}
    void seen_in(Tensor& handle) override;
    void seen_in(ModulePtr& slot, bool (*fits)(const Module&));
    /// The handle or holder that was registered, if it is a member and the result goes to no other.
    void given_in(const Tensor& handle);
    void given_in(const ModulePtr& slot, bool (*fits)(const Module&));
    bool holds(const Tensor& t) const override;
    void refresh() override;

    Tensor& tensor_at(std::ptrdiff_t offset) const;
    ModulePtr& child_at(std::ptrdiff_t offset) const;
    std::ptrdiff_t offset_of(const void* place) const;
    void note(const void* place, const void* what, bool given);
    /// Makes members of what was seen within the module. False while the module's size is not known.
    bool settle();
    void watch();
    /// Before something else is registered there.
    void prepare();
    /// The tensor or module itself, of the entry or of a member.
    const void* identity() const;
    const void* identity_at(std::ptrdiff_t offset) const;
    /// Is the member there what the entry is, as far as it can be?
    bool same_at(std::ptrdiff_t offset) const;
    void write(std::ptrdiff_t offset);
    /// Is some member not what the entry is?
    bool member_differs() const;
    /// Writes `tensor` or `child` to all members.
    void write_members();
    /// Puts a tensor of any kind into table and members, for a while: optimizers and ledgers are told nothing.
    static void lend(Module& m, const std::string& name, EntryKind kind, const Tensor& t);

    /// The parameter or buffer `name` leaves its table, and its members are `now` until something is computed.
    static void compute(Module& m, const std::string& name, std::shared_ptr<const Computation> how, const Tensor& now);
    /// Its members are plain ones, until the name is registered again.
    static void stop_computing(Module& m, const std::string& name);
    /// The computed entry of that name, or null.
    static std::shared_ptr<Entry> computed_entry(const Module& m, const std::string& name);
    /// Is the parameter or buffer `name` in state dicts?
    static bool is_persistent(const Module& m, const std::string& name);
    /// What the member of an entry of any kind is at the moment; undefined where there is none.
    static Tensor current(const Module& m, const std::string& name);
    static bool has_flag(const Module& m, unsigned flags) { return m.call_flags_ & flags; } ///< one of them
    static void set_flag(Module& m, unsigned flag, bool on);
    /// Computes it again; what was assigned to a member meanwhile is assigned first.
    Tensor recompute();
    /// As an assignment to the member, and computes it.
    void assign(const Tensor& t);
    static std::unique_lock<std::recursive_mutex> recompute_all(Module& m);
    static void copy_computations(Module& to, const Module& from, const std::function<Tensor(const Tensor&)>& copy);

    Module* owner;
    std::string name;
    EntryKind kind;
    bool computed = false; ///< members hold what forward computes with, and what is no parameter
    bool vacated = false;  ///< holders are empty: they cannot hold what the child is now
    bool copied = false;   ///< came with a copy of the module, whose own members may not exist yet
    Registered tensor;     ///< what table and members were when last looked at
    ModulePtr child;
    std::vector<Seen> seen;
    std::vector<std::ptrdiff_t> members;
    std::optional<std::ptrdiff_t> given; ///< one of them, for want of a better
    bool (*fits)(const Module&) = nullptr;
    std::shared_ptr<const Computation> how; ///< of a computed one
};

struct ModuleMembers {
    std::unordered_map<std::string, std::shared_ptr<Entry>> entries;
    std::vector<std::string> computed;         ///< names of the computed ones, in the order in which they became so
    std::recursive_mutex computing;            ///< held while a call uses computed members
    std::vector<Entry*> watched;               ///< those that have members, or may
    std::ptrdiff_t low = 0, high = 0;          ///< what is known of the object around the module, once somebody told
    std::vector<std::weak_ptr<Entry>> parents; ///< entries of other modules that are this one
    std::string left;                          ///< its path before another module took its place in `left_by`
    const Module* left_by = nullptr;
    bool warned = false;                       ///< of a call after that
    std::vector<std::weak_ptr<Module>> former; ///< children that others took the place of
    bool following = false;
};

/// Names that Python's Module has for itself.
bool is_builtin_name(const std::string& name);

/// Why a call takes the long way.
enum CallFlag : unsigned {
    hooks_flag = 1,     ///< there are hooks
    unsettled_flag = 2, ///< there may be members, and a call tells how large the object is
    left_flag = 4,      ///< another module took its place
    parent_flag = 8,    ///< a child of its was replaced
    computed_flag = 16, ///< there are computed members
    lazy_flag = 32,     ///< it waits for its first input (reel/nn/modules/lazy.hpp)
    compiled_flag = 64, ///< something runs in the place of forward
};

/// A call that takes the long way: Error when the module was replaced in one that is calling it all the same.
class CallScope {
public:
    explicit CallScope(Module& m) {
        if (Entry::has_flag(m, left_flag | parent_flag)) [[unlikely]]
            enter(m);
    }
    ~CallScope() {
        if (entered_) [[unlikely]]
            leave();
    }
    CallScope(const CallScope&) = delete;

private:
    void enter(Module& m);
    static void leave();
    bool entered_ = false;
};

/// A forward that reads the members of `m`: computes those that are computed, and keeps other threads' calls of the
/// module from writing them meanwhile.
class ComputedScope {
public:
    explicit ComputedScope(Module& m) {
        if (Entry::has_flag(m, computed_flag)) [[unlikely]]
            lock_ = Entry::recompute_all(m);
    }
    ComputedScope(const ComputedScope&) = delete;

private:
    std::unique_lock<std::recursive_mutex> lock_;
};

} // namespace reel::nn::detail
