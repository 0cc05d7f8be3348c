// What a tensor keeps for the tape: made on first use, moved with histories, gone with the tensor.
#include "tape/autograd_meta.hpp"

#include <reel/autograd/node.hpp>

#include "tape/node_extras.hpp"

namespace reel {

TensorImpl::~TensorImpl() {
    if (retains_grad) autograd::forget_retained(*this);
}

void TensorImpl::set_history(autograd::NodePtr fn, std::uint32_t output_nr) {
    // The node that it leaves must not write to it any more, also not after its end.
    if (retains_grad) [[unlikely]]
        autograd::forget_retained(*this);
    grad_fn_ = std::move(fn);
    output_nr_ = output_nr;
    view_version_ = version();
    if (retains_grad && grad_fn_) [[unlikely]]
        grad_fn_->ensure_extras().retained.insert(output_nr, this);
}

void TensorImpl::MetaDeleter::operator()(autograd::AutogradMeta* m) const noexcept { delete m; }

autograd::AutogradMeta& TensorImpl::ensure_meta() {
    if (!meta_) meta_.reset(new autograd::AutogradMeta);
    return *meta_;
}

namespace autograd {

void forget_retained(TensorImpl& t) {
    if (const NodePtr& fn = t.grad_fn_unchecked())
        if (NodeExtras* e = fn->extras()) e->retained.erase(t.output_nr(), &t);
}

} // namespace autograd

} // namespace reel
