// A module called with other tensors than its own.
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/shape/stack.hpp>
#include <reel/nn/functional_call.hpp>

#include <algorithm>
#include <unordered_map>

#include <reel/autograd/backward.hpp>

#include "module/members.hpp"

namespace reel::nn {

namespace {

using detail::Entry;
using detail::EntryKind;

/// One entry of a module's tables, by its dotted name.
struct Place {
    Module* module;
    std::string name, path;
    EntryKind kind;
    Tensor own;
};

std::vector<Place> places_of(Module& root) {
    std::vector<Place> places;
    for (const auto& [path, module] : root.module_items({}, false)) {
        const std::string prefix = path.empty() ? path : path + ".";
        for (const auto& item : module->own_parameters())
            places.push_back({module, item.key(), prefix + item.key(), EntryKind::Parameter, *item});
        for (const auto& item : module->own_buffers())
            places.push_back({module, item.key(), prefix + item.key(), EntryKind::Buffer, *item});
    }
    return places;
}

[[noreturn]] void unknown_name(const Module& root, const std::string& name, const std::vector<Place>& places) {
    REEL_CHECK_WITH(KeyError, !name.empty(), root.repr_name(), ": functional_call: a tensor has an empty name");
    for (const auto& [path, module] : root.module_items({}, false))
        REEL_CHECK_TYPE(path != name, root.repr_name(), ": functional_call: '", name, "' is a ", module->repr_name(),
                        "; expected the name of a parameter or buffer, such as '", name, ".weight'");
    std::string known;
    for (std::size_t i = 0; i < std::min<std::size_t>(places.size(), 8); ++i)
        known += (i ? ", '" : "'") + places[i].path + "'";
    REEL_THROW(AttributeError, root.repr_name(), ": functional_call: there is no parameter or buffer '", name,
               "'; there are ", known.empty() ? "none" : known, places.size() > 8 ? ", ..." : "");
}

/// What each place gets, undefined where it keeps its own; nothing is changed yet.
std::vector<const Tensor*> assignments(const Module& root, const std::vector<Place>& places,
                                       const NamedTensors& tensors, const FunctionalCallOptions& options) {
    std::unordered_map<std::string, std::size_t> by_path;
    std::unordered_map<const void*, std::vector<std::size_t>> tied;
    for (std::size_t i = 0; i < places.size(); ++i) {
        by_path[places[i].path] = i;
        if (places[i].own.defined()) tied[places[i].own.unsafeGetTensorImpl()].push_back(i);
    }
    std::vector<const Tensor*> given(places.size());
    std::vector<const std::string*> as(places.size()); // the name that was given
    for (const auto& item : tensors) {
        const auto found = by_path.find(item.key());
        if (found == by_path.end()) unknown_name(root, item.key(), places);
        given[found->second] = &*item, as[found->second] = &item.key();
    }
    if (options.tie_weights)
        for (const auto& [_, group] : tied) {
            const auto first = std::find_if(group.begin(), group.end(), [&](std::size_t i) { return given[i]; });
            if (first == group.end()) continue;
            for (const std::size_t i : group) {
                REEL_CHECK_VALUE(!given[i] || given[i]->is_same(*given[*first]), root.repr_name(),
                                 ": functional_call: '", *as[*first], "' and '", *as[i],
                                 "' are one tied parameter, but two tensors were given for it");
                given[i] = given[*first];
            }
        }
    if (!options.strict) return given;
    std::string missing;
    for (std::size_t i = 0; i < places.size(); ++i)
        if (!given[i] && places[i].own.defined()) missing += (missing.empty() ? "'" : ", '") + places[i].path + "'";
    REEL_CHECK_VALUE(missing.empty(), root.repr_name(), ": functional_call: strict, but nothing was given for ",
                     missing);
    return given;
}

} // namespace

struct TensorsInPlace::Exchanged {
    std::vector<Place> places;
    ~Exchanged() {
        for (auto p = places.rbegin(); p != places.rend(); ++p) Entry::lend(*p->module, p->name, p->kind, p->own);
    }
};

TensorsInPlace::TensorsInPlace(Module& module, const NamedTensors& tensors, const FunctionalCallOptions& options)
    : exchanged_(std::make_unique<Exchanged>()) {
    std::vector<Place> places = places_of(module);
    const std::vector<const Tensor*> given = assignments(module, places, tensors, options);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!given[i]) continue;
        exchanged_->places.push_back(places[i]);
        Entry::lend(*places[i].module, places[i].name, places[i].kind, *given[i]);
    }
}
TensorsInPlace::~TensorsInPlace() = default;

Value functional_call(Module& module, const NamedTensors& tensors, const Args& args, const Kwargs& kwargs,
                      const FunctionalCallOptions& options) {
    const TensorsInPlace scope(module, tensors, options);
    return module.call_values(args, kwargs);
}

NamedTensors per_sample_grads(Module& module, const std::function<Tensor(const Tensor&, std::int64_t)>& loss,
                              const Tensor& batch) {
    REEL_CHECK_VALUE(batch.defined() && batch.dim() > 0, module.repr_name(),
                     ": per_sample_grads: the batch needs a dimension of samples");
    std::vector<std::string> names;
    std::vector<Tensor> parameters;
    for (const auto& item : module.named_parameters()) {
        if (!item->requires_grad()) continue;
        names.push_back(item.key());
        parameters.push_back(*item);
    }
    std::vector<std::vector<Tensor>> rows(parameters.size());
    for (std::int64_t i = 0; i < batch.size(0); ++i) {
        const AutoGradMode recording(true);
        const Tensor output = module.call_values({Value(batch.narrow(0, i, 1))}).toTensor();
        const auto grads = autograd::grad({loss(output, i)}, parameters, {}, std::nullopt, false, true);
        for (std::size_t p = 0; p < parameters.size(); ++p)
            rows[p].push_back(grads[p].defined() ? grads[p] : zeros_like(parameters[p]).detach());
    }
    NamedTensors result;
    for (std::size_t p = 0; p < parameters.size(); ++p)
        result.insert(names[p], rows[p].empty() ? parameters[p].detach().new_empty([&] {
            std::vector<std::int64_t> sizes = parameters[p].sizes().vec();
            sizes.insert(sizes.begin(), 0);
            return sizes;
        }())
                                                : stack(rows[p]));
    return result;
}

} // namespace reel::nn
