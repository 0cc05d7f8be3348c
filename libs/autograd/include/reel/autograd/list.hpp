// Lists, dicts and tuples of values as typed handles. Copies share the elements, as in Python; the elements lie in a
// Value, which each handle converts to.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include <reel/autograd/value.hpp>

namespace reel {

/// The elements of a tuple; immutable.
class Tuple {
public:
    explicit Tuple(std::vector<Value> elements) : value_(Value::tuple(std::move(elements))) {}
    /// TypeError for other values.
    static Tuple from_value(const Value& v) { return v.toTuple(); }
    /// libtorch's spelling: `ivalue::Tuple::create({h, c})`, `ivalue::Tuple::create(h, c)`.
    static Tuple create(std::vector<Value> elements) { return Tuple(std::move(elements)); }
    template <class A, class B, class... More> static Tuple create(const A& a, const B& b, const More&... more) {
        return Tuple({Value(a), Value(b), Value(more)...});
    }
    const std::vector<Value>& elements() const { return value_.elements(); }
    std::size_t size() const { return elements().size(); }
    const Value& operator[](std::size_t i) const { return elements()[i]; }
    /// libtorch's spelling: `value.toTuple()->elements()`.
    const Tuple* operator->() const { return this; }
    operator Value() const { return value_; }

private:
    friend class Value;
    explicit Tuple(Value v) : value_(std::move(v)) {}
    Value value_;
};
namespace ivalue {
using reel::Tuple;
}

/// A list whose elements convert to `T`. Errors: IndexError beyond the end, TypeError for an element of another kind.
template <class T> class List {
public:
    using value_type = T;
    List() : value_(Value::list({})) {}
    List(std::initializer_list<T> elements) : List() {
        for (const T& e : elements) push_back(e);
    }
    explicit List(ArrayRef<T> elements) : List() {
        for (const T& e : elements) push_back(e);
    }
    /// Shares the elements of a list; TypeError for other values.
    static List from_value(const Value& v) {
        List r;
        v.list_elements();
        r.value_ = v;
        return r;
    }
    std::size_t size() const { return all().size(); }
    bool empty() const { return all().empty(); }
    T get(std::size_t i) const { return at(i).template to<T>(); }
    T operator[](std::size_t i) const { return get(i); }
    T extract(std::size_t i) const { return std::exchange(at(i), Value()).template to<T>(); }
    void set(std::size_t i, T element) const { at(i) = Value(std::move(element)); }
    void push_back(T element) const { all().push_back(Value(std::move(element))); }
    template <class... A> void emplace_back(A&&... args) const { push_back(T(std::forward<A>(args)...)); }
    void append(const List& other) const {
        const std::vector<Value> more = other.all(); // may be this very list
        all().insert(all().end(), more.begin(), more.end());
    }
    void pop_back() const {
        if (empty()) throw_index(0, 0);
        all().pop_back();
    }
    void clear() const { all().clear(); }
    void reserve(std::size_t n) const { all().reserve(n); }
    void resize(std::size_t n, const T& fill = T()) const { all().resize(n, Value(fill)); }
    /// A list of its own with the same elements.
    List copy() const { return from_value(Value::list(all())); }
    std::vector<T> vec() const { return std::vector<T>(begin(), end()); }
    bool is(const List& other) const { return value_.is(other.value_); }
    operator Value() const { return value_; }

    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = T;
        T operator*() const { return list_->get(i_); }
        iterator& operator++() { return ++i_, *this; }
        bool operator==(const iterator& o) const { return i_ == o.i_; }

    private:
        friend class List;
        iterator(const List* list, std::size_t i) : list_(list), i_(i) {}
        const List* list_;
        std::size_t i_;
    };
    iterator begin() const { return {this, 0}; }
    iterator end() const { return {this, size()}; }

private:
    [[noreturn]] static void throw_index(std::size_t i, std::size_t n) {
        REEL_THROW(IndexError, "List: there is no element ", i, " in a list of ", n);
    }
    std::vector<Value>& all() const { return value_.list_elements(); }
    Value& at(std::size_t i) const {
        if (i >= size()) throw_index(i, size());
        return all()[i];
    }
    Value value_;
};

/// A dict from `K` to `V`, in order of insertion. Errors: KeyError for a missing key.
template <class K, class V> class Dict {
public:
    Dict() : value_(ValueDict()) {}
    /// Shares the items of a dict; TypeError for other values.
    static Dict from_value(const Value& v) {
        Dict r;
        v.toGenericDict();
        r.value_ = v;
        return r;
    }
    std::size_t size() const { return all().size(); }
    bool empty() const { return all().empty(); }
    bool contains(const K& key) const { return all().find(Value(key)) != nullptr; }
    V at(const K& key) const {
        const Value* found = all().find(Value(key));
        if (!found) REEL_THROW(KeyError, "Dict: there is no key ", Value(key).repr());
        return found->template to<V>();
    }
    /// Adds; false and nothing changed when the key is there already.
    bool insert(K key, V value) const {
        if (contains(key)) return false;
        all().set(Value(std::move(key)), Value(std::move(value)));
        return true;
    }
    void insert_or_assign(K key, V value) const { all().set(Value(std::move(key)), Value(std::move(value))); }
    /// False when there was none.
    bool erase(const K& key) const {
        ValueDict rest;
        bool found = false;
        for (const auto& [k, v] : all()) {
            if (k.is(Value(key))) found = true;
            else rest.set(k, v);
        }
        if (found) all() = std::move(rest);
        return found;
    }
    void clear() const { all().clear(); }
    std::vector<K> keys() const {
        std::vector<K> r;
        for (const auto& [k, v] : all()) r.push_back(k.template to<K>());
        return r;
    }
    std::vector<V> values() const {
        std::vector<V> r;
        for (const auto& [k, v] : all()) r.push_back(v.template to<V>());
        return r;
    }
    std::vector<std::pair<K, V>> items() const {
        std::vector<std::pair<K, V>> r;
        for (const auto& [k, v] : all()) r.emplace_back(k.template to<K>(), v.template to<V>());
        return r;
    }
    bool is(const Dict& other) const { return value_.is(other.value_); }
    operator Value() const { return value_; }

private:
    ValueDict& all() const { return value_.toGenericDict(); }
    Value value_;
};

} // namespace reel
