#include <reel/distributed/detail/mailbox.hpp>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <iomanip>
#include <map>
#include <mutex>
#include <sstream>

#include "transport/shared_bell.hpp"

namespace reel::distributed::detail {

Deadline deadline_after(std::chrono::milliseconds timeout) {
    const auto now = Clock::now();
    const auto most = std::chrono::duration_cast<std::chrono::milliseconds>(Deadline::max() - now);
    return timeout >= most ? Deadline::max() : now + timeout;
}

struct Mailbox::State {
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::map<Key, std::deque<Message>> arrived;
    std::map<Key, std::deque<Receiver>> posted;
    std::map<std::int64_t, Failure> failures;                                                     // by group
    std::vector<std::string> lost;                                                                // by peer
    std::map<std::pair<std::int64_t, std::int64_t>, std::pair<Envelope, Clock::time_point>> last; // by group and peer
    std::function<bool()> pump;
    SharedBell* bell = nullptr;
    bool spin = false;
    std::atomic<int> resting = 0; // threads that wait for what others of this process do

    /// With the lock: who was waiting may end the mailbox's life as soon as it is open.
    void tell() {
        changed.notify_all();
        if (bell) bell->ring();
    }

    /// Takes the receivers away of which `which` is true; to be called without the lock.
    std::vector<Receiver> withdraw(const std::function<bool(const Key&)>& which) {
        std::vector<Receiver> found;
        for (auto i = posted.begin(); i != posted.end();) {
            if (which(i->first)) {
                for (Receiver& r : i->second) found.push_back(std::move(r));
                i = posted.erase(i);
            } else ++i;
        }
        return found;
    }
};

Mailbox::Mailbox(std::int64_t world) : state_(std::make_unique<State>()) { state_->lost.resize(std::size_t(world)); }
Mailbox::~Mailbox() = default;

void Mailbox::deliver(std::int64_t from, Message message) {
    const Envelope& e = message.envelope;
    if (e.kind == Envelope::Kind::kLeave) return lose(from, message.payload.text());
    if (e.kind == Envelope::Kind::kAbort) {
        fail(e.group, {message.payload.text(), true});
        return;
    }
    Receiver receiver;
    {
        const std::lock_guard lock(state_->mutex);
        state_->last[{e.group, from}] = {e, Clock::now()};
        const Key key{e.group, from, e.tag};
        if (const auto i = state_->posted.find(key); i != state_->posted.end()) {
            receiver = std::move(i->second.front());
            i->second.pop_front();
            if (i->second.empty()) state_->posted.erase(i);
        } else state_->arrived[key].push_back(std::move(message));
        if (!receiver) state_->tell();
    }
    if (receiver) receiver(&message, nullptr);
}

void Mailbox::lose(std::int64_t peer, const std::string& reason) {
    std::vector<Receiver> waiting;
    {
        const std::lock_guard lock(state_->mutex);
        std::string& known = state_->lost[std::size_t(peer)];
        if (known.empty()) known = reason;
        waiting = state_->withdraw([&](const Key& k) { return k.peer == peer; });
        state_->tell();
    }
    const Failure failure{str("rank ", peer, " ", reason)};
    for (Receiver& r : waiting) r(nullptr, &failure);
}

void Mailbox::set_pump(std::function<bool()> pump, SharedBell* bell, bool spin) {
    state_->pump = std::move(pump);
    state_->bell = bell;
    state_->spin = spin;
}
bool Mailbox::pump() { return state_->pump && state_->pump(); }

namespace {
thread_local bool beside_others = false;
/// About what sleeping and being woken would take.
constexpr std::chrono::microseconds spinning{40};
} // namespace

void Mailbox::work_beside_others() { beside_others = true; }

bool Mailbox::rest_until(Deadline deadline, const std::function<bool()>& done) {
    std::unique_lock lock(state_->mutex);
    ++state_->resting;
    bool came = done();
    for (; !came && Clock::now() < deadline; came = done()) {
        if (deadline == Deadline::max()) state_->changed.wait(lock);
        else state_->changed.wait_until(lock, deadline);
    }
    --state_->resting;
    return came;
}

bool Mailbox::listen_until(Deadline deadline, const std::function<bool()>& done) {
    for (;;) {
        const std::uint32_t heard = state_->bell->rung(); // what comes behind this wakes from the sleep below
        const bool came = state_->pump();
        {
            const std::lock_guard lock(state_->mutex);
            if (done()) return true;
        }
        if (came) continue;
        if (Clock::now() >= deadline) return false;
        const bool free = state_->spin && (!beside_others || state_->resting > 0);
        if (!free || !state_->bell->spin(heard, spinning)) state_->bell->sleep(heard, deadline);
    }
}

bool Mailbox::wait_until(Deadline deadline, const std::function<bool()>& done, bool pumping) {
    if (!state_->pump || !pumping) return rest_until(deadline, done);
    if (state_->bell) return listen_until(deadline, done);
    std::unique_lock lock(state_->mutex);
    int idle = 0;
    for (;;) {
        if (done()) return true; // once a turn: it takes what has come
        if (Clock::now() >= deadline) return false;
        // quick answers for who computes in step, and no core burnt by who waits long
        if (idle > 300) state_->changed.wait_for(lock, std::chrono::microseconds(idle > 20000 ? 1000 : 20));
        lock.unlock();
        idle = state_->pump() ? 0 : idle + 1;
        lock.lock();
    }
}

void Mailbox::notify() {
    const std::lock_guard lock(state_->mutex);
    state_->tell();
}

Mailbox::Wait Mailbox::take(const Key& key, const std::vector<std::int64_t>& needed, Deadline deadline,
                            Message& message, std::int64_t& peer) {
    Wait outcome = Wait::kLate;
    const auto look = [&] {
        if (const auto i = state_->arrived.find(key); i != state_->arrived.end()) {
            message = std::move(i->second.front());
            i->second.pop_front();
            if (i->second.empty()) state_->arrived.erase(i);
            outcome = Wait::kCame;
            return true;
        }
        if (state_->failures.contains(key.group)) {
            outcome = Wait::kFailed;
            return true;
        }
        for (const std::int64_t p : needed) {
            if (!state_->lost[std::size_t(p)].empty() && !state_->arrived.contains({key.group, p, key.tag})) {
                peer = p;
                outcome = Wait::kLost;
                return true;
            }
        }
        return false;
    };
    wait_until(deadline, look);
    return outcome;
}

void Mailbox::post(const Key& key, Receiver receiver) {
    Message message;
    std::optional<Failure> failure;
    {
        const std::lock_guard lock(state_->mutex);
        const auto i = state_->arrived.find(key);
        const auto failed = state_->failures.find(key.group);
        const std::string& lost = state_->lost[std::size_t(key.peer)];
        if (i != state_->arrived.end()) {
            message = std::move(i->second.front());
            i->second.pop_front();
            if (i->second.empty()) state_->arrived.erase(i);
        } else if (failed != state_->failures.end()) failure = failed->second;
        else if (!lost.empty()) failure = Failure{str("rank ", key.peer, " ", lost)};
        else {
            state_->posted[key].push_back(std::move(receiver));
            return;
        }
    }
    receiver(failure ? nullptr : &message, failure ? &*failure : nullptr);
}

bool Mailbox::has(const Key& key) const {
    const std::lock_guard lock(state_->mutex);
    return state_->arrived.contains(key);
}

bool Mailbox::fail(std::int64_t group, const Failure& failure) {
    std::vector<Receiver> waiting;
    {
        const std::lock_guard lock(state_->mutex);
        if (!state_->failures.emplace(group, failure).second) return false;
        waiting = state_->withdraw([&](const Key& k) { return k.group == group; });
        state_->tell();
    }
    for (Receiver& r : waiting) r(nullptr, &failure);
    return true;
}

std::optional<Failure> Mailbox::failure(std::int64_t group) const {
    const std::lock_guard lock(state_->mutex);
    const auto i = state_->failures.find(group);
    return i == state_->failures.end() ? std::nullopt : std::optional(i->second);
}

std::string Mailbox::loss(std::int64_t peer) const {
    const std::lock_guard lock(state_->mutex);
    return state_->lost[std::size_t(peer)];
}

std::string Mailbox::last_of(std::int64_t group, std::int64_t peer) const {
    const std::lock_guard lock(state_->mutex);
    const auto i = state_->last.find({group, peer});
    if (i == state_->last.end()) return "nothing was heard of it in this group";
    const auto& [envelope, when] = i->second;
    std::ostringstream s;
    s << "the last that was heard of it is ";
    if (envelope.tag == Envelope::no_tag) s << "call " << envelope.call << " (" << envelope.describe() << ")";
    else s << envelope.describe();
    s << ", " << std::fixed << std::setprecision(1) << std::chrono::duration<double>(Clock::now() - when).count()
      << " s ago";
    return s.str();
}

} // namespace reel::distributed::detail
