// Ranks with more and fewer batches than others. Before collectives every rank says what it is about to do, or that it
// has run out; so those that have run out know what to take part in.
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/distributed/join.hpp>

#include <algorithm>
#include <exception>
#include <utility>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor.hpp>
#include <reel/distributed/collectives.hpp>

namespace reel::distributed {

namespace {
constexpr std::int64_t out = -1, phases = 64; // code: object * phases + phase
}

Join::Join(std::vector<Joinable*> objects, JoinOptions options)
    : objects_(std::move(objects)), options_(options), exceptions_(std::uncaught_exceptions()) {
    REEL_CHECK_VALUE(!objects_.empty(), "Join: expected at least one object that can join");
    group_ = objects_[0]->join_group();
    for (Joinable* object : objects_)
        REEL_CHECK_VALUE(object->join_group() == group_, "Join: the objects belong to different groups, '",
                         group_.name(), "' and '", object->join_group().name(), "'; expected one for all");
    last_ = group_.size() - 1;
    if (!options_.enable) return;
    open_ = true;
    for (Joinable* object : objects_) object->set_join(this);
}
Join::~Join() noexcept(false) {
    if (!open_) return;
    if (std::uncaught_exceptions() > exceptions_) leave();
    else finish();
}
void Join::leave() noexcept {
    open_ = false;
    for (Joinable* object : objects_) object->set_join(nullptr);
}

std::vector<std::int64_t> Join::exchange(std::int64_t code) const {
    const NoGradGuard no_grad;
    const Device device(group_.backend() == Backend::kNCCL ? kCUDA : kCPU); // which takes nothing else
    const Tensor mine = reel::full({1}, Scalar(code), kLong).to(device), all = mine.new_empty({group_.size()});
    all_gather_into(all, mine, group_);
    const Tensor host = all.to(Device(kCPU));
    const std::int64_t* const codes = host.data_ptr<std::int64_t>();
    return {codes, codes + group_.size()};
}

JoinRound Join::round_of(const std::vector<std::int64_t>& codes) {
    JoinRound round{0, -1, -1};
    for (std::size_t r = 0; r < codes.size(); ++r) {
        if (codes[r] == out) continue;
        ++round.active;
        if (round.first_active < 0) round.first_active = std::int64_t(r);
        round.last_active = std::int64_t(r);
    }
    if (round.active == 0) return round;
    last_ = round.last_active;
    for (std::size_t r = 0; r < codes.size(); ++r) {
        REEL_CHECK(codes[r] != out || !options_.throw_on_early_termination, "Join: rank ", group_.rank(), " of ",
                   codes.size(), ": rank ", r,
                   " has run out of batches while others have more, and throw_on_early_termination = true");
        REEL_CHECK(codes[r] == out || codes[r] == codes[std::size_t(round.first_active)], "Join: rank ", group_.rank(),
                   " of ", codes.size(), ": ranks ", round.first_active, " and ", r,
                   " are at different steps of the loop; between collectives all must call the same objects");
    }
    return round;
}

JoinRound Join::announce(const Joinable& object, std::int64_t phase) {
    const auto at = std::ranges::find(objects_, &object);
    REEL_INTERNAL_ASSERT(at != objects_.end() && phase >= 0 && phase < phases);
    return round_of(exchange((at - objects_.begin()) * phases + phase));
}

void Join::finish() {
    if (!open_) return;
    try {
        for (;;) {
            const std::vector<std::int64_t> codes = exchange(out);
            const JoinRound round = round_of(codes);
            if (round.active == 0) break;
            const std::int64_t code = codes[std::size_t(round.first_active)];
            objects_[std::size_t(code / phases)]->shadow(code % phases, round);
        }
        for (Joinable* object : objects_) object->take_over(last_);
    } catch (...) {
        leave();
        throw;
    }
    leave();
}

} // namespace reel::distributed
