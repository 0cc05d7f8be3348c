// usage: gate LIBCUDNN DEVICE.json GRAPHS [PLANS]
//        gate LIBCUDNN --describe DEVICE.json
// Has the real cuDNN judge graphs that a test run wrote down (REEL_CUDNN_RECORD): each must become a plan for the
// described device. Prints what is refused with the reason, then `N accepted, M refused`; PLANS gets a line for each
// graph: its number, the engine of its plan, the workspace that it wants. `--describe` writes such a description of the
// GPU that is there.
#include <cudnn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <dlfcn.h>

namespace {

struct Library {
    decltype(&cudnnBackendCreateDescriptor) create;
    decltype(&cudnnBackendDestroyDescriptor) destroy;
    decltype(&cudnnBackendSetAttribute) set;
    decltype(&cudnnBackendGetAttribute) get;
    decltype(&cudnnBackendFinalize) finalize;
    decltype(&cudnnGetLastErrorString) last_error;
    decltype(&cudnnGetVersion) version;
} cudnn;

struct Refusal {
    std::string reason;
};
void check(cudnnStatus_t status, const std::string& what) {
    if (status == CUDNN_STATUS_SUCCESS) return;
    std::array<char, 1024> why{};
    cudnn.last_error(why.data(), why.size());
    throw Refusal{what + ": status " + std::to_string(int(status)) + ": " + why.data()};
}

class Descriptor {
public:
    explicit Descriptor(cudnnBackendDescriptorType_t type) { check(cudnn.create(type, &raw_), "create"); }
    Descriptor(Descriptor&& o) noexcept : raw_(o.raw_) { o.raw_ = nullptr; }
    ~Descriptor() {
        if (raw_) cudnn.destroy(raw_);
    }
    cudnnBackendDescriptor_t raw() const { return raw_; }
    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
             const void* values) {
        check(cudnn.set(raw_, name, type, count, values), "attribute " + std::to_string(int(name)));
    }
    void finalize(const char* what) { check(cudnn.finalize(raw_), what); }

private:
    cudnnBackendDescriptor_t raw_ = nullptr;
};

/// `NAME:TYPE:VALUE,VALUE`
void set(Descriptor& d, const std::string& text, const std::vector<Descriptor>& parts) {
    std::istringstream s(text);
    int name = 0, type = 0;
    char sign = 0;
    s >> name >> sign >> type >> sign;
    std::vector<std::int64_t> wide;
    for (std::int64_t v = 0; s >> v; s >> sign) wide.push_back(v);
    std::vector<std::int32_t> narrow(wide.begin(), wide.end());
    std::vector<std::uint8_t> truth(wide.begin(), wide.end());
    std::vector<cudnnBackendDescriptor_t> others;
    const void* values = narrow.data();
    if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
        for (const std::int64_t v : wide) others.push_back(parts.at(std::size_t(v)).raw());
        values = others.data();
    } else if (type == CUDNN_TYPE_INT64 || type == CUDNN_TYPE_DOUBLE) values = wide.data();
    else if (type == CUDNN_TYPE_BOOLEAN) values = truth.data();
    d.set(cudnnBackendAttributeName_t(name), cudnnBackendAttributeType_t(type), std::int64_t(wide.size()), values);
}

std::int64_t number_of(const Descriptor& d, cudnnBackendAttributeName_t name, const char* what) {
    std::int64_t count = 0, value = -1;
    check(cudnn.get(d.raw(), name, CUDNN_TYPE_INT64, 1, &count, &value), what);
    return value;
}
/// `ENGINE WORKSPACE`
std::string in_words(const Descriptor& config, const Descriptor& plan) {
    const Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t raw = engine.raw();
    std::int64_t count = 0;
    check(cudnn.get(config.raw(), CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &raw),
          "engine");
    return std::to_string(number_of(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, "engine's number")) + ' ' +
           std::to_string(number_of(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, "workspace"));
}

/// Is there a plan for one of the suggestions? `plan_in_words` says which; `why` keeps the last refusal.
bool becomes_a_plan(const Descriptor& graph, const Descriptor& device, cudnnBackendHeurMode_t mode,
                    std::string& plan_in_words, std::string& why) {
    const auto heuristics_raw = graph.raw(), device_raw = device.raw();
    Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &heuristics_raw);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &device_raw);
    heuristics.finalize("suggestions");
    std::int64_t count = 0;
    check(cudnn.get(heuristics.raw(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr),
          "count of suggestions");
    std::vector<Descriptor> configs;
    std::vector<cudnnBackendDescriptor_t> raw;
    for (std::int64_t i = 0; i < count; ++i)
        raw.push_back(configs.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).raw());
    check(cudnn.get(heuristics.raw(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, &count,
                    raw.data()),
          "suggestions");
    for (std::int64_t i = 0; i < count; ++i) try {
            Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
            plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &raw[std::size_t(i)]);
            plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &device_raw);
            plan.finalize("plan");
            plan_in_words = in_words(configs[std::size_t(i)], plan);
            return true;
        } catch (const Refusal& r) {
            why = r.reason;
        }
    return false;
}

/// The plan of the graph.
std::string judge(const std::vector<std::string>& lines, const Descriptor& device) {
    std::vector<Descriptor> parts;
    std::vector<cudnnBackendDescriptor_t> operations;
    for (const std::string& line : lines) {
        std::istringstream s(line);
        int type = 0, is_operation = 0;
        s >> type >> is_operation;
        Descriptor d{cudnnBackendDescriptorType_t(type)};
        for (std::string attribute; s >> attribute;) set(d, attribute, parts);
        d.finalize(("descriptor " + std::to_string(type)).c_str());
        parts.push_back(std::move(d));
        if (is_operation) operations.push_back(parts.back().raw());
    }
    Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::int64_t(operations.size()),
              operations.data());
    graph.finalize("graph");
    std::string plan, why = "no suggestion";
    if (!becomes_a_plan(graph, device, CUDNN_HEUR_MODE_A, plan, why) &&
        !becomes_a_plan(graph, device, CUDNN_HEUR_MODE_FALLBACK, plan, why))
        throw Refusal{why};
    return plan;
}

template <class F> void find(void* library, const char* name, F& f) {
    f = reinterpret_cast<F>(dlsym(library, name));
    if (!f) throw Refusal{std::string(name) + " is not there"};
}
Descriptor described(const char* path) {
    std::ifstream file(path);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    Descriptor device(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    device.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, std::int64_t(text.size() + 1), text.c_str());
    device.finalize("the device's description");
    return device;
}

void describe(const char* path) {
    Descriptor device(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    const std::int32_t first = 0;
    device.set(CUDNN_ATTR_DEVICEPROP_DEVICE_ID, CUDNN_TYPE_INT32, 1, &first);
    device.finalize("the device's description");
    std::int64_t count = 0;
    check(cudnn.get(device.raw(), CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, 0, &count, nullptr),
          "the description's length");
    std::string text(std::size_t(count), ' ');
    check(
        cudnn.get(device.raw(), CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, count, &count, text.data()),
        "the description");
    std::ofstream(path) << text.c_str() << '\n';
}
void find_functions(void* library) {
    find(library, "cudnnBackendCreateDescriptor", cudnn.create);
    find(library, "cudnnBackendDestroyDescriptor", cudnn.destroy);
    find(library, "cudnnBackendSetAttribute", cudnn.set);
    find(library, "cudnnBackendGetAttribute", cudnn.get);
    find(library, "cudnnBackendFinalize", cudnn.finalize);
    find(library, "cudnnGetLastErrorString", cudnn.last_error);
    find(library, "cudnnGetVersion", cudnn.version);
}
/// How many are refused.
int judge_all(const char* description, const char* path, const char* plans_path) {
    int accepted = 0, refused = 0;
    const Descriptor device = described(description);
    std::ifstream graphs(path);
    std::ofstream plans;
    if (plans_path) plans.open(plans_path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(graphs, line);) {
        if (line == "graph") lines.clear();
        else if (line != "end") lines.push_back(line);
        else try {
                const std::string plan = judge(lines, device);
                plans << accepted + refused << ' ' << plan << '\n';
                ++accepted;
            } catch (const Refusal& r) {
                ++refused;
                std::printf("refused: %s\n", r.reason.c_str());
                for (const std::string& l : lines) std::printf("    %s\n", l.c_str());
            }
    }
    std::printf("cuDNN %zu: %d accepted, %d refused\n", cudnn.version(), accepted, refused);
    return refused;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 4 && argc != 5)
        return std::fprintf(stderr, "usage: gate LIBCUDNN DEVICE.json GRAPHS [PLANS]\n"
                                    "       gate LIBCUDNN --describe DEVICE.json\n"),
               2;
    void* const library = dlopen(argv[1], RTLD_NOW);
    if (!library) return std::fprintf(stderr, "%s\n", dlerror()), 2;
    try {
        find_functions(library);
        if (std::string(argv[2]) == "--describe") return describe(argv[3]), 0;
        return judge_all(argv[2], argv[3], argc == 5 ? argv[4] : nullptr) ? 1 : 0;
    } catch (const Refusal& r) {
        std::fprintf(stderr, "%s\n", r.reason.c_str());
        return 2;
    }
}
