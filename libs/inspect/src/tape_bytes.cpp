// Counting what the tape keeps.
#include <reel/inspect/tape_bytes.hpp>

#include <algorithm>
#include <map>
#include <ostream>
#include <unordered_map>
#include <unordered_set>

#include <boost/json.hpp>

#include <reel/autograd/observe.hpp>
#include <reel/autograd/tape_view.hpp>

#include "recorder_data.hpp"

namespace reel::inspect {

namespace {
using Groups = std::map<std::string, TapeBytes::Group>;

struct Saved {
    std::size_t bytes;
    std::string shape;
    std::vector<std::string> nodes;
};

void add(Groups& groups, const std::string& name, std::size_t bytes) {
    TapeBytes::Group& g = groups[name];
    g.name = name;
    g.bytes += bytes;
    ++g.nodes;
}
std::vector<TapeBytes::Group> largest_first(const Groups& groups) {
    std::vector<TapeBytes::Group> list;
    for (const auto& [name, g] : groups) list.push_back(g);
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    return list;
}
std::unordered_set<const void*> storages_of(const nn::Module& model) {
    std::unordered_set<const void*> own;
    for (const Tensor& p : model.parameters())
        if (p.defined()) own.insert(p.storage().get());
    for (const Tensor& b : model.buffers())
        if (b.defined()) own.insert(b.storage().get());
    return own;
}
} // namespace

TapeBytes tape_bytes(const Tensor& loss, const nn::Module& model, std::size_t top) {
    REEL_CHECK(loss.defined() && loss.requires_grad(), "tape_bytes: loss ",
               loss.defined() ? "does not require grad" : "is undefined",
               "; expected the result of a recorded forward, before its backward");
    const std::unordered_set<const void*> own = storages_of(model);
    const autograd::TapeView view(loss);
    TapeBytes r;
    std::unordered_map<const void*, std::size_t> index; // into storages
    std::vector<Saved> storages;
    std::unordered_set<const void*> of_model;
    Groups modules, places;
    for (std::size_t i = view.size(); i-- > 0;) { // as forward made them
        const autograd::TapeNode& n = view[i];
        TapeBytes::NodeBytes entry{n.name, n.module_path, ""};
        std::unordered_set<const void*> here;
        for (const Tensor& t : n.node->saved_tensors()) {
            if (!t.defined() || !here.insert(t.storage().get()).second) continue;
            const void* key = t.storage().get();
            const std::size_t bytes = t.storage()->nbytes();
            if (own.count(key)) {
                if (of_model.insert(key).second) r.of_model += bytes;
                continue;
            }
            const auto [it, fresh] = index.emplace(key, storages.size());
            if (fresh) storages.push_back({bytes, shape_text(t), {}});
            (fresh ? entry.bytes : entry.shared) += bytes;
            storages[it->second].nodes.push_back(n.name + (n.module_path.empty() ? "" : " in " + n.module_path));
        }
        if (entry.bytes + entry.shared == 0) continue;
        entry.place = autograd::creation_site(*n.node).text();
        r.total += entry.bytes;
        add(modules, entry.module_path.empty() ? "(outside of modules)" : entry.module_path, entry.bytes);
        if (!entry.place.empty()) add(places, entry.place, entry.bytes);
        r.nodes.push_back(std::move(entry));
    }
    r.by_module = largest_first(modules);
    r.by_place = largest_first(places);
    std::stable_sort(storages.begin(), storages.end(),
                     [](const Saved& a, const Saved& b) { return a.bytes > b.bytes; });
    for (std::size_t i = 0; i < std::min(top, storages.size()); ++i)
        r.largest.push_back({storages[i].bytes, storages[i].shape, storages[i].nodes});
    return r;
}

std::string TapeBytes::text() const {
    std::string r = str(total, " bytes kept for backward, and ", of_model, " that are the model's own\n");
    const auto groups = [&](const char* title, const std::vector<Group>& list) {
        if (list.empty()) return;
        r += title;
        for (const Group& g : list)
            r += str("  ", g.bytes, "  ", g.name, " (", g.nodes, g.nodes == 1 ? " node)\n" : " nodes)\n");
    };
    groups("by module\n", by_module);
    groups("by place\n", by_place);
    if (!largest.empty()) r += "what holds the peak\n";
    for (const Holder& h : largest) {
        r += str("  ", h.bytes, "  ", h.shape, " saved by ");
        for (std::size_t i = 0; i < h.nodes.size(); ++i) r += (i ? "; " : "") + h.nodes[i];
        r += '\n';
    }
    return r;
}
std::string TapeBytes::json() const {
    using boost::json::array, boost::json::object;
    array n, m, p, l;
    for (const NodeBytes& x : nodes)
        n.push_back(object{
            {"node", x.node}, {"module", x.module_path}, {"place", x.place}, {"bytes", x.bytes}, {"shared", x.shared}});
    for (const Group& g : by_module) m.push_back(object{{"name", g.name}, {"bytes", g.bytes}, {"nodes", g.nodes}});
    for (const Group& g : by_place) p.push_back(object{{"name", g.name}, {"bytes", g.bytes}, {"nodes", g.nodes}});
    for (const Holder& h : largest) {
        array by;
        for (const std::string& s : h.nodes) by.emplace_back(s);
        l.push_back(object{{"bytes", h.bytes}, {"shape", h.shape}, {"nodes", by}});
    }
    return boost::json::serialize(object{
        {"total", total}, {"of_model", of_model}, {"nodes", n}, {"by_module", m}, {"by_place", p}, {"largest", l}});
}
std::ostream& operator<<(std::ostream& os, const TapeBytes& bytes) { return os << bytes.text(); }

} // namespace reel::inspect
