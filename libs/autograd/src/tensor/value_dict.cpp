// Ordered dictionaries of values.
#include <reel/autograd/value.hpp>

namespace reel {

/// What few dicts have. The index is a hash table with open addressing that holds positions in `items_`; it is kept
/// from `indexed_from` items on, and built and changed only by what changes the dict, so that readers may share a dict.
struct ValueDict::Beside {
    std::vector<std::uint32_t> slots; ///< a position + 1, or one of the two below; as many as a power of two, or none
    std::size_t used = 0;             ///< slots that are not `free`
    ValueDict attributes;
};

namespace {
constexpr std::size_t indexed_from = 32, longest = 0xfffffffe;
constexpr std::uint32_t free_slot = 0, erased = 0xffffffff;

/// Spreads hashes whose low bits are alike (integers, addresses) over the table.
std::size_t spread(std::size_t hash) {
    hash *= 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}
bool same(const Value& a, std::string_view key) { return a.isString() && a.toStringRef() == key; }
bool same(const Value& a, const Value& key) { return a.is(key); }
} // namespace

ValueDict::ValueDict() = default;
ValueDict::~ValueDict() = default;
ValueDict::ValueDict(const ValueDict& o)
    : items_(o.items_), beside_(o.beside_ ? std::make_unique<Beside>(*o.beside_) : nullptr) {}
ValueDict::ValueDict(ValueDict&&) noexcept = default;
ValueDict& ValueDict::operator=(const ValueDict& o) {
    ValueDict copy(o);
    return *this = std::move(copy);
}
ValueDict& ValueDict::operator=(ValueDict&&) noexcept = default;
ValueDict::ValueDict(std::initializer_list<std::pair<std::string, Value>> items) {
    for (const auto& [key, value] : items) set(Value(key), value);
}
std::size_t ValueDict::size() const { return items_.size(); }

template <class Key> std::size_t ValueDict::position(const Key& key) const {
    if (!beside_ || beside_->slots.empty()) {
        std::size_t i = 0;
        while (i < items_.size() && !same(items_[i].first, key)) ++i;
        return i;
    }
    const std::vector<std::uint32_t>& slots = beside_->slots;
    const std::size_t mask = slots.size() - 1;
    std::size_t hash;
    if constexpr (std::is_same_v<Key, Value>) hash = key.hash();
    else hash = std::hash<std::string_view>()(key);
    for (std::size_t at = spread(hash) & mask; slots[at] != free_slot; at = (at + 1) & mask)
        if (slots[at] != erased && same(items_[slots[at] - 1].first, key)) return slots[at] - 1;
    return items_.size();
}
void ValueDict::append(Value key, Value value) {
    items_.emplace_back(std::move(key), std::move(value));
    const std::size_t n = items_.size();
    if (n < indexed_from && (!beside_ || beside_->slots.empty())) return;
    if (!beside_) beside_ = std::make_unique<Beside>();
    std::vector<std::uint32_t>& slots = beside_->slots;
    if (n > longest) return slots.clear();
    const auto enter = [&](std::size_t i) {
        const std::size_t mask = slots.size() - 1;
        std::size_t at = spread(items_[i].first.hash()) & mask;
        while (slots[at] != free_slot) at = (at + 1) & mask;
        slots[at] = std::uint32_t(i + 1);
        ++beside_->used;
    };
    if (2 * (beside_->used + 1) <= slots.size()) return enter(n - 1);
    // at most a quarter full, so that it is long until the next time
    std::size_t capacity = 4 * indexed_from;
    while (capacity < 4 * n) capacity *= 2;
    slots.assign(capacity, free_slot);
    beside_->used = 0;
    for (std::size_t i = 0; i < n; ++i) enter(i);
}

const Value* ValueDict::find(std::string_view key) const {
    const std::size_t i = position(key);
    return i < items_.size() ? &items_[i].second : nullptr;
}
Value* ValueDict::find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).find(key)); }
const Value* ValueDict::find(const Value& key) const {
    const std::size_t i = position(key);
    return i < items_.size() ? &items_[i].second : nullptr;
}
const Value& ValueDict::at(std::string_view key) const& {
    const Value* v = find(key);
    if (!v) REEL_THROW(KeyError, "dict: there is no key '", key, "'");
    return *v;
}
Value ValueDict::at(std::string_view key) const&& { return std::as_const(*this).at(key); }
Value& ValueDict::operator[](std::string_view key) {
    if (Value* v = find(key)) return *v;
    append(Value(key), Value());
    return items_.back().second;
}
void ValueDict::set(Value key, Value value) {
    const std::size_t i = position(key);
    if (i < items_.size()) items_[i].second = std::move(value);
    else append(std::move(key), std::move(value));
}
bool ValueDict::erase(std::string_view key) {
    const std::size_t i = position(key);
    if (i == items_.size()) return false;
    items_.erase(items_.begin() + std::ptrdiff_t(i));
    if (beside_)
        for (std::uint32_t& slot : beside_->slots) {
            if (slot == free_slot || slot == erased) continue;
            if (slot == i + 1) slot = erased;
            else if (slot > i + 1) --slot;
        }
    return true;
}
void ValueDict::clear() {
    items_.clear();
    if (!beside_) return;
    beside_->slots.clear();
    beside_->used = 0;
}
ValueDict::Item* ValueDict::begin() { return items_.data(); }
ValueDict::Item* ValueDict::end() { return items_.data() + items_.size(); }
const ValueDict::Item* ValueDict::begin() const { return items_.data(); }
const ValueDict::Item* ValueDict::end() const { return items_.data() + items_.size(); }

const ValueDict& ValueDict::attributes() const {
    static const ValueDict none;
    return beside_ ? beside_->attributes : none;
}
void ValueDict::set_attribute(std::string_view name, Value value) {
    if (!beside_) beside_ = std::make_unique<Beside>();
    beside_->attributes.set(Value(name), std::move(value));
}

} // namespace reel
