// FFTW plans: made under a lock, kept for reuse, run on blocks of the batch in parallel.
#include "cpu/fft.hpp"

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include <fftw3.h>

#include <reel/autograd/error.hpp>
#include <reel/autograd/parallel.hpp>

namespace reel::cpu {

namespace {

enum class Kind : std::int64_t { Forward, Backward, FromReal, ToReal };

/// The two precisions of FFTW under one name.
template <class T> struct Fftw;
template <> struct Fftw<double> {
    using Plan = fftw_plan;
    using C = fftw_complex;
    using Axis = fftw_iodim64;
    static constexpr auto complex = fftw_plan_guru64_dft;
    static constexpr auto from_real = fftw_plan_guru64_dft_r2c;
    static constexpr auto to_real = fftw_plan_guru64_dft_c2r;
    static constexpr auto run_complex = fftw_execute_dft;
    static constexpr auto run_from_real = fftw_execute_dft_r2c;
    static constexpr auto run_to_real = fftw_execute_dft_c2r;
    static constexpr auto destroy = fftw_destroy_plan;
    static constexpr auto alignment_of = fftw_alignment_of;
};
template <> struct Fftw<float> {
    using Plan = fftwf_plan;
    using C = fftwf_complex;
    using Axis = fftwf_iodim64;
    static constexpr auto complex = fftwf_plan_guru64_dft;
    static constexpr auto from_real = fftwf_plan_guru64_dft_r2c;
    static constexpr auto to_real = fftwf_plan_guru64_dft_c2r;
    static constexpr auto run_complex = fftwf_execute_dft;
    static constexpr auto run_from_real = fftwf_execute_dft_r2c;
    static constexpr auto run_to_real = fftwf_execute_dft_c2r;
    static constexpr auto destroy = fftwf_destroy_plan;
    static constexpr auto alignment_of = fftwf_alignment_of;
};

/// FFTW makes and destroys one plan at a time; only running them is safe in parallel. Recursive, since a plan may go
/// while another is made.
std::recursive_mutex& planner() {
    static std::recursive_mutex& m = *new std::recursive_mutex; // never destroyed: threads may still drop plans
    return m;
}

/// Of views that start in the middle of a vector there are plans of their own.
template <class T> bool is_aligned(const void* in, const void* out) {
    const auto one = [](const void* p) { return Fftw<T>::alignment_of(const_cast<T*>(static_cast<const T*>(p))) == 0; };
    return one(in) && one(out);
}

template <class T> class Plan {
public:
    using F = Fftw<T>;
    /// Estimated, never measured: a measured plan, and so the result's bits, would change from run to run. Estimating
    /// leaves the data alone. The plan serves any addresses that are as aligned as these.
    Plan(Kind kind, const void* in, void* out, const FftAxes& dims, const FftAxes& batch) : kind_(kind) {
        const std::lock_guard guard(planner());
        std::vector<typename F::Axis> d, b;
        for (const FftAxis& a : dims) d.push_back({a.n, a.in, a.out});
        for (const FftAxis& a : batch) b.push_back({a.n, a.in, a.out});
        const int nd = int(d.size()), nb = int(b.size());
        const unsigned flags = FFTW_ESTIMATE | (is_aligned<T>(in, out) ? 0 : FFTW_UNALIGNED);
        auto* const from = const_cast<void*>(in);
        if (kind == Kind::FromReal)
            plan_ = F::from_real(nd, d.data(), nb, b.data(), static_cast<T*>(from), static_cast<typename F::C*>(out),
                                 flags);
        else if (kind == Kind::ToReal)
            plan_ = F::to_real(nd, d.data(), nb, b.data(), static_cast<typename F::C*>(from), static_cast<T*>(out),
                               flags | FFTW_DESTROY_INPUT);
        else
            plan_ = F::complex(nd, d.data(), nb, b.data(), static_cast<typename F::C*>(from),
                               static_cast<typename F::C*>(out), kind == Kind::Forward ? FFTW_FORWARD : FFTW_BACKWARD,
                               flags);
        REEL_CHECK(plan_, "fft: FFTW has no plan for ", nd, " transformed and ", nb, " other dimensions, the first of ",
                   dims[0].n, " elements");
    }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    ~Plan() {
        const std::lock_guard guard(planner());
        F::destroy(plan_);
    }

    void run(const void* in, void* out) const {
        auto* const from = const_cast<void*>(in); // which FFTW keeps, but for ToReal
        if (kind_ == Kind::FromReal) F::run_from_real(plan_, static_cast<T*>(from), static_cast<typename F::C*>(out));
        else if (kind_ == Kind::ToReal) F::run_to_real(plan_, static_cast<typename F::C*>(from), static_cast<T*>(out));
        else F::run_complex(plan_, static_cast<typename F::C*>(from), static_cast<typename F::C*>(out));
    }

private:
    Kind kind_;
    typename F::Plan plan_;
};

/// A plan holds tables about as long as its transform; the plans that are kept may add up to so many elements.
constexpr std::int64_t kept_elements = 1 << 21;
constexpr std::size_t kept_plans = 128;

/// The plans used last, newest first: training asks for the same few again and again, and a small transform takes
/// longer to plan than to run.
template <class T> class Plans {
public:
    using Pointer = std::shared_ptr<const Plan<T>>;
    static Pointer get(Kind kind, const void* in, void* out, const FftAxes& dims, const FftAxes& batch) {
        static Plans& all = *new Plans; // never destroyed: FFTW's own tables may be gone by then
        std::vector<std::int64_t> key{std::int64_t(kind), in == out, is_aligned<T>(in, out), std::int64_t(dims.size())};
        for (const FftAxes* axes : {&dims, &batch})
            for (const FftAxis& a : *axes) key.insert(key.end(), {a.n, a.in, a.out});
        const std::lock_guard guard(planner());
        return all.find_or_make(std::move(key), kind, in, out, dims, batch);
    }

private:
    struct Entry {
        std::vector<std::int64_t> key;
        std::int64_t elements;
        Pointer plan;
    };
    Pointer find_or_make(std::vector<std::int64_t> key, Kind kind, const void* in, void* out, const FftAxes& dims,
                         const FftAxes& batch) {
        const auto found = std::find_if(list_.begin(), list_.end(), [&](const Entry& e) { return e.key == key; });
        if (found != list_.end()) {
            list_.splice(list_.begin(), list_, found);
            return found->plan;
        }
        auto plan = std::make_shared<const Plan<T>>(kind, in, out, dims, batch);
        std::int64_t elements = 0;
        for (const FftAxis& a : dims) elements += a.n;
        if (elements > kept_elements) return plan;
        list_.push_front({std::move(key), elements, plan});
        elements_ += elements;
        while (list_.size() > kept_plans || elements_ > kept_elements) {
            elements_ -= list_.back().elements;
            list_.pop_back();
        }
        return plan;
    }
    std::list<Entry> list_;
    std::int64_t elements_ = 0;
};

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
bool is_empty(const FftAxes& dims, const FftAxes& batch) { return count(dims) == 0 || count(batch) == 0; }
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
    if (is_empty(dims, batch)) return;
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
    if (is_empty(dims, batch)) return;
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
    if (is_empty(dims, batch)) return;
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

} // namespace

void fft_complex(const std::complex<double>* in, std::complex<double>* out, FftAxes dims, FftAxes batch, bool forward) {
    complex_transform(in, out, std::move(dims), std::move(batch), forward);
}
void fft_complex(const std::complex<float>* in, std::complex<float>* out, FftAxes dims, FftAxes batch, bool forward) {
    complex_transform(in, out, std::move(dims), std::move(batch), forward);
}
void fft_real(const double* in, std::complex<double>* out, FftAxes dims, FftAxes batch) {
    from_real(in, out, std::move(dims), std::move(batch));
}
void fft_real(const float* in, std::complex<float>* out, FftAxes dims, FftAxes batch) {
    from_real(in, out, std::move(dims), std::move(batch));
}
void fft_to_real(std::complex<double>* in, double* out, FftAxes dims, FftAxes batch) {
    to_real(in, out, std::move(dims), std::move(batch));
}
void fft_to_real(std::complex<float>* in, float* out, FftAxes dims, FftAxes batch) {
    to_real(in, out, std::move(dims), std::move(batch));
}

} // namespace reel::cpu
