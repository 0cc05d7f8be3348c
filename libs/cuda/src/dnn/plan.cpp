#include "dnn/plan.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include <reel/autograd/ops/factory/empty.hpp>

namespace reel::cuda::dnn {

namespace {

/// Descriptors point at each other: they live until the plan is made.
struct Built {
    std::vector<Descriptor> parts;
    std::vector<cudnnBackendDescriptor_t> operations;
};

/// Words as cuDNN reads them: numbers of eight bytes, or of four, or truth values.
void set(Descriptor& d, const Attribute& a, const std::vector<Descriptor>& parts) {
    std::array<std::int64_t, Attribute::most> wide{};
    std::array<std::int32_t, Attribute::most> narrow{};
    std::array<bool, Attribute::most> truth{};
    std::array<cudnnBackendDescriptor_t, Attribute::most> others{};
    const void* values = wide.data();
    for (std::size_t i = 0; i < a.count; ++i) {
        switch (a.type) {
        case CUDNN_TYPE_INT64:
        case CUDNN_TYPE_DOUBLE:
            wide[i] = a.values[i];
            break;
        case CUDNN_TYPE_BOOLEAN:
            truth[i] = a.values[i] != 0;
            values = truth.data();
            break;
        case CUDNN_TYPE_BACKEND_DESCRIPTOR:
            others[i] = parts[std::size_t(a.values[i])].raw();
            values = others.data();
            break;
        default: // an enumeration
            narrow[i] = std::int32_t(a.values[i]);
            values = narrow.data();
        }
    }
    d.set(a.name, a.type, std::int64_t(a.count), values);
}
/// Nothing where cuDNN does not have one of the operations.
std::optional<Built> built(const Graph& graph) {
    Built b;
    bool all = true;
    graph.each_part([&](cudnnBackendDescriptorType_t type, bool is_operation, std::span<const Attribute> attributes) {
        if (!all) return;
        Descriptor d(graph.op(), type);
        for (const Attribute& a : attributes) set(d, a, b.parts);
        all = d.finalize();
        b.parts.push_back(std::move(d));
        if (is_operation) b.operations.push_back(b.parts.back().raw());
    });
    return all ? std::optional(std::move(b)) : std::nullopt;
}

/// May an engine with these notes be used?
bool keeps_to_switches(const Graph& graph, const Descriptor& config) {
    Descriptor engine(graph.op(), CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t raw = engine.raw();
    config.get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &raw);
    std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes{};
    const auto count = std::size_t(engine.get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                              std::int64_t(notes.size()), notes.data()));
    const auto has = [&](cudnnBackendNumericalNote_t note) {
        return std::count(notes.begin(), notes.begin() + std::ptrdiff_t(std::min(count, notes.size())), note) > 0;
    };
    if (graph.words()[deterministic_word] && has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC)) return false;
    return graph.words()[tf32_word] || !has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
}

/// The configurations that cuDNN suggests, best first.
std::vector<Descriptor> suggestions(const Graph& graph, const Descriptor& operations, cudnnBackendHeurMode_t mode) {
    Descriptor heuristics(graph.op(), CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, operations);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
    std::vector<Descriptor> configs;
    if (!heuristics.finalize()) return configs;
    const std::int64_t count = heuristics.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, nullptr);
    std::vector<cudnnBackendDescriptor_t> raw;
    for (std::int64_t i = 0; i < count; ++i)
        raw.push_back(configs.emplace_back(graph.op(), CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).raw());
    if (count == 0) return configs;
    const std::int64_t filled =
        heuristics.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, raw.data());
    while (std::int64_t(configs.size()) > filled) configs.pop_back();
    return configs;
}

std::unique_ptr<const Plan> made(const Graph& graph) {
    const std::optional<Built> parts = built(graph);
    if (!parts) return nullptr;
    const cudnnHandle_t h = handle(graph.op(), graph.device());
    Descriptor operations(graph.op(), CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    operations.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &h);
    operations.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::int64_t(parts->operations.size()),
                   parts->operations.data());
    if (!operations.finalize()) return nullptr;
    for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK})
        for (const Descriptor& config : suggestions(graph, operations, mode)) {
            if (!keeps_to_switches(graph, config)) continue;
            Descriptor plan(graph.op(), CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
            plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &h);
            plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
            if (!plan.finalize()) continue;
            std::int64_t bytes = 0;
            plan.get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &bytes);
            if (bytes <= workspace_limit) return std::make_unique<Plan>(std::move(plan), bytes);
        }
    return nullptr;
}

struct HashWords {
    std::size_t operator()(const std::vector<std::int64_t>& words) const {
        std::uint64_t h = 1469598103934665603U; // FNV-1a, by words
        for (const std::int64_t w : words) h = (h ^ std::uint64_t(w)) * 1099511628211U;
        return std::size_t(h ^ (h >> 32));
    }
};

} // namespace

const Plan* plan_of(const Graph& graph) {
    static thread_local std::unordered_map<std::vector<std::int64_t>, std::unique_ptr<const Plan>, HashWords> plans;
    const auto found = plans.find(graph.words());
    if (found != plans.end()) return found->second.get();
    return plans.emplace(graph.words(), made(graph)).first->second.get();
}

void Plan::execute(const Graph& graph) const {
    const cudnnHandle_t h = handle(graph.op(), graph.device());
    // in the order of the stream: whoever gets the memory next comes after
    const Tensor workspace =
        reel::empty({workspace_bytes_}, TensorOptions().dtype(kByte).device(Device(kCUDA, graph.device())));
    std::vector<std::int64_t> ids;
    std::vector<void*> data;
    for (const Graph::Binding& b : graph.bindings()) {
        ids.push_back(b.id);
        data.push_back(b.data ? b.data : const_cast<float*>(&b.number));
    }
    Descriptor pack(graph.op(), CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    void* const workspace_data = workspace_bytes_ > 0 ? workspace.data_ptr() : nullptr;
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, std::int64_t(ids.size()), ids.data());
    pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, std::int64_t(data.size()), data.data());
    pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace_data);
    pack.finalize();
    check(api()->cudnnBackendExecute(h, plan_.raw(), pack.raw()), graph.op(), "cudnnBackendExecute");
}

} // namespace reel::cuda::dnn
