// Modules held in a list.
#pragma once

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
    std::size_t size() const { return children_.size(); }
    bool is_empty() const { return size() == 0; }
    ModulePtr ptr(std::int64_t i) const;
    ModulePtr operator[](std::int64_t i) const { return ptr(i); }
    template <class M> std::shared_ptr<M> ptr(std::int64_t i) const { return std::shared_ptr<M>(ptr(i), &at<M>(i)); }
    /// Module `i` as a `M`; throws naming both types.
    template <class M> M& at(std::int64_t i) const {
        const ModulePtr p = ptr(i);
        M* m = p->template as<M>();
        REEL_CHECK(m, "ModuleList: module ", i, " is a ", p->repr_name(), ", not a ", typeid(M).name());
        return *m;
    }
    auto begin() const { return detail::ModuleWalk<ModuleListImpl>{this, 0}; }
    auto end() const { return detail::ModuleWalk<ModuleListImpl>{this, size()}; }
    std::string repr() const override;

protected:
    void copy_from(const Module& other, std::optional<Device> device, bool keep_hooks) override;

private:
    void append(ModulePtr module);
    void insert_at(std::int64_t i, ModulePtr module);
};
REEL_MODULE(ModuleList);

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
    /// Removes and returns; KeyError when absent.
    ModulePtr pop(const std::string& key);
    bool contains(const std::string& key) const { return children_.contains(key); }
    ModulePtr operator[](const std::string& key) const;
    template <class M> M& at(const std::string& key) const {
        const ModulePtr p = (*this)[key];
        M* m = p->template as<M>();
        REEL_CHECK(m, "ModuleDict: module '", key, "' is a ", p->repr_name(), ", not a ", typeid(M).name());
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
    void copy_from(const Module& other, std::optional<Device> device, bool keep_hooks) override;

private:
    void set(const std::string& key, ModulePtr module);
};
REEL_MODULE(ModuleDict);

} // namespace reel::nn
