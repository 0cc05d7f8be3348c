// Optimizer: parameter groups with inherited options, per-parameter state, hooks around a step, state dicts.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <reel/autograd/hook_table.hpp>
#include <reel/optim/fields.hpp>
#include <reel/optim/rate.hpp>

namespace reel::optim {

/// Options of an optimizer or of one of its groups. Classes derive through `OptimizerCloneableOptions<Self>` and list
/// their fields in `fields`; that list alone gives the Python arguments, inheritance, comparison and state dicts.
class OptimizerOptions : public Fields {
public:
    virtual std::unique_ptr<OptimizerOptions> clone() const = 0;
    /// Throws ValueError for impossible values.
    virtual void check() const {}
    /// Throws ValueError for a parameter that the optimizer cannot step: called for each one of a group with these
    /// options before the group is taken. `which` names it.
    virtual void check_parameter(const Tensor& p, const std::string& which) const { (void)p, (void)which; }
    virtual double get_lr() const;
    /// Writes into the tensor where the rate is one.
    virtual void set_lr(double lr);
    /// Is the step itself recorded, so that gradients flow through it?
    virtual bool is_differentiable() const { return false; }
    /// Throws ValueError for flags that the class does not list, Error for those that exclude each other.
    void check_flags(const char* what) const;
    /// Takes over fields of `defaults` that were not given here. The classes must be the same.
    void inherit(const OptimizerOptions& defaults);
    /// Into and out of an archive, field by field; which fields were set explicitly is entry `given`.
    virtual void serialize(serialize::OutputArchive& archive) const;
    virtual void serialize(serialize::InputArchive& archive);
    friend bool operator==(const OptimizerOptions& a, const OptimizerOptions& b) { return a.equals(b); }
};
/// With PyTorch's flags, which a class lists where PyTorch's has them. One flag changes what a step does:
/// `differentiable` has it recorded, as operations on the parameters (which may be no leaves then), gradients and
/// states. The others choose between implementations there; here is one, which passes over memory once.
template <class D> class OptimizerCloneableOptions : public OptimizerOptions {
public:
    // not make_unique, here and below: what owns a D would be compiled for each D wherever its header is read
    std::unique_ptr<OptimizerOptions> clone() const override {
        return std::unique_ptr<OptimizerOptions>(new D(static_cast<const D&>(*this)));
    }
    bool is_differentiable() const override { return differentiable(); }
    REEL_OPTION_OF(D, bool, differentiable) = false;
    REEL_OPTION_OF(D, bool, capturable) = false;
    REEL_OPTION_OF(D, std::optional<bool>, foreach);
    REEL_OPTION_OF(D, std::optional<bool>, fused);

protected:
    void differentiable_field(FieldVisitor& v) { v("differentiable", differentiable_); }
    void capturable_field(FieldVisitor& v) { v("capturable", capturable_); }
    void foreach_field(FieldVisitor& v) { v("foreach", foreach_); }
    void fused_field(FieldVisitor& v) { v("fused", fused_); }
};

/// What an optimizer remembers of one parameter.
class OptimizerParamState : public Fields {
public:
    virtual std::unique_ptr<OptimizerParamState> clone() const = 0;
    /// Must a loaded tensor of that name have the parameter's shape?
    virtual bool shaped_like_parameter(std::string_view field) const { return (void)field, true; }
    /// Into and out of an archive, field by field; undefined tensors are left out.
    virtual void serialize(serialize::OutputArchive& archive) const;
    virtual void serialize(serialize::InputArchive& archive);
    /// Equal numbers and equal tensors.
    friend bool operator==(const OptimizerParamState& a, const OptimizerParamState& b) { return a.equals(b); }
};
template <class D> class OptimizerCloneableParamState : public OptimizerParamState {
public:
    std::unique_ptr<OptimizerParamState> clone() const override {
        return std::unique_ptr<OptimizerParamState>(new D(static_cast<const D&>(*this)));
    }
};

/// Parameters that share options.
class OptimizerParamGroup {
public:
    OptimizerParamGroup(std::vector<Tensor> params) : params_(std::move(params)) {}
    OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options)
        : params_(std::move(params)), options_(std::move(options)) {}
    /// With options by their Python names, as a dict in Python's list of groups.
    OptimizerParamGroup(std::vector<Tensor> params, Kwargs options)
        : params_(std::move(params)), by_name_(std::move(options)) {}
    OptimizerParamGroup(const OptimizerParamGroup& o);
    OptimizerParamGroup(OptimizerParamGroup&&) noexcept = default;
    OptimizerParamGroup& operator=(const OptimizerParamGroup& o);
    OptimizerParamGroup& operator=(OptimizerParamGroup&&) noexcept = default;

    bool has_options() const { return options_ != nullptr; }
    OptimizerOptions& options();
    const OptimizerOptions& options() const;
    void set_options(std::unique_ptr<OptimizerOptions> options) { options_ = std::move(options); }
    std::vector<Tensor>& params() { return params_; }
    const std::vector<Tensor>& params() const { return params_; }
    /// Options by name that are still to be bound (empty once the group belongs to an optimizer).
    Kwargs& by_name() { return by_name_; }
    /// Further entries, as schedulers add to the dict in Python (`initial_lr`, `max_lr`, ...).
    ValueDict& extra() { return extra_; }
    const ValueDict& extra() const { return extra_; }

private:
    std::vector<Tensor> params_;
    std::unique_ptr<OptimizerOptions> options_;
    Kwargs by_name_;
    ValueDict extra_;
};

namespace detail {
class StepBatch;
class UnsettledStep;
} // namespace detail

/// Base of all optimizers; movable, not copyable. Parameters without a gradient are skipped and get no state.
class Optimizer {
public:
    using LossClosure = std::function<Tensor()>;
    using StepHook = std::function<void(Optimizer&)>;
    using StateDictPreHook = std::function<void(Optimizer&)>;
    using StateDictHook = std::function<Value(Optimizer&, const Value& state_dict)>;
    using StateMap = std::unordered_map<void*, std::unique_ptr<OptimizerParamState>>;

    Optimizer(std::vector<OptimizerParamGroup> groups, std::unique_ptr<OptimizerOptions> defaults);
    Optimizer(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> defaults);
    Optimizer(Optimizer&& other) noexcept;
    Optimizer& operator=(Optimizer&& other) noexcept;
    Optimizer(const Optimizer&) = delete;
    virtual ~Optimizer();

    /// Adds a group whose missing options come from the defaults. ValueError for a non-leaf parameter (unless the step
    /// is differentiable) and for one that another group already has; nothing is added then.
    void add_param_group(OptimizerParamGroup group);
    /// One update of every parameter that has a gradient. `closure` is called first, with grad mode on, and its result
    /// is returned. Error naming the former path of a parameter whose module has another tensor in its place by now:
    /// nothing is updated then. Captured into a graph, each replay steps on by the options and counts of that moment;
    /// Error where state would be made within the capture (take a step before it) or where the step has host work that
    /// is no rule for each element.
    virtual Tensor step(LossClosure closure = nullptr);
    /// Clears the gradients, or fills them with zeros (M-15 says what that means for the next step).
    void zero_grad(bool set_to_none = true);

    std::vector<OptimizerParamGroup>& param_groups() noexcept { return groups_; }
    const std::vector<OptimizerParamGroup>& param_groups() const noexcept { return groups_; }
    OptimizerOptions& defaults() noexcept { return *defaults_; }
    const OptimizerOptions& defaults() const noexcept { return *defaults_; }
    /// Keyed by `tensor.unsafeGetTensorImpl()`.
    StateMap& state() {
        settle();
        return state_;
    }
    const StateMap& state() const { return const_cast<Optimizer*>(this)->state(); }

    /// What a gradient scaler hands to the steps that follow, as to PyTorch's fused optimizers: one element of float32,
    /// or undefined for none. A step first divides the gradients by the scale, and leaves them so.
    Tensor& grad_scale() noexcept { return grad_scale_; }
    /// Where it is not 0, a step changes neither parameters nor state; its hooks run. If the class says so below and
    /// all parameters with gradients are on a device, the device decides, within graphs, too, and the host learns of it
    /// before it looks at a state or takes the next step; otherwise it waits. Error where it would have to learn of it
    /// within a capture.
    Tensor& found_inf() noexcept { return found_inf_; }
    /// Are a step's arithmetic and its states' tensors left to rules for each element (reel/optim/detail/steps/), which
    /// the kernels of devices leave out by `found_inf`?
    virtual bool step_supports_amp_scaling() const { return false; }

    /// `{state: {number: {...}}, param_groups: [{..., params: [number, ...]}]}`, as in Python, with the live tensors.
    Value state_dict() const;
    /// Restores state and options. ValueError when groups, their sizes or a tensor's shape differ; nothing changes
    /// then. Tensors are copied, in the parameter's dtype and on its device.
    void load_state_dict(const Value& dict);
    /// Into and out of an archive: `param_groups` and `state` by number, options and states as they serialize
    /// themselves. `load` takes a state dict, too, and, with a warning, the lists of states that libtorch wrote before
    /// 1.5 (of SGD, Adagrad, Adam, AdamW and RMSprop, over one group). Error or ValueError as for `load_state_dict`;
    /// nothing changes then.
    virtual void save(serialize::OutputArchive& archive) const;
    virtual void load(serialize::InputArchive& archive);

    RemovableHandle register_step_pre_hook(StepHook fn);
    RemovableHandle register_step_post_hook(StepHook fn);
    /// Before `state_dict` reads the optimizer; and after, when `fn` may return another dict, or none to keep it. Hooks
    /// run in the order of their registration, those with `prepend` before the others. TypeError from `state_dict` for
    /// a hook that returns anything else.
    RemovableHandle register_state_dict_pre_hook(StateDictPreHook fn, bool prepend = false);
    RemovableHandle register_state_dict_post_hook(StateDictHook fn, bool prepend = false);
    /// Before `load_state_dict` looks at the dict, of which `fn` may return another, or none to keep it; and once
    /// everything is loaded. The dict of the caller stays as it is. TypeError as above: nothing changes then.
    RemovableHandle register_load_state_dict_pre_hook(StateDictHook fn, bool prepend = false);
    RemovableHandle register_load_state_dict_post_hook(StateDictPreHook fn, bool prepend = false);
    /// Does a step take gradients of that layout? Sparse ones (autograd/sparse.hpp) only where a class says so.
    virtual bool takes(Layout gradient) const { return gradient == kStrided; }
    /// Is what a step adds to a parameter its rate times something that does not depend on the rate? Only then
    /// gradients of a differentiable step reach a rate that is a tensor.
    virtual bool is_linear_in_rate() const { return false; }
    /// Does a step move each element of a parameter by itself? Then it may be given rows of a parameter, as ranks have
    /// them that share one (reel/distributed/fully_shard.hpp); else that is refused.
    virtual bool is_elementwise() const { return true; }
    /// How often `step` has run in this process; a replay of a captured one counts, too, and one that `found_inf` left
    /// out.
    std::int64_t step_count() const { return step_count_; }

    // Deprecated: use param_groups and add_param_group.
    std::vector<Tensor>& parameters();
    const std::vector<Tensor>& parameters() const;
    std::size_t size() const;
    void add_parameters(const std::vector<Tensor>& params);

protected:
    /// What `step` does around the update; for classes that override it. Error for a parameter that left its module.
    void run_pre_hooks();
    void finish_step(); ///< counts the step and runs the post hooks
    /// Updates the parameters of one group, under no-grad. Classes that override `step` need not implement it.
    virtual void update(OptimizerParamGroup& group);
    /// Error where a scaler's word is given, for a class that overrides `step` and does not heed it.
    void refuse_scaling(const char* optimizer) const;
    [[noreturn]] static void throw_no_update(); ///< NotImplementedError: the class overrides nothing of the above
    /// Error naming the class and the parameter for a gradient of a layout that it does not take.
    void check_gradients(const OptimizerParamGroup& group) const;
    /// An empty state, for loading.
    virtual std::unique_ptr<OptimizerParamState> make_state() const;
    /// The state of `p`, made on first use.
    template <class S> S& state_of(const Tensor& p) {
        std::unique_ptr<OptimizerParamState>& s = state_[p.unsafeGetTensorImpl()];
        if (!s) s.reset(new S());
        return static_cast<S&>(*s);
    }
    /// Calls `fn(parameter, gradient, state)` for every parameter of the group that has a gradient.
    template <class S, class Fn> void each_with_grad(OptimizerParamGroup& group, Fn fn) {
        for (const Tensor& p : group.params())
            if (const Tensor& g = p.mutable_grad(); g.defined()) fn(p, g, state_of<S>(p));
    }

    std::vector<OptimizerParamGroup> groups_;
    StateMap state_;
    std::unique_ptr<OptimizerOptions> defaults_;

private:
    void check_parameters() const;
    void update_through_rate(OptimizerParamGroup& group, const Tensor& rate);
    Value current_state() const;
    void restore(const Value& state_dict);
    std::shared_ptr<HookTable<StepHook>> pre_hooks_, post_hooks_;
    std::shared_ptr<HookTable<StateDictPreHook>> state_dict_pre_hooks_, load_state_dict_post_hooks_;
    std::shared_ptr<HookTable<StateDictHook>> state_dict_post_hooks_, load_state_dict_pre_hooks_;
    /// The groups' updates, with those of many parameters at once where a device does that.
    void update_groups(detail::StepBatch& batch);
    void capture_step(Device device);
    // steps under a gradient scaler
    bool begin_scaled_step(); ///< does it go on?
    void unscale_gradients();
    bool device_decides() const;
    void settle(); ///< undoes what the host counted of a step that its device left out
    Tensor grad_scale_, found_inf_;
    std::unique_ptr<detail::UnsettledStep> unsettled_;
    std::int64_t step_count_ = 0;
    std::shared_ptr<Optimizer*> self_; ///< of a captured step: where the optimizer is
};

/// Before the own hooks of every optimizer's step, and after them. They run in the order of their registration.
RemovableHandle register_optimizer_step_pre_hook(Optimizer::StepHook fn);
RemovableHandle register_optimizer_step_post_hook(Optimizer::StepHook fn);

} // namespace reel::optim
