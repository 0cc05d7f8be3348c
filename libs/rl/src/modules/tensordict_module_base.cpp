#include <reel/rl/modules/tensordict_module_base.hpp>

namespace reel::rl {

TensorDictModuleBase::~TensorDictModuleBase() = default;

DistributionPtr TensorDictModuleBase::get_dist(TensorDict) {
    REEL_THROW(TypeError, as_module().repr_name(),
               ": get_dist: this module has no distribution; expected a ProbabilisticActor, a "
               "ProbabilisticTensorDictModule or a TensorDictSequential that ends with one");
}

std::string TensorDictModuleBase::repr_of(const std::string& name, const std::vector<std::string>& parts) const {
    std::string r = name + "(";
    for (std::size_t i = 0; i < parts.size(); ++i) {
        r += i ? ",\n    " : "\n    ";
        for (const char c : parts[i]) {
            r += c;
            if (c == '\n') r += "    ";
        }
    }
    return r + ")";
}

std::string TensorDictModuleBase::keys_text() const {
    const auto list = [](const std::vector<NestedKey>& keys) {
        std::string r = "[";
        for (const NestedKey& key : keys) r += (r.size() > 1 ? ", " : "") + key.str();
        return r + "]";
    };
    return "in_keys=" + list(in_keys_) + ",\nout_keys=" + list(out_keys_);
}

AnyTensorDictModule AnyTensorDictModule::of(const nn::ModulePtr& module) {
    AnyTensorDictModule r;
    r.base_ = std::dynamic_pointer_cast<TensorDictModuleBase>(module);
    REEL_CHECK_TYPE(r.base_, "expected a module over dictionaries (TensorDictModule, ProbabilisticActor, ...), got ",
                    module ? module->repr_name() : "none");
    return r;
}
void AnyTensorDictModule::throw_empty() {
    REEL_THROW(Error, "an empty AnyTensorDictModule was used; make it from a module over dictionaries first");
}

} // namespace reel::rl
