// Stands in for cuDNN's graph interface: what a descriptor holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <cudnn.h>

namespace reel::cuda::emulation::dnn {

struct Value {
    cudnnBackendAttributeType_t type{};
    std::int64_t count = 0;
    std::vector<std::byte> bytes;
};

/// A backend descriptor: its attributes as they were set.
struct Descriptor {
    cudnnBackendDescriptorType_t type{};
    bool finalized = false;
    std::map<cudnnBackendAttributeName_t, Value> values;
    std::shared_ptr<const struct Program> program; ///< of a graph, and of what was made from it
    int engine = -1;                               ///< of an engine, and of what was made from it

    bool has(cudnnBackendAttributeName_t name) const { return values.contains(name); }
    template <class T> std::vector<T> list(cudnnBackendAttributeName_t name) const {
        const auto found = values.find(name);
        if (found == values.end()) return {};
        std::vector<T> all(std::size_t(found->second.count));
        std::memcpy(all.data(), found->second.bytes.data(), all.size() * sizeof(T));
        return all;
    }
    template <class T> T get(cudnnBackendAttributeName_t name, T otherwise = T{}) const {
        const auto found = values.find(name);
        if (found == values.end()) return otherwise;
        T first;
        std::memcpy(&first, found->second.bytes.data(), sizeof(first));
        return first;
    }
    /// Null where it was not set.
    const Descriptor* part(cudnnBackendAttributeName_t name) const {
        return static_cast<const Descriptor*>(get<cudnnBackendDescriptor_t>(name));
    }
    std::vector<const Descriptor*> parts(cudnnBackendAttributeName_t name) const {
        std::vector<const Descriptor*> all;
        for (const cudnnBackendDescriptor_t d : list<cudnnBackendDescriptor_t>(name))
            all.push_back(static_cast<const Descriptor*>(d));
        return all;
    }
};

/// A graph of its own: whoever made it may destroy its descriptors.
struct Program {
    std::deque<Descriptor> parts; ///< those that others refer to come first
    std::vector<const Descriptor*> operations;
};
std::shared_ptr<const Program> program_of(const Descriptor& graph);

/// Keeps the reason for cudnnGetLastErrorString, and gives the status.
cudnnStatus_t refuse(cudnnStatus_t status, const std::string& reason);
/// Is it a descriptor that was made and not destroyed?
bool is_live(cudnnBackendDescriptor_t d);
/// Is it a handle that was made for the current device?
bool is_handle(cudnnHandle_t h);
cudaStream_t stream_of_handle(cudnnHandle_t h);

/// Does `[p, p + bytes)` lie within live memory of the device, whole?
bool is_held(const void* p, std::size_t bytes);
/// What tests are told (reel_emulation_dnn_plan).
void note_plan(const std::string& name);

/// What may be set of a kind of descriptor, and what must be.
struct Rule {
    cudnnBackendAttributeName_t name;
    cudnnBackendAttributeType_t type;
    std::int64_t least, most;
    bool required;
};
const std::vector<Rule>* rules_of(cudnnBackendDescriptorType_t type);
std::size_t size_of(cudnnBackendAttributeType_t type);

/// What the library looks at when a descriptor is finalized, beyond its attributes' types.
cudnnStatus_t check_tensor(const Descriptor& d);
cudnnStatus_t check_convolution(const Descriptor& op);
cudnnStatus_t check_pointwise(const Descriptor& op);
cudnnStatus_t check_reduction(const Descriptor& op);
cudnnStatus_t check_product(const Descriptor& op);
cudnnStatus_t check_reshape(const Descriptor& op);
cudnnStatus_t check_resample(const Descriptor& op);
cudnnStatus_t check_norm(const Descriptor& op);
cudnnStatus_t check_attention(const Descriptor& op);
cudnnStatus_t check_graph(const Descriptor& graph);
cudnnStatus_t check_pack(const Descriptor& pack);

} // namespace reel::cuda::emulation::dnn
