#include <reel/autograd/detail/dense_update.hpp>
#include <reel/autograd/detail/launch_observer.hpp>

#include "tape/inplace.hpp"

namespace reel::detail {

namespace {
/// The contents of a storage that nobody has asked for, of which the tensor is the whole, row by row.
const DeferredContents* whole_deferred(const Tensor& t) {
    const bool whole = t.layout() == Layout::Strided && t.is_contiguous() && t.storage()->nbytes() == t.nbytes();
    return whole ? t.storage()->deferred() : nullptr;
}
} // namespace

DenseUpdate::DenseUpdate(const char* op, ArrayRef<const Tensor*> operands, int read_only, bool takes_deferred)
    : operands_(operands), read_only_(read_only), dtype_(operands[0]->scalar_type()), count_(operands[0]->numel()) {
    REEL_INTERNAL_ASSERT(operands.size() <= most_operands, op);
    if (launch_observer) [[unlikely]]
        note_host_works(op);
    if (isComplexType(dtype_)) {
        dtype_ = dtype_ == kComplexDouble ? kDouble : kFloat;
        count_ *= 2;
    }
    for (int a = 0; a < size(); ++a) {
        if (a == read_only) continue;
        autograd::refuse_inference(*operands[a], op);
        autograd::check_inplace(*operands[a], op);
    }
    // The first operand's own order where that is dense, else all are copied, row by row.
    const Tensor& first = *operands[0];
    const bool dense = first.is_non_overlapping_and_dense(), row_major = first.is_contiguous();
    for (int a = 0; a < size(); ++a) {
        const Tensor& t = *operands[a];
        const bool as_it_lies =
            dense && (a == 0 || t.strides().equals(first.strides()) || (row_major && t.is_contiguous()));
        if (as_it_lies) [[likely]] {
            if (takes_deferred && a == read_only && (deferred_ = whole_deferred(t))) {
                data_[a] = nullptr;
                continue;
            }
            data_[a] = static_cast<char*>(t.data_ptr());
            continue;
        }
        staged_.resize(operands.size());
        staged_[a] = dense ? t.new_empty_strided(first.sizes(), first.strides()) : t.new_empty(first.sizes());
        staged_[a].copy_(t);
        data_[a] = static_cast<char*>(staged_[a].data_ptr());
    }
}

void DenseUpdate::commit() {
    for (int a = 0; a < size(); ++a) {
        if (a == read_only_) continue;
        if (!staged_.empty() && staged_[a].defined()) operands_[a]->copy_(staged_[a]);
        else operands_[a]->impl()->bump_version();
    }
}

} // namespace reel::detail
