// Calls of script modules, from outside and from scripts.
#include <reel/nn/call.hpp>
#include <reel/script/module.hpp>

namespace reel::jit {

Function& ModuleImpl::method(const std::string& name) const {
    if (Function* f = type_->find_method(name)) return *f;
    std::string known;
    for (const auto& m : type_->methods()) known += (known.empty() ? "" : ", ") + m->name();
    REEL_THROW(AttributeError, "'", type_->name(), "' has no method '", name, "'; it has ",
               known.empty() ? "none" : known);
}
namespace {
Args with_self(const ModuleImpl& m, Args inputs) {
    auto& self = const_cast<ModuleImpl&>(m);
    inputs.insert(inputs.begin(), to_ivalue(ObjectPtr(std::static_pointer_cast<ModuleImpl>(self.shared_from_this()))));
    return inputs;
}
} // namespace

IValue ModuleImpl::run_method(const std::string& name, Args inputs, const Kwargs& kwargs) {
    return method(name)(with_self(*this, std::move(inputs)), kwargs);
}
IValue ModuleImpl::forward_values(const Args& inputs, const Kwargs& kwargs) {
    if (type_->forward_pre_hooks.empty() && type_->forward_hooks.empty()) return run_method("forward", inputs, kwargs);
    // hooks take the arguments as a tuple, each in its place
    Args args = inputs;
    if (!kwargs.empty()) {
        const FunctionSchema& schema = method("forward").schema();
        for (std::size_t i = args.size() + 1; i < schema.arguments.size(); ++i)
            if (const IValue* v = kwargs.find(std::string_view(schema.arguments[i].name))) args.push_back(*v);
    }
    for (const std::string& hook : type_->forward_pre_hooks) {
        const IValue changed = run_method(hook, {IValue::tuple(args)});
        if (changed.isTuple()) args = changed.elements();
        else if (!changed.isNone()) args = {changed};
    }
    IValue result = run_method("forward", args);
    for (const std::string& hook : type_->forward_hooks) {
        IValue changed = run_method(hook, {IValue::tuple(args), result});
        if (!changed.isNone()) result = std::move(changed);
    }
    return result;
}

bool ModuleImpl::intercepts_calls() const {
    return has_call_hooks() || nn::detail::global_call_hooks.load(std::memory_order_relaxed) != 0;
}
IValue ModuleImpl::call_forward(Function& forward, Args inputs) {
    auto run = [&](const Args& args, const Kwargs& kwargs) { return forward(with_self(*this, args), kwargs); };
    return nn::detail::call_with_hooks(*this, std::move(inputs), {}, nn::detail::ForwardRef(run));
}

} // namespace reel::jit
