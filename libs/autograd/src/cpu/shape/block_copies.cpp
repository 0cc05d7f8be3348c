// Joining and picking rows where they are plain bytes.
#include <reel/autograd/kernels/block_copies.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/copy_bytes.hpp"
#include "tensor/raw.hpp"

namespace reel::cpu {

namespace {

constexpr std::int64_t small = 1 << 20; // bytes that one thread copies as fast as several
constexpr std::int64_t bytes_per_task = 1 << 18;

bool plain(const Tensor& t, const Tensor& beside) { return t.device() == beside.device() && t.is_contiguous(); }

std::int64_t product(IntArrayRef sizes) {
    std::int64_t n = 1;
    for (const std::int64_t size : sizes) n *= size;
    return n;
}
bool in_range(const std::int64_t* index, std::int64_t count, std::int64_t n) {
    bool good = true;
    for (std::int64_t i = 0; i < count; ++i) good &= index[i] >= -n && index[i] < n;
    return good;
}
/// `fn(to, from)` copies one row; sizes known to the compiler are single moves.
template <class F> void with_row_copy(std::size_t bytes, F fn) {
    const auto fixed = [&]<std::size_t n>() { fn([](char* to, const char* from) { std::memcpy(to, from, n); }); };
    switch (bytes) {
    case 1:
        return fixed.template operator()<1>();
    case 4:
        return fixed.template operator()<4>();
    case 8:
        return fixed.template operator()<8>();
    case 16:
        return fixed.template operator()<16>();
    default:
        return fn([bytes](char* to, const char* from) { copy_bytes(to, from, bytes); });
    }
}

/// One index over the rows of a tensor that is not empty.
bool picks_rows(const Tensor& self, const Tensor& index) {
    return index.defined() && index.scalar_type() == kLong && plain(index, self) && self.is_contiguous() &&
           self.dim() > 0 && self.numel() > 0 && index.numel() > 0 &&
           in_range(static_cast<const std::int64_t*>(host_data(index, "index")), index.numel(), self.sizes()[0]);
}
std::size_t row_bytes(const Tensor& self) { return self.nbytes() / std::size_t(self.sizes()[0]); }

/// What a tensor gives to each row of a join: bytes that lie together, and how far the next ones are.
struct Part {
    const char* from;
    std::size_t bytes;
    std::ptrdiff_t step;
};
/// The elements of a tensor from dimension `dim` on, if they lie together and all of these at one distance.
std::optional<Part> part_of_rows(const Tensor& t, std::int64_t dim, std::int64_t outer) {
    const std::size_t bytes = t.nbytes() / std::size_t(outer);
    if (t.is_contiguous()) return Part{static_cast<const char*>(host_data(t, "cat")), bytes, std::ptrdiff_t(bytes)};
    if (t.is_sparse()) return {};
    std::int64_t next = 1, step = 0; // elements from one index of a dimension to its next
    bool in_row = true;
    for (std::int64_t d = t.dim() - 1; d >= 0; --d) {
        const std::int64_t n = t.sizes()[std::size_t(d)], stride = t.strides()[std::size_t(d)];
        if (n == 1) continue;
        if (d < dim && std::exchange(in_row, false)) step = next = stride;
        if (stride != next) return {};
        next *= n;
    }
    return Part{static_cast<const char*>(host_data(t, "cat")), bytes, std::ptrdiff_t(step) * t.element_size()};
}
/// Row after row of the result, whose bytes then come in their order.
void join_rows(char* to, std::size_t whole, std::int64_t outer, TensorList tensors, std::int64_t dim) {
    std::vector<Part> parts;
    for (const Tensor& t : tensors)
        if (t.numel() > 0) parts.push_back(*part_of_rows(t, dim, outer));
    const std::int64_t grain = std::max<std::int64_t>(1, bytes_per_task / std::int64_t(whole));
    parallel_for(0, outer, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t o = begin; o < end; ++o) {
            char* at = to + std::size_t(o) * whole;
            for (const Part& p : parts) {
                copy_bytes(at, p.from + o * p.step, p.bytes);
                at += p.bytes;
            }
        }
    });
}

} // namespace

bool join_blocks(const Tensor& out, TensorList tensors, std::int64_t dim) {
    for (const Tensor& t : tensors)
        if (t.device() != out.device() || t.scalar_type() != out.scalar_type()) return false;
    if (out.numel() == 0) return true;
    const std::int64_t outer = product(out.sizes().slice(0, std::size_t(dim)));
    const bool large = std::int64_t(out.nbytes()) > small;
    if (large && outer < 64) return false; // few long blocks: each goes to all threads
    for (const Tensor& t : tensors)
        if (t.numel() > 0 && !part_of_rows(t, dim, outer)) return false;
    const std::size_t whole = out.nbytes() / std::size_t(outer);
    char* to = static_cast<char*>(host_data(out, "cat"));
    if (large) {
        join_rows(to, whole, outer, tensors, dim);
        return true;
    }
    for (const Tensor& t : tensors) {
        if (t.numel() == 0) continue;
        const Part p = *part_of_rows(t, dim, outer);
        for (std::int64_t o = 0; o < outer; ++o) copy_bytes(to + std::size_t(o) * whole, p.from + o * p.step, p.bytes);
        to += p.bytes;
    }
    return true;
}

Tensor take_rows(const Tensor& self, const Tensor& index) {
    if (!picks_rows(self, index)) return {};
    Dims sizes(index.sizes());
    for (const std::int64_t size : self.sizes().slice(1)) sizes.push_back(size);
    const Tensor out = detail::empty_raw(sizes, self);
    const std::int64_t n = self.sizes()[0];
    const auto* places = static_cast<const std::int64_t*>(host_data(index, "index"));
    const std::size_t bytes = row_bytes(self);
    char* to = static_cast<char*>(host_data(out, "index"));
    const char* from = static_cast<const char*>(host_data(self, "index"));
    with_row_copy(bytes, [&](auto copy) {
        parallel_for(0, index.numel(), std::max<std::int64_t>(1, bytes_per_task / std::int64_t(bytes)),
                     [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i)
                             copy(to + std::size_t(i) * bytes,
                                  from + std::size_t(places[i] < 0 ? places[i] + n : places[i]) * bytes);
                     });
    });
    return out;
}
bool put_rows(const Tensor& self, const Tensor& index, const Tensor& values) {
    if (!picks_rows(self, index) || !plain(values, self) || values.scalar_type() != self.scalar_type()) return false;
    if (index.is_alias_of(self)) return false; // it would change under way
    Dims sizes(index.sizes());
    for (const std::int64_t size : self.sizes().slice(1)) sizes.push_back(size);
    if (!values.sizes().equals(sizes)) return false;
    const std::int64_t n = self.sizes()[0];
    const auto* places = static_cast<const std::int64_t*>(host_data(index, "index_put"));
    const std::size_t bytes = row_bytes(self);
    char* to = static_cast<char*>(host_data(self, "index_put"));
    const char* from = static_cast<const char*>(host_data(values, "index_put"));
    const auto place = [=](std::int64_t i) { return std::size_t(places[i] < 0 ? places[i] + n : places[i]) * bytes; };
    if (constexpr std::size_t line = 1024; bytes >= 2 * line && index.numel() * std::int64_t(bytes) > small) {
        // Of rows that meet, the last one stays: each thread writes a part of all of them.
        const std::int64_t lines = std::int64_t((bytes + line - 1) / line);
        parallel_for(0, lines, 1, [&](std::int64_t begin, std::int64_t end) {
            const std::size_t first = std::size_t(begin) * line,
                              some = std::min(bytes, std::size_t(end) * line) - first;
            for (std::int64_t i = 0; i < index.numel(); ++i)
                copy_bytes(to + place(i) + first, from + std::size_t(i) * bytes + first, some);
        });
        return true;
    }
    with_row_copy(bytes, [&](auto copy) {
        for (std::int64_t i = 0; i < index.numel(); ++i) copy(to + place(i), from + std::size_t(i) * bytes);
    });
    return true;
}

} // namespace reel::cpu
