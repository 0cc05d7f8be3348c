// State dicts of optimizers, and the hooks around them.
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/optim/optimizer.hpp>

#include <unordered_map>

#include <reel/autograd/grad_mode.hpp>

namespace reel::optim {

namespace {
/// Takes a state's fields from a dict; tensors with dimensions are copied to the parameter's dtype and device.
struct FromDict final : FieldVisitor {
    FromDict(const OptimizerParamState& state, const ValueDict& dict, const Tensor& param, std::int64_t number)
        : state(state), dict(dict), param(param), number(number) {}
    void visit(const FieldRef& f) override {
        const Value* v = dict.find(std::string_view(f.name));
        if (!v) return;
        if (!v->isTensor() || !v->toTensor().defined() || v->toTensor().dim() == 0) return f.set(*v);
        const Tensor& t = v->toTensor();
        const bool alike = state.shaped_like_parameter(f.name);
        REEL_CHECK_VALUE(!alike || t.sizes().equals(param.sizes()), "load_state_dict: state '", f.name,
                         "' of parameter ", number, " has shape ", t.sizes(), ", the parameter has ", param.sizes());
        const TensorOptions options(param.scalar_type());
        Tensor copy = alike ? reel::empty_like(param, options) : reel::empty(t.sizes(), options);
        copy.copy_(t);
        f.set(copy);
    }
    const OptimizerParamState& state;
    const ValueDict& dict;
    const Tensor& param;
    std::int64_t number;
};
} // namespace

RemovableHandle Optimizer::register_state_dict_pre_hook(StateDictPreHook fn, bool prepend) {
    return add_hook(state_dict_pre_hooks_, std::move(fn), prepend);
}
RemovableHandle Optimizer::register_state_dict_post_hook(StateDictHook fn, bool prepend) {
    return add_hook(state_dict_post_hooks_, std::move(fn), prepend);
}
RemovableHandle Optimizer::register_load_state_dict_pre_hook(StateDictHook fn, bool prepend) {
    return add_hook(load_state_dict_pre_hooks_, std::move(fn), prepend);
}
RemovableHandle Optimizer::register_load_state_dict_post_hook(StateDictPreHook fn, bool prepend) {
    return add_hook(load_state_dict_post_hooks_, std::move(fn), prepend);
}

namespace {
void run(const std::shared_ptr<HookTable<Optimizer::StateDictPreHook>>& table, Optimizer& optimizer) {
    if (const auto hooks = table ? table->snapshot() : nullptr)
        for (const auto& h : *hooks) h.fn(optimizer);
}
/// Each hook sees what the one before it made of the dict.
void run(const std::shared_ptr<HookTable<Optimizer::StateDictHook>>& table, Optimizer& optimizer, Value& dict,
         const char* what) {
    if (const auto hooks = table ? table->snapshot() : nullptr)
        for (const auto& h : *hooks) {
            Value returned = h.fn(optimizer, dict);
            if (returned.isNone()) continue;
            REEL_CHECK_TYPE(returned.isGenericDict(), what, " returned a ", returned.kind_name(),
                            "; expected a dict in place of the state dict, or none");
            dict = std::move(returned);
        }
}
} // namespace

Value Optimizer::state_dict() const {
    auto& self = const_cast<Optimizer&>(*this); // to hooks the optimizer is the program's own
    run(state_dict_pre_hooks_, self);
    Value dict = current_state();
    run(state_dict_post_hooks_, self, dict, "state dict post-hook of an optimizer");
    return dict;
}
void Optimizer::load_state_dict(const Value& dict) {
    Value given = dict;
    run(load_state_dict_pre_hooks_, *this, given, "load state dict pre-hook of an optimizer");
    restore(given);
    run(load_state_dict_post_hooks_, *this);
}

Value Optimizer::current_state() const {
    const_cast<Optimizer*>(this)->settle();
    ValueDict state;
    std::vector<Value> groups;
    std::int64_t number = 0;
    std::unordered_map<const void*, std::int64_t> seen;
    for (const OptimizerParamGroup& g : groups_) {
        ValueDict entry = g.options().to_dict();
        for (const auto& [key, value] : g.extra()) entry.set(key, value);
        std::vector<Value> numbers;
        for (const Tensor& p : g.params()) {
            const auto [at, fresh] = seen.emplace(p.unsafeGetTensorImpl(), number);
            numbers.emplace_back(at->second);
            if (!fresh) continue;
            if (const auto s = state_.find(p.unsafeGetTensorImpl()); s != state_.end()) {
                ValueDict fields;
                for (auto& [name, v] : s->second->to_dict())
                    if (!v.isNone()) fields.set(name, v);
                state.set(number, Value(std::move(fields)));
            }
            ++number;
        }
        entry.set("params", Value::list(std::move(numbers)));
        groups.emplace_back(std::move(entry));
    }
    ValueDict r;
    r.set("state", Value(std::move(state)));
    r.set("param_groups", Value::list(std::move(groups)));
    return r;
}

/// What the first files of Reel called `foreach`.
constexpr std::string_view misspelt_foreach = "foreign";

void Optimizer::restore(const Value& value) {
    settle();
    REEL_CHECK_TYPE(value.isGenericDict(), "load_state_dict: expected a dict, got ", value.kind_name());
    const ValueDict& dict = value.toGenericDict();
    const std::vector<Value>& groups = dict.at("param_groups").elements();
    REEL_CHECK_VALUE(groups.size() == groups_.size(), "load_state_dict: the saved state has ", groups.size(),
                     " parameter groups, this optimizer has ", groups_.size());
    // Everything is prepared first, so that an error leaves the optimizer as it was.
    NoGradGuard no_grad;
    std::vector<OptimizerParamGroup> fresh(groups_.begin(), groups_.end());
    StateMap state;
    const ValueDict& saved = dict.at("state").toGenericDict();
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const ValueDict& entry = groups[i].toGenericDict();
        const std::vector<Value>& numbers = entry.at("params").elements();
        REEL_CHECK_VALUE(numbers.size() == fresh[i].params().size(), "load_state_dict: the saved group ", i, " has ",
                         numbers.size(), " parameters, this optimizer's has ", fresh[i].params().size());
        fresh[i].options().load_dict(entry);
        if (const Value rate = fresh[i].options().has("lr") ? fresh[i].options().get("lr") : Value(); rate.isTensor())
            fresh[i].options().set("lr", rate.toTensor().detach().clone()); // the dict's own stays its own
        fresh[i].options().check();
        const ValueDict known = fresh[i].options().to_dict();
        fresh[i].extra().clear();
        for (const auto& [key, v] : entry)
            if (!known.find(key) && key.toStringRef() != "params" && key.toStringRef() != misspelt_foreach)
                fresh[i].extra().set(key, v);
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            const Value* s = saved.find(numbers[k]);
            if (!s) continue;
            const Tensor& p = fresh[i].params()[k];
            auto made = make_state();
            FromDict v(*made, s->toGenericDict(), p, numbers[k].toInt());
            made->fields(v);
            state[p.unsafeGetTensorImpl()] = std::move(made);
        }
    }
    groups_ = std::move(fresh);
    state_ = std::move(state);
}

} // namespace reel::optim
