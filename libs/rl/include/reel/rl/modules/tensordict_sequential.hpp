// Modules over one dictionary, one after the other.
#pragma once

#include <reel/nn/modules/module_list.hpp>
#include <reel/rl/detail/sequence_of.hpp>
#include <reel/rl/modules/tensordict_module_base.hpp>

namespace reel::rl {

/// Calls modules over dictionaries one after the other, each with its hooks. `in_keys` are what no earlier one writes,
/// `out_keys` what they all write. State lies below "module.0", "module.1", ...
class TensorDictSequentialImpl : public detail::SequenceOf<TensorDictSequentialImpl> {
public:
    using detail::SequenceOf<TensorDictSequentialImpl>::SequenceOf;
    template <class... M>
    requires(sizeof...(M) > 0 &&
             (std::is_convertible_v<M, AnyTensorDictModule> && ...)) explicit TensorDictSequentialImpl(M&&... modules)
        : SequenceOf(std::vector<AnyTensorDictModule>{AnyTensorDictModule(modules)...}) {}
    static constexpr const char* printed_name = "TensorDictSequential";
};
REEL_MODULE(TensorDictSequential);

} // namespace reel::rl
