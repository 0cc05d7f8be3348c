// cuDNN's graph interface, as far as descriptors go.
#include "cudnn/descriptor.hpp"

#include <cstdio>
#include <set>

#include "../runtime.hpp"
#include "cudnn/engine.hpp"

namespace reel::cuda::emulation::dnn {

namespace {

thread_local std::string last_error;

std::set<cudnnBackendDescriptor_t>& live() {
    static auto& all = *new std::set<cudnnBackendDescriptor_t>();
    return all;
}
struct Handle {
    int device;
    cudaStream_t stream = nullptr;
};
std::map<cudnnHandle_t, Handle>& handles() {
    static auto& all = *new std::map<cudnnHandle_t, Handle>();
    return all;
}

std::string named(cudnnBackendAttributeName_t name) { return "attribute " + std::to_string(int(name)); }

cudnnStatus_t check_attributes(const Descriptor& d) {
    for (const Rule& rule : *rules_of(d.type)) {
        if (rule.required && !d.has(rule.name)) return refuse(CUDNN_STATUS_BAD_PARAM, named(rule.name) + " is not set");
        if (rule.type != CUDNN_TYPE_BACKEND_DESCRIPTOR) continue;
        for (const cudnnBackendDescriptor_t part : d.list<cudnnBackendDescriptor_t>(rule.name)) {
            if (!is_live(part))
                return refuse(CUDNN_STATUS_BAD_PARAM, named(rule.name) + " names a descriptor that was destroyed");
            if (!static_cast<const Descriptor*>(part)->finalized)
                return refuse(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
                              named(rule.name) + " names a descriptor that is not finalized");
        }
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check(Descriptor& d) {
    if (const cudnnStatus_t status = check_attributes(d)) return status;
    switch (d.type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
        return check_tensor(d);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
        return check_convolution(d);
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
        return check_pointwise(d);
    case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
        return check_reduction(d);
    case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
        return check_product(d);
    case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
        return check_reshape(d);
    case CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR:
        return check_resample(d);
    case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR:
        return check_norm(d);
    case CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR:
        return check_attention(d);
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
        if (const cudnnStatus_t status = check_graph(d)) return status;
        d.program = program_of(d);
        return CUDNN_STATUS_SUCCESS;
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
        return take_suggestions(d);
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
        return make_plan(d);
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
        return check_pack(d);
    default:
        return CUDNN_STATUS_SUCCESS;
    }
}

} // namespace

cudnnStatus_t refuse(cudnnStatus_t status, const std::string& reason) {
    last_error = reason;
    return status;
}
bool is_live(cudnnBackendDescriptor_t d) { return live().contains(d); }
bool is_handle(cudnnHandle_t h) {
    const auto found = handles().find(h);
    return found != handles().end() && found->second.device == current_device();
}
cudaStream_t stream_of_handle(cudnnHandle_t h) { return handles().at(h).stream; }

std::shared_ptr<const Program> program_of(const Descriptor& graph) {
    auto program = std::make_shared<Program>();
    std::map<const Descriptor*, Descriptor*> copies;
    const auto copy = [&](const auto& self, const Descriptor& d) -> Descriptor* {
        if (const auto found = copies.find(&d); found != copies.end()) return found->second;
        Descriptor own = d;
        for (auto& [name, value] : own.values)
            if (value.type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
                for (std::int64_t i = 0; i < value.count; ++i) {
                    void* part = nullptr;
                    std::byte* const at = value.bytes.data() + std::size_t(i) * sizeof(part);
                    std::memcpy(&part, at, sizeof(part));
                    part = self(self, *static_cast<const Descriptor*>(part));
                    std::memcpy(at, &part, sizeof(part));
                }
        program->parts.push_back(std::move(own));
        return copies[&d] = &program->parts.back();
    };
    for (const Descriptor* const op : graph.parts(CUDNN_ATTR_OPERATIONGRAPH_OPS))
        program->operations.push_back(copy(copy, *op));
    return program;
}

} // namespace reel::cuda::emulation::dnn

using namespace reel::cuda::emulation;
using namespace reel::cuda::emulation::dnn;

extern "C" {

std::size_t cudnnGetVersion() { return CUDNN_VERSION; }

const char* cudnnGetErrorString(cudnnStatus_t status) {
    switch (CUDNN_STATUS_CATEGORY(status)) {
    case 0:
        return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_BAD_PARAM:
        return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
        return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_EXECUTION_FAILED:
        return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
        return "CUDNN_STATUS_INTERNAL_ERROR";
    }
}
void cudnnGetLastErrorString(char* message, std::size_t room) {
    std::snprintf(message, room, "%s", last_error.c_str());
    last_error.clear();
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
    if (this_call_fails()) return refuse(CUDNN_STATUS_INTERNAL_ERROR, "no memory for a handle");
    const std::lock_guard guard(runtime_lock());
    *handle = reinterpret_cast<cudnnHandle_t>(new char);
    handles()[*handle] = {current_device()};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
    const std::lock_guard guard(runtime_lock());
    if (handles().erase(handle) == 0) return refuse(CUDNN_STATUS_BAD_PARAM, "not a handle");
    delete reinterpret_cast<char*>(handle);
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
    if (this_call_fails()) return refuse(CUDNN_STATUS_INTERNAL_ERROR, "the stream cannot be used");
    const std::lock_guard guard(runtime_lock());
    const auto found = handles().find(handle);
    if (found == handles().end()) return refuse(CUDNN_STATUS_BAD_PARAM, "not a handle");
    if (!stream_of(stream)) return refuse(CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH, "not a stream of this device");
    found->second.stream = stream;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t* descriptor) {
    if (this_call_fails()) return refuse(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, "out of memory");
    const std::lock_guard guard(runtime_lock());
    if (!rules_of(type)) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "descriptor type " + std::to_string(int(type)));
    auto* const d = new Descriptor;
    d->type = type;
    live().insert(d);
    *descriptor = d;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
    const std::lock_guard guard(runtime_lock());
    if (live().erase(descriptor) == 0) return refuse(CUDNN_STATUS_BAD_PARAM, "not a descriptor");
    delete static_cast<Descriptor*>(descriptor);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, std::int64_t count, const void* elements) {
    if (this_call_fails()) return refuse(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, "out of memory");
    const std::lock_guard guard(runtime_lock());
    if (!is_live(descriptor)) return refuse(CUDNN_STATUS_BAD_PARAM, "not a descriptor");
    auto& d = *static_cast<Descriptor*>(descriptor);
    if (d.finalized) return refuse(CUDNN_STATUS_NOT_INITIALIZED, "the descriptor is finalized already");
    if (d.has(name)) return refuse(CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES, named(name) + " is set twice");
    if (!elements) return refuse(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, named(name) + " has no values");
    for (const Rule& rule : *rules_of(d.type)) {
        if (rule.name != name) continue;
        if (rule.type != type)
            return refuse(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE,
                          named(name) + " has type " + std::to_string(rule.type) + ", not " + std::to_string(type));
        if (count < rule.least || count > rule.most)
            return refuse(CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND,
                          named(name) + " has " + std::to_string(count) + " values");
        const auto* const from = static_cast<const std::byte*>(elements);
        d.values[name] = {type, count, std::vector<std::byte>(from, from + std::size_t(count) * size_of(type))};
        return CUDNN_STATUS_SUCCESS;
    }
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, named(name) + " is none of this descriptor's");
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
    if (this_call_fails()) return refuse(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, "out of memory");
    const std::lock_guard guard(runtime_lock());
    if (!is_live(descriptor)) return refuse(CUDNN_STATUS_BAD_PARAM, "not a descriptor");
    auto& d = *static_cast<Descriptor*>(descriptor);
    const cudnnStatus_t status = check(d);
    d.finalized = status == CUDNN_STATUS_SUCCESS;
    return status;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, std::int64_t room, std::int64_t* count,
                                       void* elements) {
    const std::lock_guard guard(runtime_lock());
    if (!is_live(descriptor)) return refuse(CUDNN_STATUS_BAD_PARAM, "not a descriptor");
    const auto& d = *static_cast<const Descriptor*>(descriptor);
    if (!d.finalized) return refuse(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "the descriptor is not finalized");
    return answer_about(d, name, type, room, count, elements);
}

} // extern "C"
