#include "cudnn/engine.hpp"

#include <algorithm>

#include "../runtime.hpp"
#include "cudnn/pattern.hpp"
#include "cudnn/record.hpp"
#include "cudnn/tensor.hpp"

namespace reel::cuda::emulation::dnn {

namespace {

constexpr bool works = true, does_not = false, to_tf32 = true, exactly = false;

/// Some want more memory than a caller may give, some are found not to work, some give other bits in each run, some
/// round float32 operands: a caller who takes the first one that is suggested is wrong in one of these ways.
const std::vector<Engine>& engines() {
    static const auto& all = *new std::vector<Engine>{
        {"greedy", {}, std::int64_t(1) << 40, works, exactly},
        {"broken", {}, 0, does_not, exactly},
        {"tf32", {CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS}, 0, works, to_tf32},
        {"tensor_core", {CUDNN_NUMERICAL_NOTE_TENSOR_CORE}, 512, works, exactly},
        {"unordered", {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}, 256, works, exactly},
        {"plain", {}, 100, works, exactly},
        {"slow", {}, 0, works, exactly},
    };
    return all;
}
enum Which : int { greedy, broken, tf32, tensor_core, unordered, plain, slow };

/// The dtype of the tensors that hold the most: scalars and moments may have others.
cudnnDataType_t type_of(const Program& p, cudnnBackendAttributeName_t operand) {
    return p.operations[0]->part(operand)->get<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE);
}
cudnnBackendAttributeName_t first_operand(cudnnBackendDescriptorType_t op) {
    switch (op) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
        return CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X;
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
        return CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY;
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
        return CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY;
    case CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR:
        return CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC;
    case CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR:
        return CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC;
    case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR:
        return CUDNN_ATTR_OPERATION_NORM_FWD_XDESC;
    case CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR:
        return CUDNN_ATTR_OPERATION_NORM_BWD_XDESC;
    default:
        return CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC;
    }
}
bool is_convolution(cudnnBackendDescriptorType_t op) {
    return op == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR ||
           op == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR ||
           op == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR;
}
bool is_bias(const Descriptor& op) {
    return op.type == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR &&
           op.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR)
                   ->get<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE) == CUDNN_POINTWISE_ADD &&
           op.has(CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
}

/// What version 9.19 has no engine for (test/cuda_plans asks it).
bool lacks(const Descriptor& op, bool fused) {
    const auto sizes = [&](cudnnBackendAttributeName_t name) {
        return op.part(name)->list<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
    };
    switch (op.type) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR: { // with a bias, in groups or with larger steps
        const auto steps = op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC)
                               ->list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
        return fused && (std::count(steps.begin(), steps.end(), 1) != std::ptrdiff_t(steps.size()) ||
                         sizes(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX)[1] !=
                             sizes(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W)[1]);
    }
    case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR: // of batches, by moments that are given, or of other channels
        return op.get<cudnnBackendNormMode_t>(CUDNN_ATTR_OPERATION_NORM_FWD_MODE) == CUDNN_BATCH_NORM &&
               (op.get<cudnnBackendNormFwdPhase_t>(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE) == CUDNN_NORM_FWD_INFERENCE ||
                sizes(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC)[1] % 8 != 0);
    case CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR:
        return op.get<cudnnBackendNormMode_t>(CUDNN_ATTR_OPERATION_NORM_BWD_MODE) == CUDNN_BATCH_NORM &&
               sizes(CUDNN_ATTR_OPERATION_NORM_BWD_XDESC)[1] % 8 != 0;
    case CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR:
        return sizes(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC)[3] % 8 != 0;
    default:
        return false;
    }
}

/// What is suggested for a graph, best first; nothing for what the library does not have.
std::vector<Which> suggested(const Program& p, cudnnBackendHeurMode_t mode) {
    const cudnnBackendDescriptorType_t op = p.operations[0]->type;
    if (const Pattern pattern = pattern_of(p); pattern != Pattern::none) {
        if (!has_engine(p, pattern)) return {};
        if (mode == CUDNN_HEUR_MODE_FALLBACK) return {slow};
        if (pattern == Pattern::attention_backward) return {unordered, plain};
        return {broken, tensor_core, plain};
    }
    if (op == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR) return {};
    const cudnnDataType_t type = type_of(p, first_operand(op));
    const bool fused = p.operations.size() > 1;
    if (fused && (p.operations.size() > 2 || !is_convolution(op) || !is_bias(*p.operations[1]))) return {};
    if (type == CUDNN_DATA_DOUBLE && (fused || !is_convolution(op))) return {};
    if (lacks(*p.operations[0], fused)) return {};
    if (mode == CUDNN_HEUR_MODE_FALLBACK) return {slow};
    if (!is_convolution(op)) return {broken, tensor_core, plain};
    if (type == CUDNN_DATA_DOUBLE) return {greedy, plain};
    if (type != CUDNN_DATA_FLOAT) return {broken, tensor_core, plain};
    if (op == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR) return {greedy, tf32, plain};
    return {tf32, unordered, plain};
}

cudnnStatus_t give(const std::vector<std::int64_t>& values, std::int64_t room, std::int64_t* count, void* elements) {
    if (count) *count = std::int64_t(values.size());
    for (std::size_t i = 0; i < values.size() && std::int64_t(i) < room; ++i)
        static_cast<std::int64_t*>(elements)[i] = values[i];
    return CUDNN_STATUS_SUCCESS;
}
/// Fills a descriptor that the caller has made, of the wanted type and not finalized.
cudnnStatus_t fill(cudnnBackendDescriptor_t place, cudnnBackendDescriptorType_t type, const Descriptor& from,
                   int engine) {
    if (!is_live(place)) return refuse(CUDNN_STATUS_BAD_PARAM, "not a descriptor");
    auto& d = *static_cast<Descriptor*>(place);
    if (d.type != type || d.finalized)
        return refuse(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE, "a descriptor of another type, or one that is in use");
    d.program = from.program;
    d.engine = engine;
    d.finalized = true;
    return CUDNN_STATUS_SUCCESS;
}

} // namespace

const Engine& engine_of(const Descriptor& d) { return engines()[std::size_t(d.engine)]; }

cudnnStatus_t take_suggestions(Descriptor& heuristics) {
    heuristics.program = heuristics.part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH)->program;
    if (suggested(*heuristics.program, heuristics.get<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE)).empty())
        return refuse(CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN, "no engine computes this graph");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t make_plan(Descriptor& plan) {
    if (!is_handle(plan.get<cudnnHandle_t>(CUDNN_ATTR_EXECUTION_PLAN_HANDLE)))
        return refuse(CUDNN_STATUS_BAD_PARAM, "not a handle of this device");
    const Descriptor* const config = plan.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
    plan.program = config->program;
    plan.engine = config->engine;
    if (!engine_of(plan).finalizes)
        return refuse(CUDNN_STATUS_NOT_SUPPORTED_SHARED_MEMORY_INSUFFICIENT, "the kernel needs too much shared memory");
    record(*plan.program);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t answer_about(const Descriptor& d, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                           std::int64_t room, std::int64_t* count, void* elements) {
    if (d.type == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR && name == CUDNN_ATTR_ENGINEHEUR_RESULTS &&
        type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
        const auto all = suggested(*d.program, d.get<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE));
        *count = std::int64_t(all.size());
        for (std::size_t i = 0; i < all.size() && std::int64_t(i) < room; ++i)
            if (const cudnnStatus_t status = fill(static_cast<cudnnBackendDescriptor_t*>(elements)[i],
                                                  CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, d, all[i]))
                return status;
        return CUDNN_STATUS_SUCCESS;
    }
    if (d.type == CUDNN_BACKEND_ENGINECFG_DESCRIPTOR && name == CUDNN_ATTR_ENGINECFG_ENGINE &&
        type == CUDNN_TYPE_BACKEND_DESCRIPTOR && room > 0) {
        *count = 1;
        return fill(*static_cast<cudnnBackendDescriptor_t*>(elements), CUDNN_BACKEND_ENGINE_DESCRIPTOR, d, d.engine);
    }
    if (d.type == CUDNN_BACKEND_ENGINE_DESCRIPTOR && name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE &&
        type == CUDNN_TYPE_NUMERICAL_NOTE) {
        const auto& notes = engine_of(d).notes;
        *count = std::int64_t(notes.size());
        std::copy_n(notes.begin(), std::min(notes.size(), std::size_t(room)),
                    static_cast<cudnnBackendNumericalNote_t*>(elements));
        return CUDNN_STATUS_SUCCESS;
    }
    if (d.type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR && name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE &&
        type == CUDNN_TYPE_INT64)
        return give({engine_of(d).workspace}, room, count, elements);
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "attribute " + std::to_string(int(name)) + " cannot be asked for");
}

} // namespace reel::cuda::emulation::dnn
