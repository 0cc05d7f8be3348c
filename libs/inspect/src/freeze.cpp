// Pinning a module and keeping the list of attempts.
#include <reel/inspect/freeze.hpp>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <ostream>
#include <unordered_map>

#include <boost/json.hpp>

#include <reel/autograd/detail/pin.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/observe.hpp>
#include <reel/nn/module_paths.hpp>

#include "generator_restore.hpp"
#include "optimizer_watch.hpp"

namespace reel::inspect {

PinnedError::~PinnedError() = default;

namespace {
/// The tensor's elements, row-major, in memory of their own.
std::vector<char> bytes_of(const Tensor& t) {
    NoGradGuard guard;
    const Tensor c = t.detach().cpu().contiguous();
    const char* data = static_cast<const char*>(c.data_ptr());
    return std::vector<char>(data, data + std::size_t(c.numel()) * elementSize(c.scalar_type()));
}
} // namespace

struct FreezeGuard::Pinned final : autograd::PinKeeper {
    struct Entry {
        std::string name;
        Tensor tensor;
        StoragePtr storage; ///< held: when the tensor moves elsewhere, nothing else takes the pinned address
        Dims sizes;
        ScalarType dtype;
        std::vector<char> bytes;
        bool is_parameter, required_grad;
        Tensor grad;
    };
    Pinned(nn::Module& m, const FreezeOptions& o) : module(&m), keep_alive(m.weak_from_this().lock()), options(o) {
        const auto keep = [&](const std::string& name, const Tensor& t, bool parameter) {
            if (!t.defined()) return;
            Entry e{name,        t,         t.storage(),       Dims(t.sizes()), t.scalar_type(),
                    bytes_of(t), parameter, t.requires_grad(), Tensor()};
            if (parameter) e.grad = std::exchange(t.mutable_grad(), Tensor());
            names.emplace(t.impl().get(), name);
            names.emplace(t.storage().get(), name);
            entries.push_back(std::move(e));
        };
        if (o.params)
            for (const auto& p : m.named_parameters()) keep(p.key(), p.value(), true);
        if (o.buffers)
            for (const auto& b : m.named_buffers()) keep(b.key(), b.value(), false);
        if (o.mode)
            for (const auto& [path, child] : m.module_items("", true)) {
                modes.emplace_back(child, path);
                names.emplace(child, path.empty() ? m.repr_name() : path);
                alive.push_back(child->weak_from_this().lock());
            }
        for (const auto& [child, path] : modes) was_training.push_back(child->is_training());
        for (optim::Optimizer* optimizer : o.optimizers) {
            members.push_back(members_of(*optimizer));
            optimizers.emplace_back(*optimizer);
        }
        if (o.params)
            for (const Entry& e : entries)
                if (e.is_parameter) e.tensor.requires_grad_(false);
        if (o.mode) m.eval();
        pin();
        const std::lock_guard lock(living().mutex);
        living().guards.push_back(this);
    }
    ~Pinned() override {
        autograd::impl::unpin(*this);
        const std::lock_guard lock(living().mutex);
        std::erase(living().guards, this);
        for (Entry& e : entries)
            if (e.is_parameter && !hand_over(e)) {
                if (e.required_grad) e.tensor.requires_grad_(true);
                if (e.grad.defined() && !e.tensor.mutable_grad().defined()) e.tensor.mutable_grad() = e.grad;
            }
        // from the root down: train() reaches children, which then get their own modes back
        for (std::size_t i = 0; i < modes.size(); ++i) modes[i].first->train(was_training[i]);
        for (Pinned* other : living().guards)
            for (std::size_t i = 0; i < modes.size(); ++i)
                for (std::size_t k = 0; k < other->modes.size(); ++k)
                    if (other->modes[k].first == modes[i].first && was_training[i]) other->was_training[k] = true;
    }
    struct Living {
        std::mutex mutex;
        std::vector<Pinned*> guards;
    };
    static Living& living() {
        static Living* all = new Living; // outlives every guard
        return *all;
    }
    /// A guard made later may still hold the parameter: then that one gives back what this one found.
    bool hand_over(const Entry& e) {
        if (!e.required_grad) return false;
        for (Pinned* other : living().guards)
            for (Entry& theirs : other->entries)
                if (theirs.is_parameter && theirs.tensor.is_same(e.tensor)) {
                    theirs.required_grad = true;
                    if (!theirs.grad.defined()) theirs.grad = e.grad;
                    return true;
                }
        return false;
    }
    void pin() {
        for (const Entry& e : entries) autograd::impl::pin(e.storage.get(), *this);
        for (const auto& [child, path] : modes) autograd::impl::pin(child, *this);
    }

    std::string name_of(const Tensor& t) const {
        for (const void* key : {static_cast<const void*>(t.impl().get()), static_cast<const void*>(t.storage().get())})
            if (const auto it = names.find(key); it != names.end()) return it->second;
        return "?";
    }
    /// A long training repeats itself: the same attempt from the same place is kept once.
    void log(std::string tensor, std::string what, bool happened) {
        WriteAttempt a{std::move(tensor), std::move(what), autograd::CallSite::here().text(), happened, 1};
        const std::lock_guard lock(mutex);
        const auto [it, fresh] =
            known.emplace(str(a.happened, '\n', a.tensor, '\n', a.what, '\n', a.place), list.size());
        if (fresh) list.push_back(std::move(a));
        else ++list[it->second].times;
    }
    void on_write(const Tensor& t, const char* op) override {
        const bool refuse = options.on_write == OnWrite::Refuse;
        log(name_of(t), op, !refuse);
        if (refuse)
            throw PinnedError(str(op, ": '", name_of(t), "' of ", module->repr_name(),
                                  " is pinned by inspect::freeze and must not be written; end the guard first, or "
                                  "freeze with on_write = OnWrite::Log to let writes through"));
    }
    bool on_sweep(const Tensor& t, const char* what) override {
        // An alias may share the memory; only the parameter's own flag is pinned.
        if (std::string_view(what) == "requires_grad_" && !names.count(t.impl().get())) return false;
        log(name_of(t), what, false);
        return true;
    }
    bool on_mode(const void* object, bool on) override {
        if (!on) return true; // it is in evaluation mode already
        if (const auto it = names.find(object); it != names.end()) log("(mode)", "train(true) of " + it->second, false);
        return true;
    }
    const std::vector<WriteAttempt>& attempts() const {
        const std::lock_guard lock(mutex);
        return told = list;
    }
    /// Which of the pinned parameters an optimizer has.
    std::vector<std::string> members_of(const optim::Optimizer& optimizer) const {
        std::vector<std::string> r;
        for (std::size_t g = 0; g < optimizer.param_groups().size(); ++g)
            for (const Tensor& p : optimizer.param_groups()[g].params())
                if (const auto it = names.find(p.impl().get()); it != names.end())
                    r.push_back(str(it->second, " in group ", g));
        return r;
    }

    nn::Module* module;
    nn::ModulePtr keep_alive;
    std::vector<nn::ModulePtr> alive; ///< submodules may be replaced meanwhile
    FreezeOptions options;
    std::vector<Entry> entries;
    std::vector<std::pair<nn::Module*, std::string>> modes;
    std::vector<bool> was_training;
    std::vector<std::vector<std::string>> members;
    std::vector<OptimizerWatch> optimizers;
    std::unordered_map<const void*, std::string> names; ///< of tensors, their memory, and modules
    mutable std::mutex mutex;
    std::vector<WriteAttempt> list;
    std::unordered_map<std::string, std::size_t> known; ///< where in `list`
    mutable std::vector<WriteAttempt> told;
};

FreezeGuard::FreezeGuard(std::unique_ptr<Pinned> pinned) : pinned_(std::move(pinned)) {}
FreezeGuard::FreezeGuard(FreezeGuard&&) noexcept = default;
FreezeGuard& FreezeGuard::operator=(FreezeGuard&&) noexcept = default;
FreezeGuard::~FreezeGuard() = default;
void FreezeGuard::release() { pinned_.reset(); }

namespace {
template <class P> P& still_there(const std::unique_ptr<P>& p) {
    REEL_CHECK(p, "FreezeGuard: this guard was released or moved from, so it pins nothing");
    return *p;
}
std::string difference(const std::vector<char>& before, const std::vector<char>& now, std::size_t element) {
    std::size_t count = 0, first = 0;
    for (std::size_t i = 0; i < before.size(); i += element)
        if (std::memcmp(before.data() + i, now.data() + i, element) != 0 && count++ == 0) first = i / element;
    return str(count, " of ", before.size() / element, " elements differ, the first is number ", first);
}
} // namespace

const std::vector<WriteAttempt>& FreezeGuard::attempts() const { return still_there(pinned_).attempts(); }

FreezeReport FreezeGuard::verify() const {
    Pinned& p = still_there(pinned_);
    FreezeReport r;
    const auto parameters = p.module->named_parameters();
    const auto buffers = p.module->named_buffers();
    for (const Pinned::Entry& e : p.entries) {
        const auto differs = [&](std::string text) { r.differences.push_back({e.name, std::move(text)}); };
        ++r.tensors;
        r.bytes += e.bytes.size();
        const auto& table = e.is_parameter ? parameters : buffers;
        const Tensor now = table.contains(e.name) ? table[e.name] : Tensor();
        if (!now.defined()) differs("it is gone from the module");
        else if (now.scalar_type() != e.dtype || !now.sizes().equals(e.sizes))
            differs(str("it was ", dtype_name(e.dtype), IntArrayRef(e.sizes), ", it is ", dtype_name(now.scalar_type()),
                        now.sizes()));
        else if (const auto bytes = bytes_of(now); bytes != e.bytes)
            differs((now.is_same(e.tensor) ? "" : "another tensor has taken its place; ") +
                    difference(e.bytes, bytes, elementSize(e.dtype)));
        else if (e.is_parameter && now.requires_grad()) differs("it requires grad");
    }
    for (std::size_t i = 0; i < p.optimizers.size(); ++i) {
        const optim::Optimizer* optimizer = p.optimizers[i].get();
        if (!optimizer) continue; // it has ended and changes nothing any more
        const auto now = p.members_of(*optimizer);
        for (const std::string& m : now)
            if (std::find(p.members[i].begin(), p.members[i].end(), m) == p.members[i].end())
                r.differences.push_back({"(optimizer)", m + str(" of optimizer ", i, " is new")});
        for (const std::string& m : p.members[i])
            if (std::find(now.begin(), now.end(), m) == now.end())
                r.differences.push_back({"(optimizer)", m + str(" of optimizer ", i, " is gone")});
    }
    r.attempts = p.attempts();
    return r;
}

PruneReport FreezeGuard::prune_report(const std::function<Tensor()>& loss) const {
    REEL_CHECK_VALUE(loss, "prune_report: loss is an empty function; pass one that computes the loss");
    Pinned& p = still_there(pinned_);
    const GeneratorRestore generator;
    struct Thaw {
        Pinned& p;
        explicit Thaw(Pinned& p) : p(p) { flags(true); }
        ~Thaw() { flags(false); }
        void flags(bool on) const {
            for (const Pinned::Entry& e : p.entries)
                if (e.is_parameter && e.required_grad) e.tensor.impl()->set_requires_grad_flag(on);
        }
    } thaw(p);
    const EnableGradGuard grad;
    const nn::RecordModulePaths paths(*p.module);
    return inspect::prune_report(loss(), *p.module);
}

FreezeGuard freeze(nn::Module& module, const FreezeOptions& options) {
    REEL_CHECK_VALUE(options.params || options.buffers || options.mode,
                     "freeze: params, buffers and mode are all off, so there is nothing to pin; switch one on");
    for (std::size_t i = 0; i < options.optimizers.size(); ++i)
        REEL_CHECK_VALUE(options.optimizers[i], "freeze: optimizers[", i, "] is null; expected an optimizer");
    return FreezeGuard(std::make_unique<FreezeGuard::Pinned>(module, options));
}

std::string FreezeReport::text() const {
    std::string r = str(
        tensors, " tensors, ", bytes,
        " bytes: ", intact() ? std::string("every byte is as it was\n") : str(differences.size(), " differences\n"));
    for (const PinnedDifference& d : differences) r += "  " + d.tensor + ": " + d.text + '\n';
    std::size_t times = 0;
    for (const WriteAttempt& a : attempts) times += a.times;
    if (times > 0) r += str(times, times == 1 ? " attempt" : " attempts", " to change something\n");
    for (const WriteAttempt& a : attempts)
        r += "  " + a.tensor + ": " + a.what + (a.happened ? ", which went through" : ", without effect") +
             (a.place.empty() ? "" : ", at " + a.place) + (a.times > 1 ? str(", ", a.times, " times") : "") + '\n';
    return r;
}
std::string FreezeReport::json() const {
    boost::json::array d, a;
    for (const PinnedDifference& x : differences)
        d.push_back(boost::json::object{{"tensor", x.tensor}, {"text", x.text}});
    for (const WriteAttempt& x : attempts)
        a.push_back(boost::json::object{
            {"tensor", x.tensor}, {"what", x.what}, {"place", x.place}, {"happened", x.happened}, {"times", x.times}});
    return boost::json::serialize(boost::json::object{
        {"intact", intact()}, {"tensors", tensors}, {"bytes", bytes}, {"differences", d}, {"attempts", a}});
}
std::ostream& operator<<(std::ostream& os, const FreezeReport& report) { return os << report.text(); }

} // namespace reel::inspect
