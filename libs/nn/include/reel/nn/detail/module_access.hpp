// What the house does to a module, and users never.
#pragma once

#include <utility>

#include <reel/nn/module.hpp>

namespace reel::nn::detail {

struct ModuleAccess {
    /// Null before the first hook is registered.
    static ModuleHooks* hook_tables(const Module& m) { return m.hooks_.get(); }
    /// Registers a hook that is adapted already.
    template <class Hook, class... Options> static RemovableHandle add(Module& m, Hook hook, Options... options) {
        return m.add(std::move(hook), options...);
    }
    /// The class of `m` is `M`, which has its `forward`.
    template <class M> static void learn_class(Module& m) { Module::learn_class<M>(m); }
    /// Which of the handles that got an entry are members of `m`, which is `object`.
    static void learn_extent(Module& m, Extent object) { m.learn_extent(object); }
    /// The object that `m` is, if its class tells.
    static Extent extent(const Module& m) { return m.extent(); }
};

} // namespace reel::nn::detail
