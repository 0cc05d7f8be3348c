// What a module gives back when it registers a submodule.
#pragma once

#include <memory>
#include <utility>

#include <reel/nn/fwd.hpp>

namespace reel::nn {

namespace detail {
struct Entry; // src/module/members.hpp
/// A holder whose module is `slot` was made from, or assigned, what the registration returned. `fits` tells which
/// modules it can hold.
void seen_in_holder(const std::weak_ptr<Entry>& entry, ModulePtr& slot, bool (*fits)(const Module&));
/// `slot` is the holder that was given to the registration.
void given_in_holder(const std::weak_ptr<Entry>& entry, const ModulePtr& slot, bool (*fits)(const Module&));
} // namespace detail

/// What `register_module` and `replace_module` return: the submodule. A holder that is made from it or assigned it, and
/// that is a member of the module, becomes the registered one: the module's table and that member are one from then on.
template <class M> class RegisteredModule : public std::shared_ptr<M> {
public:
    RegisteredModule(std::shared_ptr<M> module, std::weak_ptr<detail::Entry> entry)
        : std::shared_ptr<M>(std::move(module)), entry_(std::move(entry)) {}
    const std::weak_ptr<detail::Entry>& entry() const { return entry_; }

private:
    std::weak_ptr<detail::Entry> entry_;
};

} // namespace reel::nn
