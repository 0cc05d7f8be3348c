// Tensors, parameters and the states of objects in a pickle, with every operand checked (rules SR-3, SR-6, SR-7).
#include <algorithm>
#include <iterator>
#include <sstream>
#include <unordered_set>

#include <reel/autograd/error.hpp>

#include "pickle_reader.hpp"

namespace reel::serialize {

namespace {
/// Properties and common methods of tensors, which no state may replace.
constexpr const char* taken_names =
    "data grad _grad requires_grad shape dtype device layout names is_leaf grad_fn _grad_fn _backward_hooks "
    "_post_accumulate_grad_hooks _base _version _cdata _python_dispatch T H mT mH real imag itemsize nbytes "
    "ndim is_cuda is_cpu is_sparse is_quantized is_meta is_nested volatile output_nr retains_grad name "
    "backward detach detach_ requires_grad_ register_hook retain_grad size stride storage untyped_storage "
    "_typed_storage storage_offset data_ptr numel dim element_size item tolist numpy cpu cuda to type clone "
    "copy_ fill_ zero_ view reshape set_ resize_ new share_memory_ is_contiguous contiguous float double "
    "half long int bool sum mean add add_ mul mul_ _is_view _make_subclass as_subclass ";
bool is_taken(const std::string& name) {
    static const auto names = [] {
        std::istringstream in(taken_names);
        return std::unordered_set<std::string>(std::istream_iterator<std::string>(in), {});
    }();
    return names.count(name) != 0;
}
} // namespace

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

void PickleReader::check_state(const Node* state, const char* owner) {
    if (!state->is_dict())
        fail(str("the state of ", owner, " is ", kind_name(state->kind), "; expected a dict of attributes"));
    copied(state);
    for (std::size_t i = 0; i < state->items.size(); i += 2) {
        const Node* key = state->items[i];
        if (key->kind != NodeKind::String)
            fail(str("the state of ", owner, " has ", kind_name(key->kind), " as attribute name"));
        if (key->text.rfind("__", 0) == 0 || (owner[0] != 'a' && is_taken(key->text)))
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
        if (!a[3]->items.empty()) {
            // its own: BUILD may add to it, and the file's dict may be a value elsewhere
            n->attributes = make(NodeKind::Dict);
            n->attributes->items = a[3]->items;
        }
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
    if (cls->kind == NodeKind::Global && Tag(cls->tag) == Tag::ScriptClass) return script_object(cls, arguments);
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
    if (object->kind == NodeKind::Object) {
        if (object->attributes) fail("the object of class '" + object->text + "' has two states");
        object->attributes = state;
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
