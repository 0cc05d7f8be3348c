// What holds while a sharded module runs: whole members, and a tape that keeps none of them.
#pragma once

#include <memory>
#include <vector>

#include <reel/autograd/saved_tensor_hooks.hpp>
#include <reel/autograd/tensor.hpp>
#include <reel/nn/functional_call.hpp>

namespace reel::distributed {

class Unit;

class ForwardScope {
public:
    /// `whole`: the unit's parameters, without history.
    ForwardScope(const std::shared_ptr<Unit>& unit, nn::Module& module, std::vector<Tensor> whole);
    ~ForwardScope();
    ForwardScope(const ForwardScope&) = delete;
    const std::vector<Tensor>& whole() const { return whole_; }

private:
    const Unit* unit_;
    std::vector<Tensor> whole_;
    std::unique_ptr<nn::TensorsInPlace> in_place_;
    std::unique_ptr<autograd::SavedTensorsHooksGuard> hooks_;
};

} // namespace reel::distributed
