#include "captured_checks.hpp"

#include <atomic>

#include <reel/autograd/error.hpp>

#include "pinned.hpp"

namespace reel::cuda {

CapturedChecks::CapturedChecks() : word_(static_cast<unsigned*>(pinned_alloc(sizeof(unsigned)))) { *word_ = 0; }
CapturedChecks::~CapturedChecks() {
    try {
        last_.synchronize(); // a replay under way may write there
        pinned_free(word_, sizeof(unsigned));
    } catch (const Error&) { // rather lost than written to as somebody else's
    }
}
FaultNote CapturedChecks::add(const char* op, std::int64_t size) {
    checks_.push_back({op, size});
    return {word_, unsigned(checks_.size()), wrap_};
}
void CapturedChecks::replayed() {
    if (!checks_.empty()) last_.record();
}
void CapturedChecks::look() const {
    const unsigned code = std::atomic_ref(*word_).exchange(0);
    if (code == 0) return;
    const Check& c = checks_[code - 1];
    REEL_CHECK_INDEX(false, "cuda::Graph: ", c.op,
                     ": a replay met an index that is out of range for a dimension of size ", c.size,
                     ", and took another; its results are wrong. Look at the indices before replay()");
}

} // namespace reel::cuda
