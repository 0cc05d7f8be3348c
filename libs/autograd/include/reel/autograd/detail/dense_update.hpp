// One loop over several tensors that writes them in place: the rules of such a write, and one order of memory for all.
#pragma once

#include <vector>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::detail {

/// Opens `operands`, of one shape, dtype and device, to a loop that reads all of them element by element and writes all
/// but number `read_only`. An operand is lent as it lies where its elements stand in the order of the first one, which
/// must be dense, else as a copy; complex tensors are lent as twice as many real numbers. Nothing is recorded.
/// `commit` writes copies back and bumps the versions; without it no version changes.
/// Errors: Error naming `op`, before anything is written, for an operand that an in-place op may not write.
class DenseUpdate {
public:
    static constexpr int most_operands = 6;
    /// `takes_deferred`: the loop can do without the elements of the operand that is only read, where they are
    /// deferred.
    DenseUpdate(const char* op, ArrayRef<const Tensor*> operands, int read_only, bool takes_deferred = false);
    DenseUpdate(const DenseUpdate&) = delete;
    DenseUpdate& operator=(const DenseUpdate&) = delete;

    ScalarType dtype() const { return dtype_; } ///< of the numbers that are lent
    std::int64_t count() const { return count_; }
    int size() const { return int(operands_.size()); }
    char* const* data() const { return data_; }
    /// What stands for the elements of the operand that is only read, whose pointer is null then; null where it is
    /// lent as others are.
    const DeferredContents* deferred() const { return deferred_; }
    void commit();

private:
    NoGradGuard no_grad_;
    ArrayRef<const Tensor*> operands_;
    int read_only_;
    ScalarType dtype_;
    std::int64_t count_;
    std::vector<Tensor> staged_; ///< copies of operands that lie otherwise; empty when all lie well
    char* data_[most_operands];
    const DeferredContents* deferred_ = nullptr;
};

} // namespace reel::detail
