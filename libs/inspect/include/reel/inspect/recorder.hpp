// A recording of what gradients do: what the reports of this library are made from.
#pragma once

#include <memory>

#include <reel/nn/module.hpp>

namespace reel::inspect {

/// What a Recorder keeps. Everything is on by default; the more is off, the cheaper.
struct RecorderOptions {
    bool places = true;     ///< where ops, cuts and registrations were called (a call stack each)
    bool norms = true;      ///< norms of what hooks see and of gradients that reach parameters
    bool call_hooks = true; ///< false: hooks are logged where they would fire, and not called
};

class RecorderData; // src/recorder_data.hpp

/// Open one around forward and backward:
///
///     inspect::Recorder recorder(*net);
///     loss_of(net, batch).backward();
///     std::cout << inspect::explain_grad(*net);
///
/// It watches this thread: module calls below `model` (those through hooks, `net(x)`; a `forward` called directly
/// counts for the module around it), nodes, values that leave the tape, hooks, cleared gradients, backward passes.
/// It keeps alive what it tells of, so that reports can be asked for later: the model, modules that were called, every
/// node made meanwhile and what that saved. Close it after a step or two.
class Recorder {
public:
    explicit Recorder(const nn::Module& model, const RecorderOptions& options = {});
    ~Recorder();
    Recorder(const Recorder&) = delete;
    /// Stops watching and keeps what was recorded; reports can still be asked for.
    void stop();
    /// Forgets what was recorded and goes on.
    void clear();
    /// The innermost recorder of this thread, open or stopped; null when there is none.
    static const Recorder* current();
    const nn::Module& model() const;
    const RecorderData& data() const { return *data_; }

private:
    std::unique_ptr<RecorderData> data_;
    Recorder* previous_;
};

} // namespace reel::inspect
