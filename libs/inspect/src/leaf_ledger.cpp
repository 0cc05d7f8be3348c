// Keeping the book of leaves.
#include <reel/inspect/leaf_ledger.hpp>

#include <ostream>
#include <unordered_map>
#include <unordered_set>

#include <boost/json.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "recorder_data.hpp"

namespace reel::inspect {

struct LeafLedger::Book {
    struct Step {
        std::int64_t number = 0;
        bool changed = false;
        double grad_norm = 0, change = 0, weight = 0;
    };
    struct Owner {
        NamedOptimizer who;
        std::vector<RemovableHandle> handles;
        std::unordered_map<const TensorImpl*, std::pair<Tensor, double>> before; ///< value and gradient's norm
        std::unordered_map<const TensorImpl*, Step> last;
        std::int64_t steps = 0;
    };

    Book(const nn::Module& m, std::vector<NamedOptimizer> list) : model(&m) {
        for (NamedOptimizer& o : list) owners.push_back(std::make_unique<Owner>(Owner{std::move(o), {}, {}, {}}));
        for (const auto& owner : owners) {
            Owner* o = owner.get();
            o->handles.push_back(
                o->who.optimizer->register_step_pre_hook([o](optim::Optimizer& opt) { begin(*o, opt); }));
            o->handles.push_back(
                o->who.optimizer->register_step_post_hook([o](optim::Optimizer& opt) { end(*o, opt); }));
        }
    }
    ~Book() {
        for (const auto& o : owners)
            for (RemovableHandle& h : o->handles) h.remove();
    }
    static void begin(Owner& o, optim::Optimizer& opt) {
        NoGradGuard guard;
        o.before.clear();
        for (const auto& g : opt.param_groups())
            for (const Tensor& p : g.params())
                o.before[p.impl().get()] = {p.detach().clone(),
                                            p.mutable_grad().defined() ? norm_of(p.mutable_grad()) : 0};
    }
    static void end(Owner& o, optim::Optimizer& opt) {
        NoGradGuard guard;
        ++o.steps;
        for (const auto& g : opt.param_groups())
            for (const Tensor& p : g.params()) {
                const auto it = o.before.find(p.impl().get());
                if (it == o.before.end()) continue;
                Step s;
                s.number = o.steps;
                s.grad_norm = it->second.second;
                s.change = norm_of(p.detach() - it->second.first);
                s.changed = s.change != 0; // NaN is a change
                s.weight = norm_of(p);
                o.last[p.impl().get()] = s;
            }
        o.before.clear();
    }

    const nn::Module* model;
    std::vector<std::unique_ptr<Owner>> owners;
};

LeafLedger::LeafLedger(const nn::Module& model, std::vector<NamedOptimizer> optimizers) {
    for (std::size_t i = 0; i < optimizers.size(); ++i) {
        REEL_CHECK_VALUE(optimizers[i].optimizer, "LeafLedger: optimizers[", i, "] is null; expected an optimizer");
        REEL_CHECK_VALUE(!optimizers[i].name.empty(), "LeafLedger: optimizers[", i, "] has an empty name");
        for (std::size_t k = 0; k < i; ++k)
            REEL_CHECK_VALUE(optimizers[k].name != optimizers[i].name, "LeafLedger: optimizers[", k, "] and [", i,
                             "] are both called '", optimizers[i].name, "'; give each a name of its own");
    }
    book_ = std::make_unique<Book>(model, std::move(optimizers));
}
LeafLedger::~LeafLedger() = default;

std::vector<LedgerEntry> LeafLedger::entries() const {
    struct Place {
        const Book::Owner* owner;
        std::size_t group;
    };
    std::unordered_map<const TensorImpl*, std::vector<Place>> owned;
    for (const auto& o : book_->owners)
        for (std::size_t g = 0; g < o->who.optimizer->param_groups().size(); ++g)
            for (const Tensor& p : o->who.optimizer->param_groups()[g].params())
                owned[p.impl().get()].push_back({o.get(), g});
    std::vector<LedgerEntry> r;
    std::unordered_set<const TensorImpl*> told;
    const auto tell = [&](const std::string& name, const Tensor& p) {
        const TensorImpl* key = p.impl().get();
        if (!told.insert(key).second) return;
        const auto places = owned.find(key);
        if (places == owned.end()) {
            LedgerEntry e;
            e.parameter = name;
            e.requires_grad = p.requires_grad();
            r.push_back(std::move(e));
            return;
        }
        for (const auto& [o, g] : places->second) {
            LedgerEntry e;
            e.parameter = name;
            e.optimizer = o->who.name;
            e.group = g;
            e.lr = o->who.optimizer->param_groups()[g].options().get_lr();
            e.requires_grad = p.requires_grad();
            e.shared = places->second.size() > 1;
            if (const auto s = o->last.find(key); s != o->last.end()) {
                e.step = s->second.number;
                e.stepped = s->second.changed;
                e.grad_norm = s->second.grad_norm;
                e.change = s->second.change;
                e.weight = s->second.weight;
            }
            r.push_back(std::move(e));
        }
    };
    for (const auto& p : book_->model->named_parameters())
        if (p.value().defined()) tell(p.key(), p.value());
    for (const auto& o : book_->owners)
        for (const auto& g : o->who.optimizer->param_groups())
            for (const Tensor& p : g.params()) tell("", p);
    return r;
}

std::string LeafLedger::text() const {
    std::string r;
    for (const LedgerEntry& e : entries()) {
        r += (e.parameter.empty() ? "(not of the model)" : e.parameter) + ": ";
        if (e.optimizer.empty()) r += e.requires_grad ? "NO OWNER, though it requires grad" : "no owner, frozen";
        else {
            r += str(e.optimizer, " group ", e.group, " lr ", e.lr);
            if (e.shared) r += ", SEVERAL OWNERS";
            if (!e.requires_grad) r += ", frozen";
            if (e.step == 0) r += ", no step yet";
            else if (!e.stepped)
                r += str(", step ", e.step, " left it alone", e.grad_norm == 0 ? " (no gradient)" : "");
            else
                r += str(", step ", e.step, " moved it by ", e.change, " (", e.weight > 0 ? e.change / e.weight : 0,
                         " of its norm), gradient norm ", e.grad_norm);
        }
        r += '\n';
    }
    return r;
}
std::string LeafLedger::json() const {
    boost::json::array list;
    for (const LedgerEntry& e : entries())
        list.push_back(boost::json::object{{"parameter", e.parameter},
                                           {"optimizer", e.optimizer},
                                           {"group", e.group},
                                           {"lr", e.lr},
                                           {"requires_grad", e.requires_grad},
                                           {"shared", e.shared},
                                           {"step", e.step},
                                           {"stepped", e.stepped},
                                           {"grad_norm", number(e.grad_norm)},
                                           {"change", number(e.change)},
                                           {"weight", number(e.weight)}});
    return boost::json::serialize(list);
}
std::ostream& operator<<(std::ostream& os, const LeafLedger& ledger) { return os << ledger.text(); }

} // namespace reel::inspect
