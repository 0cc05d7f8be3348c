// Taking calls of ops: what traces, compilers and tests of layers stand on.
#pragma once

#include <span>

#include <reel/autograd/op.hpp>

namespace reel::ops {

/// How an op is called: for a result, on its first argument (`add_`, `+=`), or into tensors of the caller (`add_out`,
/// `out=`).
enum class OpForm { Functional, InPlace, Out };

/// One call of an op on its way to the op. It borrows everything from the caller.
struct OpCall {
    const Op& op;         ///< as it was called: an alias is an op of its own
    const Schema& schema; ///< the one that fits
    OpForm form;
    std::span<const Value> arguments; ///< one for each of the schema's, defaults filled in
    const Value* out = nullptr;       ///< for OpForm::Out: a tensor, or a list of as many as there are results
    bool named = true;                ///< called through the registry; else by its function, method or operator

    /// Lets the call go on: to the mode that was entered before, else to the op. Gives the result; in place the tensor
    /// that was written, for OpForm::Out what `out` holds.
    Value run() const;
    /// The same call with other arguments, one for each of the schema's.
    Value run_with(std::span<const Value> others) const;
};

/// Takes calls of ops, PyTorch's TorchFunctionMode: while an OpCallScope of it lives, every call that user or layer
/// code makes on this thread, by name or typed, comes here instead of going to its op. What an op, a rule of the tape
/// or `take` itself calls does not; `take` runs outside of the scope, and what it calls goes to the scope around.
class OpCallMode {
public:
    virtual ~OpCallMode();
    /// Gives the call's result, of the type that the schema says; `call.run()` is what would have come. What is given
    /// for a call in place or into the caller's tensors is not looked at: the caller gets those tensors.
    virtual Value take(const OpCall& call) = 0;
    /// `tensor` is read as a number (`item()`, a condition): what follows depends on it without a call that says so.
    virtual void read(const Tensor& tensor);
};

/// While it lives, `mode` takes the thread's calls; null: nobody does (PyTorch's DisableTorchFunction). Scopes nest.
class OpCallScope {
public:
    explicit OpCallScope(OpCallMode* mode);
    ~OpCallScope();
    OpCallScope(const OpCallScope&) = delete;
    OpCallScope& operator=(const OpCallScope&) = delete;

private:
    friend struct OpCall;
    friend Value give_to_mode(const OpCall& call);
    friend void tell_read(const Tensor& tensor);
    OpCallMode* mode_;
    OpCallScope* around_;
};

} // namespace reel::ops
