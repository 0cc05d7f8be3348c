#include "archive/object_writer.hpp"

#include <algorithm>
#include <cstring>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_impl.hpp>
#include <reel/script/function.hpp>

#include "file_dtype.hpp"
#include "pickle_opcodes.hpp"
#include "zip_reader.hpp"

namespace reel::jit {

using namespace serialize;

namespace {
constexpr std::size_t deepest = 500;
const void* address(const IValue& v) {
    if (v.isSequence()) return &v.elements();
    return v.isGenericDict() ? static_cast<const void*>(&v.toGenericDict()) : nullptr;
}
} // namespace

Pickled ObjectWriter::write(const IValue& v, const TypePtr& type) {
    out_ = "\x80\x02";
    count(v);
    value(v, type);
    op(STOP);
    return {std::move(out_), std::move(storages_)};
}
void ObjectWriter::refuse(const std::string& what) const {
    std::string path;
    for (const std::string& step : path_)
        if (path.size() < 400) path += step;
    REEL_THROW(TypeError, "jit::save: ", path.empty() ? "the value" : path, ": ", what);
}

// --- bytes
void ObjectWriter::little(std::uint64_t v, int bytes) {
    for (int i = 0; i < bytes; ++i) out_ += char(v >> 8 * i);
}
std::uint32_t ObjectWriter::put() {
    const std::uint32_t index = next_++;
    if (index < 256) op(BINPUT), little(index, 1);
    else op(LONG_BINPUT), little(index, 4);
    return index;
}
void ObjectWriter::get(std::uint32_t index) {
    if (index < 256) op(BINGET), little(index, 1);
    else op(LONG_BINGET), little(index, 4);
}
void ObjectWriter::string(const std::string& s) {
    if (const auto it = strings_.find(s); it != strings_.end()) return get(it->second);
    if (!is_utf8(s)) refuse("a string that is not UTF-8");
    op(BINUNICODE);
    little(s.size(), 4);
    out_ += s;
    strings_[s] = put();
}
void ObjectWriter::global(const std::string& module, const std::string& name) {
    const std::string text = module + '\n' + name + '\n';
    if (const auto it = globals_.find(text); it != globals_.end()) return get(it->second);
    op(GLOBAL);
    out_ += text;
    globals_[text] = put();
}
void ObjectWriter::global(const std::string& qualified) {
    const std::size_t dot = qualified.rfind('.');
    global(qualified.substr(0, dot), qualified.substr(dot + 1));
}
void ObjectWriter::integer(std::int64_t v) {
    if (v >= 0 && v < 256) op(BININT1), little(std::uint64_t(v), 1);
    else if (v >= 0 && v < 65536) op(BININT2), little(std::uint64_t(v), 2);
    else if (v == std::int32_t(v)) op(BININT), little(std::uint64_t(v), 4);
    else {
        op(LONG1);
        little(8, 1);
        little(std::uint64_t(v), 8);
    }
}
void ObjectWriter::floating(double d) {
    std::uint64_t bits;
    std::memcpy(&bits, &d, 8);
    op(BINFLOAT);
    for (int shift = 56; shift >= 0; shift -= 8) out_ += char(bits >> shift);
}
void ObjectWriter::device(reel::Device d) {
    const std::string text = d.str();
    if (const auto it = devices_.find(text); it != devices_.end()) return get(it->second);
    global("torch", "device");
    string(text);
    op(TUPLE1);
    op(REDUCE);
    devices_[text] = put();
}

// --- values
/// How often each list, dict and tuple occurs: what occurs once needs no memo entry.
void ObjectWriter::count(const IValue& v) {
    const void* a = address(v);
    if (!a) {
        if (!is_object(v)) return;
        const Object& o = *to_object(v);
        if (occurrences_[&o]++) return;
        for (std::size_t i = 0; i < o.type()->attributes().size(); ++i) count(o.slot(i));
        return;
    }
    if (occurrences_[a]++) return;
    if (v.isSequence())
        for (const IValue& e : v.elements()) count(e);
    else
        for (const auto& [key, e] : v.toGenericDict()) count(e);
}
void ObjectWriter::value(const IValue& v, const TypePtr& given) {
    if (path_.size() > deepest) refuse("nesting is deeper than " + std::to_string(deepest));
    TypePtr type = given;
    if (type->kind() == TypeKind::Optional && !v.isNone()) type = type->contained()[0];
    else if (type->kind() == TypeKind::Any || type->kind() == TypeKind::Union) type = type_of(v);
    switch (v.kind()) {
    case IValue::Kind::None:
        return op(NONE);
    case IValue::Kind::Bool:
        return op(v.toBool() ? NEWTRUE : NEWFALSE);
    case IValue::Kind::Int:
        return integer(v.toInt());
    case IValue::Kind::Double:
        return floating(v.toDouble());
    case IValue::Kind::Complex:
        global("builtins", "complex");
        floating(v.toComplexDouble().real());
        floating(v.toComplexDouble().imag());
        op(TUPLE2);
        return op(REDUCE);
    case IValue::Kind::String:
        return string(v.toStringRef());
    case IValue::Kind::Device:
        return device(v.toDevice());
    case IValue::Kind::Tensor:
        return tensor(v.toTensor());
    case IValue::Kind::Boxed:
        return boxed(v);
    case IValue::Kind::Dtype:
        refuse("a dtype; scripts hold dtypes as ints");
    default:
        break;
    }
    const void* a = address(v);
    if (const auto it = objects_.find(a); it != objects_.end()) return get(it->second);
    if (v.isList()) list(v, type);
    else if (v.isTuple()) tuple(v, type);
    else dict(v, type);
    if (occurrences_[a] > 1) objects_[a] = put();
}
void ObjectWriter::list(const IValue& v, const TypePtr& type) {
    const TypePtr element = type->kind() == TypeKind::List ? type->contained()[0] : Type::Any();
    const char* builder = nullptr;
    switch (element->kind()) {
    case TypeKind::Int:
        builder = "build_intlist";
        break;
    case TypeKind::Float:
        builder = "build_doublelist";
        break;
    case TypeKind::Bool:
        builder = "build_boollist";
        break;
    case TypeKind::Tensor:
        builder = "build_tensorlist";
        break;
    default:
        break;
    }
    global("torch.jit._pickle", builder ? builder : "restore_type_tag");
    if (builder) op(MARK);
    op(EMPTY_LIST);
    op(MARK);
    for (std::size_t i = 0; i < v.elements().size(); ++i) {
        path_.push_back("[" + std::to_string(i) + "]");
        value(v.elements()[i], element);
        path_.pop_back();
    }
    op(APPENDS);
    if (builder) op(TUPLE);
    else {
        string(type->annotation_str());
        op(TUPLE2);
    }
    op(REDUCE);
}
void ObjectWriter::dict(const IValue& v, const TypePtr& type) {
    const bool typed = type->kind() == TypeKind::Dict;
    global("torch.jit._pickle", "restore_type_tag");
    op(EMPTY_DICT);
    op(MARK);
    for (const auto& [key, e] : v.toGenericDict()) {
        path_.push_back("[" + key.repr() + "]");
        value(key, typed ? type->contained()[0] : Type::Any());
        value(e, typed ? type->contained()[1] : Type::Any());
        path_.pop_back();
    }
    op(SETITEMS);
    string(type->annotation_str());
    op(TUPLE2);
    op(REDUCE);
}
void ObjectWriter::tuple(const IValue& v, const TypePtr& type) {
    const std::vector<IValue>& e = v.elements();
    const bool typed = type->kind() == TypeKind::Tuple && type->contained().size() == e.size();
    if (e.empty()) return op(EMPTY_TUPLE);
    if (e.size() > 3) op(MARK);
    for (std::size_t i = 0; i < e.size(); ++i) {
        path_.push_back("[" + std::to_string(i) + "]");
        value(e[i], typed ? type->contained()[i] : Type::Any());
        path_.pop_back();
    }
    op(e.size() > 3 ? std::uint8_t(TUPLE) : std::uint8_t(TUPLE1 + e.size() - 1));
}
void ObjectWriter::boxed(const IValue& v) {
    if (is_object(v)) return object(to_object(v));
    if (is_enum(v)) {
        const EnumMember& m = to_enum(v);
        global(m.type->name());
        value(m.value(), m.type->value_type());
        return op(REDUCE);
    }
    refuse("is " + v.repr() + ", which an archive cannot hold");
}
void ObjectWriter::object(const ObjectPtr& o) {
    if (const auto it = objects_.find(o.get()); it != objects_.end()) return get(it->second);
    if (std::find(open_.begin(), open_.end(), o.get()) != open_.end()) refuse("contains itself");
    open_.push_back(o.get());
    const ClassTypePtr& type = o->type();
    if (std::find(classes_.begin(), classes_.end(), type) == classes_.end()) classes_.push_back(type);
    global(type->name());
    op(EMPTY_TUPLE);
    op(NEWOBJ);
    Function* get_state = type->find_method("__setstate__") ? type->find_method("__getstate__") : nullptr;
    if (get_state) {
        states_.push_back((*get_state)({to_ivalue(o)})); // addresses stay taken
        count(states_.back());
        value(states_.back(), get_state->schema().returns.at(0).type);
    } else {
        op(EMPTY_DICT);
        op(MARK);
        for (std::size_t i = 0; i < type->attributes().size(); ++i) {
            const ClassType::Attribute& a = type->attributes()[i];
            path_.push_back("." + a.name);
            string(a.name);
            value(o->slot(i), a.type);
            path_.pop_back();
        }
        op(SETITEMS);
    }
    op(BUILD);
    objects_[o.get()] = put();
    open_.pop_back();
}

// --- tensors
void ObjectWriter::tensor(const Tensor& t) {
    if (!t.defined()) return op(NONE);
    if (t.is_sparse()) refuse("a sparse tensor has no memory of its elements; use .to_dense()");
    if (!t.has_storage()) refuse("a meta tensor has no data");
    const void* identity = t.unsafeGetTensorImpl();
    if (const auto it = objects_.find(identity); it != objects_.end()) return get(it->second);
    kept_.push_back(t);
    const auto ints = [&](IntArrayRef all) {
        op(MARK);
        for (const std::int64_t i : all) integer(i);
        op(TUPLE);
    };
    global("torch._utils", "_rebuild_tensor_v2");
    op(MARK);
    storage(t);
    integer(t.storage_offset());
    ints(t.sizes());
    ints(t.strides());
    op(t.requires_grad() ? NEWTRUE : NEWFALSE);
    global("collections", "OrderedDict");
    op(EMPTY_TUPLE);
    op(REDUCE);
    op(TUPLE);
    op(REDUCE);
    objects_[identity] = put();
}
std::size_t ObjectWriter::storage(const Tensor& t) {
    const Storage* s = t.storage().get();
    if (const auto it = storage_memo_.find(s); it != storage_memo_.end()) {
        get(it->second);
        return it->second;
    }
    const std::size_t item = t.itemsize(), count = s->nbytes() / item;
    op(MARK);
    string("storage");
    global("torch", info(file_dtype_of(t.scalar_type())).storage);
    string(std::to_string(storages_.size()));
    string(t.device().str());
    integer(std::int64_t(count));
    op(TUPLE);
    op(BINPERSID);
    const NoGradGuard no_grad;
    // the whole storage as one row, brought to the CPU
    auto* impl = new TensorImpl(t.storage(), t.scalar_type(), t.device());
    Tensor row{TensorImplPtr(impl)};
    impl->set_contiguous({std::int64_t(count)});
    row = row.cpu();
    storages_.push_back(
        {row, count ? std::string_view(static_cast<const char*>(row.data_ptr()), count * item) : std::string_view()});
    return storage_memo_[s] = put();
}

} // namespace reel::jit
