// Values of forward, put together from what the nodes of a tape saved.
#include "forward_values.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <reel/autograd/detail/saved_values.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/observe.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tape_view.hpp>

namespace reel::inspect {

namespace {

using autograd::Node;
using autograd::TapeNode;

/// Whether a result is finite, if that is known.
enum class Finite { Unknown, Yes, No };

Finite finite(const Tensor& t) {
    if (!t.defined() || t.is_meta()) return Finite::Unknown;
    if (!isDifferentiableType(t.scalar_type())) return Finite::Yes;
    return reel::isfinite(t.detach()).all().item<bool>() ? Finite::Yes : Finite::No;
}

/// The results of forward, in the order in which it made them.
class ForwardValues {
public:
    explicit ForwardValues(const Tensor& loss) : tape_(loss), results_(tape_.size()) {
        for (std::size_t i = 0; i < tape_.size(); ++i) results_[i].resize(tape_[i].outputs.size());
        if (tape_.root(0) >= 0) set(std::size_t(tape_.root(0)), std::size_t(loss.output_nr()), loss);
        for (std::size_t i = 0; i < tape_.size(); ++i) take_saved(i);
        for (std::size_t i = tape_.size(); i-- > 0;) // what an op was made from was made before
            if (!is_leaf(i)) compute(i);
    }

    std::optional<NonFinite> first() const {
        std::optional<NonFinite> r;
        std::vector<bool> told(tape_.size());
        for (std::size_t i = tape_.size(); i-- > 0;) {
            const Tensor* const t = result_that_is_not(i);
            if (!t || is_leaf(i) || follows_from_another(i)) continue;
            std::optional<NonFinite> f = found(i, *t, told);
            if (!f) continue;
            if (!r) r = std::move(f);
            else r->others.push_back(*std::move(f));
        }
        if (r) r->text += text_of(r->others);
        return r;
    }

private:
    bool is_leaf(std::size_t i) const { return tape_[i].is_leaf(); }
    void set(std::size_t i, std::size_t slot, const Tensor& t) {
        if (slot < results_[i].size() && !results_[i][slot].defined()) results_[i][slot] = t.detach();
    }
    /// What node `i` saved is its own result, or one of those that it was made from.
    void take_saved(std::size_t i) {
        Node& node = *tape_[i].node;
        if (const Tensor leaf = autograd::leaf_of(node); leaf.defined()) return set(i, 0, leaf);
        for (const Tensor& t : autograd::impl::saved_with_history(node)) {
            if (!t.defined() || !t.requires_grad()) continue;
            const autograd::Edge from = autograd::gradient_edge(t);
            if (from.function.get() == &node) set(i, from.input_nr, t);
            else
                for (const TapeNode::Link& link : tape_[i].inputs)
                    if (link.node >= 0 && tape_[std::size_t(link.node)].node == from.function &&
                        link.slot == from.input_nr)
                        set(std::size_t(link.node), link.slot, t);
        }
    }
    const Tensor* operand(const TapeNode::Link& link) const {
        if (link.node < 0) return nullptr;
        const std::vector<Tensor>& results = results_[std::size_t(link.node)];
        return link.slot < results.size() && results[link.slot].defined() ? &results[link.slot] : nullptr;
    }
    /// An op over known tensors and nothing else can be asked again.
    void compute(std::size_t i) {
        const auto* node = dynamic_cast<const autograd::RuleNode*>(tape_[i].node.get());
        if (!node || results_[i].size() != 1 || results_[i][0].defined()) return;
        const ops::Op* op = ops::registry().find(node->op());
        Args operands;
        for (const TapeNode::Link& link : tape_[i].inputs) {
            const Tensor* t = operand(link);
            if (!t) return;
            operands.emplace_back(*t);
        }
        const auto takes_them = [&](const ops::Schema& s) {
            return s.arguments.size() == operands.size() && !s.is_random &&
                   std::all_of(s.arguments.begin(), s.arguments.end(),
                               [](const auto& a) { return a.type == "Tensor"; });
        };
        if (!op || operands.empty() || std::none_of(op->schemas.begin(), op->schemas.end(), takes_them)) return;
        try {
            const Value result = op->call(operands);
            if (result.isTensor() && result.toTensor().sizes().equals(IntArrayRef(tape_[i].outputs[0].sizes)))
                set(i, 0, result.toTensor());
        } catch (const Error&) { // another op of that name
        }
    }
    const Tensor* result_that_is_not(std::size_t i) const {
        for (const Tensor& t : results_[i])
            if (finite(t) == Finite::No) return &t;
        return nullptr;
    }
    /// Is there a known result of another op in front of node `i`, and between them none, that is not finite either?
    bool follows_from_another(std::size_t i) const {
        std::vector<std::size_t> before;
        gather_unknown(i, before);
        before.push_back(i);
        return std::any_of(before.begin(), before.end(), [&](std::size_t k) {
            const auto& inputs = tape_[k].inputs;
            return std::any_of(inputs.begin(), inputs.end(), [&](const TapeNode::Link& link) {
                const Tensor* from = operand(link);
                return from && !is_leaf(std::size_t(link.node)) && finite(*from) == Finite::No;
            });
        });
    }
    /// Result `t` of node `i` is not finite, and follows from no other op's: what is to be told, unless it has been.
    std::optional<NonFinite> found(std::size_t i, const Tensor& t, std::vector<bool>& told) const {
        std::vector<std::size_t> ops; // this one, and those in front of it whose results nobody saved
        gather_unknown(i, ops);
        std::sort(ops.begin(), ops.end(), std::greater<std::size_t>());
        ops.push_back(i);
        for (const std::size_t k : ops)
            if (const auto link = leaf_that_is_not(k)) {
                const bool before = told[std::size_t(tape_[k].inputs[*link].node)];
                told[std::size_t(tape_[k].inputs[*link].node)] = true;
                return before ? std::nullopt : std::optional(from_leaf(k, *link));
            }
        if (std::any_of(ops.begin(), ops.end(), [&](std::size_t k) { return told[k]; })) return std::nullopt;
        for (const std::size_t k : ops) told[k] = true;
        NonFinite f = named(ops.front());
        f.nan = reel::isnan(t).any().item<bool>();
        const char* const what = f.nan ? "NaN" : "infinity";
        if (ops.size() == 1) {
            f.text = str(f.node, in(f), " made the first ", what, " of forward, in its result", by(f));
            return f;
        }
        f.text = str("forward made the first ", what, " in ", f.node, in(f), by(f));
        for (std::size_t k = 1; k < ops.size(); ++k) f.text += ", or in " + tape_[ops[k]].name;
        f.text += ": of their results only that of the last was kept";
        return f;
    }
    /// What has nothing to do with the first, told behind it.
    static std::string text_of(std::vector<NonFinite>& others) {
        constexpr std::size_t most = 4;
        std::string r;
        for (std::size_t k = 0; k < others.size(); ++k) {
            NonFinite& f = others[k];
            if (const std::size_t first = f.text.find("the first "); first != f.text.npos)
                f.text.replace(first, 10, f.nan ? "a " : "an ");
            if (k < most) r += "\napart from it: " + f.text;
        }
        if (others.size() > most) r += str("\nand ", others.size() - most, " more");
        return r;
    }
    /// The operand of node `i` that is a leaf and not finite.
    std::optional<std::size_t> leaf_that_is_not(std::size_t i) const {
        for (std::size_t k = 0; k < tape_[i].inputs.size(); ++k) {
            const TapeNode::Link& link = tape_[i].inputs[k];
            const Tensor* from = operand(link);
            if (from && is_leaf(std::size_t(link.node)) && finite(*from) == Finite::No) return k;
        }
        return std::nullopt;
    }
    NonFinite from_leaf(std::size_t i, std::size_t k) const {
        const Tensor& from = *operand(tape_[i].inputs[k]);
        NonFinite f = named(i);
        f.arrived = true;
        f.operand = k;
        f.nan = reel::isnan(from).any().item<bool>();
        f.text = str("operand ", k, " of ", f.node, in(f), ", a leaf of shape ", from.sizes(), ", holds ",
                     f.nan ? "NaN" : "infinity", by(f));
        return f;
    }
    void gather_unknown(std::size_t i, std::vector<std::size_t>& out) const {
        for (const TapeNode::Link& link : tape_[i].inputs) {
            if (link.node < 0 || operand(link)) continue;
            const auto k = std::size_t(link.node);
            if (std::find(out.begin(), out.end(), k) != out.end()) continue;
            out.push_back(k);
            gather_unknown(k, out);
        }
    }
    NonFinite named(std::size_t i) const {
        NonFinite f;
        f.forward = true;
        f.node = tape_[i].name;
        f.module_path = tape_[i].node->module_path();
        f.place = autograd::creation_site(*tape_[i].node).text();
        return f;
    }
    static std::string in(const NonFinite& f) { return f.module_path.empty() ? "" : " in " + f.module_path; }
    static std::string by(const NonFinite& f) { return f.place.empty() ? "" : ", called by " + f.place; }

    autograd::TapeView tape_;
    std::vector<std::vector<Tensor>> results_; ///< by node and slot; undefined: unknown
};

} // namespace

std::optional<NonFinite> first_non_finite_value(const Tensor& loss) {
    const NoGradGuard guard;
    return ForwardValues(loss).first();
}

} // namespace reel::inspect
