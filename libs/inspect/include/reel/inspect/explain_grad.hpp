// Why does a parameter have a gradient, or none?
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <reel/autograd/error.hpp>
#include <reel/inspect/recorder.hpp>

namespace reel::inspect {

/// What became of one parameter's gradient.
enum class GradFate {
    Got,          ///< it has one
    Frozen,       ///< does not require grad
    NeverCalled,  ///< no module that owns it was called
    Unused,       ///< its module was called, but no op used it
    DeadEnd,      ///< its result does not lead to what backward started from
    Cut,          ///< what it made left the tape: detach, no_grad, an op that is not differentiable
    Cleared,      ///< it had one, which zero_grad or the like removed or filled with zeros
    HookNone,     ///< a hook returned none in its place
    NoneReturned, ///< a node on the way returned none
    NotRequested, ///< the pass was asked for other inputs
    Interrupted,  ///< the pass threw, or was stopped, before it came there
    NoBackward,   ///< no backward pass ran
    Unknown       ///< nothing was recorded
};
const char* to_string(GradFate fate);

/// One parameter in a GradReport.
struct GradEntry {
    std::string name, shape;
    GradFate fate = GradFate::Unknown;
    double norm = 0;                ///< of the gradient it has
    bool finite = true;             ///< that gradient holds no NaN or infinity
    bool latest = true;             ///< Got: false when the latest pass added nothing to it; the text says why
    std::vector<std::string> nodes; ///< Got: the nodes that sent it; else those where it ended
    std::string cause;              ///< Cut: `detach`, `argmax`, ...; Cleared: by whom; HookNone: which hook
    std::string place;              ///< in the program, when that is known
    std::string text;               ///< the whole answer as a sentence
};

/// What `explain_grad` answers.
struct GradReport {
    std::vector<GradEntry> entries; ///< in the order of `named_parameters`
    /// What forward used without its being registered: leaves that require grad and are no parameters of the model, and
    /// modules that were called and are not below it; a sentence each.
    std::vector<std::string> unregistered;
    /// Null when there is no such parameter.
    const GradEntry* find(std::string_view name) const;
    std::size_t count(GradFate fate) const;
    /// One line for each reason, with the parameters that it holds for, problems first.
    std::string text() const;
    /// One line for each parameter, with the nodes that sent its gradient.
    std::string details() const;
    /// `{"parameters": [{"name": ..., "fate": ..., ...}], "counts": {...}, "unregistered": [...]}`
    std::string json() const;
};
std::ostream& operator<<(std::ostream& os, const GradReport& report);

/// For every parameter of `model`: did it get a gradient, from which nodes; if not, why. When the recording holds
/// several steps, the latest one is explained. Call it after backward, with a Recorder of `model` (or of a module
/// around it) open or stopped on this thread; without one only `Got`, `Frozen` and `Unknown` can be told.
GradReport explain_grad(const nn::Module& model);
/// The same with a given recorder.
GradReport explain_grad(const nn::Module& model, const Recorder& recorder);

/// What `expect_grads` demands. Names are those of `named_parameters`; `*` stands for any text.
struct GradPolicy {
    std::vector<std::string> frozen = {};  ///< must not require grad
    std::vector<std::string> without = {}; ///< must require grad and have none
    bool finite = true;                    ///< no NaN, no infinity
    bool nonzero = false;                  ///< no gradient of zeros
    double min_norm = 0, max_norm = 0;     ///< bounds of each norm; 0: none
};
/// What `expect_grads` throws: the message names every parameter that breaks the policy, and why.
class GradExpectationError : public Error {
public:
    explicit GradExpectationError(std::string msg, std::vector<std::string> parameters,
                                  std::source_location where = std::source_location::current())
        : Error(std::move(msg), where), parameters_(std::move(parameters)) {}
    ~GradExpectationError() override;
    const std::vector<std::string>& parameters() const { return parameters_; }

private:
    std::vector<std::string> parameters_;
};
/// For tests: every parameter must be as `policy` says, those it does not name must have a gradient.
/// Throws GradExpectationError; ValueError for a pattern that fits no parameter and for bounds that exclude everything.
void expect_grads(const nn::Module& model, const GradPolicy& policy = {});

} // namespace reel::inspect
