// The form in which graphs of different makers are compared (rule SC-120): constants in place, values renumbered.
#include <sstream>

#include <reel/script/graph.hpp>

#include "../types/text_reader.hpp"
#include "literal.hpp"

namespace reel::jit {

namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

// Where the string that begins at `at` ends, behind its mark.
std::size_t string_end(std::string_view line, std::size_t at) {
    for (++at; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] == '\\') ++at;
    }
    return std::min(at + 1, line.size());
}

// Without ` # file:line:col`, which no string contains.
std::string_view without_comment(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') i = string_end(line, i) - 1;
        else if (line[i] == '#') {
            line = line.substr(0, i);
            break;
        }
    }
    while (line.ends_with(' ')) line.remove_suffix(1);
    return line;
}

// The reference writes the number of a tensor with six digits, a complex one as a pair.
std::string six_digits(std::string_view number) {
    TextReader reader(number, "graph");
    const IValue value = read_element(reader);
    std::ostringstream out;
    if (value.isComplexDouble()) out << value.toComplexDouble();
    else out << value.toDouble();
    return out.str();
}

// The number in `tensor(float32, [1, 1], [0.5])`, which the reference writes as `{0.5}`; empty for other texts.
std::string_view only_element(std::string_view text) {
    if (!text.starts_with("tensor(") || !text.ends_with("])")) return {};
    text.remove_suffix(2);
    text.remove_prefix(text.rfind('[') + 1);
    return text.find(',') == text.npos ? text : std::string_view();
}

class Canonical {
public:
    std::string of(std::string_view text) {
        std::string out;
        while (!text.empty()) {
            std::size_t end = std::min(text.find('\n'), text.size());
            std::string_view line = without_comment(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
            if (line.empty() || take_constant(line)) continue;
            if (line.starts_with("with ")) { // the graph of a fork has names of its own
                names_.clear();
                count_ = 0;
            }
            out += renamed(line) + "\n";
        }
        return out;
    }

private:
    // `%3 : int = prim::Constant[value=1]()` stands for its value from now on.
    bool take_constant(std::string_view line) {
        constexpr std::string_view mark = " = prim::Constant";
        const std::size_t at = line.find(mark), percent = line.find('%');
        if (at == line.npos || percent > at) return false;
        const std::size_t colon = line.find(" : ", percent);
        std::string type(line.substr(colon + 3, at - colon - 3));
        std::string value = value_text(line.substr(at + mark.size()));
        names_[std::string(line.substr(percent + 1, colon - percent - 1))] = "<" + value + " : " + type + ">";
        return true;
    }

    // What stands between `[value=` and `]()`. Strings are read and quoted anew; elements of tensors do not count,
    // which everyone writes in another way.
    static std::string value_text(std::string_view text) {
        text = text.substr(0, text.rfind("()"));
        if (text.empty()) return "None";
        text = text.substr(1, text.size() - 2);
        text.remove_prefix(text.find('=') + 1);
        if (const std::string_view only = only_element(text); !only.empty()) return "{" + six_digits(only) + "}";
        if (text.starts_with("tensor(") || text.starts_with("<Tensor>") || text.find("Type{") != text.npos)
            return "tensor";
        if (text.starts_with('{')) return "{" + six_digits(text.substr(1, text.size() - 2)) + "}";
        std::string out;
        for (std::size_t i = 0; i < text.size();) {
            if (text[i] != '"') {
                out += text[i++];
                continue;
            }
            const std::size_t end = string_end(text, i);
            TextReader reader(text.substr(i, end - i), "graph");
            out += quote(reader.quoted());
            i = end;
        }
        return out;
    }

    std::string renamed(std::string_view line) {
        std::string out;
        // The reference numbers the warnings of a process.
        std::string unnumbered(line);
        if (std::size_t at = line.find("[warn_id="); at != line.npos)
            line = unnumbered.erase(at, unnumbered.find(']', at) + 1 - at);
        for (std::size_t i = 0; i < line.size();) {
            std::size_t end = i + 1;
            if (line[i] == '"') {
                end = string_end(line, i);
            } else if (line[i] == '%') {
                while (end < line.size() && is_name(line[end])) ++end;
                auto [it, fresh] = names_.try_emplace(std::string(line.substr(i + 1, end - i - 1)));
                if (fresh) it->second = "%" + std::to_string(count_++);
                out += it->second;
                i = end;
                continue;
            }
            out += line.substr(i, end - i);
            i = end;
        }
        return out;
    }

    std::unordered_map<std::string, std::string> names_;
    std::size_t count_ = 0;
};

} // namespace

std::string canonical_text(std::string_view graph) { return Canonical().of(graph); }
std::string canonical(const Graph& graph) { return canonical_text(graph.str(false)); }

} // namespace reel::jit
