// What a module gives back when it registers a tensor, and how a tensor knows the modules that have it.
#pragma once

#include <memory>
#include <string>

#include <reel/autograd/tensor.hpp>

namespace reel {

namespace autograd::impl {

/// Where a module keeps a parameter or a buffer: an entry of its tables, and the members that stand for it.
class Place {
public:
    virtual ~Place();
    /// `handle` was made from, or assigned, what the registration returned.
    virtual void seen_in(Tensor& handle) = 0;
    /// Is `t` what the module, itself in use, has there now?
    virtual bool holds(const Tensor& t) const = 0;
    /// Tells the tables what was assigned to the members.
    virtual void refresh() = 0;
};

/// From now on `t` is kept at `place`.
void enter_place(const Tensor& t, const std::shared_ptr<Place>& place);
/// Another tensor, or another module, took the place of `t`, which was called `path`.
void leave_place(const Tensor& t, const std::string& path);
/// `t` belongs to the module again, or somebody wants it although it left.
void forget_left_place(const Tensor& t);
/// The path of the place that `t` left for another tensor; empty as long as some module has `t`, or none ever had.
std::string left_place(const Tensor& t);

} // namespace autograd::impl

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
