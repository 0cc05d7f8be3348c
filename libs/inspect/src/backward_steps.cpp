// A backward pass on a thread of its own, handed over node by node.
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/inspect/backward_steps.hpp>

#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <thread>
#include <unordered_map>

#include <reel/autograd/anomaly.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/observe.hpp>

#include "elements.hpp"
#include "forward_values.hpp"
#include "recorder_data.hpp"

namespace reel::inspect {

using autograd::GradList;
using autograd::Node;
using autograd::NodePtr;
using autograd::variable_list;

namespace {
struct Stopped {}; // not an exception of the house: nobody else may catch it
} // namespace

struct BackwardSteps::Pass final : autograd::Observer {
    enum class Turn { User, Engine };

    Pass(const Tensor& loss, const Tensor& gradient, bool retain_graph)
        : loss(loss), gradient(gradient), retain(retain_graph), modes(reel::detail::thread_modes),
          anomaly(autograd::AnomalyMode::is_enabled()), check_nan(autograd::AnomalyMode::should_check_nan()),
          recorders(RecorderData::open_on_this_thread()) {}
    ~Pass() override { stop(); }

    void start() {
        thread = std::thread([this] {
            GradMode::set_enabled(modes.grad);
            autograd::AnomalyMode::set_enabled(anomaly, check_nan);
            {
                std::unique_lock lock(mutex);
                changed.wait(lock, [&] { return turn == Turn::Engine; });
            }
            if (!stopping) {
                std::list<RecorderData::Elsewhere> recorded;
                for (RecorderData* r : recorders) recorded.emplace_back(*r);
                const autograd::ObserverScope scope(
                    *this); // the last one: its stop ends what the others have seen begin
                try {
                    loss.backward(gradient, retain);
                } catch (const Stopped&) {
                } catch (...) {
                    error = std::current_exception();
                }
            }
            const std::lock_guard lock(mutex);
            ended = true;
            turn = Turn::User;
            changed.notify_all();
        });
    }
    /// Lets the engine go on until it stands still again.
    void resume() {
        if (!thread.joinable() && !ended) start();
        std::unique_lock lock(mutex);
        if (ended) return;
        turn = Turn::Engine;
        changed.notify_all();
        changed.wait(lock, [&] { return turn == Turn::User; });
    }
    void stop() {
        if (!thread.joinable()) {
            ended = true;
            return;
        }
        {
            const std::lock_guard lock(mutex);
            stopping = true;
            turn = Turn::Engine;
            changed.notify_all();
        }
        thread.join();
    }

    void node_runs(Node& node, GradList& grads) override {
        if (running_on) return;
        step.node = node.getptr();
        step.name = node.name();
        step.module_path = node.module_path();
        const Tensor leaf = autograd::leaf_of(node);
        step.leaf_shape = leaf.defined() ? shape_text(leaf) : std::string();
        step.grads.assign(grads.begin(), grads.end());
        const variable_list before = step.grads;
        {
            std::unique_lock lock(mutex);
            has_step = true;
            turn = Turn::User;
            changed.notify_all();
            changed.wait(lock, [&] { return turn == Turn::Engine; });
        }
        if (stopping) throw Stopped();
        REEL_CHECK(step.grads.size() == before.size(), "BackwardSteps: step ", step.number, " (", step.name, ") has ",
                   before.size(), " gradients; they were replaced by ", step.grads.size());
        for (std::size_t i = 0; i < before.size(); ++i) {
            Tensor& g = step.grads[i];
            if (g.defined()) {
                const autograd::InputMetadata& m = node.input_metadata(i);
                REEL_CHECK(g.sizes().equals(m.sizes) && g.scalar_type() == m.dtype, "BackwardSteps: step ", step.number,
                           " (", step.name, "): gradient ", i, " was replaced by ", shape_text(g), "; expected ",
                           dtype_name(m.dtype), IntArrayRef(m.sizes));
            }
            grads[i] = std::move(g);
        }
        step.grads.clear(); // nobody else may hold them while the node runs
        ++step.number;
    }

    Tensor loss, gradient;
    bool retain;
    reel::detail::ThreadModes modes;
    bool anomaly, check_nan;
    std::vector<RecorderData*> recorders; ///< outermost first
    std::thread thread;
    std::mutex mutex;
    std::condition_variable changed;
    Turn turn = Turn::User;
    bool ended = false, stopping = false, has_step = false, running_on = false;
    BackwardStep step;
    std::exception_ptr error;
};

BackwardSteps::BackwardSteps(const Tensor& loss, const Tensor& gradient, bool retain_graph) {
    REEL_CHECK(loss.defined(), "BackwardSteps: loss is undefined");
    REEL_CHECK(loss.requires_grad(), "BackwardSteps: loss does not require grad, so there is no pass to step through");
    pass_ = std::make_unique<Pass>(loss, gradient, retain_graph);
}
BackwardSteps::~BackwardSteps() = default;

BackwardStep* BackwardSteps::next() {
    pass_->has_step = false;
    pass_->resume();
    if (pass_->error) std::rethrow_exception(std::exchange(pass_->error, nullptr));
    return pass_->has_step ? &pass_->step : nullptr;
}
BackwardStep* BackwardSteps::next_where(const std::function<bool(const BackwardStep&)>& wanted) {
    while (BackwardStep* step = next())
        if (wanted(*step)) return step;
    return nullptr;
}
void BackwardSteps::finish() {
    pass_->running_on = true;
    next();
}
void BackwardSteps::stop() { pass_->stop(); }
bool BackwardSteps::done() const { return pass_->ended; }

namespace {

bool finite(const Tensor& t) {
    return !t.defined() || !isDifferentiableType(t.scalar_type()) || reel::isfinite(elements_of(t)).all().item<bool>();
}

class NonFiniteFinder final : public autograd::Observer {
public:
    ~NonFiniteFinder() override {
        for (auto& [impl, kept] : kept_) kept.leaf.mutable_grad() = kept.grad;
    }
    void node_runs(Node& node, GradList& grads) override {
        NoGradGuard guard;
        // Also of leaves that only a pass within this one comes to.
        if (const Tensor leaf = autograd::leaf_of(node); leaf.defined() && !kept_.count(leaf.impl().get()))
            kept_.emplace(leaf.impl().get(), Kept{leaf, std::exchange(leaf.mutable_grad(), Tensor())});
        clean_ = true;
        for (const Tensor& g : grads) clean_ = clean_ && finite(g);
        if (!clean_ && !found) report(nullptr, grads);
    }
    void node_ran(Node& node, GradList& grads) override {
        NoGradGuard guard;
        if (clean_ && !found) report(&node, grads);
    }
    std::optional<NonFinite> found;

private:
    void report(const Node* node, const GradList& grads) {
        for (std::size_t i = 0; i < grads.size(); ++i) {
            if (finite(grads[i])) continue;
            NonFinite f{};
            f.arrived = !node;
            f.operand = i;
            f.nan = reel::isnan(elements_of(grads[i])).any().item<bool>();
            const char* what = f.nan ? "NaN" : "infinity";
            if (node) {
                f.node = node->name();
                f.module_path = node->module_path();
                f.place = autograd::creation_site(*node).text();
                f.text = str(f.node, f.module_path.empty() ? "" : " in " + f.module_path, " makes the first ", what,
                             ", in the gradient of operand ", i, f.place.empty() ? "" : ", called by " + f.place);
            } else {
                f.text = str("the first ", what, " arrived with the seed of the pass, or from a hook");
            }
            found = std::move(f);
            throw Stopped();
        }
    }
    struct Kept {
        Tensor leaf, grad;
    };
    std::unordered_map<const TensorImpl*, Kept> kept_;
    bool clean_ = true;
};

} // namespace

std::optional<NonFinite> find_non_finite(const Tensor& loss, const Tensor& gradient) {
    REEL_CHECK(loss.defined(), "find_non_finite: loss is undefined");
    REEL_CHECK(loss.requires_grad(), "find_non_finite: loss does not require grad, so there is no pass to look at");
    if (auto made = first_non_finite_value(loss)) return made;
    NonFiniteFinder finder;
    const bool anomaly = autograd::AnomalyMode::is_enabled();
    const autograd::DetectAnomalyGuard as_before; // anomaly mode would throw at the first NaN
    autograd::AnomalyMode::set_enabled(anomaly, false);
    try {
        const autograd::ObserverScope scope(finder);
        loss.backward(gradient, true);
    } catch (const Stopped&) {
    }
    return finder.found;
}

} // namespace reel::inspect
