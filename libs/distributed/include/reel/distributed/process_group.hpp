// The ranks that call collectives together.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <reel/distributed/types.hpp>

namespace reel::distributed {

namespace detail {
class Group;
}

/// A handle; null for ranks that are no members, and as "the default group" where a call takes one. Ranks of a group
/// are numbered by their place in `ranks`; `root` and `peer` of calls are ranks of the world.
class ProcessGroup {
public:
    ProcessGroup() = default;
    explicit ProcessGroup(std::shared_ptr<detail::Group> group) : group_(std::move(group)) {}
    explicit operator bool() const noexcept { return group_ != nullptr; }
    bool operator==(const ProcessGroup&) const = default;
    /// This rank's place in the group.
    std::int64_t rank() const;
    std::int64_t size() const;
    const std::string& name() const;
    Backend backend() const;
    /// The members' ranks in the world, in order.
    const std::vector<std::int64_t>& ranks() const;
    std::chrono::milliseconds timeout() const;
    /// How long calls from now on wait for the others.
    void set_timeout(std::chrono::milliseconds timeout) const;
    /// Ends the group: whoever waits or calls next, on any rank, gets a DistError with this reason.
    void abort(const std::string& reason) const;
    detail::Group& get() const;
    const std::shared_ptr<detail::Group>& share() const noexcept { return group_; }
    /// What `new_group` returns to ranks that are no members: false, and calls with it do nothing, as in PyTorch, where
    /// all ranks run one program.
    static ProcessGroup outside() {
        ProcessGroup g;
        g.outside_ = true;
        return g;
    }
    bool is_outside() const noexcept { return outside_; }

private:
    bool outside_ = false;
    std::shared_ptr<detail::Group> group_;
};

struct GroupOptions {
    std::optional<std::chrono::milliseconds> timeout{}; ///< else the default group's
    std::string name{};                                 ///< in messages; else "group N"
};

/// A group of some ranks of the world. All ranks of the world call it, in the same order; ranks that are no members get
/// a null handle. ValueError for ranks that are none, or listed twice.
ProcessGroup new_group(const std::vector<std::int64_t>& ranks, GroupOptions options = {});

} // namespace reel::distributed
