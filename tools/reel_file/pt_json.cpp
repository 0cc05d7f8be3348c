#include <sstream>
#include <unordered_map>

#include <reel/autograd/error.hpp>

#include "elements.hpp"
#include "listing.hpp"
#include "pt_elements.hpp"
#include "sha256.hpp"

namespace reel_file {

namespace {
constexpr std::uint64_t expanded_limit = 5'000'000;

class PtJson {
public:
    PtJson(std::ostream& out, const PtReader& file) : out_(out), file_(file), tree_(file.tree()), storages_(file) {}
    void write() {
        if (expanded(*tree_.root) > expanded_limit)
            REEL_THROW(ValueError, file_.path(), ": holds more than ", expanded_limit,
                       " objects once its shared values are written out (too many objects once expanded)");
        value(*tree_.root);
    }

private:
    std::uint64_t expanded(const Node& n) {
        if (n.items.empty() && !n.attributes) return 1;
        const auto [it, fresh] = sizes_.emplace(&n, 1);
        if (!fresh) return it->second;
        std::uint64_t total = 1;
        for (const Node* child : n.items) total = std::min(total + expanded(*child), 2 * expanded_limit);
        if (n.attributes) total += expanded(*n.attributes);
        return sizes_[&n] = total;
    }
    void sequence(const char* key, const Node& n) {
        out_ << "{\"" << key << "\": [";
        for (std::size_t i = 0; i < n.items.size(); ++i) {
            if (i) out_ << ", ";
            value(*n.items[i]);
        }
        out_ << "]}";
    }
    void attributes(const Node& n) {
        if (!n.attributes) return;
        out_ << ", \"attributes\": {";
        for (std::size_t i = 0; i + 1 < n.attributes->items.size(); i += 2) {
            out_ << (i ? ", " : "") << json_string(n.attributes->items[i]->text) << ": ";
            value(*n.attributes->items[i + 1]);
        }
        out_ << "}";
    }
    void dict(const char* key, const Node& n) {
        out_ << "{\"" << key << "\": [";
        for (std::size_t i = 0; i + 1 < n.items.size(); i += 2) {
            out_ << (i ? ", [" : "[");
            value(*n.items[i]);
            out_ << ", ";
            value(*n.items[i + 1]);
            out_ << "]";
        }
        out_ << "]";
        attributes(n);
        out_ << "}";
    }
    void hex(const char* key, const std::string& bytes) {
        out_ << "{\"" << key << "\": \"";
        for (const char c : bytes) out_ << "0123456789abcdef"[std::uint8_t(c) >> 4] << "0123456789abcdef"[c & 15];
        out_ << "\"}";
    }
    void text(const char* key, const std::string& s) { out_ << "{\"" << key << "\": " << json_string(s) << "}"; }
    std::size_t number_of(std::uint32_t storage) { return numbers_.emplace(storage, numbers_.size()).first->second; }
    void tensor(const Node& n) {
        const TensorInfo& t = tree_.tensors[n.index];
        const StorageInfo& s = tree_.storages[t.storage];
        static constexpr const char* classes[] = {"Tensor", "Parameter", "Buffer"};
        out_ << "{\"tensor\": {\"class\": \"" << classes[std::size_t(t.cls)] << "\", \"dtype\": \""
             << info(t.dtype).name << "\", \"shape\": " << shape_text(t.sizes)
             << ", \"stride\": " << shape_text(t.strides) << ", \"offset\": " << t.offset
             << ", \"storage\": " << number_of(t.storage) << ", \"storage_bytes\": " << s.bytes
             << ", \"requires_grad\": " << (t.requires_grad ? "true" : "false");
        if (t.conj) out_ << ", \"conj\": true";
        if (t.neg) out_ << ", \"neg\": true";
        attributes(n);
        const auto [it, fresh] = elements_.emplace(&n, std::string());
        if (fresh) it->second = elements(t);
        out_ << it->second << "}}";
    }
    /// Hash and first values. Many views of a little memory must not take more time than so small a file is worth.
    std::string elements(const TensorInfo& t) {
        const StorageInfo& s = tree_.storages[t.storage];
        const std::size_t item = info(t.dtype).size;
        const std::uint64_t count = numel(t), small = std::uint64_t(1) << 26;
        const bool expanded = count * item > small && count * item > 4 * s.bytes;
        if (expanded || storages_.tired()) return ", \"sha256\": null, \"first\": null";
        storages_.spend(count * item);
        std::ostringstream out;
        const char* data = count ? storages_.bytes(t.storage) : nullptr;
        if (is_dense(t) || !count)
            dense_fields(out, t.dtype, count ? data + std::size_t(t.offset) * item : "", count * item);
        else {
            Sha256 hash;
            std::string block, first;
            std::size_t given = 0;
            each_element(t, data, ~std::uint64_t(0), [&](const char* p) {
                if (given++ < 4) first += (first.empty() ? "" : ", ") + json_element(t.dtype, p);
                block.append(p, item);
                if (block.size() >= 65536) hash.update(block.data(), block.size()), block.clear();
            });
            hash.update(block.data(), block.size());
            out << ", \"sha256\": \"" << hash.hex() << "\", \"first\": [" << first << "]";
        }
        return out.str();
    }
    void storage(const Node& n) {
        const StorageInfo& s = tree_.storages[n.index];
        std::string& hash = hashes_[n.index];
        if (hash.empty()) {
            Sha256 sum;
            if (s.bytes) sum.update(storages_.bytes(n.index), s.bytes);
            hash = sum.hex();
        }
        out_ << "{\"storage\": {\"storage\": " << number_of(n.index) << ", \"dtype\": \""
             << info(n.dtype() == FileDtype::None ? FileDtype::UInt8 : n.dtype()).name
             << "\", \"storage_bytes\": " << s.bytes << ", \"sha256\": \"" << hash << "\"}}";
    }
    void value(const Node& n) {
        switch (n.kind) {
        case NodeKind::None:
            out_ << "null";
            break;
        case NodeKind::Bool:
            out_ << (n.tag ? "true" : "false");
            break;
        case NodeKind::Int:
            out_ << json_int(n.i);
            break;
        case NodeKind::BigInt:
            return text("int", n.text);
        case NodeKind::Float:
            out_ << json_float(n.d[0]);
            break;
        case NodeKind::Complex:
            out_ << json_complex(n.d[0], n.d[1]);
            break;
        case NodeKind::String:
            out_ << json_string(n.text);
            break;
        case NodeKind::Bytes:
            return hex("bytes", n.text);
        case NodeKind::Bytearray:
            return hex("bytearray", n.text);
        case NodeKind::List:
            return sequence("list", n);
        case NodeKind::Tuple:
            return sequence("tuple", n);
        case NodeKind::Size:
            return sequence("size", n);
        case NodeKind::Set:
            return sequence("set", n);
        case NodeKind::Dict:
            return dict("dict", n);
        case NodeKind::OrderedDict:
            return dict("ordered_dict", n);
        case NodeKind::Counter:
            return dict("counter", n);
        case NodeKind::Tensor:
            return tensor(n);
        case NodeKind::Storage:
            return storage(n);
        case NodeKind::Dtype:
            return text("dtype", info(n.dtype()).name);
        case NodeKind::Device:
            return text("device", n.text);
        case NodeKind::Layout:
            return text("layout", n.text);
        default:
            REEL_THROW(Error, file_.path(), ": internal error: ", kind_name(n.kind), " in a checked file");
        }
    }
    std::ostream& out_;
    const PtReader& file_;
    const FileTree& tree_;
    Storages storages_;
    std::unordered_map<const Node*, std::uint64_t> sizes_;
    std::unordered_map<std::uint32_t, std::size_t> numbers_;
    std::unordered_map<std::uint32_t, std::string> hashes_; ///< of bare storages
    std::unordered_map<const Node*, std::string> elements_; ///< of tensors that are there more than once
};
} // namespace

void dense_fields(std::ostream& out, FileDtype dtype, const char* data, std::uint64_t bytes) {
    Sha256 hash;
    hash.update(data, bytes);
    out << ", \"sha256\": \"" << hash.hex() << "\", \"first\": [";
    const std::size_t item = info(dtype).size;
    for (std::uint64_t k = 0; k < 4 && k * item < bytes; ++k)
        out << (k ? ", " : "") << json_element(dtype, data + k * item);
    out << "]";
}

void write_pt_json(std::ostream& out, const PtReader& file) { PtJson(out, file).write(); }

} // namespace reel_file
