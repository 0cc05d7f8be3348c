// Lines of a batch, in the order of memory.
#include "cpu/spectral/fft_lines.hpp"

namespace reel::cpu {

FftBatch::FftBatch(FftAxes axes, std::int64_t n, int lanes) : lanes_(lanes) {
    std::sort(axes.begin(), axes.end(),
              [](const FftAxis& a, const FftAxis& b) { return a.out != b.out ? a.out > b.out : a.in > b.in; });
    for (const FftAxis& a : axes) {
        lines_ *= a.n;
        if (a.n == 1) continue;
        FftAxis* const outer = axes_.empty() ? nullptr : &axes_.back();
        // one stride serves both
        if (outer && outer->in == a.in * a.n && outer->out == a.out * a.n) *outer = {outer->n * a.n, a.in, a.out};
        else axes_.push_back(a);
    }
    run_ = axes_.empty() || axes_.back().n < lanes ? lines_ : axes_.back().n;
    run_blocks_ = (run_ + lanes - 1) / lanes;
    if (axes_.empty()) axes_.push_back({1, 0, 0});
    const FftAxis inner = axes_.back();
    is_even_ = inner.n == run_;
    is_grouped_ = lines_ >= lanes && n < lanes && lanes % n == 0 && inner.in > 2 && inner.out > 2;
    for (int l = 0; l < lanes; ++l) {
        const int line = is_grouped_ ? fft_grouped(l, int(n), lanes) : l;
        in_[std::size_t(l)] = line * inner.in;
        out_[std::size_t(l)] = line * inner.out;
    }
}

void FftBatch::place(std::int64_t line, std::int64_t& in, std::int64_t& out) const {
    in = out = 0;
    for (std::size_t i = axes_.size(); i-- > 1;) {
        const FftAxis& a = axes_[i];
        const std::int64_t rest = line / a.n, at = line - rest * a.n;
        in += at * a.in;
        out += at * a.out;
        line = rest;
    }
    in += line * axes_[0].in; // one axis, the common case, takes no division
    out += line * axes_[0].out;
}
FftBatch::Block FftBatch::block(std::int64_t b, std::array<Places, 2>& own) const {
    const std::int64_t run = run_ == lines_ ? 0 : b / run_blocks_, begin = (b - run * run_blocks_) * lanes_;
    const std::int64_t first = run * run_ + begin;
    Block r{int(std::min<std::int64_t>(lanes_, run_ - begin)), 0, 0, in_.data(), out_.data()};
    place(first, r.in, r.out);
    if (is_even_ && (r.count == lanes_ || !is_grouped_)) return r;
    for (int l = 0; l < r.count; ++l) {
        place(first + l, own[0][std::size_t(l)], own[1][std::size_t(l)]);
        own[0][std::size_t(l)] -= r.in;
        own[1][std::size_t(l)] -= r.out;
    }
    r.in_lanes = own[0].data();
    r.out_lanes = own[1].data();
    return r;
}

} // namespace reel::cpu
