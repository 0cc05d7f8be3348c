// A group as its members see it: calls with numbers, in the order of issue.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <reel/autograd/tensor.hpp>
#include <reel/distributed/work.hpp>

#include "group/lane.hpp"
#include "group/world.hpp"

namespace reel::distributed::detail {

class Exchange;

/// What a Work points to.
struct WorkState {
    std::shared_ptr<Group> group;
    std::vector<Tensor> outputs;
    bool posted = false; ///< a receive, which no thread runs: who waits keeps the time
    WorkTimes times;     ///< written before it is done
    Envelope envelope;

    bool completed() const { return done.load(std::memory_order_acquire); }
    void complete(std::optional<Failure> failure);
    std::optional<Failure> failure() const;

private:
    std::atomic<bool> done = false;
    std::optional<Failure> failure_; // written before `done`
};

/// One call as this rank makes it.
struct Call {
    Envelope envelope;
    std::vector<Tensor> outputs;
    std::function<void(Exchange&)> body;
    std::function<void(const Message&)> arrived{}; ///< of a receive, in the place of `body`
};

class Group : public std::enable_shared_from_this<Group> {
public:
    Group(std::shared_ptr<World> world, std::int64_t id, std::vector<std::int64_t> ranks, std::string name,
          std::chrono::milliseconds timeout);
    ~Group();

    World& world() const { return *world_; }
    std::int64_t id() const { return id_; }
    std::int64_t me() const { return me_; } ///< this rank's place
    std::int64_t size() const { return std::int64_t(ranks_.size()); }
    const std::vector<std::int64_t>& ranks() const { return ranks_; }
    const std::string& name() const { return name_; }
    std::chrono::milliseconds timeout() const { return std::chrono::milliseconds(timeout_.load()); }
    void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout.count(); }
    /// The place of a rank of the world; ValueError in the name of `what` for others.
    std::int64_t place_of(std::int64_t rank, const char* what) const;
    /// ValueError when the group was left.
    void check_open(const char* what) const;

    /// An envelope of this group.
    Envelope envelope(Operation operation) const;
    /// Runs the call, here if nothing is under way, and throws what went wrong.
    void run(Call call);
    Work start(Call call);
    /// This rank cannot make the call for its arguments' sake: the others are told, then `error` is thrown.
    [[noreturn]] void refuse(Operation operation, std::exception_ptr error, const std::string& reason);
    Work receive(Call call, std::int64_t peer);

    /// What carries this group's operands between devices, this rank's being `device`; null where messages do.
    /// ValueError for another device than before: each rank has one.
    DeviceCarrier* carrier(Device device) const;

    /// Ends the group here and tells the others.
    void fail(const Failure& failure);
    void abort(const std::string& reason);
    /// "call 7 (all_reduce ...) of group 'default' on rank 0 of 2"
    std::string where(const Envelope& envelope) const;
    /// Calls that this rank made but took no part in: what others sent for them is dropped.
    void give_up(std::uint64_t call);
    bool gave_up(std::uint64_t call) const;
    /// Waits until nothing is under way; later calls throw.
    void close();

private:
    std::shared_ptr<WorkState> state_for(Call& call);
    std::optional<Failure> perform(const Call& call);
    std::optional<Failure> refusal_of(const Call& call); // of a group that has ended: nothing else is kept
    std::optional<Failure> accept(const Call& call, std::int64_t peer, const Message* message, const Failure* failure);
    std::shared_ptr<WorkState> queue(Call call); // with the lock held
    void number(Call& call);                     // so, too
    void drop_carrier();

    std::shared_ptr<World> world_;
    std::int64_t id_, me_ = 0;
    std::vector<std::int64_t> ranks_;
    std::uint32_t digest_;
    std::string name_;
    std::atomic<std::int64_t> timeout_;
    std::atomic<bool> closed_ = false;

    mutable std::mutex mutex_; // of the order of issue
    std::uint64_t calls_ = 0;
    mutable std::mutex given_up_mutex_;
    std::vector<std::uint64_t> given_up_;
    mutable std::mutex carrier_mutex_;
    mutable std::unique_ptr<DeviceCarrier> carrier_; ///< opened when the first operand on a device comes
    mutable Device device_{kCPU};                    ///< its own
    Lane lane_;
};

} // namespace reel::distributed::detail
