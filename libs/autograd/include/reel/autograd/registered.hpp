// What a module gives back when it registers a tensor, and how a tensor knows the modules that have it.
#pragma once

#include <memory>
#include <string>

#include <reel/autograd/detail/place.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel {

/// What `register_parameter` and `register_buffer` of a module return: the tensor. A handle that is made from it or
/// assigned it, and that is a member of the module, becomes the registered one: the module's tables and that member are
/// one from then on.
class Registered : public Tensor {
public:
    Registered() = default;
    Registered(const Tensor& t, const std::shared_ptr<autograd::impl::Place>& place) : Tensor(t), place_(place) {}
    std::shared_ptr<autograd::impl::Place> place() const { return place_.lock(); }
    /// The tensor there changed.
    void refer_to(const Tensor& t) { static_cast<Tensor&>(*this) = t; }

private:
    std::weak_ptr<autograd::impl::Place> place_;
};

} // namespace reel
