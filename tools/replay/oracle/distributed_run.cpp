// Descriptions of training runs on several ranks, their nets and optimizers.
#include "oracle/distributed_run.hpp"

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/modules/activation.hpp>
#include <reel/nn/modules/batch_norm.hpp>
#include <reel/nn/modules/conv.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/nn/modules/sequential.hpp>
#include <reel/optim/factory.hpp>

#include "distributed/branching_nets.hpp"

namespace replay {

using namespace reel;

namespace {

using reel::testing::Branch;
using reel::testing::BranchImpl;
using reel::testing::Tied;

bool flag(const json::object& data, const char* key) {
    const json::value* v = data.if_contains(key);
    return v && v->is_bool() && v->as_bool();
}

} // namespace

nn::ModulePtr make_distributed_net(const std::string& name) {
    if (name == "mlp")
        return nn::Sequential(nn::Linear(6, 10), nn::Tanh(), nn::Linear(10, 8), nn::Tanh(), nn::Linear(8, 3)).ptr();
    if (name == "mlp6") return nn::Sequential(nn::Linear(6, 10), nn::Tanh(), nn::Linear(10, 3)).ptr();
    if (name == "conv-bn")
        return nn::Sequential(nn::Conv2d(1, 3, 3), nn::BatchNorm2d(3), nn::ReLU(), nn::Flatten(), nn::Linear(48, 3))
            .ptr();
    if (name == "tied") return Tied().ptr();
    REEL_CHECK_VALUE(name == "branch", "net '", name, "' is none of mlp, mlp6, conv-bn, tied, branch");
    return Branch().ptr();
}
void take_branch(nn::Module& net, std::int64_t branch) {
    if (auto* const b = dynamic_cast<BranchImpl*>(&net)) b->which = branch;
}
Tensor step_loss(nn::Module& called, const Tensor& x, const Tensor& target, bool two) {
    const auto loss = [&](const Tensor& in) {
        return reel::mse_loss(called.call_values({Value(in)}).toTensor(), target);
    };
    const Tensor once = loss(x);
    return two ? once + loss(x * 2) : once;
}

DistributedRun::DistributedRun(const CaseFile& file, const json::object& data) : file_(&file), data_(&data) {
    name = data.at("distributed").as_string();
    net = data.at("net").as_string();
    world = data.at("world").as_int64();
    steps = data.at("steps").as_int64();
    if (const auto* n = field("accumulate"); n && n->is_int64()) accumulate = n->as_int64();
    if (const auto* c = field("clip"); c && c->is_number()) clip = c->to_number<double>();
    if (const auto* d = field("dtype"); d && d->as_string() == "float32") dtype = kFloat;
    two = flag(data, "two"), twice = flag(data, "twice"), hooks = flag(data, "hooks"), sync = flag(data, "sync");
    zero = flag(data, "zero"), fsdp = flag(data, "fsdp"), joins = field("join") != nullptr;
    for (const std::string& key : file.keys()) tensors_[key] = file.tensor(key).clone();
}

const Tensor& DistributedRun::tensor(const std::string& key) const {
    const auto at = tensors_.find(key);
    REEL_CHECK(at != tensors_.end(), name, ": the file has no '", key, "'");
    return at->second;
}
std::string DistributedRun::key_for(const std::string& key, std::int64_t rank) const {
    const std::string own = key + "@" + std::to_string(rank);
    return has(own) ? own : key;
}
std::int64_t DistributedRun::batches(std::int64_t rank) const {
    const auto* counts = field("counts");
    return counts ? std::min(counts->as_array().at(std::size_t(rank)).as_int64(), steps) : steps;
}
std::int64_t DistributedRun::branch(std::int64_t step, std::int64_t rank) const {
    const auto* which = field("which");
    return which ? which->as_array().at(std::size_t(step)).as_array().at(std::size_t(rank)).as_int64() : 0;
}
bool DistributedRun::is_open(std::int64_t step) const {
    const auto* comm = field("comm");
    if (!comm || std::string(comm->as_string()).find("power") == std::string::npos) return false;
    const auto* start = field("start_iter");
    if (!start) start = field("start_powerSGD_iter");
    return step >= (start ? start->as_int64() : 2);
}
double DistributedRun::tolerance() const {
    const auto* comm = field("comm");
    if (comm && comm->as_string().starts_with("bf16")) return 1.6e-2;
    if (comm && comm->as_string().starts_with("fp16")) return 2e-3;
    return dtype == kFloat ? 1e-5 : 1e-9;
}

nn::ModulePtr DistributedRun::make_net(std::int64_t rank) const {
    const nn::ModulePtr module = make_distributed_net(net);
    module->to(dtype);
    const NoGradGuard no_grad;
    for (const auto& item : module->state_dict()) {
        const std::string own = "own." + std::to_string(rank) + "." + item.key();
        item.value().toTensor().copy_(tensor(has(own) ? own : key_for("start." + item.key(), rank)));
    }
    if (const auto* frozen = field("freeze"))
        for (const json::value& path : frozen->as_array()) {
            const std::string prefix(path.as_string());
            for (const auto& item : module->named_parameters())
                if (item.key() == prefix || item.key().starts_with(prefix + ".")) item.value().requires_grad_(false);
        }
    return module;
}
std::string DistributedRun::optimizer_name() const {
    const auto* optimizer = field("optimizer");
    return optimizer ? std::string(optimizer->as_string()) : "SGD";
}
Kwargs DistributedRun::optimizer_options() const {
    if (const auto* given = field("opt")) return ArgumentReader(*file_, MemoryLayout::contiguous).read_kwargs(*given);
    return optimizer_name() == "SGD" ? Kwargs{{"lr", 0.1}, {"momentum", 0.9}} : Kwargs{};
}
std::unique_ptr<optim::Optimizer> DistributedRun::make_optimizer(const std::vector<Tensor>& parameters) const {
    return optim::make_optimizer(optimizer_name(), parameters, optimizer_options());
}

} // namespace replay
