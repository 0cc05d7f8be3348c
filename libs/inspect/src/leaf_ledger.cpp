// Keeping the book of leaves.
#include <reel/inspect/leaf_ledger.hpp>

#include <algorithm>
#include <ostream>
#include <unordered_map>
#include <unordered_set>

#include <boost/json.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/registered.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "optimizer_watch.hpp"
#include "recorder_data.hpp"

namespace reel::inspect {

struct LeafLedger::Book {
    struct Step {
        std::int64_t number = 0;
        bool changed = false;
        double grad_norm = 0, change = 0, weight = 0;
    };
    struct Place {
        Tensor parameter; // held: no other tensor takes its address
        std::size_t group = 0;
        double lr = 0;
    };
    struct Owner {
        Owner(std::string n, optim::Optimizer& o) : name(std::move(n)), watch(o) {}
        std::string name;
        OptimizerWatch watch;
        std::vector<RemovableHandle> handles;
        std::vector<Place> places;                                               ///< when it was last looked at
        std::unordered_map<const TensorImpl*, std::pair<Tensor, double>> before; ///< value and gradient's norm
        std::unordered_map<const TensorImpl*, Step> last;
        std::int64_t steps = 0;

        bool gone() const { return !watch.get(); }
        void look() {
            const optim::Optimizer* optimizer = watch.get();
            if (!optimizer) return; // what it had last
            places.clear();
            const auto& groups = optimizer->param_groups();
            for (std::size_t g = 0; g < groups.size(); ++g)
                for (const Tensor& p : groups[g].params()) places.push_back({p, g, groups[g].options().get_lr()});
            std::unordered_set<const TensorImpl*> here;
            for (const Place& p : places) here.insert(p.parameter.impl().get());
            std::erase_if(last, [&](const auto& entry) { return !here.count(entry.first); });
        }
    };

    Book(const nn::Module& m, std::vector<NamedOptimizer> list) : model(&m), alive(m.weak_from_this().lock()) {
        for (NamedOptimizer& o : list) {
            owners.push_back(std::make_unique<Owner>(std::move(o.name), *o.optimizer));
            Owner* owner = owners.back().get();
            owner->look();
            owner->handles.push_back(
                o.optimizer->register_step_pre_hook([owner](optim::Optimizer& opt) { begin(*owner, opt); }));
            owner->handles.push_back(
                o.optimizer->register_step_post_hook([owner](optim::Optimizer& opt) { end(*owner, opt); }));
        }
    }
    ~Book() {
        for (const auto& o : owners)
            for (RemovableHandle& h : o->handles) h.remove();
    }
    static void begin(Owner& o, optim::Optimizer& opt) {
        NoGradGuard guard;
        o.look();
        o.before.clear();
        for (const auto& g : opt.param_groups())
            for (const Tensor& p : g.params())
                o.before[p.impl().get()] = {p.detach().clone(),
                                            p.mutable_grad().defined() ? norm_of(p.mutable_grad()) : 0};
    }
    static void end(Owner& o, optim::Optimizer& opt) {
        NoGradGuard guard;
        ++o.steps;
        o.look();
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

    bool gone(const std::string& name) const {
        for (const auto& o : owners)
            if (o->name == name) return o->gone();
        return false;
    }

    const nn::Module* model;
    std::shared_ptr<const nn::Module> alive;
    std::vector<std::unique_ptr<Owner>> owners;
};

namespace {
/// What can be said about a parameter that the model does not have.
std::string stranger_text(const Tensor& p) {
    const std::string former = autograd::impl::left_place(p);
    return shape_text(p) + (former.empty() ? "" : ", formerly '" + former + "'");
}
} // namespace

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
    struct Found {
        const Book::Owner* owner;
        const Book::Place* place;
    };
    std::unordered_map<const TensorImpl*, std::vector<Found>> owned;
    for (const auto& o : book_->owners) {
        o->look();
        for (const Book::Place& p : o->places) owned[p.parameter.impl().get()].push_back({o.get(), &p});
    }
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
        for (const auto& [o, place] : places->second) {
            LedgerEntry e;
            e.parameter = name;
            if (name.empty()) e.stranger = stranger_text(p);
            e.optimizer = o->name;
            e.group = place->group;
            e.lr = place->lr;
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
        for (const Book::Place& p : o->places) tell("", p.parameter);
    return r;
}

std::string LeafLedger::text() const {
    std::string r;
    for (const LedgerEntry& e : entries()) {
        r += (e.parameter.empty() ? "(not of the model: " + e.stranger + ")" : e.parameter) + ": ";
        if (e.optimizer.empty()) r += e.requires_grad ? "NO OWNER, though it requires grad" : "no owner, frozen";
        else {
            r += str(e.optimizer, " group ", e.group, " lr ", e.lr);
            if (book_->gone(e.optimizer)) r += ", THE OPTIMIZER IS GONE";
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
                                           {"gone", book_->gone(e.optimizer)},
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
