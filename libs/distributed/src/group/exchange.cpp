#include "group/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <thread>

#include <reel/autograd/error.hpp>

namespace reel::distributed::detail {

namespace {
/// A refusal on its way: an error of one call, not of the group.
Failure refusal(std::string reason) { return {std::move(reason), true, true}; }

constexpr std::chrono::seconds loss_grace{2};
constexpr std::chrono::milliseconds word_of_cause{50};

std::string seconds(std::chrono::milliseconds t) {
    std::ostringstream s;
    s << double(t.count()) / 1000.0 << " s";
    return s.str();
}
} // namespace

Exchange::Exchange(Group& group, const Envelope& envelope, Deadline deadline)
    : group_(group), envelope_(envelope), deadline_(deadline), sent_(std::size_t(group.size())),
      received_(std::size_t(group.size())) {}

void Exchange::send(std::int64_t member, const void* bytes, std::size_t size) {
    send_as(member, envelope_, bytes, size);
}

void Exchange::send_as(std::int64_t member, Envelope envelope, const void* bytes, std::size_t size) {
    // a receive takes one message
    if (envelope.tag != Envelope::no_tag) return send_piece(member, envelope, bytes, size);
    const auto* at = static_cast<const std::byte*>(bytes);
    std::size_t done = 0;
    do {
        const std::size_t piece = std::min(piece_bytes, size - done);
        send_piece(member, envelope, at + done, piece);
        done += piece;
    } while (done < size);
}

void Exchange::send_piece(std::int64_t member, Envelope envelope, const void* bytes, std::size_t size) {
    envelope.call = envelope_.call;
    envelope.phase = sent_[std::size_t(member)]++;
    envelope.payload = size;
    const std::int64_t rank = group_.ranks()[std::size_t(member)];
    if (group_.world().transport().send(rank, envelope, bytes, deadline_)) return;
    if (!group_.world().mailbox().loss(rank).empty()) {
        // in a collective it is waited for, too, and may have left word of why
        if (envelope.tag == Envelope::no_tag) return;
        if (group_.world().mailbox().failure(group_.id())) fail_ended();
        fail_lost(rank);
    }
    if (group_.world().mailbox().failure(group_.id())) fail_ended();
    needed_ = {rank};
    fail_late();
}

void Exchange::await(std::vector<std::int64_t> members) {
    needed_.clear();
    for (const std::int64_t m : members) needed_.push_back(group_.ranks()[std::size_t(m)]);
}

void Exchange::await_others() {
    needed_ = group_.ranks();
    std::erase(needed_, group_.world().rank());
}

void Exchange::wait_longer(std::chrono::milliseconds time) {
    if (deadline_ < Deadline::max() - time) deadline_ += time;
}

Message Exchange::receive(std::int64_t member) { return receive_as(member, envelope_); }

Message Exchange::receive_as(std::int64_t member, const Envelope& like) {
    const std::int64_t rank = group_.ranks()[std::size_t(member)];
    if (std::find(needed_.begin(), needed_.end(), rank) == needed_.end()) needed_.push_back(rank);
    Envelope expected = like;
    expected.call = envelope_.call;
    expected.phase = received_[std::size_t(member)]++;
    Message message;
    std::int64_t gone = rank;
    for (;;) {
        const Mailbox::Key key{group_.id(), rank, expected.tag};
        switch (group_.world().mailbox().take(key, needed_, deadline_, message, gone)) {
        case Mailbox::Wait::kCame:
            break;
        case Mailbox::Wait::kFailed:
            fail_ended();
        case Mailbox::Wait::kLost:
            fail_lost(gone);
        case Mailbox::Wait::kLate:
            fail_late();
        }
        const Envelope& came = message.envelope;
        const bool refused = came.kind == Envelope::Kind::kRefused;
        if (came.call < expected.call && (refused || group_.gave_up(came.call))) continue;
        if (refused && came.call == expected.call) refused_by(rank, message.payload.text());
        if (refused || !expected.fits(came)) fail_misfit(rank, expected, came);
        std::erase(needed_, rank);
        return message;
    }
}

void Exchange::receive_into(std::int64_t member, void* bytes, std::size_t size) {
    receive_into_as(member, envelope_, bytes, size);
}

void Exchange::receive_into_as(std::int64_t member, const Envelope& expected, void* bytes, std::size_t size) {
    auto* at = static_cast<std::byte*>(bytes);
    std::size_t done = 0;
    do {
        const Message piece = receive_as(member, expected);
        const std::size_t n = piece.payload.size;
        REEL_INTERNAL_ASSERT(n == std::min(piece_bytes, size - done), ": a piece of ", n, " bytes");
        if (n) std::memcpy(at + done, piece.payload.bytes.get(), n);
        done += n;
    } while (done < size);
}

void Exchange::check() {
    Mailbox& box = group_.world().mailbox();
    box.pump();
    if (box.failure(group_.id())) fail_ended();
    for (const std::int64_t rank : group_.ranks()) {
        if (rank == group_.world().rank() || box.loss(rank).empty()) continue;
        // one that has its results may leave before this one has them
        if (!lost_) lost_ = deadline_after(loss_grace);
        if (Clock::now() >= *lost_) fail_lost(rank);
    }
    if (Clock::now() >= deadline_)
        fail(str("the devices were not done within ", seconds(group_.timeout()),
                 "; if they are only slow, a longer timeout in Options or set_timeout helps"));
}

void Exchange::refuse(const std::string& reason) {
    Envelope e = envelope_;
    e.kind = Envelope::Kind::kRefused;
    e.payload = reason.size();
    group_.give_up(e.call);
    for (const std::int64_t rank : group_.ranks())
        if (rank != group_.world().rank()) group_.world().transport().send(rank, e, reason.data(), deadline_);
}

void Exchange::refused_by(std::int64_t rank, const std::string& reason) {
    // who waits for this rank alone hears of it from here
    const std::string text = reason.starts_with("rank ") ? reason : str("rank ", rank, " refused: ", reason);
    refuse(text);
    raise(refusal(str(name_of(envelope_.operation), ": ", text)));
}

void Exchange::fail(const std::string& what, bool remote) {
    const Failure failure{str(group_.where(envelope_), ": ", what), remote};
    group_.fail(failure);
    raise(failure);
}

void Exchange::fail_lost(std::int64_t rank) {
    Mailbox& box = group_.world().mailbox();
    // it may have left for what a third one is just about to tell this rank, too
    for (const Deadline end = deadline_after(word_of_cause); Clock::now() < end;) {
        box.pump();
        if (box.failure(group_.id())) fail_ended();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    fail(str("rank ", rank, " ", box.loss(rank), "; ", box.last_of(group_.id(), rank)));
}

void Exchange::fail_late() {
    Mailbox& box = group_.world().mailbox();
    std::ostringstream text;
    bool first = true;
    for (const std::int64_t rank : needed_) {
        if (box.has({group_.id(), rank, envelope_.tag})) continue;
        text << (first ? "" : "; ") << "rank " << rank << " did not come within " << seconds(group_.timeout()) << " ("
             << box.last_of(group_.id(), rank) << ")";
        first = false;
    }
    if (first) text << "the others did not answer within " << seconds(group_.timeout());
    fail(text.str() + "; if it is only slow, a longer timeout in Options or set_timeout helps");
}

void Exchange::fail_ended() {
    const Failure known = *group_.world().mailbox().failure(group_.id());
    raise({str(group_.where(envelope_), ": ", known.remote ? "" : "the group has failed before: ", known.reason),
           known.remote});
}

void Exchange::fail_misfit(std::int64_t rank, const Envelope& expected, const Envelope& came) {
    std::ostringstream text;
    text << "rank " << rank << " makes call " << came.call << " (" << came.describe() << ")";
    if (came.members != expected.members) text << " in a group of other ranks";
    if (came.dims == expected.dims && came.shape_digest != expected.shape_digest && came.dims > Envelope::shown_dims)
        text << ", which differs in a later dimension";
    text << " where this rank makes call " << expected.call << " (" << expected.describe()
         << "); all ranks make the same calls in the same order, with operands of one shape and dtype";
    fail(text.str());
}

} // namespace reel::distributed::detail
