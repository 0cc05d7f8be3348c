#include <reel/distributed/fully_shard.hpp>

#include <sstream>
#include <typeinfo>
#include <unordered_map>

#include <boost/core/demangle.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/distributed/clip_grad_norm.hpp>
#include <reel/distributed/collectives.hpp>
#include <reel/distributed/session.hpp>
#include <reel/nn/detail/clip_of_parts.hpp>
#include <reel/nn/modules/lazy.hpp>
#include <reel/optim/optimizer.hpp>

#include "agreement/texts.hpp"
#include "sharding/registry.hpp"
#include "sharding/rows.hpp"
#include "sharding/unit.hpp"

namespace reel::distributed {

namespace {
/// The parameters below `module` that no inner call owns; the tensors are whole still.
std::vector<ShardedParameter> own_parameters(nn::Module& module) {
    std::vector<ShardedParameter> found;
    std::unordered_map<const void*, std::size_t> at;
    std::unordered_map<const void*, std::vector<std::string>> inner; // names of what inner calls own
    for (const auto& [path, p] : module.parameter_items({}, true, false)) {
        if (!p.defined()) continue;
        if (const auto owner = owner_of(p)) {
            std::vector<std::string>& names = inner[p.unsafeGetTensorImpl()];
            names.push_back(path);
            const ShardedParameter& owned = owner->unit->parameters()[owner->parameter];
            REEL_CHECK_VALUE(
                names.size() <= owned.places, "fully_shard: ", module.repr_name(), ": parameter '", path,
                "' is tied to '", names.front(),
                "', which an inner call has sharded; tie within one call, or shard the outer module alone");
            continue;
        }
        const auto [place, fresh] = at.emplace(p.unsafeGetTensorImpl(), found.size());
        if (!fresh) {
            ++found[place->second].places;
            continue;
        }
        REEL_CHECK_VALUE(p.dim() > 0, "fully_shard: ", module.repr_name(), ": parameter '", path,
                         "' has no dimension to split along; make it a tensor of one element");
        found.push_back({path, p, p.sizes().vec(), 1});
    }
    return found;
}
/// A line for each parameter.
std::string described(const std::vector<ShardedParameter>& parameters) {
    std::ostringstream text;
    for (const ShardedParameter& p : parameters)
        text << "'" << p.path << "' " << IntArrayRef(p.sizes) << " " << dtype_name(p.local.scalar_type()) << "\n";
    return text.str();
}
/// ValueError on all ranks for the first line in which some rank differs from the group's first.
void check_alike(const nn::Module& module, const std::vector<ShardedParameter>& parameters, const std::string& failure,
                 const ProcessGroup& group) {
    const std::vector<std::string> all = gather_texts(failure.empty() ? described(parameters) : "!" + failure, group);
    for (std::size_t r = 0; r < all.size(); ++r)
        REEL_CHECK_VALUE(all[r].empty() || all[r][0] != '!', all[r].substr(1), " (on rank ", group.ranks()[r], ")");
    for (std::size_t r = 1; r < all.size(); ++r) {
        std::istringstream first(all[0]), other(all[r]);
        std::string a, b;
        for (std::size_t i = 0; all[0] != all[r]; ++i) {
            const bool in_first = bool(std::getline(first, a)), in_other = bool(std::getline(other, b));
            REEL_CHECK_VALUE(in_first && in_other && a == b, "fully_shard: ", module.repr_name(),
                             ": the ranks have different parameters: parameter ", i, " is ",
                             in_first ? a : std::string("missing"), " on rank ", group.ranks()[0], " and ",
                             in_other ? b : std::string("missing"), " on rank ", group.ranks()[r],
                             "; build the same module on all of them");
        }
    }
}
void take_from_first(nn::Module& module, const std::vector<ShardedParameter>& parameters, const ProcessGroup& group) {
    const std::int64_t root = group.ranks()[0];
    for (const ShardedParameter& p : parameters) broadcast(p.local.detach(), root, group);
    for (const auto& item : module.named_buffers())
        if (item->defined()) broadcast(item->detach(), root, group);
}
/// The parameter becomes its rows, and its gradient with it.
void keep_rows(const ShardedParameter& p, const Rows& rows) {
    const NoGradGuard no_grad;
    const Tensor own = p.local.detach().narrow(0, rows.begin, rows.count).clone(MemoryFormat::Contiguous);
    const Tensor grad = p.local.mutable_grad();
    p.local.mutable_grad() = Tensor();
    p.local.set_data(own);
    if (grad.defined())
        p.local.mutable_grad() = (grad.is_sparse() ? grad.to_dense() : grad).narrow(0, rows.begin, rows.count).clone();
}
/// Whole tensors of a dict that is being loaded become this rank's rows.
void cut_entries(const Unit& unit, nn::StateDict& dict, const std::string& prefix) {
    for (std::size_t i = 0; i < unit.parameters().size(); ++i) {
        const ShardedParameter& p = unit.parameters()[i];
        Value* const entry = dict.find(prefix + p.path);
        if (!entry || !entry->isTensor() || !entry->toTensor().defined()) continue;
        const Tensor given = entry->toTensor();
        if (!given.sizes().equals(p.sizes) || given.sizes().equals(p.local.sizes())) continue;
        const Shard shard = unit.shard(i);
        *entry = given.narrow(0, shard.begin, shard.rows);
    }
}
void add_hooks(nn::Module& module, const std::shared_ptr<Unit>& unit) {
    module.register_forward_pre_hook([unit](nn::Module& m, const Args&, const Kwargs&) { unit->begin_forward(m); },
                                     nn::ForwardPreOptions{.prepend = true});
    module.register_forward_hook([unit](nn::Module&, const Args&, const Kwargs&, const Value&) { unit->end_forward(); },
                                 nn::ForwardOptions{.always_call = true});
    module.register_load_state_dict_pre_hook([unit](nn::Module&, nn::StateDict& dict, const std::string& prefix,
                                                    const ValueDict&, bool,
                                                    nn::LoadLists&) { cut_entries(*unit, dict, prefix); });
}
/// Of every optimizer, before it steps.
void check_optimizer(optim::Optimizer& optimizer) {
    if (optimizer.is_elementwise()) return;
    std::string name = boost::core::demangle(typeid(optimizer).name());
    name.erase(0, name.rfind(':') + 1);
    for (std::size_t g = 0; g < optimizer.param_groups().size(); ++g)
        for (std::size_t i = 0; i < optimizer.param_groups()[g].params().size(); ++i) {
            const auto shard = shard_of(optimizer.param_groups()[g].params()[i]);
            REEL_CHECK_NOT_IMPLEMENTED(!shard || shard->group.size() == 1, name, ": parameter ", i, " of group ", g,
                                       " is sharded: this rank has rows ", shard->begin, " to ",
                                       shard->begin + shard->rows - 1, " of ", IntArrayRef(shard->sizes),
                                       ", and the step looks at whole parameters; expected an optimizer of single "
                                       "elements (Adam, SGD, ...), or ZeroRedundancyOptimizer over a module that is "
                                       "not sharded");
        }
}
/// What the rest of the program does with parameters of which ranks have rows goes on being right.
void prepare_program() {
    static const RemovableHandle once = [] {
        nn::detail::clip_of_parts.store(&clip_grad_norm_, std::memory_order_release);
        return optim::register_optimizer_step_pre_hook(check_optimizer);
    }();
    (void)once;
}
} // namespace

void fully_shard(nn::Module& module, const FullyShardOptions& options) {
    const ProcessGroup group = options.group ? options.group : default_group();
    std::vector<ShardedParameter> parameters;
    std::string failure; // told to the others, who would wait
    try {
        REEL_CHECK_VALUE(!is_sharded(module), "fully_shard: ", module.repr_name(), " is sharded already");
        for (const auto& [path, m] : module.module_items({}, true))
            if (const auto* lazy = dynamic_cast<const nn::LazyModule*>(m))
                REEL_CHECK_VALUE(!lazy->has_uninitialized_params(), "fully_shard: ", module.repr_name(), ": '", path,
                                 "' waits for its first input; call the module once before it is sharded");
        parameters = own_parameters(module);
    } catch (const Error& e) {
        failure = e.msg();
    }
    check_alike(module, parameters, failure, group);
    if (options.sync_module_states) take_from_first(module, parameters, group);
    for (const ShardedParameter& p : parameters) keep_rows(p, rows_of(group.rank(), p.sizes[0], group.size()));
    FullyShardOptions settings = options;
    settings.group = group;
    const auto unit = std::make_shared<Unit>(module, settings, std::move(parameters));
    register_unit(unit, module);
    add_hooks(module, unit);
    prepare_program();
}

std::optional<Shard> shard_of(const Tensor& parameter) {
    const auto owner = owner_of(parameter);
    if (!owner) return std::nullopt;
    return owner->unit->shard(owner->parameter);
}
Tensor full_tensor(const Tensor& parameter) {
    const auto shard = shard_of(parameter);
    return shard ? full_tensor(parameter, *shard) : parameter;
}
Tensor full_tensor(const Tensor& rows, const Shard& shard) {
    const NoGradGuard no_grad;
    const std::int64_t n = shard.group.size(), each = rows_each(shard.sizes[0], n);
    REEL_CHECK_VALUE(rows.defined() && rows.dim() == std::int64_t(shard.sizes.size()) && rows.size(0) == shard.rows,
                     "full_tensor: expected this rank's ", shard.rows, " rows of ", IntArrayRef(shard.sizes), ", got ",
                     rows.defined() ? str(rows.sizes()) : std::string("an undefined tensor"));
    std::vector<std::int64_t> sizes = shard.sizes, padded = shard.sizes;
    sizes[0] = each, padded[0] = each * n;
    const Tensor own = rows.new_zeros(sizes), all = rows.new_empty(padded);
    own.narrow(0, 0, shard.rows).copy_(rows.detach());
    all_gather_into(all, own, shard.group);
    return all.narrow(0, 0, shard.sizes[0]);
}
nn::StateDict full_state_dict(nn::Module& module) {
    nn::StateDict dict = module.state_dict({}, true);
    for (auto& item : dict) {
        if (!item->isTensor() || !item->toTensor().defined()) continue;
        *item = full_tensor(item->toTensor()).detach();
    }
    return dict;
}

} // namespace reel::distributed
