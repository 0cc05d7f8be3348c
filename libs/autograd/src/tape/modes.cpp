// Thread-local modes: anomaly, saved-tensor hooks, node-creation hooks.
#include "tape/modes.hpp"

#include <reel/autograd/anomaly.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/autograd/tape_view.hpp>

#include "tape/anomaly.hpp"
#include "tape/node_extras.hpp"

namespace reel::autograd {

TapeModes& tape_modes() {
    thread_local TapeModes modes;
    return modes;
}
void update_observers() {
    const TapeModes& m = tape_modes();
    reel::detail::thread_modes.observers = unsigned(m.anomaly) + unsigned(!m.saved_hooks.empty()) +
                                           unsigned(!m.node_creation.empty()) + unsigned(m.module_path != nullptr) +
                                           unsigned(!m.watchers.empty());
}

bool AnomalyMode::is_enabled() { return tape_modes().anomaly; }
bool AnomalyMode::should_check_nan() { return tape_modes().check_nan; }
void AnomalyMode::set_enabled(bool enabled, bool check_nan) {
    tape_modes().anomaly = enabled;
    tape_modes().check_nan = check_nan;
    update_observers();
}
DetectAnomalyGuard::DetectAnomalyGuard(bool check_nan)
    : enabled_(tape_modes().anomaly), check_nan_(tape_modes().check_nan) {
    AnomalyMode::set_enabled(true, check_nan);
}
DetectAnomalyGuard::~DetectAnomalyGuard() { AnomalyMode::set_enabled(enabled_, check_nan_); }

SavedTensorsHooksGuard::SavedTensorsHooksGuard(PackHook pack, UnpackHook unpack) {
    TapeModes& m = tape_modes();
    REEL_CHECK(m.saved_hooks_disabled.empty(), m.saved_hooks_disabled.back());
    m.saved_hooks.push_back({std::move(pack), std::move(unpack)});
    update_observers();
}
SavedTensorsHooksGuard::~SavedTensorsHooksGuard() {
    tape_modes().saved_hooks.pop_back();
    update_observers();
}
std::pair<PackHook, UnpackHook> current_saved_tensors_hooks() {
    const auto& pairs = tape_modes().saved_hooks;
    return pairs.empty() ? std::pair<PackHook, UnpackHook>() : std::pair(pairs.back().pack, pairs.back().unpack);
}
DisableSavedTensorsHooksGuard::DisableSavedTensorsHooksGuard(std::string message) {
    REEL_CHECK(tape_modes().saved_hooks.empty(), message);
    tape_modes().saved_hooks_disabled.push_back(std::move(message));
}
DisableSavedTensorsHooksGuard::~DisableSavedTensorsHooksGuard() { tape_modes().saved_hooks_disabled.pop_back(); }

NodeCreationHookGuard::NodeCreationHookGuard(std::function<void(Node&)> fn) {
    tape_modes().node_creation.push_back(std::move(fn));
    update_observers();
}
NodeCreationHookGuard::~NodeCreationHookGuard() {
    tape_modes().node_creation.pop_back();
    update_observers();
}

void node_created(Node& node) {
    TapeModes& m = tape_modes();
    if (m.anomaly) {
        NodeNotes& notes = node.ensure_extras().ensure_notes();
        notes.frames = current_frames(2);
        if (Node* current = get_current_node()) notes.parent = current->getptr();
    }
    if (m.module_path) node.ensure_extras().ensure_notes().module_path = *m.module_path;
    if (m.node_creation.empty()) return;
    REEL_CHECK(!m.making_node, "a node-creation hook recorded an op: node ", node.name(),
               " was made inside the hook; do not record inside it");
    m.making_node = true;
    struct Reset {
        bool& flag;
        ~Reset() { flag = false; }
    } reset{m.making_node};
    const auto hooks = m.node_creation; // a hook may leave its own scope
    for (const auto& fn : hooks) fn(node);
}

void announce_node(Node& node) {
    if (reel::detail::thread_modes.observers) node_created(node);
}

TapePathScope::TapePathScope(std::string path) : path_(std::move(path)), previous_(tape_modes().module_path) {
    tape_modes().module_path = &path_;
    update_observers();
}
TapePathScope::~TapePathScope() {
    tape_modes().module_path = previous_;
    update_observers();
}

void increment_version(const Tensor& t) { t.checked().bump_version(); }

} // namespace reel::autograd
