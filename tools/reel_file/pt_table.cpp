#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include <reel/autograd/error.hpp>

#include "elements.hpp"
#include "listing.hpp"
#include "pt_elements.hpp"

namespace reel_file {

namespace {
std::string size_text(std::uint64_t bytes) {
    if (bytes < 10'000) return std::to_string(bytes) + " bytes";
    const char* unit = "kMGT";
    double v = double(bytes) / 1000;
    while (v >= 1000 && unit[1]) v /= 1000, ++unit;
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %cB", v, *unit);
    return text;
}
} // namespace
void write_row(std::ostream& out, const std::string& name, const std::string& dtype,
               const std::vector<std::int64_t>& shape, std::uint64_t bytes, const std::string& first,
               const std::string& notes) {
    std::string left = "  " + name;
    left.resize(std::max<std::size_t>(left.size() + 1, 40), ' ');
    std::string middle = dtype + " " + shape_text(shape);
    middle.resize(std::max<std::size_t>(middle.size() + 1, 26), ' ');
    out << left << middle << size_text(bytes) << "  " << first << notes << '\n';
}

namespace {
class PtTable {
public:
    PtTable(std::ostream& out, const PtReader& file) : out_(out), file_(file), tree_(file.tree()), storages_(file) {}
    void write() { value(*tree_.root, ""); }

private:
    static std::string printable(std::string s) {
        for (char& c : s)
            if (std::uint8_t(c) < 32 || c == 127) c = '?';
        return s.size() > 60 ? s.substr(0, 60) + "..." : s;
    }
    static std::string step(const Node& key) {
        if (key.kind == NodeKind::String) return printable(key.text);
        if (key.kind == NodeKind::Int) return std::to_string(key.i);
        return printable(canonical_key(key).substr(1));
    }
    void line(const std::string& path, const std::string& text) {
        std::string left = "  " + (path.empty() ? "value" : path);
        left.resize(std::max<std::size_t>(left.size() + 1, 40), ' ');
        out_ << left << text << '\n';
    }
    void value(const Node& n, const std::string& path) {
        if (++lines_ > 100'000) REEL_THROW(ValueError, file_.path(), ": holds more than 100000 values; use --json");
        const auto below = [&](const std::string& s) { return path.empty() ? s : path + "." + s; };
        switch (n.kind) {
        case NodeKind::Dict:
        case NodeKind::OrderedDict:
        case NodeKind::Counter:
            if (n.items.empty()) return line(path, "{}");
            for (std::size_t i = 0; i + 1 < n.items.size(); i += 2) value(*n.items[i + 1], below(step(*n.items[i])));
            return;
        case NodeKind::List:
        case NodeKind::Tuple:
        case NodeKind::Size:
        case NodeKind::Set: {
            std::string all;
            bool plain = n.items.size() <= 16;
            for (const Node* e : n.items) plain = plain && e->kind >= NodeKind::None && e->kind <= NodeKind::String;
            if (!plain) {
                for (std::size_t i = 0; i < n.items.size(); ++i) value(*n.items[i], below(std::to_string(i)));
                return;
            }
            for (const Node* e : n.items) all += (all.empty() ? "" : ", ") + scalar(*e);
            return line(path, n.kind == NodeKind::List  ? "[" + all + "]"
                              : n.kind == NodeKind::Set ? "{" + all + "}"
                                                        : "(" + all + ")");
        }
        case NodeKind::Tensor: {
            const TensorInfo& t = tree_.tensors[n.index];
            std::string first, notes;
            const std::uint64_t count = numel(t);
            if (count && !storages_.tired())
                each_element(t, storages_.bytes(t.storage), 4,
                             [&](const char* p) { first += plain_element(t.dtype, p) + " "; });
            if (count > 4) first += "... ";
            if (t.cls == TensorClass::Parameter) notes += " parameter";
            if (t.requires_grad) notes += " requires_grad";
            const auto [it, fresh] = owner_.emplace(t.storage, path);
            if (!fresh) notes += " shares memory with " + it->second;
            write_row(out_, path.empty() ? "value" : path, info(t.dtype).name, t.sizes, count * info(t.dtype).size,
                      first, notes);
            return;
        }
        case NodeKind::Storage:
            return line(path, "storage, " + size_text(tree_.storages[n.index].bytes));
        default:
            return line(path, scalar(n));
        }
    }
    static std::string scalar(const Node& n) {
        switch (n.kind) {
        case NodeKind::None:
            return "None";
        case NodeKind::Bool:
            return n.tag ? "True" : "False";
        case NodeKind::Int:
            return std::to_string(n.i);
        case NodeKind::Float: {
            char text[32];
            std::snprintf(text, sizeof text, "%.12g", n.d[0]);
            return text;
        }
        case NodeKind::Complex: {
            char text[64];
            std::snprintf(text, sizeof text, "%.12g%+.12gj", n.d[0], n.d[1]);
            return text;
        }
        case NodeKind::String:
            return "'" + printable(n.text) + "'";
        case NodeKind::Bytes:
        case NodeKind::Bytearray:
            return std::to_string(n.text.size()) + " bytes";
        case NodeKind::Dtype:
            return info(n.dtype()).name;
        default:
            return printable(n.text);
        }
    }
    std::ostream& out_;
    const PtReader& file_;
    const FileTree& tree_;
    Storages storages_;
    std::unordered_map<std::uint32_t, std::string> owner_;
    std::uint64_t lines_ = 0;
};
} // namespace

void write_pt_table(std::ostream& out, const PtReader& file) { PtTable(out, file).write(); }

} // namespace reel_file
