// Transforms cut into blocks of the batch that run in parallel; set in the place of Reel's own when the library is
// loaded.
#include <reel/fftw.hpp>

#include <complex>
#include <type_traits>

#include <reel/autograd/parallel.hpp>

#include "plans.hpp"

namespace reel::fftw {

namespace {

/// What one thread should have to do at least, in elements.
constexpr std::int64_t grain = 1 << 14;
/// Fewer parts than this do not keep the threads of a large machine busy.
constexpr std::int64_t few = 16;

/// Without axes of one element, and with neighbours joined where one stride serves both.
FftAxes joined(const FftAxes& axes) {
    FftAxes r;
    for (const FftAxis& a : axes) {
        if (a.n == 1) continue;
        if (!r.empty() && r.back().in == a.in * a.n && r.back().out == a.out * a.n)
            r.back() = {r.back().n * a.n, a.in, a.out};
        else r.push_back(a);
    }
    return r;
}
std::int64_t count(const FftAxes& axes) {
    std::int64_t n = 1;
    for (const FftAxis& a : axes) n *= a.n;
    return n;
}

/// Columns whose elements lie this far apart (in elements) fall on few sets of the cache and push each other out.
constexpr std::int64_t far_apart = 256;
/// Columns shorter than this fit all the same; what is copied stays in the cache up to this length.
constexpr std::int64_t shortest_copied = 512, longest_copied = 8192;

/// Columns that lie side by side, eight at a time: copied to rows, transformed there, copied back.
template <class T>
void run_columns(Kind kind, const std::complex<T>* in, std::complex<T>* out, FftAxis dim, std::int64_t columns) {
    using C = std::complex<T>;
    constexpr std::int64_t block = 8;
    const std::int64_t n = dim.n, row = n + 8; // no power of two apart
    auto part = [&](std::int64_t begin, std::int64_t end) {
        std::vector<C> rows(static_cast<std::size_t>(row * block));
        C* const r = rows.data();
        const auto whole = Plans<T>::get(kind, r, r, {{n, 1, 1}}, {{block, row, row}});
        for (std::int64_t c = begin * block; c < std::min(end * block, columns); c += block) {
            const std::int64_t k = std::min(block, columns - c);
            for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t i = 0; i < k; ++i) r[i * row + j] = in[j * dim.in + c + i];
            whole->run(r, r); // the last block may have rows that nobody reads
            for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t i = 0; i < k; ++i) out[j * dim.out + c + i] = r[i * row + j];
        }
    };
    parallel_for(0, (columns + block - 1) / block, std::max<std::int64_t>(1, grain / (n * block)), part);
}

/// One plan over everything, or several runs over blocks of the longest batch axis. How it is cut follows from the
/// shape alone, so that any number of threads computes the same bits.
template <class T, class In, class Out>
void run(Kind kind, const In* in, Out* out, const FftAxes& dims, FftAxes batch) {
    batch = joined(batch);
    const std::int64_t total = count(dims) * count(batch);
    const auto longest =
        std::max_element(batch.begin(), batch.end(), [](const FftAxis& a, const FftAxis& b) { return a.n < b.n; });
    // In eights: columns share cache lines, and every block is aligned as the first is.
    const std::int64_t block = batch.empty() ? 1 : (grain / (total / longest->n) / 8 + 1) * 8;
    if (batch.empty() || longest->n <= block) {
        Plans<T>::get(kind, in, out, dims, batch)->run(in, out);
        return;
    }
    if constexpr (std::is_same_v<In, Out>)
        if (dims.size() == 1 && batch.size() == 1 && longest->in == 1 && longest->out == 1 &&
            dims[0].n >= shortest_copied && dims[0].n <= longest_copied &&
            std::max(dims[0].in, dims[0].out) >= far_apart)
            return run_columns<T>(kind, in, out, dims[0], longest->n);
    const FftAxis cut = *longest;
    const std::int64_t rest = cut.n % block;
    longest->n = block;
    const auto whole = Plans<T>::get(kind, in, out, dims, batch);
    longest->n = rest;
    const auto last = rest == 0 ? nullptr : Plans<T>::get(kind, in, out, dims, batch);
    parallel_for(0, (cut.n + block - 1) / block, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin * block; i < std::min(end * block, cut.n); i += block)
            (i + block <= cut.n ? whole : last)->run(in + i * cut.in, out + i * cut.out);
    });
}
bool has_many_parts(const FftAxes& batch) {
    const FftAxes b = joined(batch);
    return std::any_of(b.begin(), b.end(), [](const FftAxis& a) { return a.n >= few; });
}
/// The same axes for a pass over what another pass has left in its output, or in its input.
FftAxes in_output(FftAxes axes) {
    for (FftAxis& a : axes) a.in = a.out;
    return axes;
}
FftAxes in_input(FftAxes axes) {
    for (FftAxis& a : axes) a.out = a.in;
    return axes;
}

template <class T>
void complex_transform(const std::complex<T>* in, std::complex<T>* out, FftAxes dims, FftAxes batch, bool forward) {
    const Kind kind = forward ? Kind::Forward : Kind::Backward;
    // With little else to share out, one pass per dimension: the others become its batch.
    if (dims.size() > 1 && count(dims) > grain && !has_many_parts(batch)) {
        const FftAxis first = dims.front();
        dims.erase(dims.begin());
        batch.insert(batch.begin(), first);
        complex_transform(in, out, dims, batch, forward);
        batch.erase(batch.begin());
        batch.insert(batch.end(), dims.begin(), dims.end());
        run<T>(kind, out, out, in_output({first}), in_output(batch));
        return;
    }
    run<T>(kind, in, out, dims, std::move(batch));
}
template <class T> void from_real(const T* in, std::complex<T>* out, FftAxes dims, FftAxes batch) {
    if (dims.size() > 1 && count(dims) > grain && !has_many_parts(batch)) {
        FftAxis last = dims.back();
        dims.pop_back();
        FftAxes others = batch;
        others.insert(others.end(), dims.begin(), dims.end());
        run<T>(Kind::FromReal, in, out, {last}, std::move(others));
        last.n = last.n / 2 + 1;
        batch.push_back(last);
        complex_transform(out, out, in_output(dims), in_output(batch), true);
        return;
    }
    run<T>(Kind::FromReal, in, out, dims, std::move(batch));
}
template <class T> void to_real(std::complex<T>* in, T* out, FftAxes dims, FftAxes batch) {
    if (dims.size() > 1 && count(dims) > grain && !has_many_parts(batch)) {
        const FftAxis last = dims.back();
        dims.pop_back();
        FftAxes others = batch;
        others.push_back({last.n / 2 + 1, last.in, last.out});
        complex_transform(in, in, in_input(dims), in_input(others), false);
        batch.insert(batch.end(), dims.begin(), dims.end());
        run<T>(Kind::ToReal, in, out, {last}, std::move(batch));
        return;
    }
    run<T>(Kind::ToReal, in, out, dims, std::move(batch));
}

template <class T>
void complex_kernel(const std::complex<T>* in, std::complex<T>* out, const FftAxes& dims, const FftAxes& batch,
                    bool forward) {
    complex_transform(in, out, dims, batch, forward);
}
template <class T> void from_real_kernel(const T* in, std::complex<T>* out, const FftAxes& dims, const FftAxes& batch) {
    from_real(in, out, dims, batch);
}
template <class T> void to_real_kernel(std::complex<T>* in, T* out, const FftAxes& dims, const FftAxes& batch) {
    to_real(in, out, dims, batch);
}
constinit const FftKernels all = {"fftw",
                                  {&complex_kernel<float>, &from_real_kernel<float>, &to_real_kernel<float>},
                                  {&complex_kernel<double>, &from_real_kernel<double>, &to_real_kernel<double>}};

[[maybe_unused]] const bool attached = [] {
    set_fft_kernels(&all);
    return true;
}();

} // namespace

const FftKernels& kernels() { return all; }

} // namespace reel::fftw
