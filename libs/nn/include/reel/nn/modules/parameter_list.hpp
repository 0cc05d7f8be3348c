// Parameters held in a list or by name.
#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include <reel/autograd/indexing.hpp>
#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>

namespace reel::nn {

/// What a list or dict of parameters holds at a place: any Value, a tensor where one is expected (else TypeError).
class ParameterEntry : public Value {
public:
    ParameterEntry(Value value) : Value(std::move(value)) {}
    operator Tensor() const { return toTensor(); }
};
/// The entries in order; a list of tensors where one is expected.
class ParameterEntries : public std::vector<Value> {
public:
    using std::vector<Value>::vector;
    operator std::vector<Tensor>() const;
};

/// Tensors registered as parameters "0", "1", ...; bare tensors become Parameters, other values stay plain entries
/// (M-54). It cannot be called.
class ParameterListImpl : public Cloneable<ParameterListImpl> {
public:
    ParameterListImpl() = default;
    explicit ParameterListImpl(const std::vector<Tensor>& tensors) { extend(tensors); }
    template <std::same_as<Tensor>... T>
    requires(sizeof...(T) > 0) explicit ParameterListImpl(const T&... tensors) { (append(Value(tensors)), ...); }
    void reset() override {}
    void append(const Value& value) { set(std::to_string(size_++), value); }
    void push_back(const Value& value) { append(value); }
    template <class C> void extend(const C& values) {
        for (const auto& v : values) append(Value(v));
    }
    void extend(const ParameterListImpl& other);
    void assign(std::int64_t i, const Value& value);
    std::size_t size() const { return size_; }
    bool is_empty() const { return size_ == 0; }
    /// Entry `i`; negative ones count from the end. TypeError where it is no tensor.
    Tensor operator[](std::int64_t i) const;
    ParameterEntry at(std::int64_t i) const;
    ParameterListImpl& operator+=(const ParameterListImpl& other) { return extend(other), *this; }
    ParameterListImpl& operator+=(const std::vector<Tensor>& tensors) { return extend(tensors), *this; }
    /// A new list of the same entries, as Python's slice picks them.
    std::shared_ptr<ParameterListImpl> slice(std::optional<std::int64_t> begin,
                                             std::optional<std::int64_t> end = std::nullopt,
                                             std::int64_t step = 1) const;
    std::shared_ptr<ParameterListImpl> operator[](const indexing::Slice& s) const {
        return slice(s.start(), s.stop(), s.step());
    }
    /// Over the entries that are parameters, with their keys.
    auto begin() const { return own_parameters().begin(); }
    auto end() const { return own_parameters().end(); }
    std::string extra_repr() const override;
    Value forward_values(const Args& args, const Kwargs& kwargs) override;

protected:
    void copy_from(const Module& other, std::optional<Device> device, bool keep_hooks) override;

private:
    void set(const std::string& key, const Value& value);
    std::size_t size_ = 0;
};
REEL_MODULE(ParameterList);

/// Parameters by name, in order of insertion; entries as in ParameterList (M-54).
class ParameterDictImpl : public Cloneable<ParameterDictImpl> {
public:
    using Item = std::pair<std::string, Tensor>;
    ParameterDictImpl() = default;
    explicit ParameterDictImpl(const std::vector<Item>& items) { update(items); }
    explicit ParameterDictImpl(const ValueDict& entries) { update(entries); }
    explicit ParameterDictImpl(const OrderedDict<std::string, Tensor>& items) { update(items); }
    void reset() override {}
    /// Adds, or replaces in place.
    void insert(const std::string& key, const Value& value);
    void update(const std::vector<Item>& items);
    template <std::same_as<OrderedDict<std::string, Tensor>> D> void update(const D& items) {
        for (const auto& item : items) insert(item.key(), Value(item.value()));
    }
    /// Entries of any kind; TypeError for a key that is no text.
    template <std::same_as<ValueDict> D> void update(const D& entries) { update_values(entries); }
    /// Adds the entries of `other`, or replaces in place.
    void update(const ParameterDictImpl& other);
    /// `a |= b` is `a.update(b)`.
    template <class C> ParameterDictImpl& operator|=(const C& other) { return update(other), *this; }
    /// Removes and returns; KeyError when absent.
    ParameterEntry pop(const std::string& key);
    void erase(const std::string& key) { pop(key); }
    /// Removes the entry that came last; KeyError when there is none.
    std::pair<std::string, ParameterEntry> popitem();
    /// The entry, which is `otherwise` from now on if there was none.
    ParameterEntry setdefault(const std::string& key, const Value& otherwise = {});
    /// A new dict of the same entries; the parameters are shared.
    std::shared_ptr<ParameterDictImpl> copy() const;
    /// A new dict in which each key has `value`: a tensor gives each a parameter of its own on the same memory.
    static std::shared_ptr<ParameterDictImpl> fromkeys(const std::vector<std::string>& keys, const Value& value = {});
    bool contains(const std::string& key) const;
    /// TypeError where the entry is no tensor, KeyError where there is none.
    Tensor operator[](const std::string& key) const;
    ParameterEntry at(const std::string& key) const;
    /// The entry, or `otherwise`.
    ParameterEntry get(const std::string& key, const Value& otherwise = {}) const;
    const std::vector<std::string>& keys() const { return keys_; }
    ParameterEntries values() const;
    std::vector<std::pair<std::string, Value>> items() const;
    std::size_t size() const { return keys_.size(); }
    bool empty() const { return keys_.empty(); }
    void clear();
    /// Over the keys, as Python's dicts; `rbegin` and `rend` from the last one.
    auto begin() const { return keys_.begin(); }
    auto end() const { return keys_.end(); }
    auto rbegin() const { return keys_.rbegin(); }
    auto rend() const { return keys_.rend(); }
    std::string extra_repr() const override;
    Value forward_values(const Args& args, const Kwargs& kwargs) override;

protected:
    void copy_from(const Module& other, std::optional<Device> device, bool keep_hooks) override;

private:
    void update_values(const ValueDict& entries);
    std::vector<std::string> keys_;
};
REEL_MODULE(ParameterDict);
/// A new dict: the entries of `a`, then those of `b`, which win.
ParameterDict operator|(const ParameterDict& a, const ParameterDict& b);

} // namespace reel::nn
