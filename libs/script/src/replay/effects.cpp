// Making a call's effects happen again, or unseen.
#include "replay/effects.hpp"

#include <cstring>

namespace reel::jit::replay {

namespace {
Generator generator_at(const Tensor& state) {
    Generator g(kCPU);
    g.set_state(state);
    return g;
}
bool same_bytes(const Tensor& a, const Tensor& b) {
    return std::memcmp(a.impl()->data(), b.impl()->data(), a.nbytes()) == 0;
}
std::vector<std::vector<char>> bytes_of(const Plan& plan) {
    std::vector<std::vector<char>> r;
    for (const Plan::Change& c : plan.changes) {
        const Storage& s = *plan.memories[std::size_t(c.memory)].held.storage();
        const char* const bytes = static_cast<const char*>(s.data());
        r.emplace_back(bytes, bytes + s.nbytes());
    }
    return r;
}
void put_back(const Plan& plan, const std::vector<std::vector<char>>& bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const Storage& s = *plan.memories[std::size_t(plan.changes[i].memory)].held.storage();
        if (!bytes[i].empty()) std::memcpy(s.data(), bytes[i].data(), bytes[i].size());
    }
}
} // namespace

Tensor stream_state() { return get_rng_state(); }

Beginning beginning_of(const Plan& plan) { return {plan.draws ? stream_state() : Tensor(), bytes_of(plan)}; }

Again::Again(const Plan& plan, const Beginning& beginning) : plan_(plan), after_(bytes_of(plan)) {
    if (beginning.stream.defined()) {
        stream_after_ = stream_state();
        generator_ = generator_at(beginning.stream);
        draws_.emplace(generator_);
    }
    put_back(plan, beginning.changed);
}
Again::~Again() { put_back(plan_, after_); }

bool Again::same_changes() const { return bytes_of(plan_) == after_; }
bool Again::same_stream() const {
    return !stream_after_.defined() || same_bytes(stream_after_, generator_.get_state());
}

StreamStretch::StreamStretch()
    : shared_(reel::detail::getDefaultCPUGenerator()), lock_(shared_.mutex()), beginning_(shared_.get_state()) {
    thread_local const Generator own(kCPU); // seeding one takes longer than setting it
    own_ = own;
    own_.set_state(beginning_);
    draws_.emplace(own_);
}
StreamStretch::~StreamStretch() { shared_.set_state(own_.get_state()); }

} // namespace reel::jit::replay
