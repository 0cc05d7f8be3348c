// A chain of modules.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>

namespace reel::nn {

namespace detail {
template <class M> ModulePtr as_module_ptr(M&& m) {
    using D = std::decay_t<M>;
    if constexpr (std::is_convertible_v<D, ModulePtr>) return std::forward<M>(m);
    else if constexpr (requires { typename D::ContainedType; }) return m.ptr();
    else {
        auto p = std::make_shared<D>(std::forward<M>(m));
        Module::detail_set_thunk<D>(*p);
        return p;
    }
}
} // namespace detail

/// Calls its children one after the other, each with hooks. Keys are "0", "1", ... or the names given (M-52).
class SequentialImpl : public Cloneable<SequentialImpl> {
public:
    SequentialImpl() = default;
    template <class... M>
        requires(sizeof...(M) > 0 && !(std::is_same_v<std::decay_t<M>, SequentialImpl> || ...))
    explicit SequentialImpl(M&&... modules) {
        (push_back(std::forward<M>(modules)), ...);
    }
    void reset() override;
    template <class M> void push_back(M&& module) { push_back(std::to_string(size()), std::forward<M>(module)); }
    template <class M> void push_back(std::string name, M&& module) { append(std::move(name), detail::as_module_ptr(std::forward<M>(module))); }
    std::size_t size() const { return children_.size(); }
    bool is_empty() const { return size() == 0; }
    ModulePtr ptr(std::size_t i) const;
    ModulePtr operator[](std::size_t i) const { return ptr(i); }
    template <class M> M& at(std::size_t i) const {
        M* m = ptr(i)->template as<M>();
        REEL_CHECK(m, "Sequential: module ", i, " is a ", ptr(i)->repr_name(), ", not the type asked for");
        return *m;
    }
    /// Inserts before position `i`, shifting the later keys.
    void insert(std::int64_t i, ModulePtr module);
    Tensor forward(const Tensor& input);
    Value forward_values(const Args& args, const Kwargs& kwargs) override;

private:
    void append(std::string name, ModulePtr module);
    OrderedDict<std::string, ModulePtr> template_;
};
REEL_MODULE(Sequential);

} // namespace reel::nn
