// Where a module keeps a tensor, and which place a tensor left.
#pragma once

#include <memory>
#include <string>

#include <reel/autograd/tensor.hpp>

namespace reel::autograd::impl {

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

} // namespace reel::autograd::impl
