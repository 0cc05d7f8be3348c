// Products of columns.
#include <reel/autograd/kernels/prod_of_columns.hpp>

#include <type_traits>

#include "cpu/reduce/columns.hpp"
#include "cpu/reduce/row_kernels.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

void prod_of_columns(const Tensor& out, const Tensor& operand, std::int64_t rows) {
    dispatch_real(operand.scalar_type(), "prod", [&]<class T>() {
        if constexpr (!std::is_same_v<T, bool>)
            for_columns<T>("prod", out, operand, rows, row_kernels<T>.product_of_columns);
    });
}
} // namespace reel::cpu
