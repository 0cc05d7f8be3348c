#include "exported/tree_spec.hpp"

#include <reel/autograd/error.hpp>

#include "exported/python_json.hpp"

namespace reel::jit {

namespace {
namespace json = boost::json;
constexpr int deepest = 64;

IValue key_of(const json::value& v) {
    if (v.is_string()) return std::string(v.as_string());
    if (v.is_int64()) return v.as_int64();
    if (v.is_bool()) return v.as_bool();
    REEL_THROW(ValueError, "a key of a dict is neither a string nor an int: ", json::serialize(v));
}
TreeSpec read(const json::object& o, int depth) {
    REEL_CHECK_VALUE(depth < deepest, "nesting is deeper than ", deepest);
    TreeSpec out;
    const json::value& type = o.at("type");
    if (type.is_null()) return out;
    const std::string name(type.as_string());
    // what `max(x, dim)` returns is a tuple with names
    if (name == "builtins.tuple" || name.starts_with("torch.return_types.")) out.kind = TreeSpec::Kind::Tuple;
    else if (name == "builtins.list") out.kind = TreeSpec::Kind::List;
    else if (name == "builtins.dict" || name == "collections.OrderedDict") out.kind = TreeSpec::Kind::Dict;
    else REEL_THROW(NotImplementedError, "inputs and outputs of the type '", name, "' are not supported");
    for (const json::value& child : o.at("children_spec").as_array())
        out.children.push_back(read(child.as_object(), depth + 1));
    if (out.kind == TreeSpec::Kind::Dict) {
        const json::value keys = json::parse(o.at("context").as_string());
        for (const json::value& key : keys.as_array()) out.keys.push_back(key_of(key));
        REEL_CHECK_VALUE(out.keys.size() == out.children.size(), "a dict of ", out.keys.size(), " keys and ",
                         out.children.size(), " values");
    }
    return out;
}
} // namespace

TreeSpec TreeSpec::parse(const std::string& text) {
    const json::value whole = json::parse(text);
    return read(whole.as_array().at(1).as_object(), 0);
}
TreeSpec TreeSpec::of(const IValue& value) {
    TreeSpec out;
    if (value.isGenericDict()) {
        out.kind = Kind::Dict;
        for (const auto& [key, item] : value.toGenericDict()) {
            REEL_CHECK_NOT_IMPLEMENTED(
                key.isString() || key.isInt(), "a dict with the key ", key.repr(),
                " cannot be an input or output of an exported program; keys are strings or ints");
            out.keys.push_back(key);
            out.children.push_back(of(item));
        }
    } else if (value.isSequence()) {
        out.kind = value.isTuple() ? Kind::Tuple : Kind::List;
        for (const IValue& e : value.elements()) out.children.push_back(of(e));
    }
    return out;
}

namespace {
json::object spec_of(const TreeSpec& tree) {
    static constexpr const char* names[] = {nullptr, "builtins.tuple", "builtins.list", "builtins.dict"};
    json::array children;
    for (const TreeSpec& c : tree.children) children.push_back(spec_of(c));
    if (tree.kind == TreeSpec::Kind::Leaf)
        return {{"type", nullptr}, {"context", nullptr}, {"children_spec", std::move(children)}};
    json::array keys;
    for (const IValue& key : tree.keys)
        keys.push_back(key.isInt() ? json::value(key.toInt()) : json::value(key.toStringRef()));
    const std::string context = tree.kind == TreeSpec::Kind::Dict ? python_json(keys) : "null";
    return {{"type", names[std::size_t(tree.kind)]}, {"context", context}, {"children_spec", std::move(children)}};
}
} // namespace
std::string TreeSpec::text() const { return python_json(json::array{1, spec_of(*this)}); }

std::size_t TreeSpec::leaves() const {
    if (kind == Kind::Leaf) return 1;
    std::size_t n = 0;
    for (const TreeSpec& c : children) n += c.leaves();
    return n;
}
void TreeSpec::flatten(const IValue& value, const std::string& place, std::vector<IValue>& out) const {
    const auto expected = [&](const std::string& what) {
        REEL_THROW(ValueError, place, " is ", value.repr(), "; the program was exported with ", what);
    };
    switch (kind) {
    case Kind::Leaf:
        if (value.isSequence() || value.isGenericDict()) expected("a tensor or plain value");
        return out.push_back(value);
    case Kind::Tuple:
    case Kind::List: {
        const bool right = kind == Kind::Tuple ? value.isTuple() : value.isList();
        if (!right || value.elements().size() != children.size())
            expected(reel::str("a ", kind == Kind::Tuple ? "tuple" : "list", " of ", children.size()));
        for (std::size_t i = 0; i < children.size(); ++i)
            children[i].flatten(value.elements()[i], place + "[" + std::to_string(i) + "]", out);
        return;
    }
    case Kind::Dict: {
        if (!value.isGenericDict() || value.toGenericDict().size() != keys.size())
            expected(reel::str("a dict of ", keys.size()));
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const IValue* item = value.toGenericDict().find(keys[i]);
            if (!item) expected("a dict with the key " + keys[i].repr());
            children[i].flatten(*item, place + "[" + keys[i].repr() + "]", out);
        }
        return;
    }
    }
}
IValue TreeSpec::unflatten(const std::vector<IValue>& leaves, std::size_t& at) const {
    if (kind == Kind::Leaf) return leaves.at(at++);
    if (kind == Kind::Dict) {
        ValueDict dict;
        for (std::size_t i = 0; i < keys.size(); ++i) dict.set(keys[i], children[i].unflatten(leaves, at));
        return dict;
    }
    Args elements;
    for (const TreeSpec& c : children) elements.push_back(c.unflatten(leaves, at));
    return kind == Kind::Tuple ? IValue::tuple(std::move(elements)) : IValue::list(std::move(elements));
}

} // namespace reel::jit
