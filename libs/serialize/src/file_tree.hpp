// What a file says, before any tensor is made of it: a tree (or graph) of plain nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "file_dtype.hpp"

namespace reel::serialize {

enum class NodeKind : std::uint8_t {
    None,
    Bool,
    Int,
    BigInt, ///< decimal text
    Float,
    Complex,
    String,
    Bytes,
    Bytearray,
    List,
    Tuple,
    Size,
    Set,
    Dict,
    OrderedDict,
    Counter,
    Tensor,
    Storage,
    Dtype,
    Device,
    Layout,
    Global, ///< a function or class of the table; never part of a result
    Opaque, ///< something that is not on the table; `text` is `module name`
    // of script archives alone
    Object,     ///< of the class `text`; `attributes` is its state, any value
    EnumMember, ///< of the enum `text`; its only item is the value
    Tagged,     ///< a list or dict, its only item, with its type as code spells it in `text`
};
const char* kind_name(NodeKind k);

/// One value. Nodes live as long as their tree; equal nodes are shared, so the "tree" may be a graph.
struct Node {
    NodeKind kind = NodeKind::None;
    std::uint8_t tag = 0;     ///< the bool, the dtype, or the table's entry
    bool open = false;        ///< being visited by `check_tree`
    std::uint16_t height = 0; ///< of what hangs below, once `check_tree` was there
    std::uint32_t index = 0;  ///< of a tensor or storage
    std::int64_t i = 0;
    double d[2] = {0, 0};
    std::string text;
    std::vector<Node*> items; ///< elements, or keys and values in turn
    Node* attributes = nullptr;

    FileDtype dtype() const { return FileDtype(tag); }
    bool is_dict() const { return kind >= NodeKind::Dict && kind <= NodeKind::Counter; }
};

enum class TensorClass : std::uint8_t { Tensor, Parameter, Buffer };

struct TensorInfo {
    FileDtype dtype = FileDtype::None;
    TensorClass cls = TensorClass::Tensor;
    bool requires_grad = false, conj = false, neg = false;
    std::uint32_t storage = 0;
    std::int64_t offset = 0; ///< in elements, like the strides
    std::vector<std::int64_t> sizes, strides;
};

struct StorageInfo {
    std::string key, location;
    FileDtype dtype = FileDtype::None;   ///< as the file names it; None for an untyped one
    FileDtype element = FileDtype::None; ///< of the tensors on an untyped one, when they agree in size
    bool mixed = false;                  ///< tensors of different element sizes
    std::uint64_t bytes = 0;
    std::int64_t member = -1;      ///< of an archive; -1 where an empty storage has none
    const char* data = nullptr;    ///< in the mapped file (legacy container)
    std::int64_t view_of = -1;     ///< the storage that this one is a part of (legacy view records)
    std::uint64_t view_offset = 0; ///< in bytes
    FileDtype elements() const { return dtype != FileDtype::None ? dtype : element; }
};

/// What a reader may spend on one file. Everything is checked before it is allocated.
struct ReadLimits {
    std::uint64_t opcodes = 50'000'000;
    std::uint64_t objects = 20'000'000;
    std::uint32_t depth = 1000;
    std::uint32_t stack = 1'000'000;
    /// Bytes that calls may copy from values which the pickle holds already: each costs a few bytes in the file.
    std::uint64_t copied = std::uint64_t(1) << 62;
    /// A small file may inflate to a large pickle: what it may cost is tied to the bytes that are really there.
    void fit(std::uint64_t file_bytes) {
        const std::uint64_t fair = 500'000 + 16 * file_bytes;
        if (opcodes > fair) opcodes = fair;
        if (objects > fair) objects = fair;
        copied = std::min(copied, (std::uint64_t(16) << 20) + 64 * file_bytes);
    }
};

/// The first thing in a file that its reader's table does not have.
struct Stranger {
    std::string name; ///< `module name`, empty when there is none
    std::string where;
};

struct FileTree {
    std::deque<Node> nodes;
    std::vector<TensorInfo> tensors;
    std::vector<StorageInfo> storages;
    Node* root = nullptr;
    Stranger stranger;

    Node* make(NodeKind k) {
        Node* n = &nodes.emplace_back();
        n->kind = k;
        return n;
    }
};

/// Is `root` a value that can be given out? Refuses containers that hold themselves, nesting beyond the limit, keys
/// that occur twice or cannot be keys, functions, and strangers, each with its key path. `where` begins the message.
void check_tree(const FileTree& tree, const std::string& where, const ReadLimits& limits);
/// The message for something that is not on the table, `path` being where it was found.
[[noreturn]] void refuse_stranger(const Stranger& s, const std::string& path);
/// `['model'][3]`: one step of a key path.
std::string path_step(const Node& key);
/// A text that is equal for keys that Python takes for equal; empty for what cannot be a key.
std::string canonical_key(const Node& key, int depth = 0);

} // namespace reel::serialize
