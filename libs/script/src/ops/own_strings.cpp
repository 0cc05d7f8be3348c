// Methods of strings, which are bytes (rule SC-48).
#include <algorithm>
#include <string>

#include <reel/autograd/error.hpp>
#include <reel/script/object.hpp>

#include "ops/own.hpp"
#include "ops/slice.hpp"
#include "run/limits.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;
using Int = std::int64_t;
using Text = const std::string&;

// Of ASCII alone, whatever the locale.
bool lower_letter(char c) { return c >= 'a' && c <= 'z'; }
bool upper_letter(char c) { return c >= 'A' && c <= 'Z'; }
bool letter(char c) { return lower_letter(c) || upper_letter(c); }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter_or_digit(char c) { return letter(c) || digit(c); }
bool space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool printable(char c) { return c >= ' ' && c <= '~'; }
char to_lower(char c) { return upper_letter(c) ? char(c + 32) : c; }
char to_upper(char c) { return lower_letter(c) ? char(c - 32) : c; }

template <bool (*test)(char)> IValue all_are(Span a) {
    Text s = a[0].toStringRef();
    return !s.empty() && std::all_of(s.begin(), s.end(), test);
}
IValue is_printable(Span a) {
    Text s = a[0].toStringRef();
    return std::all_of(s.begin(), s.end(), printable);
}
/// Letters of one case alone, and at least one.
template <bool (*wanted)(char), bool (*other)(char)> IValue case_is(Span a) {
    Text s = a[0].toStringRef();
    return std::any_of(s.begin(), s.end(), wanted) && std::none_of(s.begin(), s.end(), other);
}
IValue is_title(Span a) {
    bool in_word = false, any = false;
    for (const char c : a[0].toStringRef()) {
        if (upper_letter(c) ? in_word : lower_letter(c) && !in_word) return false;
        in_word = letter(c);
        any |= in_word;
    }
    return any;
}
IValue is_identifier(Span a) {
    Text s = a[0].toStringRef();
    return !s.empty() && !digit(s[0]) &&
           std::all_of(s.begin(), s.end(), [](char c) { return letter_or_digit(c) || c == '_'; });
}

template <char (*change)(char)> IValue each(Span a) {
    std::string s = a[0].toStringRef();
    std::transform(s.begin(), s.end(), s.begin(), change);
    return s;
}
char swapped(char c) { return upper_letter(c) ? to_lower(c) : to_upper(c); }
IValue capitalize(Span a) {
    std::string s = each<to_lower>(a).toStringRef();
    if (!s.empty()) s[0] = to_upper(s[0]);
    return s;
}
IValue title(Span a) {
    std::string s = a[0].toStringRef();
    bool in_word = false;
    for (char& c : s) {
        c = in_word ? to_lower(c) : to_upper(c);
        in_word = letter(c);
    }
    return s;
}

/// A text of `width` bytes would be made.
std::size_t claimed(Int width) {
    if (width <= 0) return 0;
    run_state().claim(std::size_t(width));
    return std::size_t(width);
}
char fill_of(Span a) {
    Text fill = a[2].toStringRef();
    REEL_CHECK_TYPE(fill.size() == 1, "the fill character must be exactly one character long");
    return fill[0];
}
IValue ljust(Span a) {
    std::string s = a[0].toStringRef();
    s.resize(std::max(s.size(), claimed(a[1].toInt())), fill_of(a));
    return s;
}
IValue rjust(Span a) {
    Text s = a[0].toStringRef();
    return std::string(std::max(s.size(), claimed(a[1].toInt())) - s.size(), fill_of(a)) + s;
}
IValue center(Span a) {
    Text s = a[0].toStringRef();
    const std::size_t width = claimed(a[1].toInt()), room = std::max(s.size(), width) - s.size();
    const std::size_t left = room / 2 + (room & width & 1); // as Python places the odd one
    const char fill = fill_of(a);
    return std::string(left, fill) + s + std::string(room - left, fill);
}
IValue zfill(Span a) {
    std::string s = a[0].toStringRef();
    const std::size_t width = claimed(a[1].toInt());
    const bool sign = !s.empty() && (s[0] == '-' || s[0] == '+');
    if (s.size() < width) s.insert(sign, std::string(width - s.size(), '0'));
    return s;
}
IValue expandtabs(Span a) {
    const Int size = a[1].toInt();
    std::string out;
    std::size_t column = 0;
    for (const char c : a[0].toStringRef()) {
        if (c == '\t') {
            const std::size_t gap = size > 0 ? std::size_t(size) - column % std::size_t(size) : 0;
            claimed(Int(out.size() + gap));
            out.append(gap, ' ');
            column += gap;
        } else {
            out += c;
            column = c == '\n' || c == '\r' ? 0 : column + 1;
        }
    }
    return out;
}

std::string stripped(Text s, Text chars, bool left, bool right) {
    std::size_t begin = 0, end = s.size();
    while (left && begin < end && chars.find(s[begin]) != std::string::npos) ++begin;
    while (right && end > begin && chars.find(s[end - 1]) != std::string::npos) --end;
    return s.substr(begin, end - begin);
}
template <bool left, bool right> IValue strip(Span a) {
    return stripped(a[0].toStringRef(), a[1].toStringRef(), left, right);
}

/// The part from `start` to `end`, which may count from the back; where it begins. The default end, -1, is the whole.
std::pair<std::string_view, std::size_t> part(Span a) {
    Text s = a[0].toStringRef();
    const Int size = Int(s.size());
    const auto bound = [&](Int i) { return std::clamp<Int>(i < 0 ? i + size : i, 0, size); };
    const Int begin = bound(a[2].toInt()), end = a[3].toInt() == -1 ? size : bound(a[3].toInt());
    if (begin >= end) return {std::string_view(), std::size_t(begin)};
    return {std::string_view(s).substr(std::size_t(begin), std::size_t(end - begin)), std::size_t(begin)};
}
Int place(std::size_t found, std::size_t begin) { return found == std::string::npos ? -1 : Int(found + begin); }
IValue find(Span a) {
    const auto [text, begin] = part(a);
    return place(text.find(a[1].toStringRef()), begin);
}
IValue rfind(Span a) {
    const auto [text, begin] = part(a);
    return place(text.rfind(a[1].toStringRef()), begin);
}
IValue found(const IValue& at) {
    REEL_CHECK_VALUE(at.toInt() >= 0, "ValueError: substring not found");
    return at;
}
IValue index(Span a) { return found(find(a)); }
IValue rindex(Span a) { return found(rfind(a)); }
IValue count(Span a) {
    const auto [text, begin] = part(a);
    Text what = a[1].toStringRef();
    if (what.empty()) return Int(text.size()) + 1;
    Int n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++n;
    return n;
}
IValue startswith(Span a) { return part(a).first.starts_with(a[1].toStringRef()); }
IValue endswith(Span a) { return part(a).first.ends_with(a[1].toStringRef()); }

IValue replace(Span a) {
    Text s = a[0].toStringRef(), old = a[1].toStringRef(), fresh = a[2].toStringRef();
    Int left = a[3].toInt();
    std::string out;
    std::size_t from = 0;
    while (left != 0) {
        const std::size_t at = old.empty() ? from : s.find(old, from);
        if (at == std::string::npos) break;
        claimed(Int(out.size() + fresh.size()));
        out.append(s, from, at - from).append(fresh);
        --left;
        from = at + old.size();
        if (old.empty()) { // between any two bytes
            if (from == s.size()) return out;
            out += s[from++];
        }
    }
    return out.append(s, from);
}

IValue texts(std::vector<std::string> parts) { return IValue::list(std::vector<IValue>(parts.begin(), parts.end())); }
/// Words, at most `max` splits (negative: any number).
std::vector<std::string> split_words(Text s, Int max) {
    std::vector<std::string> parts;
    std::size_t at = 0;
    while (true) {
        while (at < s.size() && space(s[at])) ++at;
        if (at == s.size()) return parts;
        if (max-- == 0) {
            parts.push_back(s.substr(at));
            return parts;
        }
        const std::size_t begin = at;
        while (at < s.size() && !space(s[at])) ++at;
        parts.push_back(s.substr(begin, at - begin));
    }
}
void check_separator(Text separator) { REEL_CHECK_VALUE(!separator.empty(), "empty separator"); }
IValue split(Span a) {
    Text s = a[0].toStringRef();
    Int max = a[2].toInt();
    if (a[1].isNone()) return texts(split_words(s, max));
    Text separator = a[1].toStringRef();
    check_separator(separator);
    std::vector<std::string> parts;
    std::size_t from = 0, at;
    while (max-- != 0 && (at = s.find(separator, from)) != std::string::npos) {
        parts.push_back(s.substr(from, at - from));
        from = at + separator.size();
    }
    parts.push_back(s.substr(from));
    return texts(std::move(parts));
}
IValue rsplit(Span a) {
    Text s = a[0].toStringRef(), separator = a[1].toStringRef();
    check_separator(separator);
    Int max = a[2].toInt();
    std::vector<std::string> parts;
    std::size_t end = s.size();
    while (max-- != 0 && end >= separator.size()) {
        const std::size_t at = s.rfind(separator, end - separator.size());
        if (at == std::string::npos) break;
        parts.push_back(s.substr(at + separator.size(), end - at - separator.size()));
        end = at;
    }
    parts.push_back(s.substr(0, end));
    std::reverse(parts.begin(), parts.end());
    return texts(std::move(parts));
}
IValue splitlines(Span a) {
    Text s = a[0].toStringRef();
    const bool keep = a[1].toBool();
    constexpr std::string_view ends = "\n\r\t\f\v\x1c\x1d\x1e";
    std::vector<std::string> lines;
    for (std::size_t from = 0; from < s.size();) {
        std::size_t end = from;
        while (end < s.size() && (ends.find(s[end]) == std::string_view::npos || s[end] == '\t')) ++end;
        std::size_t next = std::min(end + 1, s.size());
        if (end + 1 < s.size() && s[end] == '\r' && s[end + 1] == '\n') ++next;
        lines.push_back(s.substr(from, (keep ? next : end) - from));
        from = next;
    }
    return texts(std::move(lines));
}
template <bool from_back> IValue partition(Span a) {
    Text s = a[0].toStringRef(), separator = a[1].toStringRef();
    check_separator(separator);
    const std::size_t at = from_back ? s.rfind(separator) : s.find(separator);
    if (at == std::string::npos) return from_back ? IValue::tuple({"", "", s}) : IValue::tuple({s, "", ""});
    return IValue::tuple({s.substr(0, at), separator, s.substr(at + separator.size())});
}
IValue join(Span a) {
    Text separator = a[0].toStringRef();
    std::string out;
    bool first = true;
    for (const IValue& part : a[1].elements()) {
        if (!first) out += separator;
        first = false;
        out += part.toStringRef();
        claimed(Int(out.size()));
    }
    return out;
}

IValue concatenated(Span a) {
    Text x = a[0].toStringRef(), y = a[1].toStringRef();
    claimed(Int(x.size() + y.size()));
    return x + y;
}
IValue length(Span a) { return Int(a[0].toStringRef().size()); }
IValue byte(Span a) {
    Text s = a[0].toStringRef();
    const Int n = Int(s.size()), i = a[1].toInt() < 0 ? a[1].toInt() + n : a[1].toInt();
    REEL_CHECK_INDEX(i >= 0 && i < n, "string index out of range");
    return std::string(1, s[std::size_t(i)]);
}
IValue slice(Span a) {
    Text s = a[0].toStringRef();
    std::string out;
    for_slice(s.size(), a[1], a[2], a[3], [&](std::size_t i) { out += s[i]; });
    return out;
}
IValue bytes_of(Span a) {
    std::vector<IValue> out;
    for (const char c : a[0].toStringRef()) out.push_back(std::string(1, c));
    return IValue::list(std::move(out));
}
IValue ord(Span a) {
    Text s = a[0].toStringRef();
    REEL_CHECK_TYPE(s.size() == 1, "String for ord() must be 1 character, found ", s.size());
    return Int(static_cast<unsigned char>(s[0]));
}
IValue chr(Span a) {
    const Int n = a[0].toInt();
    REEL_CHECK_VALUE(n >= 0 && n < 256, "chr() arg not in range(256), found ", n);
    return std::string(1, char(n));
}
IValue contains(Span a) { return a[0].toStringRef().find(a[1].toStringRef()) != std::string::npos; }

constexpr Line lines[] = {
    {"aten::isalpha", all_are<letter>},
    {"aten::isdigit", all_are<digit>},
    {"aten::isdecimal", all_are<digit>},
    {"aten::isnumeric", all_are<digit>},
    {"aten::isalnum", all_are<letter_or_digit>},
    {"aten::isspace", all_are<space>},
    {"aten::isprintable", is_printable},
    {"aten::islower", case_is<lower_letter, upper_letter>},
    {"aten::isupper", case_is<upper_letter, lower_letter>},
    {"aten::istitle", is_title},
    {"aten::isidentifier", is_identifier},
    {"aten::lower", each<to_lower>},
    {"aten::upper", each<to_upper>},
    {"aten::swapcase", each<swapped>},
    {"aten::capitalize", capitalize},
    {"aten::title", title},
    {"aten::ljust", ljust},
    {"aten::rjust", rjust},
    {"aten::center", center},
    {"aten::zfill", zfill},
    {"aten::expandtabs", expandtabs},
    {"aten::strip", strip<true, true>},
    {"aten::lstrip", strip<true, false>},
    {"aten::rstrip", strip<false, true>},
    {"aten::find", find},
    {"aten::rfind", rfind},
    {"aten::index.str", index},
    {"aten::rindex", rindex},
    {"aten::count", count},
    {"aten::startswith", startswith},
    {"aten::endswith", endswith},
    {"aten::replace", replace},
    {"aten::split.str", split},
    {"aten::rsplit", rsplit},
    {"aten::splitlines", splitlines},
    {"aten::partition", partition<false>},
    {"aten::rpartition", partition<true>},
    {"aten::join", join},
    {"aten::add.str", concatenated},
    {"aten::len.str", length},
    {"aten::__getitem__.str", byte},
    {"prim::StringIndex", byte},
    {"aten::slice.str", slice},
    {"aten::list", bytes_of},
    {"aten::ord", ord},
    {"aten::chr", chr},
    {"aten::__contains__.str_in_str", contains},
};

} // namespace

std::span<const Line> strings() { return lines; }

} // namespace reel::jit::own
