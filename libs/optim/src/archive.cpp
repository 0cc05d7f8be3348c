// Optimizers in archives.
#include <algorithm>

#include <reel/autograd/archive.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/optim/optimizer.hpp>

#include "old_archive.hpp"

namespace reel::optim {

namespace {
template <class F> struct Each final : FieldVisitor {
    explicit Each(F f) : f(f) {}
    void visit(const FieldRef& field) override { f(field); }
    F f;
};
template <class F> void each_field(const Fields& o, F f) {
    Each<F> v(f);
    const_cast<Fields&>(o).fields(v); // only lists; callers with a const object only read
}
/// Sets the fields that the archive has; one of the wrong kind is named by its path.
void read_field(const FieldRef& f, const serialize::InputArchive& archive) {
    Value v;
    if (!archive.try_read(f.name, v)) return;
    try {
        f.set(v);
    } catch (const Error& e) {
        REEL_THROW(TypeError, "load: ", archive.path_of(f.name), ": ", e.msg());
    }
}
} // namespace

void OptimizerOptions::serialize(serialize::OutputArchive& archive) const {
    std::vector<Value> given;
    each_field(*this, [&](const FieldRef& f) {
        archive.write(f.name, f.get());
        if (f.given && *f.given) given.emplace_back(f.name);
    });
    archive.write("given", Value::list(std::move(given)));
    archive.mark_standard();
}
void OptimizerOptions::serialize(serialize::InputArchive& archive) {
    std::vector<std::string> given;
    Value names;
    const bool marked = archive.try_read("given", names);
    if (marked)
        for (const Value& n : names.elements()) given.push_back(n.toStringRef());
    each_field(*this, [&](const FieldRef& f) {
        read_field(f, archive);
        if (f.given && marked) *f.given = std::find(given.begin(), given.end(), f.name) != given.end();
    });
}
void OptimizerParamState::serialize(serialize::OutputArchive& archive) const {
    each_field(*this, [&](const FieldRef& f) {
        if (const Value v = f.get(); !v.isNone()) archive.write(f.name, v);
    });
    archive.mark_standard();
}
void OptimizerParamState::serialize(serialize::InputArchive& archive) {
    each_field(*this, [&](const FieldRef& f) { read_field(f, archive); });
}

void Optimizer::save(serialize::OutputArchive& archive) const {
    const_cast<Optimizer*>(this)->settle();
    serialize::OutputArchive groups, states;
    std::int64_t number = 0;
    std::unordered_map<const void*, std::int64_t> seen;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        const OptimizerParamGroup& g = groups_[i];
        serialize::OutputArchive group, options;
        std::vector<Value> numbers;
        for (const Tensor& p : g.params()) {
            const auto [at, fresh] = seen.emplace(p.unsafeGetTensorImpl(), number);
            numbers.emplace_back(at->second);
            if (!fresh) continue;
            if (const auto s = state_.find(p.unsafeGetTensorImpl()); s != state_.end() && s->second) {
                serialize::OutputArchive state;
                s->second->serialize(state);
                states.write(std::to_string(number), state);
            }
            ++number;
        }
        g.options().serialize(options);
        group.write("params", Value::list(std::move(numbers)));
        group.write("options", options);
        if (!g.extra().empty()) group.write("extra", Value(g.extra()));
        group.mark_standard();
        groups.write(std::to_string(i), group);
    }
    groups.mark_standard();
    states.mark_standard();
    archive.write("param_groups", groups);
    archive.write("state", states);
    archive.mark_standard();
}

void Optimizer::load(serialize::InputArchive& archive) {
    if (Value groups; archive.try_read("param_groups", groups) && groups.isList())
        return load_state_dict(archive.value());
    if (detail::is_old_archive(archive)) {
        REEL_CHECK_VALUE(groups_.size() == 1,
                         "load: the archive is older than parameter groups, and this optimizer has ", groups_.size(),
                         "; load it into an optimizer with one");
        state_ = detail::old_states(archive, groups_[0].params(), [this] { return make_state(); });
        REEL_WARN(
            "load: the archive is in the old serialization format, of libtorch before 1.5, which has no parameter "
            "groups: the states were read, the options stay as they are. Save the optimizer again");
        return;
    }
    serialize::InputArchive groups, states;
    archive.read("param_groups", groups);
    archive.read("state", states);
    const std::size_t saved = groups.keys().size();
    REEL_CHECK_VALUE(saved == groups_.size(), "load: the archive has ", saved, " parameter groups, this optimizer has ",
                     groups_.size());
    // Everything is prepared first, so that an error leaves the optimizer as it was.
    NoGradGuard no_grad;
    std::vector<OptimizerParamGroup> fresh(groups_.begin(), groups_.end());
    StateMap made;
    for (std::size_t i = 0; i < fresh.size(); ++i) {
        serialize::InputArchive group, options;
        Value numbers, extra;
        groups.read(std::to_string(i), group);
        group.read("params", numbers);
        group.read("options", options);
        const auto& params = fresh[i].params();
        REEL_CHECK_VALUE(numbers.elements().size() == params.size(), "load: ", group.path(), " of the archive has ",
                         numbers.elements().size(), " parameters, this optimizer's group has ", params.size());
        fresh[i].options().serialize(options);
        fresh[i].options().check();
        fresh[i].extra().clear();
        if (group.try_read("extra", extra)) fresh[i].extra() = extra.toGenericDict();
        for (std::size_t k = 0; k < params.size(); ++k) {
            serialize::InputArchive entry;
            if (!states.try_read(std::to_string(numbers.elements()[k].toInt()), entry)) continue;
            auto state = make_state();
            state->serialize(entry);
            each_field(*state, [&](const FieldRef& f) {
                const Value v = f.get();
                if (!v.isTensor() || !v.toTensor().defined() || v.toTensor().dim() == 0) return;
                const Tensor& t = v.toTensor();
                const bool alike = state->shaped_like_parameter(f.name);
                REEL_CHECK_VALUE(!alike || t.sizes().equals(params[k].sizes()), "load: ", entry.path_of(f.name),
                                 " has shape ", t.sizes(), ", the parameter has ", params[k].sizes());
                const TensorOptions as_parameter(params[k].scalar_type());
                Tensor copy = alike ? reel::empty_like(params[k], as_parameter)
                                    : reel::empty(t.sizes(), as_parameter.device(params[k].device()));
                copy.copy_(t);
                f.set(copy);
            });
            made[params[k].unsafeGetTensorImpl()] = std::move(state);
        }
    }
    groups_ = std::move(fresh);
    state() = std::move(made);
}

} // namespace reel::optim
