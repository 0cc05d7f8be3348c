#include "collectives/operand.hpp"

#include <cstring>

namespace reel::distributed::detail {

Operand::Operand(const Tensor& tensor, bool read)
    : tensor_(tensor), size_(tensor.nbytes()), direct_(tensor.is_cpu() && tensor.is_contiguous()) {
    const Tensor values = tensor.data();
    if (direct_) contiguous_ = values;
    else if (read) contiguous_ = values.to(kCPU).contiguous();
    else contiguous_ = values.new_empty(values.sizes(), kCPU);
    bytes_ = static_cast<std::byte*>(contiguous_.data_ptr());
}

void Operand::write_back() const {
    if (!direct_) tensor_.data().copy_(contiguous_);
    tensor_.impl()->bump_version(); // what the tape saved of it is no longer what it was
}

void Operand::assign(const void* from) const {
    if (size_) std::memmove(bytes_, from, size_);
    write_back();
}

void check_operand(const char* what, const char* argument, const Tensor& tensor) {
    REEL_CHECK_VALUE(tensor.defined(), what, ": ", argument, " is undefined; expected a tensor");
    REEL_CHECK_VALUE(!tensor.is_sparse(), what, ": ", argument,
                     " is sparse; send its indices() and values(), or to_dense()");
    REEL_CHECK_VALUE(!tensor.is_meta(), what, ": ", argument, " is on meta and has no values");
}

void check_written(const char* what, const char* argument, const Tensor& tensor) {
    check_operand(what, argument, tensor);
    for (std::int64_t d = 0; d < tensor.dim(); ++d)
        REEL_CHECK_VALUE(tensor.size(d) <= 1 || tensor.stride(d) != 0, what, ": elements of ", argument, " ",
                         tensor.sizes(), " share memory (stride 0 in dimension ", d,
                         "), so they cannot be written apart; call contiguous() first");
}

} // namespace reel::distributed::detail
