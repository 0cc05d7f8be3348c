// FFTW plans under one name for both precisions: made under a lock, kept for reuse.
#pragma once

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <fftw3.h>

#include <reel/autograd/error.hpp>
#include <reel/autograd/fft_kernels.hpp>

namespace reel::fftw {

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
inline std::recursive_mutex& planner() {
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
inline constexpr std::int64_t kept_elements = 1 << 21;
inline constexpr std::size_t kept_plans = 128;

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

} // namespace reel::fftw
