// From the tables that tools/opgen.py writes to schemas.
#include "op/declare.hpp"

#include <algorithm>
#include <utility>

#include "op/schema_text.hpp"

namespace reel::ops {

namespace {

/// Calls `found` with each part between commas that stand in no list; blanks around a part are left out.
template <class Found> void for_each_part(std::string_view list, const Found& found) {
    const auto trimmed = [](std::string_view part) {
        part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
        return part.substr(0, part.find_last_not_of(' ') + 1);
    };
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= list.size(); ++i) {
        if (i < list.size() && (list[i] != ',' || depth > 0)) {
            depth += (list[i] == '[') - (list[i] == ']');
            continue;
        }
        if (const std::string_view part = trimmed(list.substr(begin, i - begin)); !part.empty()) found(part);
        begin = i + 1;
    }
}
bool names(std::string_view list, std::string_view name) {
    bool found = false;
    for_each_part(list, [&](std::string_view part) { found = found || part == name; });
    return found;
}

Argument argument(std::string_view text, bool kwarg_only, const Declaration& d) {
    const std::size_t blank = text.find(' '), equals = text.find('=');
    Argument a;
    a.type = text.substr(0, blank);
    a.name = text.substr(blank + 1, equals - blank - 1);
    a.kwarg_only = kwarg_only;
    a.has_default = equals != text.npos;
    if (a.has_default) a.default_value = read_default(text.substr(equals + 1));
    a.differentiable = a.type.starts_with("Tensor") && !a.type.starts_with("TensorOptions") &&
                       d.gradient != Gradient::None && !names(d.constant, a.name);
    return a;
}

} // namespace

Schema schema_of(const Declaration& d) {
    Schema s;
    s.text = d.text;
    const std::string_view text = s.text;
    const std::size_t open = text.find('('), close = text.find(") -> ");
    s.name = text.substr(0, open);
    s.returns = text.substr(close + 5);
    s.file = d.file;
    s.gradient = d.gradient;
    s.has_inplace = d.has_inplace;
    s.takes_out = d.takes_out;
    s.is_random = d.is_random;
    s.call = d.call;
    s.call_inplace = d.call_inplace;
    bool kwarg_only = false;
    for_each_part(text.substr(open + 1, close - open - 1), [&](std::string_view part) {
        if (part == "*") kwarg_only = true;
        else s.arguments.push_back(argument(part, kwarg_only, d));
    });
    return s;
}

void declare(Registry& r, std::span<const Declaration> all) {
    for (const Declaration& d : all) r.add(schema_of(d));
}

} // namespace reel::ops
