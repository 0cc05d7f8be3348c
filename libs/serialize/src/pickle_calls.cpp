// What a pickle may name and call: a fixed table, with every operand checked (rules SR-2, SR-3, SR-5, SR-7).
#include "pickle_reader.hpp"

#include <algorithm>
#include <unordered_set>

#include <reel/autograd/error.hpp>

namespace reel::serialize {

enum class PickleReader::Tag : std::uint8_t {
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
};
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
    if (arguments->kind != NodeKind::Tuple)
        fail(str("REDUCE with ", kind_name(arguments->kind), " instead of a tuple of arguments"));
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
        for (const Node* n : a[0]->items)
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
            n->text = a[0]->text;
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
    default:
        fail("REDUCE on the class '" + name + "', which is not made that way");
    }
}

Node* PickleReader::pairs(NodeKind k, const std::vector<Node*>& a) {
    Node* n = make(k);
    if (a.empty()) return n;
    if (a[0]->is_dict()) {
        n->items = a[0]->items;
        return n;
    }
    if (a[0]->kind != NodeKind::List && a[0]->kind != NodeKind::Tuple)
        fail(str("a dict of ", kind_name(a[0]->kind), "; expected a dict or pairs"));
    for (const Node* pair : a[0]->items) {
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
    for (Node* item : a[0]->items) {
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
    const std::string& text = a[0]->text;
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

std::vector<std::int64_t> PickleReader::sizes(const Node* n, const char* what) const {
    if (n->kind != NodeKind::Tuple && n->kind != NodeKind::Size)
        fail(str("a tensor whose ", what, " are ", kind_name(n->kind), "; expected a tuple of ints"));
    if (n->items.size() > 64) fail(str("a tensor of ", n->items.size(), " dimensions; the limit is 64"));
    std::vector<std::int64_t> out;
    for (const Node* e : n->items) {
        if (e->kind != NodeKind::Int) fail(str("a tensor whose ", what, " hold ", kind_name(e->kind)));
        if (e->i < 0) fail(str("a tensor whose ", what, " hold ", e->i, "; it must not be negative"));
        out.push_back(e->i);
    }
    return out;
}
void PickleReader::check_bounds(const TensorInfo& t) {
    const std::uint64_t item = info(t.dtype).size, bytes = tree_.storages[t.storage].bytes;
    if (t.sizes.size() != t.strides.size())
        fail(str("a tensor with ", t.sizes.size(), " sizes and ", t.strides.size(), " strides"));
    const auto outside = [&](const char* why) {
        fail(str("a tensor does not lie inside its storage of ", bytes, " bytes: ", why));
    };
    if (t.offset < 0) outside("its offset is negative");
    std::uint64_t at;
    if (__builtin_mul_overflow(std::uint64_t(t.offset), item, &at) || at > bytes)
        outside("its offset is beyond the end");
    std::int64_t numel = 1, last = t.offset;
    bool empty = false;
    for (std::size_t d = 0; d < t.sizes.size(); ++d) {
        const std::int64_t size = t.sizes[d];
        if (size == 0) empty = true;
        // empty dimensions must not excuse a product that does not exist
        if (__builtin_mul_overflow(numel, std::max<std::int64_t>(size, 1), &numel))
            outside("its element count overflows");
        std::int64_t step;
        if (size > 0 &&
            (__builtin_mul_overflow(size - 1, t.strides[d], &step) || __builtin_add_overflow(last, step, &last)))
            outside("its strides overflow");
    }
    std::int64_t total;
    if (__builtin_mul_overflow(numel, std::int64_t(item), &total)) outside("its byte count overflows");
    if (empty) return;
    std::uint64_t end;
    if (__builtin_mul_overflow(std::uint64_t(last) + 1, item, &end) || end > bytes)
        outside("its last element is beyond the end");
}

Node* PickleReader::rebuild_tensor(const std::vector<Node*>& a, int version) {
    if (a[0]->kind != NodeKind::Storage) fail(str("a tensor on ", kind_name(a[0]->kind), "; expected a storage"));
    TensorInfo t;
    t.storage = a[0]->index;
    StorageInfo& storage = tree_.storages[t.storage];
    if (version == 3) {
        if (a[6]->kind != NodeKind::Dtype) fail(str("a tensor whose dtype is ", kind_name(a[6]->kind)));
        t.dtype = a[6]->dtype();
    } else t.dtype = a[0]->dtype() == FileDtype::None ? FileDtype::UInt8 : a[0]->dtype();
    if (a[1]->kind != NodeKind::Int) fail(str("a tensor whose offset is ", kind_name(a[1]->kind), "; expected an int"));
    t.offset = a[1]->i;
    t.sizes = sizes(a[2], "sizes");
    t.strides = sizes(a[3], "strides");
    if (version > 1) {
        if (a[4]->kind != NodeKind::Bool)
            fail(str("a tensor whose requires_grad is ", kind_name(a[4]->kind), "; expected a bool"));
        t.requires_grad = a[4]->tag;
        if (t.requires_grad && !is_floating(t.dtype) && !is_complex(t.dtype))
            fail(str("a tensor of dtype ", info(t.dtype).name, " that requires a gradient"));
        if (!a[5]->is_dict() && a[5]->kind != NodeKind::None)
            fail(str("a tensor whose hooks are ", kind_name(a[5]->kind)));
        if (!a[5]->items.empty()) fail("a tensor with hooks");
    }
    const std::size_t extra = version == 3 ? 7 : 6;
    if (version > 1 && a.size() > extra && a[extra]->kind != NodeKind::None) {
        const Node* flags = a[extra];
        if (!flags->is_dict()) fail(str("a tensor whose flags are ", kind_name(flags->kind), "; expected a dict"));
        for (std::size_t i = 0; i < flags->items.size(); i += 2) {
            const Node *key = flags->items[i], *on = flags->items[i + 1];
            if (key->kind != NodeKind::String || (key->text != "conj" && key->text != "neg") ||
                on->kind != NodeKind::Bool)
                fail("a tensor with a flag other than conj and neg");
            (key->text == "conj" ? t.conj : t.neg) = on->tag;
        }
        if (t.conj && !is_complex(t.dtype)) fail(str("a tensor of dtype ", info(t.dtype).name, " with the flag conj"));
        if (t.neg && !is_complex(t.dtype) && !is_floating(t.dtype))
            fail(str("a tensor of dtype ", info(t.dtype).name, " with the flag neg"));
    }
    check_bounds(t);
    if (storage.element == FileDtype::None) storage.element = t.dtype;
    else if (info(storage.element).size != info(t.dtype).size || is_complex(storage.element) != is_complex(t.dtype))
        storage.mixed = true;
    Node* n = make(NodeKind::Tensor);
    n->index = std::uint32_t(tree_.tensors.size());
    tree_.tensors.push_back(std::move(t));
    return n;
}

void PickleReader::check_state(const Node* state, const char* owner) const {
    if (!state->is_dict())
        fail(str("the state of ", owner, " is ", kind_name(state->kind), "; expected a dict of attributes"));
    // properties and common methods of tensors
    static const std::unordered_set<std::string> taken = {"data",
                                                          "grad",
                                                          "_grad",
                                                          "requires_grad",
                                                          "shape",
                                                          "dtype",
                                                          "device",
                                                          "layout",
                                                          "names",
                                                          "is_leaf",
                                                          "grad_fn",
                                                          "_grad_fn",
                                                          "_backward_hooks",
                                                          "_post_accumulate_grad_hooks",
                                                          "_base",
                                                          "_version",
                                                          "_cdata",
                                                          "_python_dispatch",
                                                          "T",
                                                          "H",
                                                          "mT",
                                                          "mH",
                                                          "real",
                                                          "imag",
                                                          "itemsize",
                                                          "nbytes",
                                                          "ndim",
                                                          "is_cuda",
                                                          "is_cpu",
                                                          "is_sparse",
                                                          "is_quantized",
                                                          "is_meta",
                                                          "is_nested",
                                                          "volatile",
                                                          "output_nr",
                                                          "retains_grad",
                                                          "name",
                                                          "backward",
                                                          "detach",
                                                          "detach_",
                                                          "requires_grad_",
                                                          "register_hook",
                                                          "retain_grad",
                                                          "size",
                                                          "stride",
                                                          "storage",
                                                          "untyped_storage",
                                                          "_typed_storage",
                                                          "storage_offset",
                                                          "data_ptr",
                                                          "numel",
                                                          "dim",
                                                          "element_size",
                                                          "item",
                                                          "tolist",
                                                          "numpy",
                                                          "cpu",
                                                          "cuda",
                                                          "to",
                                                          "type",
                                                          "clone",
                                                          "copy_",
                                                          "fill_",
                                                          "zero_",
                                                          "view",
                                                          "reshape",
                                                          "set_",
                                                          "resize_",
                                                          "new",
                                                          "share_memory_",
                                                          "is_contiguous",
                                                          "contiguous",
                                                          "float",
                                                          "double",
                                                          "half",
                                                          "long",
                                                          "int",
                                                          "bool",
                                                          "sum",
                                                          "mean",
                                                          "add",
                                                          "add_",
                                                          "mul",
                                                          "mul_",
                                                          "_is_view",
                                                          "_make_subclass",
                                                          "as_subclass"};
    for (std::size_t i = 0; i < state->items.size(); i += 2) {
        const Node* key = state->items[i];
        if (key->kind != NodeKind::String)
            fail(str("the state of ", owner, " has ", kind_name(key->kind), " as attribute name"));
        if (key->text.rfind("__", 0) == 0 || (owner[0] != 'a' && taken.count(key->text)))
            fail(str("the state of ", owner, " would replace the attribute '", key->text, "'"));
        if (key->text == "_metadata" && !state->items[i + 1]->is_dict()) fail("'_metadata' is not a dict");
    }
}
Node* PickleReader::rebuild_parameter(const std::string& name, const std::vector<Node*>& a, bool with_state) {
    if (a[0]->kind != NodeKind::Tensor) fail(str("a parameter of ", kind_name(a[0]->kind), "; expected a tensor"));
    if (a[1]->kind != NodeKind::Bool)
        fail(str("'", name, "': requires_grad is ", kind_name(a[1]->kind), "; expected a bool"));
    if ((!a[2]->is_dict() && a[2]->kind != NodeKind::None) || !a[2]->items.empty()) fail("a parameter with hooks");
    TensorInfo t = tree_.tensors[a[0]->index];
    t.cls = TensorClass::Parameter;
    t.requires_grad = a[1]->tag;
    if (t.requires_grad && !is_floating(t.dtype) && !is_complex(t.dtype))
        fail(str("a parameter of dtype ", info(t.dtype).name, " that requires a gradient"));
    Node* n = make(NodeKind::Tensor);
    n->index = std::uint32_t(tree_.tensors.size());
    tree_.tensors.push_back(std::move(t));
    if (with_state) {
        check_state(a[3], "Parameter");
        if (!a[3]->items.empty()) n->attributes = a[3];
    }
    return n;
}
Node* PickleReader::rebuild_from_type(const std::vector<Node*>& a) {
    // operands that are unknown make the whole unknown
    if (a[0]->kind == NodeKind::Opaque) return opaque(a[0], {});
    if (a[1]->kind == NodeKind::Opaque) return opaque(a[1], {});
    const auto tag = [](const Node* n) { return n->kind == NodeKind::Global ? Tag(n->tag) : Tag::Counter; };
    const Tag function = tag(a[0]), cls = tag(a[1]);
    if (function < Tag::RebuildTensor || function > Tag::RebuildParameterWithState)
        fail("'_rebuild_from_type_v2': the function must be one that rebuilds tensors");
    if (cls != Tag::TensorClass && cls != Tag::Parameter)
        fail("'_rebuild_from_type_v2': the type must be Tensor or Parameter");
    if (a[2]->kind != NodeKind::Tuple)
        fail(str("'_rebuild_from_type_v2': the arguments are ", kind_name(a[2]->kind), "; expected a tuple"));
    check_state(a[3], "Tensor");
    Node* n = call(function, a[0]->text, a[2]->items);
    TensorInfo& t = tree_.tensors[n->index];
    if (cls == Tag::Parameter) t.cls = TensorClass::Parameter;
    Node* attributes = make(NodeKind::Dict);
    for (std::size_t i = 0; i < a[3]->items.size(); i += 2) {
        Node *key = a[3]->items[i], *value = a[3]->items[i + 1];
        if (key->text == "_is_buffer" && value->kind == NodeKind::Bool && value->tag) {
            t.cls = TensorClass::Buffer;
            continue;
        }
        attributes->items.push_back(key);
        attributes->items.push_back(value);
    }
    if (!attributes->items.empty()) n->attributes = attributes;
    return n;
}

Node* PickleReader::new_object(Node* cls, Node* arguments) {
    if (cls->kind == NodeKind::Opaque) return opaque(cls, {arguments});
    if (cls->kind != NodeKind::Global || Tag(cls->tag) != Tag::Parameter)
        fail(str("NEWOBJ on ", kind_name(cls->kind), " ", cls->text, "; only Parameter is made that way"));
    if (arguments->kind != NodeKind::Tuple || arguments->items.empty() || arguments->items.size() > 2)
        fail("NEWOBJ on Parameter expects a tuple with a tensor");
    const std::vector<Node*>& a = arguments->items;
    Node* grad = make(NodeKind::Bool);
    if (a[0]->kind == NodeKind::Tensor) {
        const FileDtype d = tree_.tensors[a[0]->index].dtype;
        grad->tag = is_floating(d) || is_complex(d);
    }
    return rebuild_parameter("Parameter", {a[0], a.size() == 2 ? a[1] : grad, make(NodeKind::None)}, false);
}

void PickleReader::build(Node* object, Node* state) {
    if (object->kind == NodeKind::Opaque) {
        object->items.push_back(state);
        return;
    }
    if (object->kind == NodeKind::OrderedDict) check_state(state, "an ordered dict");
    else if (object->kind == NodeKind::Tensor && tree_.tensors[object->index].cls == TensorClass::Parameter)
        check_state(state, "Parameter");
    else fail(str("BUILD on ", kind_name(object->kind), "; only ordered dicts and parameters have a state"));
    if (!object->attributes) object->attributes = make(NodeKind::Dict);
    object->attributes->items.insert(object->attributes->items.end(), state->items.begin(), state->items.end());
    if (object->attributes->items.empty()) object->attributes = nullptr;
}

} // namespace reel::serialize
