// A tensor kept for backward together with the version it had (rules E-35 to E-40, E-53 to E-56).
#pragma once

#include <memory>

#include <reel/autograd/node.hpp>
#include <reel/autograd/value.hpp>

namespace reel::autograd {

struct SavedHooks; // pack/unpack pair and the packed value

/// Keeps a tensor for backward. A node's own output is kept without its history, so that no cycle forms (E-40).
class SavedVariable {
public:
    SavedVariable() noexcept;
    /// `is_output`: `t` is an output of the node that saves it. Runs the scoped pack hook if there is one.
    SavedVariable(const Tensor& t, bool is_output);
    /// What the constructor does, for one that was default-constructed.
    void keep(const Tensor& t, bool is_output);
    SavedVariable(SavedVariable&&) noexcept;
    SavedVariable& operator=(SavedVariable&&) noexcept;
    ~SavedVariable();

    /// The tensor with its place on the tape restored. `owner` is the saving node.
    /// Throws Error when released (E-35) or when the tensor was modified in place since (E-39).
    Tensor unpack(Node* owner) const;
    void reset_data();
    bool was_default_constructed() const { return !saved_; }
    bool is_released() const { return saved_ && released_; }
    /// Bytes that only this saving keeps alive, for the tape's own accounting.
    const Tensor& raw() const { return data_; }
    /// Per-tensor hooks (E-56).
    void register_hooks(std::function<Value(const Tensor&)> pack, std::function<Tensor(const Value&)> unpack);

private:
    Tensor data_;
    std::unique_ptr<SavedHooks> hooks_;
    std::uint32_t version_ = 0;
    std::uint32_t output_nr_ : 27 = 0; // beside the flags: a graph is as large as what its nodes keep
    std::uint32_t saved_ : 1 = 0, released_ : 1 = 0, is_output_ : 1 = 0, is_leaf_ : 1 = 0, requires_grad_ : 1 = 0;
};

} // namespace reel::autograd
