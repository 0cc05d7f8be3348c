#include "cudnn/pattern.hpp"

#include <algorithm>

namespace reel::cuda::emulation::dnn {

namespace {

/// One letter for each operation: p product, r reshape, M and S reductions to maximum and sum; maps by their signs, e
/// and l for exponential and logarithm, = for the identity, i for indices, g for a comparison, ? for a selection.
char letter_of(const Descriptor& op) {
    switch (op.type) {
    case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
        return 'p';
    case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
        return 'r';
    case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR: {
        const auto how =
            op.part(CUDNN_ATTR_OPERATION_REDUCTION_DESC)->get<cudnnReduceTensorOp_t>(CUDNN_ATTR_REDUCTION_OPERATOR);
        return how == CUDNN_REDUCE_TENSOR_MAX ? 'M' : how == CUDNN_REDUCE_TENSOR_ADD ? 'S' : '!';
    }
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
        break;
    default:
        return '!';
    }
    switch (
        op.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR)->get<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE)) {
    case CUDNN_POINTWISE_ADD:
        return '+';
    case CUDNN_POINTWISE_SUB:
        return '-';
    case CUDNN_POINTWISE_MUL:
        return '*';
    case CUDNN_POINTWISE_DIV:
        return '/';
    case CUDNN_POINTWISE_EXP:
        return 'e';
    case CUDNN_POINTWISE_LOG:
        return 'l';
    case CUDNN_POINTWISE_IDENTITY:
        return '=';
    case CUDNN_POINTWISE_GEN_INDEX:
        return 'i';
    case CUDNN_POINTWISE_CMP_GE:
        return 'g';
    default:
        return '?';
    }
}

const Descriptor& nth_product(const Program& program, std::size_t n) {
    for (const Descriptor* const op : program.operations)
        if (op->type == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR && n-- == 0) return *op;
    return *program.operations[0];
}
bool divides_by_eight(const Descriptor& tensor, std::size_t dimension) {
    return tensor.list<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS)[dimension] % 8 == 0;
}

} // namespace

Pattern pattern_of(const Program& program) {
    std::string text;
    for (const Descriptor* const op : program.operations) text += letter_of(*op);
    // with and without the mask of what is causal
    if (text == "p*M-eSl+/p" || text == "p*iig?M-eSl+/p") return Pattern::attention;
    if (text == "*Sp*-e=rpp-**rprp" || text == "*Sp*iig?-e=rpp-**rprp") return Pattern::attention_backward;
    return Pattern::none;
}

bool has_engine(const Program& program, Pattern pattern) {
    const Descriptor& first = nth_product(program, 0); // query times key
    const Descriptor& query = *first.part(CUDNN_ATTR_OPERATION_MATMUL_ADESC);
    const auto type = query.get<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE);
    // forward: weights times value; backward: value's gradient, its columns those of value
    const Descriptor& value = *nth_product(program, 1).part(CUDNN_ATTR_OPERATION_MATMUL_BDESC);
    if (!divides_by_eight(query, 3) || !divides_by_eight(value, 3)) return false;
    const bool narrow = type == CUDNN_DATA_HALF || type == CUDNN_DATA_BFLOAT16;
    return narrow || (type == CUDNN_DATA_FLOAT && pattern == Pattern::attention);
}

const char* name_of_pattern(const Program& program) {
    const Pattern pattern = pattern_of(program);
    return pattern == Pattern::attention            ? "attention_in_operations"
           : pattern == Pattern::attention_backward ? "attention_backward"
                                                    : "";
}

} // namespace reel::cuda::emulation::dnn
