// Resampling, one dimension after the other. Both directions are sums over sources in a fixed order: the adjoint
// gathers, too.
#include <reel/autograd/kernels/interpolate.hpp>

#include <algorithm>
#include <vector>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/nn/resample.hpp"
#include "cpu/scratch.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

/// Every target's sources, one target after the other.
template <class T> struct Sums {
    std::vector<std::int32_t> start, index;
    std::vector<T> weight;

    Sums(const ResampleTaps& t, bool adjoint) : start(std::size_t(adjoint ? t.in : t.out) + 1) {
        const std::size_t entries = t.index.size();
        const auto target = [&](std::size_t k) {
            return std::size_t(adjoint ? t.index[k] : std::int64_t(k) / t.per_output);
        };
        for (std::size_t k = 0; k < entries; ++k) ++start[target(k) + 1];
        for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
        std::vector<std::int32_t> next(start);
        index.resize(entries);
        weight.resize(entries);
        for (std::size_t k = 0; k < entries; ++k) {
            const auto at = std::size_t(next[target(k)]++);
            index[at] = std::int32_t(adjoint ? std::int64_t(k) / t.per_output : t.index[k]);
            weight[at] = T(t.weight[k]);
        }
    }
};

/// One dimension of an image: `outer` lines of rows of `inner` numbers.
template <class T> class Pass {
public:
    Pass(const ResampleTaps& t, bool adjoint, std::int64_t outer, std::int64_t inner)
        : outer(outer), results(outer * (adjoint ? t.in : t.out) * inner), sums_(t, adjoint),
          sources_(adjoint ? t.out : t.in), targets_(adjoint ? t.in : t.out), inner_(inner) {}

    const std::int64_t outer, results; ///< of one image
    /// Lines that one thread takes at once at least: numbers come by as many lines as a vector has lanes.
    std::int64_t step() const { return inner_ == 1 ? resample_kernels<T>.lanes : 1; }
    std::int64_t work() const { return inner_ * std::max<std::int64_t>(std::int64_t(sums_.index.size()), 1); }
    void run(const T* from, T* to, std::int64_t first, std::int64_t last) const {
        const ResampleTable<T> table{sources_, targets_, sums_.start.data(), sums_.index.data(), sums_.weight.data()};
        const ResampleKernels<T>& kernel = resample_kernels<T>;
        if (inner_ == 1) {
            const Scratch turned(std::size_t(kernel.lanes * sources_) * sizeof(T));
            return kernel.lines(table, from + first * sources_, to + first * targets_, last - first, turned.as<T>());
        }
        for (std::int64_t a = first; a < last; ++a)
            kernel.rows(table, from + a * sources_ * inner_, to + a * targets_ * inner_, inner_);
    }

private:
    Sums<T> sums_;
    std::int64_t sources_, targets_, inner_;
};
/// In the order in which they run, for images of `size` numbers, which becomes the size of the results.
template <class T> std::vector<Pass<T>> passes(const TapsOfDimensions& taps, bool adjoint, std::int64_t& size) {
    std::vector<Pass<T>> all;
    all.reserve(taps.size());
    std::int64_t done = 1; // numbers of the dimensions that were resampled
    for (std::size_t i = 0; i < taps.size(); ++i) {
        const ResampleTaps& t = taps[adjoint ? i : taps.size() - 1 - i];
        const std::int64_t sources = adjoint ? t.out : t.in, targets = adjoint ? t.in : t.out;
        const std::int64_t rest = size / (done * sources); // of those that will be
        all.emplace_back(t, adjoint, adjoint ? done : rest, adjoint ? rest : done);
        done *= targets;
        size = done * rest;
    }
    return all;
}

/// All images, pass by pass.
template <class T>
void pass_by_pass(const std::vector<Pass<T>>& all, const T* from, T* to, std::int64_t images, std::size_t largest) {
    const Scratch kept[] = {Scratch(all.size() > 1 ? largest : 0), Scratch(all.size() > 2 ? largest : 0)};
    for (std::size_t p = 0; p < all.size(); ++p) {
        const Pass<T>& pass = all[p];
        T* const made = p + 1 == all.size() ? to : kept[p % 2].template as<T>();
        const std::int64_t lines = images * pass.outer, step = pass.step(), blocks = (lines + step - 1) / step;
        parallel_for(0, blocks, std::max<std::int64_t>(1, 32768 / (step * pass.work())),
                     [&](std::int64_t begin, std::int64_t end) {
                         pass.run(from, made, begin * step, std::min(lines, end * step));
                     });
        from = made;
    }
}
/// All passes over a few images at a time, whose results in between stay in the cache.
template <class T>
void image_by_image(const std::vector<Pass<T>>& all, const T* from, std::int64_t size, T* to, std::int64_t images,
                    std::int64_t at_once, std::size_t largest) {
    parallel_for(0, (images + at_once - 1) / at_once, 1, [&](std::int64_t begin, std::int64_t end) {
        const Scratch kept[] = {Scratch(largest), Scratch(all.size() > 2 ? largest : 0)};
        for (std::int64_t i = begin * at_once; i < std::min(images, end * at_once); i += at_once) {
            const std::int64_t count = std::min(at_once, images - i);
            const T* at = from + i * size;
            for (std::size_t p = 0; p < all.size(); ++p) {
                T* const made = p + 1 == all.size() ? to + i * all[p].results : kept[p % 2].template as<T>();
                all[p].run(at, made, 0, count * all[p].outer);
                at = made;
            }
        }
    });
}

constexpr std::int64_t cached = 1 << 18; // bytes

} // namespace

void resample(const Tensor& out, const Tensor& x, const TapsOfDimensions& taps, bool adjoint) {
    if (out.numel() == 0) return;
    std::int64_t size = 1;
    for (const ResampleTaps& t : taps) size *= adjoint ? t.out : t.in;
    detail::dispatch<detail::Floats>(x.scalar_type(), "interpolate", [&]<class T>() {
        const T* const from = host_data<T>(x, "interpolate");
        T* const to = host_data<T>(out, "interpolate");
        std::int64_t results = size;
        const std::vector<Pass<T>> all = passes<T>(taps, adjoint, results);
        const std::int64_t images = x.numel() / size;
        std::int64_t largest = 1; // between two passes
        for (std::size_t p = 0; p + 1 < all.size(); ++p) largest = std::max(largest, all[p].results);
        const std::int64_t at_once = std::max<std::int64_t>(1, cached / (largest * std::int64_t(sizeof(T))));
        if (all.size() > 1 && largest * std::int64_t(sizeof(T)) <= cached && images >= 2 * get_num_threads() * at_once)
            image_by_image(all, from, size, to, images, at_once, std::size_t(largest * at_once) * sizeof(T));
        else pass_by_pass(all, from, to, images, std::size_t(largest * images) * sizeof(T));
    });
}

} // namespace reel::cpu
