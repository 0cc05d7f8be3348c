// Sequential.
#include <reel/nn/modules/sequential.hpp>

#include <reel/nn/factory.hpp>

namespace reel::nn {

void SequentialImpl::append(std::string name, ModulePtr module) {
    if (children_.contains(name)) REEL_THROW(KeyError, "Sequential: the name '", name, "' is already taken");
    add_module(std::move(name), std::move(module));
}
ModulePtr SequentialImpl::ptr(std::int64_t i) const {
    const std::int64_t n = std::int64_t(size()), at = i < 0 ? i + n : i;
    REEL_CHECK_INDEX(at >= 0 && at < n, "Sequential: index ", i, " is out of range for ", n, " modules");
    return *children_[std::size_t(at)];
}
void SequentialImpl::insert(std::int64_t i, ModulePtr module) {
    const std::int64_t n = std::int64_t(size());
    REEL_CHECK_INDEX(i >= -n && i <= n, "Sequential: index ", i, " is out of range for inserting among ", n,
                     " modules");
    std::vector<ModulePtr> all = children_.values();
    all.insert(all.begin() + (i < 0 ? i + n : i), std::move(module));
    OrderedDict<std::string, ModulePtr> fresh("Submodule");
    for (std::size_t k = 0; k < all.size(); ++k) fresh.insert(std::to_string(k), all[k]);
    rebuild_children(std::move(fresh));
}
void SequentialImpl::reset() {}
void SequentialImpl::copy_from(const Module& other, std::optional<Device> device, bool keep_hooks) {
    // A clone starts without children: nothing registers them again.
    for (const auto& child : static_cast<const SequentialImpl&>(other).children_)
        if (!children_.contains(child.key()))
            add_module(child.key(), *child ? (*child)->clone(device, keep_hooks) : nullptr);
    Module::copy_from(other, device, keep_hooks);
}

Value SequentialImpl::forward_values(const Args& args, const Kwargs& kwargs) {
    REEL_CHECK_TYPE(args.size() == 1 && kwargs.empty(), "Sequential: forward takes exactly one argument, got ",
                    args.size(), " and ", kwargs.size(), " keyword arguments");
    Value x = args[0];
    const std::vector<ModulePtr> children = children_.values(); // a hook may change the table
    for (std::size_t i = 0; i < children.size(); ++i) {
        REEL_CHECK(children[i], "Sequential: submodule ", i, " is none");
        x = children[i]->call_values({x});
    }
    return x;
}
Tensor SequentialImpl::forward(const Tensor& input) {
    const Value r = forward_values({Value(input)}, {});
    return r.toTensor();
}

namespace {
[[maybe_unused]] const bool registered =
    register_module_class("Sequential", [](const Args& args, const Kwargs&) -> ModulePtr {
        auto m = std::make_shared<SequentialImpl>();
        for (const Value& v : args) m->push_back(v.get<ModulePtr>());
        return m;
    });
} // namespace

} // namespace reel::nn
