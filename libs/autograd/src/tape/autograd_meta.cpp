// What a tensor keeps for the tape: made on first use, moved with histories, gone with the tensor.
#include "tape/autograd_meta.hpp"

#include <reel/autograd/node.hpp>

#include "tape/node_extras.hpp"

namespace reel {

TensorImpl::~TensorImpl() {
    if (retains_grad) autograd::forget_retained(*this);
}

void TensorImpl::MetaDeleter::operator()(autograd::AutogradMeta* m) const noexcept { delete m; }

autograd::AutogradMeta& TensorImpl::ensure_meta() {
    if (!meta_) meta_.reset(new autograd::AutogradMeta);
    return *meta_;
}

namespace autograd {

void forget_retained(TensorImpl& t) {
    if (const NodePtr& fn = t.grad_fn_unchecked())
        if (NodeExtras* e = fn->extras()) std::erase_if(e->retained, [&](const auto& r) { return r.tensor == &t; });
}

void move_history(const Tensor& t, NodePtr fn, std::uint32_t output_nr) {
    TensorImpl& impl = *t.impl();
    const bool retains = impl.retains_grad;
    if (retains) forget_retained(impl);
    impl.set_history(std::move(fn), output_nr);
    if (retains && impl.grad_fn_unchecked())
        impl.grad_fn_unchecked()->ensure_extras().retained.push_back({output_nr, &impl});
}

} // namespace autograd

} // namespace reel
