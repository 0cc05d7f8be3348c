// Dicts, ordered by insertion (rule SC-51).
#include <algorithm>

#include <reel/autograd/error.hpp>
#include <reel/script/object.hpp>

#include "ops/own.hpp"
#include "run/limits.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;
using Int = std::int64_t;

const IValue& at(const IValue& dict, const IValue& key) {
    const IValue* const found = dict.toGenericDict().find(key);
    REEL_CHECK_WITH(KeyError, found, "KeyError: ", str(key));
    return *found;
}
void set(ValueDict& dict, IValue key, IValue value) {
    run_state().claim((dict.size() + 1) * sizeof(ValueDict::Item));
    dict.set(std::move(key), std::move(value));
}
void erase(ValueDict& dict, const IValue& key) {
    if (key.isString()) {
        dict.erase(key.toStringRef());
        return;
    }
    ValueDict rest;
    for (auto& [k, v] : dict)
        if (!k.is(key)) rest.set(std::move(k), std::move(v));
    dict = std::move(rest);
}

IValue get_item(Span a) { return at(a[0], a[1]); }
IValue set_item(Span a) {
    set(a[0].toGenericDict(), std::move(a[1]), std::move(a[2]));
    return {};
}
IValue contains(Span a) { return a[0].toGenericDict().find(a[1]) != nullptr; }
IValue length(Span a) { return Int(a[0].toGenericDict().size()); }
IValue get(Span a) {
    const IValue* const found = a[0].toGenericDict().find(a[1]);
    return found ? *found : a.size() > 2 ? a[2] : IValue();
}
IValue set_default(Span a) {
    ValueDict& dict = a[0].toGenericDict();
    if (const IValue* const found = dict.find(a[1])) return *found;
    set(dict, a[1], a[2]);
    return a[2];
}
IValue pop(Span a) {
    ValueDict& dict = a[0].toGenericDict();
    const IValue* const found = dict.find(a[1]);
    if (!found && a.size() > 2) return a[2];
    IValue value = at(a[0], a[1]);
    erase(dict, a[1]);
    return value;
}
IValue pop_item(Span a) {
    ValueDict& dict = a[0].toGenericDict();
    REEL_CHECK_WITH(KeyError, !dict.empty(), "popitem(): dictionary is empty");
    const ValueDict::Item first = *dict.begin(); // scripts take the oldest, where Python takes the newest
    erase(dict, first.first);
    return IValue::tuple({first.first, first.second});
}
IValue delete_item(Span a) {
    at(a[0], a[1]);
    erase(a[0].toGenericDict(), a[1]);
    return {};
}
IValue clear(Span a) {
    a[0].toGenericDict().clear();
    return {};
}
IValue copy(Span a) { return ValueDict(a[0].toGenericDict()); }
IValue update(Span a) {
    const ValueDict more = a[1].toGenericDict(); // may be this very dict
    for (const auto& [key, value] : more) set(a[0].toGenericDict(), key, value);
    return {};
}
template <class F> IValue listed(const IValue& dict, F f) {
    std::vector<IValue> out;
    for (const ValueDict::Item& item : dict.toGenericDict()) out.push_back(f(item));
    return IValue::list(std::move(out));
}
IValue keys(Span a) {
    return listed(a[0], [](const auto& item) { return item.first; });
}
IValue values(Span a) {
    return listed(a[0], [](const auto& item) { return item.second; });
}
IValue items(Span a) {
    return listed(a[0], [](const auto& item) { return IValue::tuple({item.first, item.second}); });
}
/// Of a list of pairs, or of another dict.
IValue make(Span a) {
    if (a[0].isGenericDict()) return copy(a);
    ValueDict dict;
    for (const IValue& pair : a[0].elements()) set(dict, pair.elements().at(0), pair.elements().at(1));
    return dict;
}

constexpr Line lines[] = {
#define REEL_SCRIPT_KEYED(NAME, KEY, RUN)                                                                              \
    { "aten::" NAME KEY, RUN }
#define REEL_SCRIPT_FOR_KEY(KEY)                                                                                       \
    REEL_SCRIPT_KEYED("__getitem__.Dict_", KEY, get_item), REEL_SCRIPT_KEYED("_set_item.", KEY, set_item),             \
        REEL_SCRIPT_KEYED("__contains__.", KEY, contains), REEL_SCRIPT_KEYED("len.Dict_", KEY, length),                \
        REEL_SCRIPT_KEYED("get.", KEY, get), REEL_SCRIPT_KEYED("get.default_", KEY, get),                              \
        REEL_SCRIPT_KEYED("setdefault.", KEY, set_default), REEL_SCRIPT_KEYED("pop.Dict_", KEY, pop),                  \
        REEL_SCRIPT_KEYED("pop.Dict_default_", KEY, pop), REEL_SCRIPT_KEYED("popitem.", KEY, pop_item),                \
        REEL_SCRIPT_KEYED("Delete.Dict_", KEY, delete_item), REEL_SCRIPT_KEYED("clear.", KEY, clear),                  \
        REEL_SCRIPT_KEYED("copy.Dict_", KEY, copy), REEL_SCRIPT_KEYED("update.", KEY, update),                         \
        REEL_SCRIPT_KEYED("keys.", KEY, keys), REEL_SCRIPT_KEYED("values.", KEY, values),                              \
        REEL_SCRIPT_KEYED("items.", KEY, items), REEL_SCRIPT_KEYED("dict.", KEY, make),                                \
        REEL_SCRIPT_KEYED("dict.Dict_", KEY, make)
    REEL_SCRIPT_FOR_KEY("str"),     REEL_SCRIPT_FOR_KEY("int"),  REEL_SCRIPT_FOR_KEY("float"),
    REEL_SCRIPT_FOR_KEY("complex"), REEL_SCRIPT_FOR_KEY("bool"), REEL_SCRIPT_FOR_KEY("Tensor"),
};

} // namespace

std::span<const Line> dicts() { return lines; }

} // namespace reel::jit::own
