// What a Recorder has seen, in order.
#pragma once

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <boost/json/value.hpp>

#include <reel/autograd/anomaly.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/autograd/observe.hpp>
#include <reel/inspect/recorder.hpp>
#include <reel/nn/module_paths.hpp>

namespace reel::inspect {

using autograd::CallSite;
using autograd::CutKind;
using autograd::HookRef;
using autograd::Node;
using autograd::NodePtr;

/// L2 norm as a number, NaN for tensors without one. Records nothing.
double norm_of(const Tensor& t);
/// `float32[3, 4]`.
std::string shape_text(const Tensor& t);

/// For JSON, which has no NaN and no infinity: null.
inline boost::json::value number(double v) { return std::isfinite(v) ? boost::json::value(v) : nullptr; }

/// One recording. Order of events is `clock`, which counts everything. Nodes, leaves and modules are told apart by
/// their addresses, so what an event names is kept alive: no other object can take its address while the recording
/// lasts.
class RecorderData final : public autograd::Observer {
public:
    struct CutEvent {
        std::uint64_t at;
        CutKind kind;
        std::string op;
        NodePtr source; ///< made the value; null: a leaf
        TensorImplPtr leaf;
        std::string module_path;
        CallSite site;
    };
    struct ClearEvent {
        std::uint64_t at;
        TensorImplPtr leaf;
        std::string by;
        bool to_none;
        CallSite site;
    };
    struct CallEvent {
        std::uint64_t at;
        const void* module;
        bool grad_mode, threw = false;
        CallSite site;
        const void* inside = nullptr; ///< the module whose call it was made in
    };
    struct HookEvent {
        enum class What { Registered, Removed, Fired };
        std::uint64_t at = 0;
        What what = What::Fired;
        HookRef hook{};
        NodePtr running; ///< of a backward pass
        std::vector<std::string> shapes;
        std::vector<double> norms;
        double start_us = 0, took_us = 0;
        bool replaced = false, returned_none = false, called = true;
        bool returned = false; ///< else it threw
        std::int64_t pass = -1;
        CallSite site;
    };
    struct WriteEvent {
        std::uint64_t at;
        const void* storage; ///< asked for only where a node has held it since before
        std::string op, module_path;
        CallSite site;
    };
    struct SavedEvent {
        std::uint64_t at;
        const Node* node;
        std::vector<std::uint32_t> versions; ///< of what it saved; 0 where there is nothing
    };
    struct NodeRun {
        NodePtr node; ///< may be older than the recording: kept alive here
        std::uint64_t at = 0;
        bool finished = false;               ///< else it threw, or the pass was stopped there
        std::vector<bool> arrived, produced; ///< by slot and by edge, in the latest run
        std::vector<double> norms;           ///< of what arrived
    };

    /// A backward pass, with those that ran inside of it (reentrant checkpoints).
    struct Pass {
        std::int64_t id;
        std::uint64_t begin, end;              ///< of its first and its last node
        std::size_t nodes_before, nodes_after; ///< how many nodes were made until then
    };
    /// The step that the latest pass belongs to: everything since the last earlier pass that knew nothing of its nodes.
    struct LatestStep {
        std::uint64_t since = 0;    ///< events after this belong to it
        std::size_t first_node = 0; ///< of `nodes`
        const Pass* pass = nullptr; ///< null: there was none
    };

    RecorderData(const nn::Module& model, const RecorderOptions& options);
    ~RecorderData() override;
    LatestStep latest_step() const;
    void stop();
    void clear();

    /// Dotted path of a module below the model, "" when it is not there. The model itself goes by its class.
    const std::string& path_of(const void* module) const;
    /// A module that was called, null when it is gone.
    const nn::Module* alive(const void* module) const;
    /// Name of a parameter of the model, "" when it is none.
    const std::string& name_of(const TensorImpl* leaf) const;
    /// `LinearBackward0 in 0.fc`, with its place when that is known.
    std::string describe(const Node& node, bool with_place = true) const;
    double now_us() const;
    /// Takes in what the model got since the recorder was opened: replaced heads, lazy parameters.
    void look_again() const;

    const nn::Module* model;
    RecorderOptions options;
    std::vector<NodePtr> nodes;
    std::vector<std::uint64_t> made_at; ///< of `nodes`
    std::unordered_map<const Node*, NodeRun> runs;
    std::vector<CutEvent> cuts;
    std::vector<ClearEvent> clears;
    std::vector<CallEvent> calls;
    std::vector<HookEvent> hooks;
    std::vector<WriteEvent> writes;
    std::vector<SavedEvent> saved;
    /// When each leaf last got a gradient; its accumulator is in `runs` and holds it.
    std::unordered_map<const TensorImpl*, std::uint64_t> accumulated;
    std::vector<Pass> passes; ///< in the order in which they began

    // Observer
    void value_cut(CutKind kind, const char* op, const Tensor& input) override;
    void grad_cleared(const Tensor& leaf, const char* by, bool to_none) override;
    void module_entered(const void* module, const autograd::variable_list& inputs) override;
    void module_left(const void* module, const autograd::variable_list* outputs) override;
    void hook_registered(const HookRef& hook) override;
    void hook_removed(std::uint64_t id) override;
    bool hook_fires(const HookRef& hook, const Node* running, const autograd::variable_list& tensors) override;
    void hook_returned(const HookRef& hook, bool replaced, const autograd::variable_list& result) override;
    void node_runs(Node& node, autograd::GradList& grads) override;
    void node_ran(Node& node, autograd::GradList& grads) override;
    void written(const Tensor& t, const char* op) override;

    /// Makes the recording see another thread too, while the one that it watches stands still.
    class Elsewhere {
    public:
        explicit Elsewhere(RecorderData& data) : nodes_([&data](Node& n) { data.node_made(n); }), scope_(data) {}

    private:
        autograd::NodeCreationHookGuard nodes_;
        autograd::ObserverScope scope_;
    };
    /// What watches this thread now, the outermost recorder first.
    static std::vector<RecorderData*> open_on_this_thread();

private:
    void node_made(Node& node);
    void note_pass();
    CallSite site() const { return options.places ? CallSite::here() : CallSite(); }
    const std::string& current_path() const;
    void keep(const nn::Module* module) const;
    /// Keeps the owner alive; one that cannot be told is replaced by `somebody`.
    HookRef kept(HookRef hook, const Node* running = nullptr);
    static const char somebody;

    /// Everything that ends with `stop`.
    struct Watching {
        Watching(RecorderData& data);
        ~Watching();
        bool keeps_places;
        nn::RecordModulePaths paths;
        autograd::NodeCreationHookGuard nodes;
        autograd::ObserverScope scope;
    };
    std::uint64_t clock_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    mutable std::unordered_map<const void*, std::string> paths_;
    mutable std::unordered_map<const TensorImpl*, std::string> names_;
    mutable std::unordered_map<const void*, std::shared_ptr<const nn::Module>> modules_alive_;
    mutable std::unordered_map<const TensorImpl*, TensorImplPtr> leaves_alive_;
    std::unordered_map<const Node*, NodePtr> nodes_alive_; ///< besides `nodes`
    std::unordered_set<const Node*> made_;                 ///< the first `made_until_` of `nodes`
    std::size_t made_until_ = 0;
    std::unordered_map<std::uint64_t, HookRef> registered_;
    std::vector<std::size_t> running_; ///< open entries of `calls`
    std::vector<std::size_t> firing_;  ///< open entries of `hooks`
    std::unique_ptr<Watching> watching_;
};

} // namespace reel::inspect
