// Plans at work: what a call hands over is checked when it is made, and computed when its stream comes to it.
#include <reel/cuda/emulation/dnn.hpp>

#include "../memory.hpp"
#include "../runtime.hpp"
#include "cudnn/engine.hpp"
#include "cudnn/operations.hpp"
#include "cudnn/pattern.hpp"

namespace reel::cuda::emulation::dnn {

static std::string& last_plan() {
    static auto& text = *new std::string();
    return text;
}
void note_plan(const std::string& name) { last_plan() = name; }

bool is_held(const void* p, std::size_t bytes) {
    if (!is_device_address(p)) return false;
    const Allocation* const a = allocation_at(p);
    const auto* const b = static_cast<const std::byte*>(p);
    return a && a->life != Life::freed && b >= a->begin && b + bytes <= a->begin + a->bytes;
}

namespace {

cudnnStatus_t bad(const std::string& reason) { return refuse(CUDNN_STATUS_BAD_PARAM, reason); }

struct Kind {
    const char* name;
    void (*compute)(const Descriptor& op, const Data& data);
};
Kind kind_of(cudnnBackendDescriptorType_t op) {
    switch (op) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
        return {"convolution_forward", &convolve};
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
        return {"convolution_backward_data", &convolve};
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
        return {"convolution_backward_filter", &convolve};
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
        return {"pointwise", &pointwise};
    case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
        return {"reduction", &reduce};
    case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
        return {"matmul", &multiply};
    case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
        return {"reshape", &reshape};
    case CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR:
        return {"resample_forward", &resample};
    case CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR:
        return {"resample_backward", &resample};
    case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR:
        return {"norm_forward", &norm_forward};
    case CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR:
        return {"norm_backward", &norm_backward};
    default:
        return {"attention", &attention};
    }
}

/// Is the tensor one that the operation fills?
bool is_result(cudnnBackendAttributeName_t name) {
    switch (name) {
    case CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y:
    case CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX:
    case CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW:
    case CUDNN_ATTR_OPERATION_POINTWISE_YDESC:
    case CUDNN_ATTR_OPERATION_REDUCTION_YDESC:
    case CUDNN_ATTR_OPERATION_MATMUL_CDESC:
    case CUDNN_ATTR_OPERATION_RESHAPE_YDESC:
    case CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC:
    case CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC:
    case CUDNN_ATTR_OPERATION_NORM_FWD_YDESC:
    case CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC:
    case CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC:
    case CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC:
    case CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC:
    case CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC:
        return true;
    default:
        return false;
    }
}

/// A call's data: what was handed over, numbers copied, and room for what operations hand to each other.
class Bound final : public Data {
public:
    Bound(bool rounds) : rounds_(rounds) {}
    View operator[](const Descriptor& tensor) const override {
        const auto id = tensor.get<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
        if (const auto number = numbers.find(id); number != numbers.end())
            return View::of(tensor, const_cast<float*>(&number->second));
        if (tensor.get<bool>(CUDNN_ATTR_TENSOR_IS_VIRTUAL)) {
            std::vector<std::byte>& room = between_[id];
            room.resize(View::of(tensor, nullptr).extent());
            return View::of(tensor, room.data());
        }
        View v = View::of(tensor, pointers.at(id));
        v.rounds = rounds_;
        return v;
    }
    std::map<std::int64_t, void*> pointers;
    std::map<std::int64_t, float> numbers;

private:
    bool rounds_;
    mutable std::map<std::int64_t, std::vector<std::byte>> between_;
};

struct Range {
    const std::byte *begin, *end;
    bool result;
};
cudnnStatus_t check_tensor_data(const Descriptor& t, cudnnBackendAttributeName_t name, const Bound& bound,
                                std::vector<Range>& ranges) {
    const auto id = t.get<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
    if (t.get<bool>(CUDNN_ATTR_TENSOR_IS_VIRTUAL) || bound.numbers.contains(id)) return CUDNN_STATUS_SUCCESS;
    const std::string who = "tensor " + std::to_string(id);
    const auto found = bound.pointers.find(id);
    if (found == bound.pointers.end()) return bad(who + " has no data");
    const std::size_t bytes = View::of(t, nullptr).extent();
    if (!is_held(found->second, bytes)) return bad(who + " is not held by live memory of the device");
    const auto alignment = std::uintptr_t(t.get<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT));
    if (reinterpret_cast<std::uintptr_t>(found->second) % alignment != 0)
        return refuse(CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER, who + " does not lie on its alignment");
    const auto* const begin = static_cast<const std::byte*>(found->second);
    ranges.push_back({begin, begin + bytes, is_result(name)});
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t check_data(const Descriptor& plan, const Bound& bound, const void* workspace) {
    std::vector<Range> ranges;
    for (const Descriptor* const op : plan.program->operations)
        for (const auto& [name, value] : op->values)
            if (value.type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
                if (const Descriptor* const t = op->part(name); t->type == CUDNN_BACKEND_TENSOR_DESCRIPTOR)
                    if (const cudnnStatus_t status = check_tensor_data(*t, name, bound, ranges)) return status;
    if (const auto bytes = std::size_t(engine_of(plan).workspace)) {
        if (!is_held(workspace, bytes)) return bad("the workspace is smaller than the plan says");
        const auto* const begin = static_cast<const std::byte*>(workspace);
        ranges.push_back({begin, begin + bytes, true});
    }
    for (std::size_t i = 0; i < ranges.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if ((ranges[i].result || ranges[j].result) && ranges[i].begin < ranges[j].end &&
                ranges[j].begin < ranges[i].end)
                return bad("a result lies over another tensor");
    return CUDNN_STATUS_SUCCESS;
}

/// Numbers are read now, device memory when the stream has come so far.
Bound bound_by(const Descriptor& plan, const Descriptor& pack) {
    Bound bound(engine_of(plan).rounds);
    const auto ids = pack.list<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
    const auto data = pack.list<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
    for (std::size_t i = 0; i < ids.size(); ++i) bound.pointers[ids[i]] = data[i];
    for (const Descriptor& part : plan.program->parts)
        if (part.type == CUDNN_BACKEND_TENSOR_DESCRIPTOR && part.get<bool>(CUDNN_ATTR_TENSOR_IS_BY_VALUE)) {
            const auto id = part.get<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
            if (bound.pointers.contains(id)) bound.numbers[id] = *static_cast<const float*>(bound.pointers[id]);
        }
    return bound;
}
std::string name_of(const Descriptor& plan) {
    std::string name = name_of_pattern(*plan.program);
    if (name.empty())
        for (const Descriptor* const op : plan.program->operations)
            name += (name.empty() ? "" : "+") + std::string(kind_of(op->type).name);
    return name + " by " + engine_of(plan).name;
}

cudnnStatus_t execute(cudnnHandle_t handle, const Descriptor& plan, const Descriptor& pack) {
    if (!plan.finalized || !pack.finalized || plan.type != CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR ||
        pack.type != CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)
        return refuse(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "a plan and a pack of data are needed, both finalized");
    if (!is_handle(handle)) return bad("not a handle of this device");
    Stream* const stream = stream_of(stream_of_handle(handle));
    if (!stream) return refuse(CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH, "not a stream of this device");
    auto bound = std::make_shared<const Bound>(bound_by(plan, pack));
    void* const workspace = pack.get<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
    if (const cudnnStatus_t status = check_data(plan, *bound, workspace)) return status;
    note_plan(name_of(plan));
    enqueue(*stream, [device = stream->device, program = plan.program, bound, workspace,
                      bytes = std::size_t(engine_of(plan).workspace)] {
        const DeviceWork work(device, "a graph of cuDNN");
        if (bytes) std::memset(workspace, 0xa5, bytes); // nobody may count on it
        for (const Descriptor* const op : program->operations) kind_of(op->type).compute(*op, *bound);
    });
    return CUDNN_STATUS_SUCCESS;
}

} // namespace

} // namespace reel::cuda::emulation::dnn

using namespace reel::cuda::emulation;

extern "C" cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                             cudnnBackendDescriptor_t pack) {
    if (this_call_fails()) return dnn::refuse(CUDNN_STATUS_EXECUTION_FAILED, "the kernel could not be launched");
    const std::lock_guard guard(runtime_lock());
    if (!dnn::is_live(plan) || !dnn::is_live(pack)) return dnn::refuse(CUDNN_STATUS_BAD_PARAM, "not a descriptor");
    return dnn::execute(handle, *static_cast<const dnn::Descriptor*>(plan), *static_cast<const dnn::Descriptor*>(pack));
}

extern "C" const char* reel_emulation_dnn_plan() {
    static thread_local std::string text;
    const std::lock_guard guard(runtime_lock());
    text.swap(dnn::last_plan());
    dnn::last_plan().clear();
    return text.c_str();
}
