// What containers of modules share: steps through them, pointers to what they are given, slices.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/nn/detail/module_access.hpp>
#include <reel/nn/module_holder.hpp>

namespace reel::nn::detail {

/// Steps through a container's modules by position.
struct ModuleWalk {
    const OrderedDict<std::string, ModulePtr>* modules;
    std::size_t i;
    const ModulePtr& operator*() const { return (*modules)[i].value(); }
    ModuleWalk& operator++() { return ++i, *this; }
    bool operator!=(const ModuleWalk& o) const { return i != o.i; }
};
template <class T> inline constexpr bool is_ordered_dict = false;
template <class V> inline constexpr bool is_ordered_dict<OrderedDict<std::string, V>> = true;
/// A holder, a shared pointer or a module itself as a pointer of its own type.
template <class M> auto as_typed_ptr(M&& m) {
    using D = std::decay_t<M>;
    if constexpr (requires { typename D::element_type; }) {
        std::shared_ptr<typename D::element_type> p(m);
        if (p) detail::ModuleAccess::learn_class<typename D::element_type>(*p);
        return p;
    } else if constexpr (std::is_convertible_v<D, ModulePtr>) return D(std::forward<M>(m));
    else if constexpr (requires { m.ptr(); }) return m.ptr(); // a holder or an AnyModule
    else {
        auto p = std::make_shared<D>(std::forward<M>(m));
        detail::ModuleAccess::learn_class<D>(*p);
        return p;
    }
}
template <class M> ModulePtr as_module_ptr(M&& m) { return as_typed_ptr(std::forward<M>(m)); }
/// The positions that Python's slice picks out of `size`.
std::vector<std::size_t> slice_positions(const char* what, std::optional<std::int64_t> begin,
                                         std::optional<std::int64_t> end, std::int64_t step, std::size_t size);
/// "0", "1", ... for these modules.
OrderedDict<std::string, ModulePtr> numbered(const std::vector<ModulePtr>& modules);
/// Those that Python's `del modules[begin:end:step]` leaves, numbered anew.
OrderedDict<std::string, ModulePtr> without_slice(const char* what, const OrderedDict<std::string, ModulePtr>& modules,
                                                  std::optional<std::int64_t> begin, std::optional<std::int64_t> end,
                                                  std::int64_t step);

/// Says once that g++ makes arguments in parentheses last to first, so that their initial numbers are not PyTorch's.
void warn_if_made_backwards(const char* container, const OrderedDict<std::string, ModulePtr>& children);

} // namespace reel::nn::detail
