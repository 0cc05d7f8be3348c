// Leaves and modules that a recording saw and the model does not have.
#include "unregistered.hpp"

#include <unordered_map>
#include <unordered_set>

#include <reel/autograd/registered.hpp>

namespace reel::inspect {

namespace {

/// The modules that are registered below `model`, and their parameters.
struct Known {
    void add(const nn::Module& model) {
        for (const auto& [path, m] : model.module_items("", true)) modules.insert(m);
        for (const auto& [name, p] : model.parameter_items("", true, true))
            if (p.defined()) leaves.insert(p.impl().get());
    }
    std::unordered_set<const void*> modules, leaves;
};

void add_leaves(const Known& known, const RecorderData& data, std::vector<std::string>& out) {
    std::unordered_set<const TensorImpl*> told;
    for (const NodePtr& n : data.nodes) {
        if (n->module_path().empty()) continue; // outside of every call: targets, the loss's own weights
        for (const autograd::Edge& e : n->next_edges()) {
            if (!e.is_valid()) continue;
            const Tensor leaf = autograd::leaf_of(*e.function);
            if (!leaf.defined() || known.leaves.count(leaf.impl().get()) || !told.insert(leaf.impl().get()).second)
                continue;
            const std::string former = autograd::impl::left_place(leaf);
            out.push_back(str(
                shape_text(leaf), leaf.name().empty() ? "" : " '" + leaf.name() + "'", " requires grad, is used by ",
                data.describe(*n, false),
                former.empty() ? " and is no parameter of the model: an input, or forgotten by register_parameter"
                               : " and was '" + former + "' until another tensor took its place: assign the member"));
        }
    }
}
void add_modules(const Known& known, const RecorderData& data, std::vector<std::string>& out) {
    std::unordered_map<const void*, std::size_t> calls;
    std::vector<const RecorderData::CallEvent*> first;
    for (const auto& c : data.calls) // what is called beside the model is another one
        if (known.modules.count(c.inside) && !known.modules.count(c.module) && calls[c.module]++ == 0)
            first.push_back(&c);
    for (const auto* c : first) {
        const nn::Module* m = data.alive(c->module);
        if (!m || m->parameters().empty()) continue;
        const std::string place = c->site.text();
        out.push_back(str(m->repr_name(), " was called",
                          calls[c->module] > 1 ? str(' ', calls[c->module], " times") : "", " by ",
                          data.path_of(c->inside),
                          " and is not below the model, nor are its parameters: forgotten by register_module",
                          place.empty() ? "" : "; called by " + place));
    }
}

} // namespace

std::vector<std::string> find_unregistered(const nn::Module& model, const RecorderData& data) {
    Known known;
    known.add(model);
    known.add(*data.model);
    std::vector<std::string> out;
    add_leaves(known, data, out);
    add_modules(known, data, out);
    return out;
}

} // namespace reel::inspect
