// What a pickle may name and call: a fixed table, with every operand checked (rules SR-2, SR-3, SR-5, SR-7).
#include "pickle_reader.hpp"

#include <algorithm>
#include <unordered_set>

#include <reel/autograd/error.hpp>

namespace reel::serialize {

struct PickleReader::Entry {
    const char *module, *name;
    Tag tag;
};
const PickleReader::Entry PickleReader::table[] = {
    {"collections", "OrderedDict", Tag::OrderedDict},
    {"collections", "Counter", Tag::Counter},
    {"torch", "Size", Tag::Size},
    {"torch", "device", Tag::Device},
    {"_codecs", "encode", Tag::Encode},
    {"builtins", "bytes", Tag::Bytes},
    {"__builtin__", "bytes", Tag::Bytes},
    {"builtins", "bytearray", Tag::Bytearray},
    {"__builtin__", "bytearray", Tag::Bytearray},
    {"builtins", "set", Tag::Set},
    {"__builtin__", "set", Tag::Set},
    {"builtins", "complex", Tag::Complex},
    {"__builtin__", "complex", Tag::Complex},
    {"torch.serialization", "_get_layout", Tag::Layout},
    {"torch", "Tensor", Tag::TensorClass},
    {"torch.nn.parameter", "Parameter", Tag::Parameter},
    {"torch._utils", "_rebuild_tensor", Tag::RebuildTensor},
    {"torch._utils", "_rebuild_tensor_v2", Tag::RebuildTensor2},
    {"torch._utils", "_rebuild_tensor_v3", Tag::RebuildTensor3},
    {"torch._utils", "_rebuild_parameter", Tag::RebuildParameter},
    {"torch._utils", "_rebuild_parameter_with_state", Tag::RebuildParameterWithState},
    {"torch._tensor", "_rebuild_from_type_v2", Tag::RebuildFromType},
};

Node* PickleReader::global(std::string_view module, std::string_view name) {
    const auto found = [&](Tag tag, FileDtype d = FileDtype::None) {
        Node* n = make(NodeKind::Global);
        n->tag = std::uint8_t(tag);
        n->i = std::int64_t(d);
        n->text = std::string(module) + " " + std::string(name);
        return n;
    };
    if (dialect_ == PickleDialect::Script)
        if (Node* n = script_global(module, name)) return n;
    for (const Entry& e : table)
        if (module == e.module && name == e.name) return found(e.tag);
    if (module == "torch.storage" && name == "UntypedStorage") return found(Tag::StorageType);
    if (module == "torch") {
        if (const FileDtype d = file_dtype_by_storage(name); d != FileDtype::None) return found(Tag::StorageType, d);
        if (const FileDtype d = file_dtype_by_name(name); d != FileDtype::None) {
            Node* n = make(NodeKind::Dtype);
            n->tag = std::uint8_t(d);
            return n;
        }
    }
    Node* n = make(NodeKind::Opaque);
    n->text = std::string(module) + " " + std::string(name);
    if (tree_.stranger.name.empty()) tree_.stranger = {n->text, str(where_, ", byte ", op_at_)};
    return n;
}
Node* PickleReader::opaque(const Node* from, std::vector<Node*> items) {
    Node* n = make(NodeKind::Opaque);
    n->text = from->text;
    n->items = std::move(items);
    return n;
}

Node* PickleReader::persistent(Node* id) {
    if (!storages_) fail("a persistent id where none can be");
    if (id->kind != NodeKind::Tuple) fail(str("a persistent id must be a tuple, not ", kind_name(id->kind)));
    const std::vector<Node*>& f = id->items;
    // a module with its source text, as the legacy container has it, is never brought to life
    if (f.size() == 4 && f[0]->kind == NodeKind::String && f[0]->text == "module" && f[1]->kind == NodeKind::Opaque)
        return opaque(f[1], {});
    const char* form = "a persistent id must be ('storage', type, key, location, count)";
    if (f.size() != storages_->fields() || f[0]->kind != NodeKind::String || f[0]->text != "storage") fail(form);
    if (f[1]->kind == NodeKind::Opaque) return opaque(f[1], {});
    if (f[1]->kind != NodeKind::Global || Tag(f[1]->tag) != Tag::StorageType)
        fail(str(form, ": the type is ", kind_name(f[1]->kind)));
    if (f[2]->kind != NodeKind::String) fail(str(form, ": the key is ", kind_name(f[2]->kind), ", not a string"));
    if (f[3]->kind != NodeKind::String) fail(str(form, ": the location is ", kind_name(f[3]->kind), ", not a string"));
    if (f[4]->kind != NodeKind::Int) fail(str(form, ": the count is ", kind_name(f[4]->kind), ", not an int"));
    StorageRequest r{f[2]->text, f[3]->text, FileDtype(f[1]->i), f[4]->i, {}};
    if (f.size() == 6 && f[5]->kind != NodeKind::None) {
        const std::vector<Node*>& v = f[5]->items;
        if (f[5]->kind != NodeKind::Tuple || v.size() != 3 || v[0]->kind != NodeKind::String ||
            v[1]->kind != NodeKind::Int || v[2]->kind != NodeKind::Int)
            fail("a view record must be (key, offset, size)");
        r.view = {v[0]->text, v[1]->i, v[2]->i};
    }
    // locations are devices; the bytes come to the CPU in any case
    const std::string kind = r.location.substr(0, r.location.find(':'));
    static constexpr const char* devices[] = {"cpu",  "cuda", "xpu", "mps",          "hpu",
                                              "mtia", "xla",  "npu", "privateuseone"};
    const std::string number = kind.size() < r.location.size() ? r.location.substr(kind.size() + 1) : "0";
    if (kind == "meta") fail("a storage on the meta device has no data");
    if (std::find(std::begin(devices), std::end(devices), kind) == std::end(devices) || number.empty() ||
        number.size() > 3 || number.find_first_not_of("0123456789") != std::string::npos)
        fail(str("the location of a storage is '", r.location, "'; expected a device such as 'cpu' or 'cuda:0'"));
    Node* n = make(NodeKind::Storage);
    n->index = storages_->storage(r, *this);
    n->tag = std::uint8_t(r.dtype);
    return n;
}

Node* PickleReader::reduce(Node* function, Node* arguments) {
    if (function->kind == NodeKind::Opaque) return opaque(function, {arguments});
    if (function->kind != NodeKind::Global)
        fail(str("REDUCE on ", kind_name(function->kind), "; only functions of the table can be called"));
    if (Tag(function->tag) == Tag::ScriptClass) return enum_member(function, arguments);
    if (arguments->kind != NodeKind::Tuple)
        fail(str("REDUCE with ", kind_name(arguments->kind), " instead of a tuple of arguments"));
    if (Tag(function->tag) == Tag::BuildList) return typed_list(function, arguments->items);
    return call(Tag(function->tag), function->text, arguments->items);
}

Node* PickleReader::call(Tag function, const std::string& name, const std::vector<Node*>& a) {
    const auto arity = [&](std::size_t low, std::size_t high) {
        if (a.size() < low || a.size() > high)
            fail(str("'", name, "' called with ", a.size(), " arguments; expected ", low,
                     low == high ? "" : " to " + std::to_string(high)));
    };
    switch (function) {
    case Tag::OrderedDict:
        arity(0, 1);
        return pairs(NodeKind::OrderedDict, a);
    case Tag::Counter:
        arity(0, 1);
        return pairs(NodeKind::Counter, a);
    case Tag::Size: {
        arity(1, 1);
        if (a[0]->kind != NodeKind::Tuple && a[0]->kind != NodeKind::List && a[0]->kind != NodeKind::Size)
            fail(str("torch.Size of ", kind_name(a[0]->kind), "; expected a tuple of ints"));
        for (const Node* n : copied(a[0])->items)
            if (n->kind != NodeKind::Int || n->i < 0) fail("torch.Size with an element that is not a size");
        Node* n = make(NodeKind::Size);
        n->items = a[0]->items;
        return n;
    }
    case Tag::Device:
        arity(1, 2);
        return device(a);
    case Tag::Encode:
        arity(2, 2);
        return codec(a);
    case Tag::Bytes:
        arity(0, 0);
        return make(NodeKind::Bytes);
    case Tag::Bytearray: {
        arity(0, 2);
        if (a.size() == 2) {
            Node* n = codec(a);
            n->kind = NodeKind::Bytearray;
            return n;
        }
        Node* n = make(NodeKind::Bytearray);
        if (a.size() == 1) {
            if (a[0]->kind != NodeKind::Bytes) fail(str("a bytearray of ", kind_name(a[0]->kind), "; expected bytes"));
            n->text = copied(a[0])->text;
        }
        return n;
    }
    case Tag::Set:
        arity(0, 1);
        return set_of(a);
    case Tag::Complex: {
        arity(2, 2);
        Node* n = make(NodeKind::Complex);
        for (int i = 0; i < 2; ++i) {
            const Node* part = a[std::size_t(i)];
            if (part->kind != NodeKind::Float && part->kind != NodeKind::Int)
                fail(str("complex of ", kind_name(part->kind), "; expected two floats"));
            n->d[i] = part->kind == NodeKind::Float ? part->d[0] : double(part->i);
        }
        return n;
    }
    case Tag::Layout: {
        arity(1, 1);
        static constexpr const char* layouts[] = {"strided",    "sparse_coo", "sparse_csr", "sparse_csc",
                                                  "sparse_bsr", "sparse_bsc", "_mkldnn",    "jagged"};
        if (a[0]->kind != NodeKind::String) fail(str("a layout of ", kind_name(a[0]->kind), "; expected its name"));
        for (const char* l : layouts)
            if (a[0]->text == std::string("torch.") + l) {
                Node* n = make(NodeKind::Layout);
                n->text = l;
                return n;
            }
        fail("unknown layout '" + a[0]->text + "'");
    }
    case Tag::RebuildTensor:
        arity(4, 4);
        return rebuild_tensor(a, 1);
    case Tag::RebuildTensor2:
        arity(6, 7);
        return rebuild_tensor(a, 2);
    case Tag::RebuildTensor3:
        arity(7, 8);
        return rebuild_tensor(a, 3);
    case Tag::RebuildParameter:
        arity(3, 3);
        return rebuild_parameter(name, a, false);
    case Tag::RebuildParameterWithState:
        arity(4, 4);
        return rebuild_parameter(name, a, true);
    case Tag::RebuildFromType:
        arity(4, 4);
        return rebuild_from_type(a);
    case Tag::RestoreTypeTag:
        arity(2, 2);
        return tagged(a);
    default:
        fail("REDUCE on the class '" + name + "', which is not made that way");
    }
}

Node* PickleReader::pairs(NodeKind k, const std::vector<Node*>& a) {
    Node* n = make(k);
    if (a.empty()) return n;
    if (a[0]->is_dict()) {
        n->items = copied(a[0])->items;
        return n;
    }
    if (a[0]->kind != NodeKind::List && a[0]->kind != NodeKind::Tuple)
        fail(str("a dict of ", kind_name(a[0]->kind), "; expected a dict or pairs"));
    for (const Node* pair : copied(a[0])->items) {
        if ((pair->kind != NodeKind::List && pair->kind != NodeKind::Tuple) || pair->items.size() != 2)
            fail("a dict of something other than pairs");
        n->items.push_back(pair->items[0]);
        n->items.push_back(pair->items[1]);
    }
    return n;
}
Node* PickleReader::set_of(const std::vector<Node*>& a) {
    Node* n = make(NodeKind::Set);
    if (a.empty()) return n;
    if (a[0]->kind != NodeKind::List && a[0]->kind != NodeKind::Tuple)
        fail(str("a set of ", kind_name(a[0]->kind), "; expected a list"));
    std::unordered_set<std::string> seen;
    for (Node* item : copied(a[0])->items) {
        std::string key = canonical_key(*item);
        if (key.empty()) fail(str("a set that holds ", kind_name(item->kind), ", which cannot be in a set"));
        if (seen.insert(std::move(key)).second) n->items.push_back(item);
    }
    return n;
}
Node* PickleReader::codec(const std::vector<Node*>& a) {
    if (a[0]->kind != NodeKind::String || a[1]->kind != NodeKind::String)
        fail("bytes are written as text and the name of a codec");
    if (a[1]->text != "latin1" && a[1]->text != "latin-1")
        fail("bytes through the codec '" + a[1]->text + "'; only latin1 is accepted");
    Node* n = make(NodeKind::Bytes);
    const std::string& text = copied(a[0])->text;
    n->text.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = std::uint8_t(text[i]);
        if (c < 0x80) n->text.push_back(char(c));
        else if (c <= 0xC3)
            n->text.push_back(char((c & 3) << 6 | (std::uint8_t(text[++i]) & 0x3F))); // valid UTF-8 by now
        else fail("bytes from text outside latin1");
    }
    return n;
}
Node* PickleReader::device(const std::vector<Node*>& a) {
    if (a[0]->kind != NodeKind::String) fail(str("a device of ", kind_name(a[0]->kind), "; expected its name"));
    std::string kind = a[0]->text, number;
    if (const std::size_t colon = kind.find(':'); colon != std::string::npos) {
        number = kind.substr(colon + 1);
        kind.resize(colon);
        if (a.size() == 2) fail("a device with two numbers");
        if (number.empty() || number.size() > 3 || number.find_first_not_of("0123456789") != std::string::npos ||
            (number.size() > 1 && number[0] == '0'))
            fail("unknown device '" + a[0]->text + "'");
    }
    if (a.size() == 2) {
        if (a[1]->kind != NodeKind::Int || a[1]->i < 0) fail("a device number that is not one");
        number = std::to_string(a[1]->i);
    }
    static constexpr const char* devices[] = {"cpu",  "cuda", "mkldnn", "opengl", "opencl", "ideep",        "hip",
                                              "ve",   "fpga", "maia",   "xla",    "lazy",   "vulkan",       "mps",
                                              "meta", "hpu",  "mtia",   "xpu",    "ipu",    "privateuseone"};
    if (std::find(std::begin(devices), std::end(devices), kind) == std::end(devices) || number.size() > 3 ||
        (!number.empty() && std::stoi(number) > 127))
        fail("unknown device '" + a[0]->text + (a.size() == 2 ? ":" + number : "") + "'");
    Node* n = make(NodeKind::Device);
    n->text = number.empty() ? kind : kind + ":" + number;
    return n;
}

} // namespace reel::serialize
