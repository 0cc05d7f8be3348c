// Errors of inner workings, put in terms of the call that the user wrote.
#include "op/caller.hpp"

#include <cctype>
#include <typeinfo>

#include <reel/autograd/error.hpp>

namespace reel::ops {

std::string shortened(const std::string& text, std::size_t most) {
    if (text.size() <= most) return text;
    return str(text.substr(0, most - most / 3), " ... ", text.substr(text.size() - most / 5), " (", text.size(),
               " characters)");
}

std::string describe_bound(const Schema& schema, std::span<const Value> bound) {
    std::string s;
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const Argument& a = schema.arguments[i];
        if (a.has_default && (bound[i].isNone() || bound[i].is(a.default_value))) continue;
        s += (s.empty() ? "" : ", ") + a.name + "=" + shortened(bound[i].repr());
    }
    return s;
}

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
    }
    return false;
}

/// How many characters of `text` are the op's name, short or long, before a colon or a bracket; 0 when it begins
/// otherwise. `nn.functional.relu` may call itself `relu`, too.
std::size_t leading_name(std::string_view text, std::string_view name) {
    const auto begins = [&](std::string_view n) {
        return text.size() > n.size() && text.starts_with(n) && (text[n.size()] == ':' || text[n.size()] == '(');
    };
    if (begins(name)) return name.size();
    const std::string_view last = name.substr(name.rfind('.') + 1); // npos + 1 is 0
    return begins(last) ? last.size() : 0;
}

bool names_an_argument(std::string_view text, const Schema& schema) {
    for (const Argument& a : schema.arguments)
        if (has_word(text, a.name)) return true;
    return schema.arguments.empty();
}

/// Strings and lists of the caller's that the text repeats whole are cut in it.
void cut_echoes(std::string& text, const Value& v) {
    constexpr std::size_t bearable = 100;
    if (v.isSequence()) {
        for (const Value& e : v.elements()) cut_echoes(text, e);
    } else if (v.isGenericDict()) {
        for (const auto& [key, e] : v.toGenericDict()) cut_echoes(text, e);
    } else if (v.isString() && v.toStringRef().size() > bearable) {
        const std::string& whole = v.toStringRef();
        for (std::size_t at = text.find(whole); at != text.npos; at = text.find(whole))
            text.replace(at, whole.size(), shortened(whole));
    }
}

template <class E> void throw_if(const Error& e, const std::string& text) {
    if (typeid(e) != typeid(E)) return;
    E changed(text, e.where());
    for (const std::string& line : e.context()) changed.add_context(line);
    throw changed;
}

} // namespace

void throw_on(Error& e, const std::string& name, const Schema& schema, std::span<const Value> bound) {
    std::string text = e.msg();
    for (const Value& v : bound) cut_echoes(text, v);
    bool own = true; // an inner op speaks of its own arguments
    if (!leading_name(text, name)) {
        // the op itself, called by another of its names or in place
        if (const std::size_t n = leading_name(text, schema.name)) text.replace(0, n, name);
        else text = name + ": " + text, own = false;
    }
    if (!own || !names_an_argument(std::string_view(text).substr(leading_name(text, name)), schema))
        text += "; called as " + name + "(" + describe_bound(schema, bound) + ")";
    throw_if<Error>(e, text);
    throw_if<IndexError>(e, text);
    throw_if<TypeError>(e, text);
    throw_if<ValueError>(e, text);
    throw_if<KeyError>(e, text);
    throw_if<AttributeError>(e, text);
    throw_if<NotImplementedError>(e, text);
    throw_if<LinAlgError>(e, text);
    throw_if<OutOfMemoryError>(e, text);
    e.add_context("in " + name + "(" + describe_bound(schema, bound) + ")");
    throw;
}

} // namespace reel::ops
