// An in-place operation that is refused has written nothing: values, versions and histories are as they were.
#include <optional>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "findings.hpp"

using namespace properties;

namespace {

/// A tensor to be written to, with what its memory belongs to.
struct Target {
    const char* kind;
    Tensor tensor, base;
};

struct Through : autograd::Function<Through> {
    static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x.view(x.sizes()); }
    static variable_list backward(autograd::AutogradContext*, const variable_list& g) { return g; }
};

/// Tensors of the values of `t` that some operations may not write to.
std::vector<Target> targets(const Tensor& t) {
    const Tensor plain = t.detach().clone();
    const auto pair = [&] { return stack({plain, plain}).detach(); };
    std::vector<Target> out;
    const auto add = [&](const char* kind, const Tensor& tensor, const Tensor& base) {
        out.push_back({kind, tensor, base});
    };
    const Tensor several = pair();
    add("one of several views", several.unbind()[1], several);
    if (t.numel() > 1) {
        const Tensor one = plain.reshape({-1}).slice(0, 0, 1).clone(), other = one.clone();
        add("one element", one.reshape({}), one);
        add("an expanded element", other.reshape({}).expand(t.sizes()), other);
    }
    if (t.is_floating_point()) {
        const Tensor b = zeros(t.sizes(), kLong);
        add("integers", b, b);
    }
    if (!isDifferentiableType(t.scalar_type())) return out;
    const Tensor alone = plain.clone().requires_grad_(), leaf = pair().requires_grad_();
    add("a leaf", alone, alone);
    add("a view of a leaf", leaf.select(0, 1), leaf);
    std::vector<Tensor> results;
    for (int i = 0; i < 4; ++i) results.push_back(leaf.clone());
    add("one of several views of a result", results[0].unbind()[1], results[0]);
    add("a Function's view", Through::apply(results[1]), results[1]);
    {
        const NoGradGuard guard;
        add("a view without history", results[2].select(0, 1), results[2]);
        const Tensor off_tape = pair();
        add("a view of a plain tensor made without grad mode", off_tape.select(0, 1), off_tape);
    }
    {
        const InferenceMode guard;
        add("a view made in inference mode", results[3].select(0, 1), results[3]);
    }
    return out;
}

/// What a refused write must leave alone.
struct State {
    Tensor values;
    std::uint32_t version;
    bool requires_grad;
    const void *node, *storage;

    explicit State(const Tensor& t)
        : values(t.detach().clone()), version(t._version()), requires_grad(t.requires_grad()), node(t.grad_fn().get()),
          storage(t.storage().get()) {}
    std::string change(const State& now) const {
        if (!allclose(values, now.values, 0, 0, true)) return "its values changed";
        if (version != now.version) return str("its version is ", now.version, " after ", version);
        if (requires_grad != now.requires_grad) return "requires_grad changed";
        if (node != now.node) return "its history changed";
        return storage == now.storage ? "" : "its memory changed";
    }
};

struct Counts {
    int refused = 0, written = 0;
};

/// Tries one call on one target.
void attempt(const Sample& s, Args args, const Target& target, Findings& findings, Counts& counts) {
    const ops::Op& op = ops::registry().at(s.op);
    args[0] = target.tensor;
    variable_list watched = s.with(s.operands()).operands();
    watched[0] = target.tensor;
    watched.push_back(target.base);
    std::vector<State> before;
    for (const Tensor& t : watched) before.emplace_back(t);
    try {
        s.op.ends_with('_') ? op.call(args, s.kwargs) : op.call_inplace(args, s.kwargs);
        ++counts.written;
        return;
    } catch (const Error&) {
        ++counts.refused;
    }
    const auto change = [&](std::size_t i) -> std::string {
        try {
            return before[i].change(State(watched[i]));
        } catch (const Error& e) {
            return str("it cannot be read any more: ", e.what());
        }
    };
    for (std::size_t i = 0; i < watched.size(); ++i)
        if (const std::string what = change(i); !what.empty())
            findings.add(s, "refused write",
                         str("refused on ", target.kind, ", but of ",
                             i == 0                    ? std::string("the operand ")
                             : i + 1 == watched.size() ? std::string("what it views ")
                                                       : str("operand ", i, " "),
                             what));
}

} // namespace

BOOST_AUTO_TEST_SUITE(refused_writes)

BOOST_AUTO_TEST_CASE(leave_everything_as_it_was) { // E-42, E-47
    Findings findings;
    Counts counts;
    for (const Sample& s : samples()) {
        const ops::Op& op = ops::registry().at(s.op);
        if (s.call || !(op.has_inplace() || s.op.ends_with('_')) || s.args.empty() || !s.args[0].isTensor()) continue;
        std::vector<bool> wanted = differentiable_operands(s);
        for (const bool others_on_tape : {false, true}) {
            if (!others_on_tape) wanted.assign(wanted.size(), false);
            else wanted = differentiable_operands(s);
            wanted[0] = false;
            for (std::size_t k = 0; k < targets(s.args[0].toTensor()).size(); ++k) {
                const Sample fresh = s.with(leaves(s.operands(), wanted));
                attempt(fresh, fresh.args, targets(s.args[0].toTensor())[k], findings, counts);
            }
        }
    }
    findings.judge({"refused write"});
    BOOST_TEST(counts.refused > 3000);
    BOOST_TEST(counts.written > 1000);
}

BOOST_AUTO_TEST_SUITE_END()
