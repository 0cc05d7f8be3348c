// Parametrizations: how a tensor's originals are kept, and how it is made of them.
#include <reel/nn/utils/parametrize.hpp>

#include <map>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/node.hpp>

#include "module/members.hpp"

namespace reel::nn::utils::parametrize {

namespace {

using nn::detail::Entry;

/// What `cached` keeps, by list of parametrizations.
struct Cache {
    int depth = 0;
    std::map<const Module*, Tensor> values;
};
Cache& cache() {
    thread_local Cache c;
    return c;
}

constexpr const char* dict_name = "parametrizations";

ModuleDictImpl* dict_of(const Module& module) {
    const ModulePtr* child = module.own_children().find(dict_name);
    return child && *child ? (*child)->as<ModuleDictImpl>() : nullptr;
}
ParametrizationListImpl& list_of(const Module& module, const std::string& name) {
    ModuleDictImpl* const dict = dict_of(module);
    REEL_CHECK(dict && dict->contains(name), module.repr_name(), ": the parametrizations of '", name,
               "' are gone; take them away by remove_parametrizations");
    return dict->at<ParametrizationListImpl>(name);
}
Tensor value_of(Module& module, const std::string& name) {
    ParametrizationListImpl& list = list_of(module, name);
    if (!cache().depth) return nn::call(list);
    Tensor& kept = cache().values[&list];
    if (!kept.defined()) kept = nn::call(list);
    return kept;
}

/// The data of `from` for `t`, which stays the tensor that it is.
void set_data_of(const Tensor& t, const Tensor& from) {
    if (!t.is_same(from)) t.set_data(from.detach());
}
void check_like(const char* what, const Tensor& got, const Tensor& expected) {
    REEL_CHECK_VALUE(got.scalar_type() == expected.scalar_type(), what, " may not change the dtype of the tensor ",
                     "(unless unsafe is set); it was ", dtype_name(expected.scalar_type()), " and becomes ",
                     dtype_name(got.scalar_type()));
    REEL_CHECK_VALUE(got.sizes().equals(expected.sizes()), what, " may not change the shape of the tensor ",
                     "(unless unsafe is set); it was ", expected.sizes(), " and becomes ", got.sizes());
}
const Tensor& checked_tensor(const char* what, const Value& v) {
    REEL_CHECK_VALUE(v.isTensor(), what, " must return a tensor, got ", v.kind_name());
    return v.toTensor();
}
/// The right inverse of one step; none where it throws NotImplementedError, which says that there is none.
std::optional<Value> inverse_of(const detail::Step& step, const Tensor& t) {
    if (!step.inverse) return std::nullopt;
    try {
        return step.inverse(*step.module, t);
    } catch (const NotImplementedError&) {
        return std::nullopt;
    }
}
std::string original_name(std::size_t i) { return "original" + std::to_string(i); }

} // namespace

cached::cached() { ++cache().depth; }
cached::~cached() {
    if (--cache().depth == 0) cache().values.clear();
}

Tensor ParametrizationListImpl::forward() {
    Args args;
    for (const Tensor& t : originals()) args.emplace_back(t);
    Value x;
    for (std::size_t i = 0; i < size(); ++i) {
        x = ptr(std::int64_t(i))->call_values(i ? Args{x} : args);
        checked_tensor("A parametrization", x);
    }
    return x.toTensor();
}
Value ParametrizationListImpl::forward_values(const Args&, const Kwargs&) { return forward(); }
std::vector<Tensor> ParametrizationListImpl::originals() const {
    // attribute(): a replica has them there, and not as parameters
    if (is_tensor()) return {attribute("original").toTensor()};
    std::vector<Tensor> all;
    for (std::size_t i = 0; i < count_; ++i) all.push_back(attribute(original_name(i)).toTensor());
    return all;
}

Tensor ParametrizationListImpl::start(const Module& owner, const std::string& name, detail::Step step,
                                      const Tensor& original, bool parameter, bool persistent) {
    const bool recording = GradMode::is_enabled();
    NoGradGuard no_grad;
    const Tensor before = original.detach();
    const auto keep = [&](const std::string& as, const Tensor& t) {
        if (!parameter) register_buffer(as, Tensor(t), persistent);
        else if (Parameter::is(t)) register_parameter(as, Tensor(t));
        else register_parameter(as, Parameter(t, original.requires_grad()));
    };
    const std::optional<Value> inverse = inverse_of(step, original);
    add(std::move(step));
    if (!inverse || inverse->isTensor()) {
        if (inverse) {
            const Tensor& fresh = inverse->toTensor();
            REEL_CHECK_VALUE(fresh.scalar_type() == original.scalar_type() && fresh.device() == original.device(),
                             owner.repr_name(), ": parametrization of '", name, "': a right_inverse of one tensor may ",
                             "change neither dtype nor device; the original is ", dtype_name(original.scalar_type()),
                             " on ", original.device(), ", its inverse ", dtype_name(fresh.scalar_type()), " on ",
                             fresh.device());
            set_data_of(original, fresh);
        }
        keep("original", original);
    } else {
        REEL_CHECK_VALUE(inverse->isSequence(), owner.repr_name(), ": parametrization of '", name,
                         "': right_inverse must return a tensor or a tuple of tensors, got ", inverse->kind_name());
        count_ = inverse->elements().size();
        for (std::size_t i = 0; i < count_; ++i)
            keep(original_name(i), checked_tensor("every part of a right_inverse", inverse->elements()[i]).detach());
    }
    try {
        const AutoGradMode as_outside(recording);
        const Tensor value = nn::call(*this);
        if (!unsafe_) check_like("Registering a parametrization", value, before);
        return value;
    } catch (...) {
        set_data_of(original, before); // as if nothing had been asked for
        throw;
    }
}
void ParametrizationListImpl::add(detail::Step step) {
    inverses_.push_back(step.inverse);
    push_back(std::move(step.module));
}
void ParametrizationListImpl::right_inverse(const Tensor& value) {
    NoGradGuard no_grad;
    Value v = value.detach();
    for (std::size_t i = size(); i-- > 0;) {
        REEL_CHECK(inverses_[i], "parametrization ", ptr(std::int64_t(i))->repr_name(),
                   " has no right_inverse: what it makes cannot be assigned");
        v = inverses_[i](*ptr(std::int64_t(i)), checked_tensor("right_inverse", v));
    }
    const std::vector<Tensor> own = originals();
    const std::vector<Value> fresh = is_tensor() ? std::vector<Value>{v} : v.isSequence() ? v.elements() : Args{v};
    REEL_CHECK_VALUE(fresh.size() == own.size(), "right_inverse must return a sequence of tensors of length ",
                     own.size(), ", got one of length ", fresh.size());
    for (std::size_t i = 0; i < own.size(); ++i)
        REEL_CHECK_VALUE(checked_tensor("right_inverse", fresh[i]).scalar_type() == own[i].scalar_type(),
                         "the tensor returned by right_inverse is ", dtype_name(fresh[i].toTensor().scalar_type()),
                         " while the original is ", dtype_name(own[i].scalar_type()));
    for (std::size_t i = 0; i < own.size(); ++i) set_data_of(own[i], fresh[i].toTensor());
}
ModulePtr ParametrizationListImpl::clone(std::optional<Device> device, bool keep_hooks) const {
    auto copy = std::make_shared<ParametrizationListImpl>();
    copy->inverses_ = inverses_;
    copy->count_ = count_;
    copy->unsafe_ = unsafe_;
    copy->copy_from(*this, device, keep_hooks);
    return copy;
}

namespace detail {

namespace {
/// What the tensor becomes by a further parametrization, which must be a function from what it is to the same.
Tensor checked_further(Module& module, const std::string& name, const Step& step) {
    const Tensor now = module.attribute(name).toTensor();
    const Value made = step.module->call_values({Value(now)});
    check_like("Registering a parametrization", checked_tensor("A parametrization", made), now);
    if (const auto back = inverse_of(step, made.toTensor()))
        check_like("The right_inverse of a parametrization", checked_tensor("right_inverse", *back), now);
    return made.toTensor();
}
} // namespace

void register_parametrization(Module& module, const std::string& name, Step step, bool unsafe) {
    REEL_CHECK_VALUE(step.module, module.repr_name(), ": register_parametrization: expected a module, got none");
    step.module->train(module.is_training());
    if (is_parametrized(module, name)) {
        Tensor value;
        if (!unsafe) value = checked_further(module, name, step);
        ParametrizationListImpl& list = list_of(module, name);
        list.add(std::move(step));
        list.unsafe_ |= unsafe;
        cache().values.erase(&list);
        if (unsafe) module.attribute(name);
        else Entry::compute(module, name, Entry::computed_entry(module, name)->how, value);
        return;
    }
    const Tensor* const parameter = module.own_parameters().find(name);
    const Tensor* const buffer = module.own_buffers().find(name);
    REEL_CHECK_VALUE((parameter && parameter->defined()) || (buffer && buffer->defined()), module.repr_name(),
                     " does not have a parameter, a buffer, or a parametrized tensor with name '", name, "'");
    auto list = std::make_shared<ParametrizationListImpl>();
    list->unsafe_ = unsafe;
    list->train(module.is_training());
    const Tensor value = list->start(module, name, std::move(step), parameter ? *parameter : *buffer,
                                     parameter != nullptr, Entry::is_persistent(module, name));
    if (!dict_of(module)) module.add_module(dict_name, std::make_shared<ModuleDictImpl>());
    dict_of(module)->insert(name, list);
    Entry::compute(module, name,
                   std::make_shared<nn::detail::Computation>(
                       nn::detail::Computation{[name](Module& m) { return value_of(m, name); },
                                               [name](Module& m, const Tensor& t) {
                                                   ParametrizationListImpl& list = list_of(m, name);
                                                   list.right_inverse(t);
                                                   cache().values.erase(&list);
                                               }}),
                   value);
}
bool is_parametrized(const Module& module) {
    const ModuleDictImpl* const dict = dict_of(module);
    return dict && dict->size() > 0;
}
bool is_parametrized(const Module& module, const std::string& name) {
    const ModuleDictImpl* const dict = dict_of(module);
    return dict && dict->contains(name);
}

void remove_parametrizations(Module& module, const std::string& name, bool leave_parametrized) {
    REEL_CHECK_VALUE(is_parametrized(module, name), module.repr_name(), " does not have a parametrization on '", name,
                     "'");
    ParametrizationListImpl& list = list_of(module, name);
    REEL_CHECK_VALUE(list.is_tensor() || leave_parametrized, module.repr_name(), ": '", name, "' is made of ",
                     list.originals().size(),
                     " tensors: it cannot be left unparametrized (leave_parametrized = false)");
    const bool parameter = !list.own_parameters().is_empty();
    const bool persistent = parameter || !list.state_dict().is_empty();
    Tensor kept = list.originals().front();
    if (leave_parametrized) {
        NoGradGuard no_grad;
        bool requires_grad = false;
        for (const Tensor& t : list.originals()) requires_grad |= t.requires_grad();
        const Tensor value = module.attribute(name).toTensor();
        if (list.is_tensor()) set_data_of(kept, value);
        else kept = parameter ? Tensor(Parameter(value, requires_grad)) : value.detach();
    }
    Entry::stop_computing(module, name);
    ModuleDictImpl& dict = *dict_of(module);
    dict.pop(name);
    if (dict.empty()) module.unregister_module(dict_name);
    if (parameter) module.register_parameter(name, Tensor(kept), kept.requires_grad());
    else module.register_buffer(name, Tensor(kept), persistent);
}

} // namespace detail

} // namespace reel::nn::utils::parametrize
