#include <reel/script/source.hpp>

#include <algorithm>
#include <cctype>

namespace reel::jit {

namespace {

std::size_t line_begin(std::string_view text, std::size_t at) {
    const auto newline = at == 0 ? text.npos : text.rfind('\n', at - 1);
    return newline == text.npos ? 0 : newline + 1;
}

std::size_t line_end(std::string_view text, std::size_t at) { return std::min(text.find('\n', at), text.size()); }

} // namespace

std::string_view SourceRange::text() const {
    if (!source) return {};
    return std::string_view(source->text).substr(std::min(begin, source->text.size()), end - begin);
}

std::size_t SourceRange::line() const {
    if (!source) return 0;
    const auto last = source->text.begin() + std::ptrdiff_t(std::min(begin, source->text.size()));
    return source->first_line + std::size_t(std::count(source->text.begin(), last, '\n'));
}

std::size_t SourceRange::column() const {
    if (!source) return 0;
    const std::size_t at = std::min(begin, source->text.size());
    return at - line_begin(source->text, at);
}

std::string SourceRange::str() const {
    if (!source) return {};
    return source->filename + ":" + std::to_string(line()) + ":" + std::to_string(column());
}

std::string SourceRange::highlight() const {
    if (!source) return {};
    const std::string_view text = source->text;
    std::size_t at = std::min(begin, text.size());
    std::size_t stop = std::clamp(end, at, text.size());
    while (stop > at && std::isspace(static_cast<unsigned char>(text[stop - 1]))) --stop;
    std::string shown = "  File \"" + source->filename + "\", line " + std::to_string(line()) + "\n";
    for (;;) {
        const std::size_t first = line_begin(text, at), last = line_end(text, at);
        const std::size_t marked = std::max<std::size_t>(1, std::min(std::max(stop, at), last) - at);
        shown.append(text.substr(first, last - first)).append("\n");
        shown.append(at - first, ' ').append(marked, '~');
        if (stop <= last) break;
        shown.append("\n");
        at = std::min(text.find_first_not_of(" \n", last), stop - 1); // a line's indentation is not marked
    }
    return shown.append(" <--- HERE\n");
}

ScriptError::ScriptError(const std::string& message, const SourceRange& where)
    : Error(where.source ? message + ":\n" + where.highlight() : message), message_(message), where_(where) {}

} // namespace reel::jit
