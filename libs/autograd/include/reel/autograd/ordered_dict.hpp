// An insertion-ordered dictionary with the interface of libtorch's OrderedDict.
#pragma once

#include <initializer_list>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <reel/autograd/error.hpp>

namespace reel {

/// An entry of an OrderedDict: `item.key()`, `item.value()`, `*item`, or `for (auto& [name, parameter] : dict)`.
template <class Key, class Value> class OrderedDictItem {
public:
    OrderedDictItem(Key key, Value value) : pair_(std::move(key), std::move(value)) {}
    const Key& key() const { return pair_.first; }
    Value& value() { return pair_.second; }
    const Value& value() const { return pair_.second; }
    Value& operator*() { return pair_.second; }
    const Value& operator*() const { return pair_.second; }
    Value* operator->() { return &pair_.second; }
    const Value* operator->() const { return &pair_.second; }
    const std::pair<Key, Value>& pair() const { return pair_; }
    template <std::size_t I> auto& get() {
        if constexpr (I == 0) return std::as_const(pair_.first);
        else return pair_.second;
    }
    template <std::size_t I> const auto& get() const { return std::get<I>(pair_); }

private:
    std::pair<Key, Value> pair_;
};

/// Insertion-ordered map. Missing and duplicate keys throw KeyError quoting the key and what keys stand for.
template <class Key, class Value> class OrderedDict {
public:
    using Item = OrderedDictItem<Key, Value>;
    using Iterator = typename std::vector<Item>::iterator;
    using ConstIterator = typename std::vector<Item>::const_iterator;

    explicit OrderedDict(std::string key_description = "Key") : key_description_(std::move(key_description)) {}
    OrderedDict(std::initializer_list<Item> items) : key_description_("Key") {
        for (const Item& i : items) insert(i.key(), i.value());
    }
    const std::string& key_description() const { return key_description_; }
    /// First and last item; IndexError when there are none.
    Item& front() { return filled().front(); }
    Item& back() { return filled().back(); }
    const Item& front() const { return const_cast<OrderedDict*>(this)->front(); }
    const Item& back() const { return const_cast<OrderedDict*>(this)->back(); }
    Iterator begin() { return items_.begin(); }
    Iterator end() { return items_.end(); }
    ConstIterator begin() const { return items_.begin(); }
    ConstIterator end() const { return items_.end(); }
    std::size_t size() const { return items_.size(); }
    bool is_empty() const { return items_.empty(); }
    void reserve(std::size_t n) { items_.reserve(n); }

    Value* find(const Key& key) {
        const auto it = index_.find(key);
        return it == index_.end() ? nullptr : &items_[it->second].value();
    }
    const Value* find(const Key& key) const { return const_cast<OrderedDict*>(this)->find(key); }
    bool contains(const Key& key) const { return find(key) != nullptr; }
    Value& operator[](const Key& key) {
        Value* v = find(key);
        if (!v) REEL_THROW(KeyError, key_description_, " '", key, "' is not defined");
        return *v;
    }
    const Value& operator[](const Key& key) const { return const_cast<OrderedDict&>(*this)[key]; }
    Item& operator[](std::size_t i) {
        REEL_CHECK_INDEX(i < size(), "OrderedDict: index ", i, " is out of range for ", size(), " items");
        return items_[i];
    }
    const Item& operator[](std::size_t i) const { return const_cast<OrderedDict&>(*this)[i]; }

    template <class K, class V> Value& insert(K&& key, V&& value) {
        if (contains(key)) REEL_THROW(KeyError, key_description_, " '", key, "' is already defined");
        return insert_or_assign(std::forward<K>(key), std::forward<V>(value));
    }
    /// `insert("a", {1, 2})`.
    Value& insert(const Key& key, Value value) { return insert<const Key&, Value>(key, std::move(value)); }
    /// Overwrites an existing entry in its place, else appends.
    template <class K, class V> Value& insert_or_assign(K&& key, V&& value) {
        if (Value* v = find(key)) return *v = std::forward<V>(value);
        index_.emplace(key, items_.size());
        items_.emplace_back(std::forward<K>(key), std::forward<V>(value));
        return items_.back().value();
    }
    void update(const OrderedDict& other) {
        for (const Item& i : other) insert(i.key(), i.value());
    }
    void erase(const Key& key) {
        const auto it = index_.find(key);
        if (it == index_.end()) REEL_THROW(KeyError, key_description_, " '", key, "' is not defined");
        items_.erase(items_.begin() + std::ptrdiff_t(it->second));
        index_.clear();
        for (std::size_t i = 0; i < items_.size(); ++i) index_.emplace(items_[i].key(), i);
    }
    void clear() {
        items_.clear();
        index_.clear();
    }
    const std::vector<Item>& items() const { return items_; }
    std::vector<Key> keys() const {
        std::vector<Key> r;
        for (const Item& i : items_) r.push_back(i.key());
        return r;
    }
    std::vector<Value> values() const {
        std::vector<Value> r;
        for (const Item& i : items_) r.push_back(i.value());
        return r;
    }
    std::vector<std::pair<Key, Value>> pairs() const {
        std::vector<std::pair<Key, Value>> r;
        for (const Item& i : items_) r.push_back(i.pair());
        return r;
    }

private:
    std::vector<Item>& filled() {
        REEL_CHECK_INDEX(!items_.empty(), "OrderedDict: an empty dictionary has no first and no last item");
        return items_;
    }
    std::unordered_map<Key, std::size_t> index_;
    std::vector<Item> items_;
    std::string key_description_;
};

} // namespace reel

template <class Key, class Value>
struct std::tuple_size<reel::OrderedDictItem<Key, Value>> : std::integral_constant<std::size_t, 2> {};
template <class Key, class Value> struct std::tuple_element<0, reel::OrderedDictItem<Key, Value>> {
    using type = const Key;
};
template <class Key, class Value> struct std::tuple_element<1, reel::OrderedDictItem<Key, Value>> {
    using type = Value;
};
