#include "file_tree.hpp"

#include <charconv>
#include <cmath>
#include <unordered_set>

#include <reel/autograd/error.hpp>

namespace reel::serialize {

const char* kind_name(NodeKind k) {
    static constexpr const char* names[] = {"None",
                                            "a bool",
                                            "an int",
                                            "an int",
                                            "a float",
                                            "a complex",
                                            "a string",
                                            "bytes",
                                            "a bytearray",
                                            "a list",
                                            "a tuple",
                                            "a torch.Size",
                                            "a set",
                                            "a dict",
                                            "an ordered dict",
                                            "a Counter",
                                            "a tensor",
                                            "a storage",
                                            "a dtype",
                                            "a device",
                                            "a layout",
                                            "a function or class",
                                            "an unknown object",
                                            "an object",
                                            "a member of an enum",
                                            "a list or dict with its type"};
    return names[std::size_t(k)];
}

std::string path_step(const Node& key) {
    switch (key.kind) {
    case NodeKind::String:
        return "['" + (key.text.size() > 80 ? key.text.substr(0, 80) + "..." : key.text) + "']";
    case NodeKind::Int:
        return "[" + std::to_string(key.i) + "]";
    default:
        return std::string("[") + kind_name(key.kind) + "]";
    }
}

std::string canonical_key(const Node& key, int depth) {
    const auto number = [](double d) {
        char text[32];
        const auto end = std::to_chars(text, text + sizeof text, d).ptr;
        return std::string(text, end);
    };
    switch (key.kind) {
    case NodeKind::String:
        return "s" + key.text;
    case NodeKind::Bytes:
        return "b" + key.text;
    case NodeKind::Bool:
        return "n" + std::to_string(int(key.tag));
    case NodeKind::Int:
        return "n" + std::to_string(key.i);
    case NodeKind::BigInt:
        return "n" + key.text;
    case NodeKind::Float:
        if (std::abs(key.d[0]) < 9e18 && key.d[0] == std::trunc(key.d[0]))
            return "n" + std::to_string(std::int64_t(key.d[0]));
        return "f" + number(key.d[0]);
    case NodeKind::Complex:
        return "c" + number(key.d[0]) + "," + number(key.d[1]);
    case NodeKind::None:
        return "none";
    case NodeKind::Dtype:
        return "d" + std::to_string(int(key.tag));
    case NodeKind::Device:
    case NodeKind::Layout:
        return "l" + key.text;
    case NodeKind::Tuple:
    case NodeKind::Size: {
        std::string out = "t";
        // keys are short: what is deep or long only wants to cost time
        if (depth > 8 || key.items.size() > 1000) return {};
        for (const Node* n : key.items) {
            const std::string part = canonical_key(*n, depth + 1);
            if (part.empty() || out.size() + part.size() > 1'000'000) return {};
            out += std::to_string(part.size()) + ":" + part;
        }
        return out;
    }
    default:
        return {};
    }
}

void refuse_stranger(const Stranger& s, const std::string& path) {
    const auto has = [&](const char* part) { return s.name.find(part) != std::string::npos; };
    const char* why =
        has("sparse")                                   ? "sparse tensors are not supported"
        : has("qtensor") || has("QInt") || has("QUInt") ? "quantized tensors are not supported"
        : has("nested")                                 ? "nested tensors are not supported"
        : has("meta_tensor")                            ? "a meta tensor has no data"
        : has("Uninitialized")                          ? "uninitialized parameters are not supported"
        : has("torch bits") || has("torch float") || has("torch uint") || has("torch int") || has("torch quint")
            ? "the dtype is not supported"
            : "objects and functions are code, which is never run; save state_dict()s and plain values instead";
    REEL_THROW(ValueError, s.where, path.empty() ? "" : ", at ", path, ": '", s.name,
               "' is not on the reader's table: ", why);
}

namespace {
class Checker {
public:
    Checker(const FileTree& tree, const std::string& where, const ReadLimits& limits)
        : tree_(tree), where_(where), limits_(limits) {}
    void visit(Node& n) {
        if (n.open) fail("a value that contains itself (a cycle)");
        if (path_.size() + n.height > limits_.depth) too_deep();
        if (n.height) return;
        n.open = true;
        std::uint16_t height = 0;
        const auto below = [&](Node& child, std::string step) {
            path_.push_back(std::move(step));
            if (path_.size() > limits_.depth) too_deep();
            visit(child);
            path_.pop_back();
            height = std::max(height, child.height);
        };
        switch (n.kind) {
        case NodeKind::Opaque:
            refuse_stranger(tree_.stranger, path());
        case NodeKind::Global:
            fail("a function or class is not a value (" + n.text + ")");
        case NodeKind::List:
        case NodeKind::Tuple:
        case NodeKind::Set:
        case NodeKind::EnumMember:
        case NodeKind::Tagged:
            for (std::size_t i = 0; i < n.items.size(); ++i) {
                Node& child = *n.items[i];
                if (child.height == 1 && child.items.empty() && !child.attributes)
                    height = std::max<std::uint16_t>(height, 1);
                else below(child, "[" + std::to_string(i) + "]");
            }
            break;
        case NodeKind::Dict:
        case NodeKind::OrderedDict:
        case NodeKind::Counter: {
            std::unordered_set<std::string> seen;
            seen.reserve(n.items.size() / 2);
            for (std::size_t i = 0; i + 1 < n.items.size(); i += 2) {
                if (n.items[i]->kind == NodeKind::Opaque) below(*n.items[i], path_step(*n.items[i]));
                std::string key = canonical_key(*n.items[i]);
                if (key.empty()) fail(std::string(kind_name(n.items[i]->kind)) + " cannot be a key of a dict");
                if (!seen.insert(std::move(key)).second)
                    fail("the key " + path_step(*n.items[i]) + " occurs twice (duplicate key)");
                below(*n.items[i + 1], path_step(*n.items[i]));
            }
            break;
        }
        default:
            break;
        }
        if (n.attributes) below(*n.attributes, ".__dict__");
        n.height = std::uint16_t(height + 1);
        n.open = false;
    }

private:
    std::string path() const {
        std::string out;
        for (const std::string& step : path_) {
            if (out.size() > 400) return out + "...";
            out += step;
        }
        return out;
    }
    [[noreturn]] void fail(const std::string& what) const {
        REEL_THROW(ValueError, where_, path_.empty() ? "" : ", at ", path(), ": ", what);
    }
    [[noreturn]] void too_deep() const { fail("nesting is deeper than the limit of " + std::to_string(limits_.depth)); }
    const FileTree& tree_;
    const std::string& where_;
    const ReadLimits& limits_;
    std::vector<std::string> path_;
};
} // namespace

void check_tree(const FileTree& tree, const std::string& where, const ReadLimits& limits) {
    Checker(tree, where, limits).visit(*tree.root);
    if (!tree.stranger.name.empty()) refuse_stranger(tree.stranger, {});
}

} // namespace reel::serialize
