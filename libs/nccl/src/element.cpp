#include "element.hpp"

namespace reel::nccl {

Element Element::of(ScalarType dtype) {
    switch (dtype) {
    case kBool:
    case kByte:
        return {dtype, Type::kUint8};
    case kChar:
        return {dtype, Type::kInt8};
    case kInt:
        return {dtype, Type::kInt32};
    case kLong:
        return {dtype, Type::kInt64};
    case kHalf:
        return {dtype, Type::kFloat16};
    case kBFloat16:
        return {dtype, Type::kBfloat16};
    case kFloat:
        return {dtype, Type::kFloat32};
    case kDouble:
        return {dtype, Type::kFloat64};
    case kComplexFloat:
        return {dtype, Type::kFloat32, 2};
    case kComplexDouble:
        return {dtype, Type::kFloat64, 2};
    default:
        return {dtype, Type::kInt8, 0};
    }
}

std::optional<Reduction> Element::reduction(distributed::ReduceOp op) const {
    using distributed::ReduceOp;
    const bool is_bool = dtype == kBool, is_complex = parts == 2;
    if (parts == 0) return std::nullopt;
    switch (op) {
    case ReduceOp::kSum: // of bools: "or"
        return is_bool ? Reduction::kMax : Reduction::kSum;
    case ReduceOp::kAvg:
        return Reduction::kAvg;
    case ReduceOp::kMin:
        return is_complex ? std::nullopt : std::optional(Reduction::kMin);
    case ReduceOp::kMax:
        return is_complex ? std::nullopt : std::optional(Reduction::kMax);
    case ReduceOp::kProduct:
        if (is_complex) return std::nullopt;
        return is_bool ? Reduction::kMin : Reduction::kProduct;
    case ReduceOp::kBand:
        return is_bool ? std::optional(Reduction::kMin) : std::nullopt;
    case ReduceOp::kBor:
        return is_bool ? std::optional(Reduction::kMax) : std::nullopt;
    case ReduceOp::kBxor:
        return std::nullopt;
    }
    return std::nullopt;
}

} // namespace reel::nccl
