// A pickle virtual machine that can only build plain values (rules SR-1 to SR-10).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "file_tree.hpp"

namespace reel::serialize {

/// What a persistent id says.
struct StorageRequest {
    std::string key, location;
    FileDtype dtype = FileDtype::None; ///< None: untyped, the count is in bytes
    std::int64_t count = 0;
    struct View {
        std::string key;
        std::int64_t offset = 0, size = 0;
    };
    std::optional<View> view;
    std::uint64_t item() const { return dtype == FileDtype::None ? 1 : info(dtype).size; }
};

class PickleReader;
/// The container around a pickle, which knows the storages.
class StorageSource {
public:
    virtual ~StorageSource() = default;
    /// Fields of a persistent id: 5, in the legacy container 6.
    virtual std::size_t fields() const = 0;
    /// Index of the storage in the tree; fails through `reader` when it does not fit the container.
    virtual std::uint32_t storage(const StorageRequest& request, PickleReader& reader) = 0;
};

/// Whose globals a pickle may name.
enum class PickleDialect {
    Values, ///< `torch.save`'s: nothing but plain values, tensors and parameters
    Script, ///< `torch.jit.save`'s, always of protocol 2: classes below `__torch__` and lists with types, too
};

/// Reads one pickle from the front of `bytes`. Opcodes outside SR-1's list, names outside the table and operands of the
/// wrong kind are ValueErrors that say file, member, byte and key path. Strangers are noted in the tree and read over,
/// so that `check_tree` can say where they are.
class PickleReader {
public:
    PickleReader(FileTree& tree, std::string_view bytes, std::string where, const ReadLimits& limits,
                 StorageSource* storages = nullptr, PickleDialect dialect = PickleDialect::Values);
    Node* read();
    std::size_t position() const { return at_; }
    [[noreturn]] void fail(const std::string& what) const;
    FileTree& tree() { return tree_; }

private:
    /// Entries of the table.
    enum class Tag : std::uint8_t {
        OrderedDict,
        Counter,
        Size,
        Device,
        Encode,
        Bytes,
        Bytearray,
        Set,
        Complex,
        Layout,
        TensorClass,
        Parameter,
        RebuildTensor,
        RebuildTensor2,
        RebuildTensor3,
        RebuildParameter,
        RebuildParameterWithState,
        RebuildFromType,
        StorageType,
        ScriptClass,
        BuildList,
        RestoreTypeTag,
    };
    struct Entry;
    static const Entry table[];

    // machine
    std::string_view take(std::uint64_t n);
    template <class T> T number();
    std::string_view line();
    Node* make(NodeKind k);
    /// Counts a copy of `from`'s items and text against the limit, before it is made.
    const Node* copied(const Node* from);
    void push(Node* n);
    Node* pop();
    Node*& top();
    std::vector<Node*> pop_mark();
    void put(std::uint64_t index);
    void get(std::uint64_t index);
    void step(std::uint8_t op);
    void push_text(NodeKind k, std::uint64_t length);
    void push_long(std::string_view bytes);
    void tuple(std::size_t n);
    void set_items(Node* dict, const std::vector<Node*>& items, const char* op);
    std::string path() const;

    // what the table allows (pickle_calls.cpp)
    Node* global(std::string_view module, std::string_view name);
    Node* opaque(const Node* from, std::vector<Node*> items);
    Node* persistent(Node* id);
    Node* reduce(Node* function, Node* arguments);
    Node* call(Tag function, const std::string& name, const std::vector<Node*>& a);
    Node* codec(const std::vector<Node*>& a);
    Node* device(const std::vector<Node*>& a);
    Node* pairs(NodeKind k, const std::vector<Node*>& a);
    Node* set_of(const std::vector<Node*>& a);

    // script archives (pickle_script.cpp)
    Node* script_global(std::string_view module, std::string_view name);
    Node* enum_member(const Node* cls, Node* value);
    Node* typed_list(const Node* function, const std::vector<Node*>& a);
    Node* tagged(const std::vector<Node*>& a);
    Node* script_object(const Node* cls, const Node* arguments);

    // tensors, parameters and the states of objects (pickle_tensors.cpp)
    Node* new_object(Node* cls, Node* arguments);
    void build(Node* object, Node* state);
    Node* rebuild_tensor(const std::vector<Node*>& a, int version);
    Node* rebuild_parameter(const std::string& name, const std::vector<Node*>& a, bool with_state);
    Node* rebuild_from_type(const std::vector<Node*>& a);
    std::vector<std::int64_t> sizes(const Node* n, const char* what) const;
    void check_bounds(const TensorInfo& t);
    void check_state(const Node* state, const char* owner);

    FileTree& tree_;
    std::string_view bytes_;
    std::string where_;
    const ReadLimits& limits_;
    StorageSource* storages_;
    PickleDialect dialect_;
    std::size_t at_ = 0, op_at_ = 0;
    std::uint64_t opcodes_ = 0, copied_ = 0;
    std::vector<Node*> stack_, memo_;
    std::vector<std::size_t> marks_;
    bool done_ = false;
};

} // namespace reel::serialize
