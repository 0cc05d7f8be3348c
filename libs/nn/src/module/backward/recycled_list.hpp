// A list of tensors whose memory is used again.
#pragma once

#include <reel/autograd/node.hpp>
#include <reel/nn/fwd.hpp>

namespace reel::nn::detail {

/// Gradients in the form in which hooks over tensors get them. The memory comes from a small store of the thread's, and
/// goes to that of the thread where the list ends.
class RecycledList {
public:
    RecycledList() noexcept = default;
    explicit RecycledList(std::size_t n); ///< undefined tensors
    explicit RecycledList(const autograd::GradList& grads);
    explicit RecycledList(autograd::GradList&& grads);
    RecycledList(const RecycledList& o);
    RecycledList(RecycledList&& o) noexcept : list(std::move(o.list)) {}
    RecycledList& operator=(RecycledList&& o) noexcept {
        list.swap(o.list);
        return *this;
    }
    ~RecycledList() {
        if (list.capacity() > 0) give_back();
    }
    variable_list list;

private:
    void take();
    void give_back() noexcept;
};

} // namespace reel::nn::detail
