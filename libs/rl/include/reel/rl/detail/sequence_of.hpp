// What chains modules over one dictionary.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <reel/nn/modules/module_list.hpp>
#include <reel/rl/modules/tensordict_module_base.hpp>

namespace reel::rl::detail {

struct SequenceKeys {
    std::vector<NestedKey> in, out;
};
SequenceKeys keys_of_sequence(const char* name, const std::vector<AnyTensorDictModule>& modules);
std::shared_ptr<nn::ModuleListImpl> list_of(const std::vector<AnyTensorDictModule>& modules);
TensorDict run_sequence(const nn::ModuleListImpl& modules, TensorDict tensordict);
DistributionPtr dist_of_sequence(const char* name, const nn::ModuleListImpl& modules,
                                 const std::vector<NestedKey>& in_keys, const TensorDict& tensordict);

/// What TensorDictSequential and its kin are; `Derived::printed_name` names the class.
template <class Derived> class SequenceOf : public TensorDictCloneable<Derived> {
public:
    explicit SequenceOf(const std::vector<AnyTensorDictModule>& modules) {
        SequenceKeys keys = keys_of_sequence(Derived::printed_name, modules);
        this->in_keys_ = std::move(keys.in);
        this->out_keys_ = std::move(keys.out);
        this->add_module("module", list_of(modules));
    }
    void reset() override {}
    TensorDict forward(TensorDict tensordict) override { return run_sequence(list(), std::move(tensordict)); }
    /// The last module's distribution after the others ran on a shallow copy.
    DistributionPtr get_dist(TensorDict tensordict) override {
        return dist_of_sequence(Derived::printed_name, list(), this->in_keys_, tensordict);
    }
    std::size_t size() const { return list().size(); }
    AnyTensorDictModule operator[](std::int64_t i) const { return AnyTensorDictModule::of(list().ptr(i)); }
    std::string repr() const override {
        return this->repr_of(Derived::printed_name, {"module=" + list().repr(), this->keys_text()});
    }

protected:
    const nn::ModuleListImpl& list() const {
        return static_cast<const nn::ModuleListImpl&>(*this->children_[0].value());
    }
};

} // namespace reel::rl::detail
