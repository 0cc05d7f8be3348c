// Numbers that the host itself works with: read out of tensors, and put into new ones.
#pragma once

#include <cstdint>

#include <reel/autograd/detail/launch_observer.hpp>
#include <reel/autograd/dtype.hpp>
#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "tensor/raw.hpp"

namespace reel::detail {

/// Are there elements to check, or to decide by? Meta tensors have none.
inline bool has_values(const Tensor& t) { return !t.is_meta(); }

/// The elements of a tensor in row-major order, converted to T, for an op that decides by them: lengths, bounds, what
/// must be refused. Those of a device are copied, which waits for it. On meta there are none: throws on behalf of `op`
/// what a kernel throws that is not there.
template <class T> class HostValues {
public:
    HostValues(const Tensor& t, const char* op) : dense_(on_host(t, op)), data_(host_data<T>(dense_, op)) {}
    const T* begin() const { return data_; }
    const T* end() const { return data_ + dense_.numel(); }
    std::int64_t size() const { return dense_.numel(); }
    const T& operator[](std::int64_t i) const { return data_[i]; }

private:
    static Tensor on_host(const Tensor& t, const char* op) {
        if (launch_observer) [[unlikely]]
            note_host_works(op);
        if (t.is_cpu()) return contiguous_raw(cast_raw(t, dtype_of<T>));
        if (t.is_meta()) require_host(t, op);
        Tensor here = empty_raw(t.sizes(), dtype_of<T>);
        copy_raw(here, t);
        return here;
    }
    Tensor dense_;
    const T* data_;
};

/// A new vector on the host whose element i is `f(i)`, which several threads may call.
template <class T, class F> Tensor generated(std::int64_t n, F f) {
    Tensor out = empty_raw({n}, dtype_of<T>);
    T* const to = static_cast<T*>(host_data(out, "generated"));
    parallel_for(0, n, 1 << 15, [&](std::int64_t begin, std::int64_t end) {
        const F at = f; // behind a reference, what is written might change it
        T* const p = to;
        for (std::int64_t i = begin; i < end; ++i) p[i] = at(i);
    });
    if (launch_observer) [[unlikely]]
        note_generated(out);
    return out;
}
/// A new vector on the host with these elements.
template <class T> Tensor tensor_of(const std::vector<T>& values) {
    return generated<T>(std::int64_t(values.size()), [&](std::int64_t i) { return values[std::size_t(i)]; });
}

} // namespace reel::detail
