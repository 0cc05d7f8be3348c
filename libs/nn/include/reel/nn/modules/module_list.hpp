// Modules held in a list.
#pragma once

#include <concepts>

#include <reel/nn/modules/sequential.hpp>

namespace reel::nn {

/// Any modules, registered as "0", "1", ...; it has no forward. Equal neighbours print as one line (M-30).
class ModuleListImpl : public Cloneable<ModuleListImpl> {
public:
    ModuleListImpl() = default;
    template <class... M>
    requires(sizeof...(M) > 0 &&
             !(std::is_same_v<std::decay_t<M>, ModuleListImpl> || ...)) explicit ModuleListImpl(M&&... modules) {
        (push_back(std::forward<M>(modules)), ...);
        if constexpr (sizeof...(M) > 1 && !(std::is_lvalue_reference_v<M> || ...))
            detail::warn_if_made_backwards("ModuleList", children_);
    }
    void reset() override {}
    template <class M> void push_back(M&& module) { append(detail::as_module_ptr(std::forward<M>(module))); }
    /// Appends every module of another container.
    template <class C> void extend(const C& container) {
        for (const auto& m : container) push_back(m);
    }
    /// Inserts before position `i`; negative ones count from the end.
    template <class M> void insert(std::int64_t i, M&& module) {
        insert_at(i, detail::as_module_ptr(std::forward<M>(module)));
    }
    /// Puts another module at position `i`.
    template <class M> void assign(std::int64_t i, M&& module) {
        assign_at(i, detail::as_module_ptr(std::forward<M>(module)));
    }
    /// Removes one; the others are numbered anew.
    void erase(std::int64_t i) { pop(i); }
    /// Removes those that Python's slice picks: `erase(1, 3)`, `erase(2, std::nullopt)`; the others are numbered anew.
    void erase(std::optional<std::int64_t> begin, std::optional<std::int64_t> end, std::int64_t step = 1);
    ModulePtr pop(std::int64_t i);
    /// A new list of the same modules, as Python's slice picks them, numbered anew.
    std::shared_ptr<ModuleListImpl> slice(std::optional<std::int64_t> begin,
                                          std::optional<std::int64_t> end = std::nullopt, std::int64_t step = 1) const;
    std::size_t size() const { return children_.size(); }
    bool is_empty() const { return size() == 0; }
    ModulePtr ptr(std::int64_t i) const;
    ModulePtr operator[](std::int64_t i) const { return ptr(i); }
    /// `(*list)[Slice(1, -1)]`; see `slice`.
    std::shared_ptr<ModuleListImpl> operator[](const indexing::Slice& s) const {
        return slice(s.start(), s.stop(), s.step());
    }
    /// `extend`: of another list, which may be this one, or of any container of modules.
    template <class C> ModuleListImpl& operator+=(const C& container) { return extend(container), *this; }
    template <class M> std::shared_ptr<M> ptr(std::int64_t i) const { return std::shared_ptr<M>(ptr(i), &at<M>(i)); }
    /// Module `i` as a `M`; throws naming both types.
    template <class M> M& at(std::int64_t i) const {
        const ModulePtr p = ptr(i);
        M* m = p->template as<M>();
        REEL_CHECK(m, "ModuleList: module ", i, " is a ", p->repr_name(), ", not a ", type_name(typeid(M)));
        return *m;
    }
    auto begin() const { return detail::ModuleWalk{&children_, 0}; }
    auto end() const { return detail::ModuleWalk{&children_, size()}; }
    std::string repr() const override;

protected:
    /// Its children stay the modules that they are: others may hold them.
    bool become_copy_of(const Module&, std::optional<Device>, bool) override { return false; }

private:
    void append(ModulePtr module);
    void insert_at(std::int64_t i, ModulePtr module);
    void assign_at(std::int64_t i, ModulePtr module);
};
REEL_MODULE(ModuleList);
/// A new list that shares the modules of `a` and of any container `b`.
template <class C> ModuleList operator+(const ModuleList& a, const C& b) {
    ModuleList out;
    out->extend(*a);
    if constexpr (requires { b->begin(); }) out->extend(*b);
    else out->extend(b);
    return out;
}

/// Modules by name, in order of insertion; it has no forward.
class ModuleDictImpl : public Cloneable<ModuleDictImpl> {
public:
    using Item = std::pair<std::string, ModulePtr>;
    ModuleDictImpl() = default;
    explicit ModuleDictImpl(const std::vector<Item>& modules) { update(modules); }
    explicit ModuleDictImpl(const OrderedDict<std::string, ModulePtr>& modules);
    void reset() override {}
    /// Adds, or replaces in place.
    template <class M> void insert(const std::string& key, M&& module) {
        set(key, detail::as_module_ptr(std::forward<M>(module)));
    }
    void update(const std::vector<Item>& modules);
    /// The modules of `other`, shared.
    void update(const ModuleDictImpl& other) { update(other.items()); }
    template <std::same_as<OrderedDict<std::string, ModulePtr>> D> void update(const D& modules) {
        for (const auto& item : modules) set(item.key(), item.value());
    }
    /// Removes and returns; KeyError when absent.
    ModulePtr pop(const std::string& key);
    void erase(const std::string& key) { pop(key); }
    bool contains(const std::string& key) const { return children_.contains(key); }
    ModulePtr operator[](const std::string& key) const;
    template <class M> M& at(const std::string& key) const {
        const ModulePtr p = (*this)[key];
        M* m = p->template as<M>();
        REEL_CHECK(m, "ModuleDict: module '", key, "' is a ", p->repr_name(), ", not a ", type_name(typeid(M)));
        return *m;
    }
    std::vector<std::string> keys() const;
    std::vector<ModulePtr> values() const { return children_.values(); }
    std::vector<Item> items() const;
    std::size_t size() const { return children_.size(); }
    bool empty() const { return size() == 0; }
    void clear();
    auto begin() const { return children_.begin(); }
    auto end() const { return children_.end(); }

protected:
    /// Its children stay the modules that they are: others may hold them.
    bool become_copy_of(const Module&, std::optional<Device>, bool) override { return false; }

private:
    void set(const std::string& key, ModulePtr module);
};
REEL_MODULE(ModuleDict);

} // namespace reel::nn
