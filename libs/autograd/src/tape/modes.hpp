// Thread-local state of the tape behind the public guards.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <reel/autograd/node.hpp>
#include <reel/autograd/observe.hpp>
#include <reel/autograd/saved_tensor_hooks.hpp>

namespace reel::autograd {

struct TapeModes {
    bool anomaly = false, check_nan = true;
    struct Pair {
        PackHook pack;
        UnpackHook unpack;
    };
    std::vector<Pair> saved_hooks;
    std::vector<std::string> saved_hooks_disabled;
    std::vector<std::function<void(Node&)>> node_creation;
    const std::string* module_path = nullptr; ///< of the module that is running, when that is recorded
    bool relaxed_layout = false;              ///< E-79
    KeptForMutation* mutation = nullptr;      ///< what saved tensors lie where, in a scope that lets them change (E-80)
    std::vector<Observer*> watchers;
    bool telling = false;     ///< an observer is at work: nothing is told meanwhile
    bool making_node = false; ///< inside a node-creation hook
};
TapeModes& tape_modes();
/// Recomputes the `observers` counter that the recording path tests.
void update_observers();
/// Called for every recorded node when somebody observes.
void node_created(Node& node);

} // namespace reel::autograd
