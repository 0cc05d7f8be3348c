// From a file's tree to values and tensors.
#include "pt_value.hpp"

#include <algorithm>
#include <unordered_map>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/tensor_impl.hpp>
#include <reel/serialize/file_values.hpp>

namespace reel::serialize {

namespace {
class Builder {
public:
    Builder(const PtReader& file, const LoadOptions& options)
        : file_(file), options_(options), storages_(file.tree().storages.size()) {}

    Value value(const Node& n) {
        switch (n.kind) {
        case NodeKind::None:
            return {};
        case NodeKind::Bool:
            return bool(n.tag);
        case NodeKind::Int:
            return n.i;
        case NodeKind::BigInt:
            return Value::box(BigInt{n.text});
        case NodeKind::Float:
            return n.d[0];
        case NodeKind::Complex:
            return std::complex<double>(n.d[0], n.d[1]);
        case NodeKind::String:
            return n.text;
        case NodeKind::Bytes:
        case NodeKind::Bytearray:
            return Value::box(Bytes{n.text, n.kind == NodeKind::Bytearray});
        case NodeKind::Layout:
            return Value::box(Layout{n.text});
        case NodeKind::Device:
            return reel::Device(n.text);
        case NodeKind::Dtype:
            return dtype(n.dtype());
        default:
            break;
        }
        // what is one object in the file is one object here
        if (const auto it = made_.find(&n); it != made_.end()) return it->second;
        Value v = compound(n);
        made_.emplace(&n, v);
        return v;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        std::string path;
        for (const std::string& step : path_)
            if (path.size() < 400) path += step;
        REEL_THROW(ValueError, file_.path(), path.empty() ? "" : ", at " + path, ": ", what);
    }
    ScalarType dtype(FileDtype d) const {
        if (info(d).type == ScalarType::Undefined) fail(str("tensors do not have the dtype ", info(d).name));
        return info(d).type;
    }
    std::vector<Value> elements(const Node& n) {
        std::vector<Value> out;
        out.reserve(n.items.size());
        for (std::size_t i = 0; i < n.items.size(); ++i) {
            path_.push_back("[" + std::to_string(i) + "]");
            out.push_back(value(*n.items[i]));
            path_.pop_back();
        }
        return out;
    }
    bool boxes(const Node& n) const { return options_.ordered_dicts && n.kind == NodeKind::OrderedDict; }
    ValueDict dict(const Node& n) {
        ValueDict out;
        if (n.attributes && !boxes(n))
            for (std::size_t i = 0; i + 1 < n.attributes->items.size(); i += 2)
                out.set_attribute(n.attributes->items[i]->text, value(*n.attributes->items[i + 1]));
        for (std::size_t i = 0; i + 1 < n.items.size(); i += 2) {
            path_.push_back(path_step(*n.items[i]));
            Value key = value(*n.items[i]);
            out.set(std::move(key), value(*n.items[i + 1]));
            path_.pop_back();
        }
        return out;
    }
    Value compound(const Node& n) {
        switch (n.kind) {
        case NodeKind::List:
            return Value::list(elements(n));
        case NodeKind::Tuple:
        case NodeKind::Size:
            return Value::tuple(elements(n));
        case NodeKind::Set:
            return Value::box(ValueSet{elements(n)});
        case NodeKind::OrderedDict:
            if (boxes(n))
                return Value::box(OrderedDictValue{dict(n), n.attributes ? dict(*n.attributes) : ValueDict()});
            return dict(n);
        case NodeKind::Dict:
        case NodeKind::Counter:
            return dict(n);
        case NodeKind::Tensor:
            return tensor(file_.tree().tensors[n.index]);
        case NodeKind::Storage:
            fail("a bare storage is not a tensor; save a tensor on it instead");
        default:
            fail(std::string("internal error: ") + kind_name(n.kind) + " in a checked file");
        }
    }
    const StoragePtr& storage(std::size_t index) {
        StoragePtr& s = storages_[index];
        if (s) return s;
        const StorageInfo& i = file_.tree().storages[index];
        if (i.view_of >= 0) { // a part of another storage, which it keeps alive
            const StoragePtr& base = storage(std::size_t(i.view_of));
            return s = Storage::wrap(
                       static_cast<char*>(base->data()) + i.view_offset, i.bytes, Device(kCPU),
                       [](void*, std::size_t, void* context) { delete static_cast<StoragePtr*>(context); },
                       new StoragePtr(base));
        }
        char* mapped = options_.mmap ? file_.mapped_storage(index) : nullptr;
        const std::size_t item = i.elements() == FileDtype::None ? 1 : info(i.elements()).size;
        if (mapped && !i.mixed && reinterpret_cast<std::uintptr_t>(mapped) % std::min<std::size_t>(item, 8) == 0) {
            using Keep = std::shared_ptr<const MappedFile>;
            s = Storage::wrap(
                mapped, i.bytes, Device(kCPU),
                [](void*, std::size_t, void* context) { delete static_cast<Keep*>(context); }, new Keep(file_.file()));
        } else {
            s = Storage::allocate(i.bytes, Device(kCPU));
            file_.read_storage(index, static_cast<char*>(s->data()));
        }
        if (i.elements() == FileDtype::Bool) {
            const char* p = static_cast<const char*>(s->data());
            if (!std::all_of(p, p + i.bytes, [](char c) { return c == 0 || c == 1; }))
                fail("a bool byte of storage '" + i.key + "' is neither 0 nor 1");
        }
        return s;
    }
    Value tensor(const TensorInfo& t) {
        const ScalarType type = dtype(t.dtype);
        const NoGradGuard no_grad;
        auto* impl = new TensorImpl(storage(t.storage), type, Device(kCPU));
        Tensor out{TensorImplPtr(impl)};
        impl->set_geometry(t.sizes, t.strides, t.offset);
        // there are no lazy conjugates or negatives: the values are right, the memory is the tensor's own
        if (t.conj) out = reel::conj(out).clone();
        if (t.neg) out = reel::neg(out);
        if (t.requires_grad) out.requires_grad_();
        return out;
    }
    const PtReader& file_;
    const LoadOptions& options_;
    std::vector<StoragePtr> storages_;
    std::unordered_map<const Node*, Value> made_;
    std::vector<std::string> path_;
};
} // namespace

Value to_value(const PtReader& file, const LoadOptions& options) {
    return Builder(file, options).value(*file.tree().root);
}

} // namespace reel::serialize
