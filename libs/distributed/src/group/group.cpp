#include "group/group.hpp"

#include <algorithm>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>

#include "group/exchange.hpp"

namespace reel::distributed::detail {

namespace {
std::uint32_t digest(const std::vector<std::int64_t>& ranks) {
    std::uint32_t d = 2166136261u;
    for (const std::int64_t r : ranks) d = (d ^ std::uint32_t(r)) * 16777619u;
    return d;
}
} // namespace

void WorkState::complete(std::optional<Failure> failure) {
    failure_ = std::move(failure);
    done.store(true, std::memory_order_release);
    group->world().mailbox().notify();
}

std::optional<Failure> WorkState::failure() const { return completed() ? failure_ : std::nullopt; }

Group::Group(std::shared_ptr<World> world, std::int64_t id, std::vector<std::int64_t> ranks, std::string name,
             std::chrono::milliseconds timeout)
    : world_(std::move(world)), id_(id), ranks_(std::move(ranks)), digest_(digest(ranks_)), name_(std::move(name)),
      timeout_(timeout.count()) {
    me_ = std::find(ranks_.begin(), ranks_.end(), world_->rank()) - ranks_.begin();
}

std::int64_t Group::place_of(std::int64_t rank, const char* what) const {
    const auto i = std::find(ranks_.begin(), ranks_.end(), rank);
    if (i == ranks_.end()) {
        std::string members;
        for (const std::int64_t r : ranks_) members += (members.empty() ? "" : ", ") + std::to_string(r);
        REEL_THROW(ValueError, what, " ", rank, " is no member of group '", name_, "', whose ranks (of the world) are ",
                   members);
    }
    return i - ranks_.begin();
}

void Group::check_open(const char* what) const {
    REEL_CHECK_VALUE(!closed_, what, ": the process group was left by finalize(); call reel::distributed::init first");
}

Envelope Group::envelope(Operation operation) const {
    Envelope e;
    e.operation = operation;
    e.group = id_;
    e.members = digest_;
    return e;
}

std::string Group::where(const Envelope& e) const {
    if (e.tag != Envelope::no_tag)
        return str(e.describe(), " (group '", name_, "', rank ", world_->rank(), " of ", world_->size(), ")");
    return str(e.describe(), " (call ", e.call, " of group '", name_, "', rank ", world_->rank(), " of ",
               world_->size(), ")");
}

std::optional<Failure> Group::refusal_of(const Call& call) {
    Message m;
    std::int64_t unused = 0;
    for (const std::int64_t rank : ranks_)
        while (world_->mailbox().take({id_, rank, Envelope::no_tag}, {}, Clock::now(), m, unused) ==
               Mailbox::Wait::kCame)
            if (m.envelope.kind == Envelope::Kind::kRefused && m.envelope.call == call.envelope.call)
                return Failure{str(name_of(call.envelope.operation), ": rank ", rank, " refused: ", m.payload.text()),
                               true, true};
    return std::nullopt;
}

std::optional<Failure> Group::perform(const Call& call) {
    try {
        const NoGradGuard quiet;
        if (const auto ended = world_->mailbox().failure(id_)) {
            // who refused this very call may have ended the group right after
            if (auto refused = ended->remote ? refusal_of(call) : std::nullopt) return refused;
            return Failure{
                str(where(call.envelope), ": ", ended->remote ? "" : "the group has failed before: ", ended->reason),
                ended->remote};
        }
        Exchange exchange(*this, call.envelope, deadline_after(timeout()));
        call.body(exchange);
        return std::nullopt;
    } catch (const ValueError& e) {
        return Failure{e.what(), true, true};
    } catch (const DistError& e) {
        return Failure{e.what(), follows_from_another(e)};
    } catch (const std::exception& e) {
        const Failure failure{str(where(call.envelope), ": ", e.what())};
        fail(failure);
        return failure;
    }
}

std::shared_ptr<WorkState> Group::state_for(Call& call) {
    auto state = std::make_shared<WorkState>();
    state->group = shared_from_this();
    state->outputs = std::move(call.outputs);
    state->envelope = call.envelope;
    return state;
}

std::shared_ptr<WorkState> Group::queue(Call call) {
    auto state = state_for(call);
    // (one that the others are told of, and nobody waits for, needs the group all the same)
    lane_.push([state, call = std::move(call)]() mutable {
        state->times.begun = Clock::now();
        std::optional<Failure> failure = state->group->perform(call);
        call = {}; // the operands are the caller's again
        state->times.ended = Clock::now();
        state->complete(std::move(failure));
    });
    return state;
}

void Group::number(Call& call) {
    // messages between two are none of the others' business
    if (call.envelope.tag == Envelope::no_tag) call.envelope.call = ++calls_;
}

void Group::run(Call call) {
    std::unique_lock lock(mutex_);
    number(call);
    if (!lane_.claim()) {
        const Work work(queue(std::move(call)));
        lock.unlock();
        return work.wait();
    }
    lock.unlock();
    const std::optional<Failure> failure = perform(call);
    lane_.release();
    if (failure) raise(*failure);
}

Work Group::start(Call call) {
    const std::lock_guard lock(mutex_);
    number(call);
    return Work(queue(std::move(call)));
}

void Group::refuse(Operation operation, std::exception_ptr error, const std::string& reason) {
    Call call{envelope(operation), {}, [reason](Exchange& x) { x.refuse(reason); }};
    {
        const std::lock_guard lock(mutex_);
        number(call);
        if (lane_.claim()) {
            perform(call);
            lane_.release();
        } else queue(std::move(call));
    }
    std::rethrow_exception(error);
}

std::optional<Failure> Group::accept(const Call& call, std::int64_t peer, const Message* message,
                                     const Failure* failure) {
    const Envelope& expected = call.envelope;
    if (failure) return Failure{str(where(expected), ": ", failure->reason), failure->remote};
    Failure problem;
    if (expected.fits(message->envelope)) {
        try {
            const NoGradGuard quiet;
            REEL_INTERNAL_ASSERT(message->payload.size == std::size_t(expected.numel) * elementSize(expected.dtype));
            call.arrived(*message);
            return std::nullopt;
        } catch (const std::exception& e) {
            problem.reason = str(where(expected), ": ", e.what());
        }
    } else
        problem.reason = str(where(expected), ": rank ", peer, " sent ", message->envelope.describe(),
                             "; both sides name one shape and dtype");
    fail(problem);
    return problem;
}

Work Group::receive(Call call, std::int64_t peer) {
    const auto state = state_for(call);
    state->posted = true;
    const Mailbox::Key key{id_, peer, call.envelope.tag};
    world_->mailbox().post(key, [state, peer, call = std::move(call)](Message* message, const Failure* failure) {
        state->complete(state->group->accept(call, peer, message, failure));
    });
    return Work(state);
}

void Group::fail(const Failure& failure) {
    if (!world_->mailbox().fail(id_, failure) || failure.remote) return;
    const std::string reason = str("rank ", world_->rank(), " gave up: ", failure.reason);
    Envelope e = envelope(Operation::kBarrier);
    e.kind = Envelope::Kind::kAbort;
    e.payload = reason.size();
    for (const std::int64_t rank : ranks_)
        if (rank != world_->rank())
            world_->transport().send(rank, e, reason.data(), deadline_after(std::chrono::seconds(1)));
}

void Group::abort(const std::string& reason) {
    fail({str("group '", name_, "' was aborted by rank ", world_->rank(), ": ", reason)});
}

void Group::give_up(std::uint64_t call) {
    const std::lock_guard lock(given_up_mutex_);
    given_up_.push_back(call);
}

bool Group::gave_up(std::uint64_t call) const {
    const std::lock_guard lock(given_up_mutex_);
    return std::find(given_up_.begin(), given_up_.end(), call) != given_up_.end();
}

DeviceCarrier* Group::carrier(Device device) const {
    if (!world_->devices()) return nullptr;
    const std::lock_guard lock(carrier_mutex_);
    if (!carrier_) {
        carrier_ = world_->devices()(device, me_, size());
        device_ = device;
    }
    REEL_CHECK_VALUE(device == device_, "the tensors are on ", device, "; group '", name_, "' uses ", device_,
                     " on this rank, and one device a rank: move them there, or make another group with new_group");
    return carrier_.get();
}

void Group::drop_carrier() {
    const std::lock_guard lock(carrier_mutex_);
    if (carrier_ && world_->mailbox().failure(id_)) carrier_->give_up();
    carrier_.reset();
}

Group::~Group() { drop_carrier(); }

void Group::close() {
    closed_ = true;
    lane_.stop();
    drop_carrier();
}

} // namespace reel::distributed::detail
