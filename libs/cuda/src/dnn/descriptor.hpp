// A descriptor of cuDNN's graph interface, destroyed with its owner.
#pragma once

#include <utility>

#include "dnn/api.hpp"

namespace reel::cuda::dnn {

class Descriptor {
public:
    Descriptor(const char* op, cudnnBackendDescriptorType_t type) : op_(op) {
        check(api()->cudnnBackendCreateDescriptor(type, &raw_), op, "cudnnBackendCreateDescriptor");
    }
    Descriptor(Descriptor&& o) noexcept : op_(o.op_), raw_(std::exchange(o.raw_, nullptr)) {}
    Descriptor& operator=(Descriptor&& o) noexcept {
        std::swap(raw_, o.raw_);
        std::swap(op_, o.op_);
        return *this;
    }
    ~Descriptor() {
        if (raw_) api()->cudnnBackendDestroyDescriptor(raw_);
    }

    cudnnBackendDescriptor_t raw() const { return raw_; }
    /// `count` values at `values`, of the type that `type` names.
    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
             const void* values) {
        check(api()->cudnnBackendSetAttribute(raw_, name, type, count, values), op_, "cudnnBackendSetAttribute");
    }
    void set(cudnnBackendAttributeName_t name, const Descriptor& other) {
        set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other.raw_);
    }
    /// Fills up to `room` values; says how many there are.
    std::int64_t get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t room,
                     void* values) const {
        std::int64_t count = 0;
        check(api()->cudnnBackendGetAttribute(raw_, name, type, room, &count, values), op_, "cudnnBackendGetAttribute");
        return count;
    }
    /// False where cuDNN understands what is asked for, and does not have it. Throws Error for anything else.
    bool finalize() {
        const cudnnStatus_t status = api()->cudnnBackendFinalize(raw_);
        if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED) return false;
        check(status, op_, "cudnnBackendFinalize");
        return true;
    }

private:
    const char* op_;
    cudnnBackendDescriptor_t raw_ = nullptr;
};

} // namespace reel::cuda::dnn
