// A chain of modules.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include <reel/nn/cloneable.hpp>
#include <reel/nn/detail/module_access.hpp>
#include <reel/nn/detail/module_walk.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/type_name.hpp>

namespace reel::nn {

/// A module with the name it shall have: `{"conv", nn::Conv2d(1, 8, 3)}`.
class NamedAnyModule {
public:
    template <class M>
    NamedAnyModule(std::string name, M&& module)
        : name_(std::move(name)), module_(detail::as_module_ptr(std::forward<M>(module))) {}
    const std::string& name() const { return name_; }
    const ModulePtr& module() const { return module_; }

private:
    std::string name_;
    ModulePtr module_;
};

/// Calls its children one after the other, each with hooks. Keys are "0", "1", ... or the names given (M-52).
class SequentialImpl : public Cloneable<SequentialImpl> {
public:
    SequentialImpl() = default;
    template <class... M>
    requires(sizeof...(M) > 0 && !(std::is_same_v<std::decay_t<M>, SequentialImpl> || ...) &&
             !(detail::is_ordered_dict<std::decay_t<M>> || ...)) explicit SequentialImpl(M&&... modules) {
        (push_back(std::forward<M>(modules)), ...);
        if constexpr (sizeof...(M) > 1 && !(std::is_lvalue_reference_v<M> || ...))
            detail::warn_if_made_backwards("Sequential", children_);
    }
    explicit SequentialImpl(std::initializer_list<NamedAnyModule> modules) {
        for (const NamedAnyModule& m : modules) push_back(m.name(), m.module());
    }
    /// Of modules, holders, pointers or `AnyModule`s.
    template <class M> explicit SequentialImpl(const OrderedDict<std::string, M>& modules) {
        for (const auto& item : modules) push_back(item.key(), item.value());
    }
    void reset() override;
    /// Appends every module of another container.
    template <class C> void extend(const C& container) {
        for (const auto& m : container) push_back(ModulePtr(m));
    }
    template <class M> void push_back(M&& module) { push_back(std::to_string(size()), std::forward<M>(module)); }
    template <class M> void push_back(std::string name, M&& module) {
        append(std::move(name), detail::as_module_ptr(std::forward<M>(module)));
    }
    std::size_t size() const { return children_.size(); }
    bool is_empty() const { return size() == 0; }
    /// Module `i`; negative ones count from the end.
    ModulePtr ptr(std::int64_t i) const;
    template <class M> std::shared_ptr<M> ptr(std::int64_t i) const { return std::shared_ptr<M>(ptr(i), &at<M>(i)); }
    ModulePtr operator[](std::int64_t i) const { return ptr(i); }
    /// `(*net)[Slice(1, -1)]`; see `slice`.
    std::shared_ptr<SequentialImpl> operator[](const indexing::Slice& s) const {
        return slice(s.start(), s.stop(), s.step());
    }
    template <class M> M& at(std::int64_t i) const {
        M* m = ptr(i)->template as<M>();
        REEL_CHECK(m, "Sequential: module ", i, " is a ", ptr(i)->repr_name(), ", not a ", type_name(typeid(M)));
        return *m;
    }
    /// Inserts before position `i`, shifting the later keys.
    void insert(std::int64_t i, ModulePtr module);
    template <class M> void insert(std::int64_t i, M&& module) {
        insert(i, detail::as_module_ptr(std::forward<M>(module)));
    }
    /// Puts another module at position `i`, under the same key.
    void assign(std::int64_t i, ModulePtr module);
    /// Removes one; the others are numbered anew.
    void erase(std::int64_t i);
    /// Removes those that Python's slice picks: `erase(1, 3)`, `erase(2, std::nullopt)`; the others are numbered anew.
    void erase(std::optional<std::int64_t> begin, std::optional<std::int64_t> end, std::int64_t step = 1);
    ModulePtr pop(std::int64_t i);
    /// A new Sequential with the same modules `begin` to `end` (as in Python, negative and beyond the end too) under
    /// their old keys.
    std::shared_ptr<SequentialImpl> slice(std::optional<std::int64_t> begin,
                                          std::optional<std::int64_t> end = std::nullopt, std::int64_t step = 1) const;
    SequentialImpl& operator+=(const SequentialImpl& other);
    /// Repeats the modules `n` times in all; ValueError for n < 1.
    SequentialImpl& operator*=(std::int64_t n);
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    /// Any signature: the first module gets all arguments, each other one what the one before returned.
    template <class R = Tensor, class... A>
    requires(sizeof...(A) > 1 || !std::is_same_v<R, Tensor> || !(std::is_convertible_v<A, const Tensor&> && ...)) R
        forward(A&&... args) {
        return detail::unpack<R>(run(Args{detail::pack(std::forward<A>(args))...}));
    }
    /// `forward<Tensor>(x)`, as libtorch has it.
    template <class R>
    requires(std::is_same_v<R, Tensor>) R forward(const Tensor& input) { return forward(input); }
    Value forward_values(const Args& args, const Kwargs& kwargs) override;

    auto begin() const { return detail::ModuleWalk{&children_, 0}; }
    auto end() const { return detail::ModuleWalk{&children_, size()}; }

protected:
    /// Its children stay the modules that they are: others may hold them.
    bool become_copy_of(const Module&, std::optional<Device>, bool) override { return false; }

private:
    void append(std::string name, ModulePtr module);
    Value run(Args args);
};
class Sequential : public ModuleHolder<SequentialImpl> {
public:
    using ModuleHolder<SequentialImpl>::ModuleHolder;
    using Impl [[maybe_unused]] = SequentialImpl;
    Sequential() = default;
    /// `Sequential({{"conv", Conv2d(1, 8, 3)}, {"act", ReLU()}})`.
    Sequential(std::initializer_list<NamedAnyModule> modules)
        : ModuleHolder(std::make_shared<SequentialImpl>(modules)) {}
};
/// New sequences that share the modules.
Sequential operator+(const Sequential& a, const Sequential& b);
Sequential operator*(const Sequential& a, std::int64_t n);
Sequential operator*(std::int64_t n, const Sequential& a);

} // namespace reel::nn
