// What freezing takes off a backward pass: which nodes only lead to frozen leaves.
#include <reel/inspect/freeze.hpp>

#include <ostream>
#include <unordered_map>
#include <unordered_set>

#include <boost/json.hpp>

#include <reel/autograd/observe.hpp>
#include <reel/autograd/tape_view.hpp>

#include "backward_flops.hpp"

namespace reel::inspect {

using autograd::TapeNode;
using autograd::TapeView;

namespace {

/// What `node` saves for the operands in `needed` alone. One factor of a product is saved for the gradient of the
/// other: behind a frozen leaf that one falls away.
std::vector<Tensor> still_saved(const TapeView& view, const TapeNode& node, const std::vector<bool>& needed) {
    std::vector<Tensor> saved = node.node->saved_tensors();
    const auto starts = [&](const char* s) { return node.name.rfind(s, 0) == 0; };
    if (!starts("Linear") && !starts("Conv") && !starts("Matmul") && !starts("Mm") && !starts("Bmm") && !starts("Mul"))
        return saved;
    const auto leaf_behind = [&](const TapeNode::Link& link) {
        const Tensor leaf = link.node >= 0 ? autograd::leaf_of(*view[std::size_t(link.node)].node) : Tensor();
        return leaf.defined() && (leaf.dim() > 1 || starts("Mul")) ? leaf : Tensor(); // not a bias
    };
    for (const TapeNode::Link& link : node.inputs) {
        if (link.node < 0 || needed[std::size_t(link.node)]) continue;
        if (const Tensor leaf = leaf_behind(link); leaf.defined())
            std::erase_if(saved, [&](const Tensor& t) { return t.defined() && t.storage() != leaf.storage(); });
        else if (!view[std::size_t(link.node)].is_leaf())
            for (const TapeNode::Link& other : node.inputs)
                if (const Tensor factor = leaf_behind(other); factor.defined())
                    std::erase_if(saved,
                                  [&](const Tensor& t) { return t.defined() && t.storage() == factor.storage(); });
    }
    return saved;
}

std::string amount(double v, const char* unit) {
    const char* prefix[] = {"", "k", "M", "G", "T"};
    int i = 0;
    while (v >= 10000 && i < 4) v /= 1000, ++i;
    return str(std::int64_t(v * 10 + 0.5) / 10.0, ' ', prefix[i], unit);
}

} // namespace

PruneReport prune_report(const Tensor& loss, const nn::Module& frozen) {
    REEL_CHECK(loss.defined(), "prune_report: loss is undefined");
    REEL_CHECK(loss.requires_grad(),
               "prune_report: loss does not require grad; compute it with grad mode on and before "
               "freezing, so that there is a tape to compare with");
    std::unordered_set<const TensorImpl*> dropped;
    for (const Tensor& p : frozen.parameters())
        if (p.defined()) dropped.insert(p.impl().get());
    const TapeView view(loss);
    PruneReport r;
    // From the leaves to the root: does anything that still learns lie behind the node?
    std::vector<bool> needed(view.size(), false);
    for (std::size_t i = view.size(); i-- > 0;) {
        if (view[i].is_leaf()) {
            needed[i] = !dropped.count(autograd::leaf_of(*view[i].node).impl().get());
            continue;
        }
        for (const TapeNode::Link& link : view[i].inputs)
            if (link.node >= 0 && needed[std::size_t(link.node)]) needed[i] = true;
    }
    std::unordered_set<const void*> kept;
    for (std::size_t i = 0; i < view.size(); ++i)
        if (needed[i])
            for (const Tensor& t : still_saved(view, view[i], needed))
                if (t.defined()) kept.insert(t.storage().get());
    std::unordered_set<const void*> counted;
    for (std::size_t i = 0; i < view.size(); ++i) {
        const TapeNode& n = view[i];
        if (n.is_leaf()) {
            if (needed[i]) continue;
            ++r.accumulators;
            const Tensor leaf = autograd::leaf_of(*n.node);
            r.grad_bytes += std::size_t(leaf.numel()) * elementSize(leaf.scalar_type());
            continue;
        }
        ++r.nodes_before;
        r.nodes_after += needed[i];
        PruneReport::Item item{n.name, n.module_path, !needed[i]};
        const double always = flops_of_node(n);
        r.flops_before += always;
        if (item.whole) item.flops += always;
        for (std::size_t e = 0; e < n.inputs.size(); ++e) {
            if (n.inputs[e].node < 0) continue;
            const double flops = flops_of_edge(view, n, e);
            r.flops_before += flops;
            if (!needed[std::size_t(n.inputs[e].node)]) item.flops += flops;
        }
        for (const Tensor& t : n.node->saved_tensors())
            if (t.defined() && !kept.count(t.storage().get()) && counted.insert(t.storage().get()).second)
                item.bytes += t.storage()->nbytes();
        r.flops_saved += item.flops;
        r.bytes_saved += item.bytes;
        if (item.whole || item.flops > 0 || item.bytes > 0) r.items.push_back(std::move(item));
    }
    r.bytes_before = view.saved_bytes();
    return r;
}

std::string PruneReport::text() const {
    std::string r;
    for (const Item& i : items)
        r += str(i.whole ? "  dropped  " : "  less     ", i.node, i.module_path.empty() ? "" : " in ", i.module_path,
                 ": ", amount(i.flops, "FLOP"), ", ", amount(double(i.bytes), "B"), '\n');
    return str("freezing drops ", nodes_before - nodes_after, " of ", nodes_before, " backward nodes and ",
               accumulators, " accumulators; saves ", amount(flops_saved, "FLOP"), " of ", amount(flops_before, "FLOP"),
               ", ", amount(double(bytes_saved), "B"), " of ", amount(double(bytes_before), "B"),
               " kept for backward, and ", amount(double(grad_bytes), "B"), " of gradients\n", r);
}
std::string PruneReport::json() const {
    boost::json::array list;
    for (const Item& i : items)
        list.push_back(boost::json::object{
            {"node", i.node}, {"module", i.module_path}, {"whole", i.whole}, {"flops", i.flops}, {"bytes", i.bytes}});
    return boost::json::serialize(boost::json::object{{"items", list},
                                                      {"nodes_before", nodes_before},
                                                      {"nodes_after", nodes_after},
                                                      {"accumulators", accumulators},
                                                      {"flops_before", flops_before},
                                                      {"flops_saved", flops_saved},
                                                      {"bytes_before", bytes_before},
                                                      {"bytes_saved", bytes_saved},
                                                      {"grad_bytes", grad_bytes}});
}
std::ostream& operator<<(std::ostream& os, const PruneReport& report) { return os << report.text(); }

} // namespace reel::inspect
