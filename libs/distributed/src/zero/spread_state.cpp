#include <reel/distributed/zero_redundancy_optimizer.hpp>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/distributed/collectives.hpp>
#include <reel/distributed/session.hpp>
#include <reel/serialize/save_load.hpp>

#include "agreement/texts.hpp"

namespace reel::distributed::detail {

SpreadState::SpreadState(ProcessGroup group) : group_(group ? std::move(group) : default_group()) {}
SpreadState::~SpreadState() = default;
SpreadState::SpreadState(SpreadState&&) noexcept = default;
SpreadState& SpreadState::operator=(SpreadState&&) noexcept = default;

namespace {
/// Each parameter once, in the order of its number, and per group.
struct Numbered {
    std::vector<Tensor> parameters;
    std::vector<std::vector<std::size_t>> groups;
};
Numbered numbered(const optim::Optimizer& optimizer) {
    Numbered all;
    std::unordered_map<const void*, std::size_t> seen;
    for (const optim::OptimizerParamGroup& group : optimizer.param_groups()) {
        all.groups.emplace_back();
        for (const Tensor& p : group.params())
            if (seen.emplace(p.unsafeGetTensorImpl(), all.parameters.size()).second) {
                all.groups.back().push_back(all.parameters.size());
                all.parameters.push_back(p);
            }
    }
    return all;
}
std::vector<std::int64_t> dealt_out(const Numbered& all, std::int64_t ranks) {
    std::vector<std::int64_t> owners(all.parameters.size()), load(std::size_t(ranks), 0);
    for (std::vector<std::size_t> group : all.groups) {
        std::stable_sort(group.begin(), group.end(), [&](std::size_t a, std::size_t b) {
            return all.parameters[a].numel() > all.parameters[b].numel();
        });
        for (const std::size_t i : group) {
            const auto least = std::min_element(load.begin(), load.end());
            owners[i] = least - load.begin();
            *least += all.parameters[i].numel();
        }
    }
    return owners;
}
} // namespace

std::vector<std::int64_t> SpreadState::owners(const optim::Optimizer& optimizer) const {
    return dealt_out(numbered(optimizer), group_.size());
}

namespace {
/// Sends what rank `owner` has of `parameters`, all of one dtype and device, to the others.
Work send_flat(const std::vector<Tensor>& parameters, std::int64_t owner, const ProcessGroup& group, Tensor& flat) {
    std::int64_t length = 0;
    for (const Tensor& p : parameters) length += p.numel();
    flat = parameters[0].new_empty({length});
    if (group.rank() == owner)
        for (std::int64_t i = 0, at = 0; std::size_t(i) < parameters.size(); at += parameters[std::size_t(i++)].numel())
            flat.narrow(0, at, parameters[std::size_t(i)].numel())
                .copy_(parameters[std::size_t(i)].detach().reshape({-1}));
    return broadcast_async(flat, group.ranks()[std::size_t(owner)], group);
}
struct Sending {
    std::int64_t owner;
    std::vector<Tensor> parameters;
    Tensor flat{};
    Work work{};
};
} // namespace

void SpreadState::broadcast(optim::Optimizer& optimizer) {
    consolidated_.reset(); // it was the state before this step
    if (group_.size() == 1) return;
    const NoGradGuard no_grad;
    const Numbered all = numbered(optimizer);
    const std::vector<std::int64_t> owner = dealt_out(all, group_.size());
    std::vector<Sending> sendings;
    for (std::size_t i = 0; i < all.parameters.size(); ++i) {
        const Tensor& p = all.parameters[i];
        auto s = std::find_if(sendings.begin(), sendings.end(), [&](const Sending& o) {
            return o.owner == owner[i] && o.parameters[0].scalar_type() == p.scalar_type() &&
                   o.parameters[0].device() == p.device();
        });
        if (s == sendings.end()) s = sendings.insert(sendings.end(), Sending{owner[i], {}});
        s->parameters.push_back(p);
    }
    for (Sending& s : sendings) s.work = send_flat(s.parameters, s.owner, group_, s.flat);
    for (const Sending& s : sendings) {
        s.work.wait();
        if (s.owner == group_.rank()) continue;
        std::int64_t at = 0;
        for (const Tensor& p : s.parameters) {
            p.copy_(s.flat.narrow(0, at, p.numel()).view(p.sizes()));
            at += p.numel();
        }
    }
}

Value SpreadState::local_state_dict(const optim::Optimizer& optimizer) const {
    local_ = true;
    try {
        Value dict = optimizer.state_dict();
        local_ = false;
        return dict;
    } catch (...) {
        local_ = false;
        throw;
    }
}
void SpreadState::consolidate(const optim::Optimizer& optimizer, std::int64_t to) {
    const std::vector<std::int64_t>& ranks = group_.ranks();
    const auto place = std::find(ranks.begin(), ranks.end(), to);
    REEL_CHECK_VALUE(place != ranks.end(), "ZeroRedundancyOptimizer: consolidate_state_dict: rank ", to,
                     " is no member of ", group_.name(), ", which has ", ranks.size(), " ranks");
    const Value local = local_state_dict(optimizer);
    const std::vector<char> bytes = pickle_save(local.toGenericDict().at("state"));
    consolidated_.reset();
    const std::vector<std::string> parts =
        gather_texts_on(place - ranks.begin(), std::string(bytes.begin(), bytes.end()), group_);
    if (parts.empty()) return;
    std::vector<Value> states(numbered(optimizer).parameters.size());
    for (const std::string& part : parts) {
        const Value state = pickle_load(std::vector<char>(part.begin(), part.end()));
        for (const auto& [number, fields] : state.toGenericDict()) states.at(std::size_t(number.toInt())) = fields;
    }
    consolidated_ = std::make_unique<ValueDict>();
    for (std::size_t i = 0; i < states.size(); ++i)
        if (!states[i].isNone()) consolidated_->set(std::int64_t(i), states[i]);
}
Value SpreadState::seen_from_outside(const Value& local) const {
    if (local_ || group_.size() == 1) return Value();
    REEL_CHECK(consolidated_, "ZeroRedundancyOptimizer: state_dict: rank ", group_.rank(), " of ", group_.size(),
               " has the state of its own parameters only; call consolidate_state_dict(to) on all ranks before, then "
               "state_dict() on rank `to` (local_state_dict() gives this rank's part)");
    ValueDict whole;
    for (const auto& [key, value] : local.toGenericDict())
        whole.set(key, key.toStringRef() == "state" ? Value(*consolidated_) : value);
    return Value(std::move(whole));
}
Value SpreadState::own_part(const optim::Optimizer& optimizer, const Value& plain) const {
    if (!plain.isGenericDict() || !plain.toGenericDict().find("state") || !plain.toGenericDict().find("param_groups"))
        return Value(); // refused by whoever loads it
    const std::vector<std::int64_t> owner = owners(optimizer);
    ValueDict own, state;
    for (const auto& [number, fields] : plain.toGenericDict().at("state").toGenericDict())
        if (number.isInt() && std::size_t(number.toInt()) < owner.size() &&
            owner[std::size_t(number.toInt())] == group_.rank())
            state.set(number, fields);
    for (const auto& [key, value] : plain.toGenericDict())
        own.set(key, key.isString() && key.toStringRef() == "state" ? Value(state) : value);
    return Value(std::move(own));
}

OwnedOnly::OwnedOnly(const SpreadState& spread, const optim::Optimizer& optimizer, optim::OptimizerParamGroup& group)
    : group_(group), all_(group.params()) {
    const Numbered all = numbered(optimizer);
    const std::vector<std::int64_t> owner = dealt_out(all, spread.group().size());
    std::unordered_map<const void*, std::int64_t> owner_of;
    for (std::size_t i = 0; i < owner.size(); ++i) owner_of[all.parameters[i].unsafeGetTensorImpl()] = owner[i];
    std::erase_if(group_.params(),
                  [&](const Tensor& p) { return owner_of.at(p.unsafeGetTensorImpl()) != spread.group().rank(); });
}
OwnedOnly::~OwnedOnly() { group_.params() = std::move(all_); }

void check_can_be_spread(const optim::OptimizerOptions& options) {
    REEL_CHECK_VALUE(!options.is_differentiable(), "ZeroRedundancyOptimizer: the step is differentiable; expected one "
                                                   "that is not, since no gradient flows between ranks");
}

} // namespace reel::distributed::detail
