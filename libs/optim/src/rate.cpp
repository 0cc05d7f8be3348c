#include <reel/optim/rate.hpp>

#include <ostream>

#include <reel/autograd/grad_mode.hpp>

namespace reel::optim {

Rate::Rate(Tensor tensor) : tensor_(std::move(tensor)) {
    REEL_CHECK_VALUE(tensor_.defined() && tensor_.numel() == 1,
                     "lr: ", tensor_.defined() ? str("a tensor of shape ", tensor_.sizes()) : "an undefined tensor",
                     "; expected a number or a tensor of one element");
    REEL_CHECK_VALUE(tensor_.is_floating_point(), "lr: the tensor is ", dtype_name(tensor_.scalar_type()),
                     "; expected a floating dtype");
}
double Rate::value_of_tensor() const { return tensor_.detach().item<double>(); }
void Rate::set(double value) {
    if (!tensor_.defined()) {
        number_ = value;
        return;
    }
    const NoGradGuard no_grad;
    tensor_.fill_(value);
}
std::ostream& operator<<(std::ostream& os, const Rate& rate) { return os << double(rate); }

} // namespace reel::optim
