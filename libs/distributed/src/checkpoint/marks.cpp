// Marks in place of tensors.
#include "checkpoint/item.hpp"

namespace reel::distributed::checkpoint {

namespace {
constexpr std::string_view mark_key = "reel.tensor";
std::string below(const std::string& path, const Value& key) {
    return path + "." + (key.isString() ? key.toStringRef() : key.repr());
}
/// `fn` of every element of a list, tuple or dict in its place.
Value with_elements(const Value& value, const std::function<Value(const Value& key, const Value& element)>& fn) {
    if (value.isGenericDict()) {
        ValueDict items;
        for (const auto& [key, element] : value.toGenericDict()) items.set(key, fn(key, element));
        for (const auto& [name, attribute] : value.toGenericDict().attributes())
            items.set_attribute(name.toStringRef(), attribute);
        return Value(std::move(items));
    }
    if (!value.isSequence()) return value;
    std::vector<Value> elements;
    for (std::size_t i = 0; i < value.elements().size(); ++i)
        elements.push_back(fn(Value(std::int64_t(i)), value.elements()[i]));
    return value.isTuple() ? Value::tuple(std::move(elements)) : Value::list(std::move(elements));
}
} // namespace

Value mark_of(const std::string& tensor) { return ValueDict{{std::string(mark_key), Value(tensor)}}; }
const std::string* marked(const Value& value) {
    if (!value.isGenericDict() || value.toGenericDict().size() != 1) return nullptr;
    const Value* const name = value.toGenericDict().find(mark_key);
    return name && name->isString() ? &name->toStringRef() : nullptr;
}
Value with_tensors_replaced(const Value& value, const std::string& path,
                            const std::function<Value(const Tensor&, const std::string&)>& fn) {
    if (value.isTensor()) return value.toTensor().defined() ? fn(value.toTensor(), path) : value;
    return with_elements(value, [&](const Value& key, const Value& element) {
        return with_tensors_replaced(element, below(path, key), fn);
    });
}
Value with_marks_fetched(const Value& value, const Fetch& fetch) {
    if (marked(value) || value.isTensor()) return fetch(value, std::nullopt);
    return with_elements(value, [&](const Value&, const Value& element) { return with_marks_fetched(element, fetch); });
}

} // namespace reel::distributed::checkpoint
