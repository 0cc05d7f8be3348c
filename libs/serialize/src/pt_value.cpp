// From a file's tree to values and tensors.
#include "pt_value.hpp"

#include <unordered_map>

#include <reel/serialize/file_values.hpp>

#include "file_tensors.hpp"

namespace reel::serialize {

namespace {
class Builder : StorageBytes {
public:
    Builder(const PtReader& file, const LoadOptions& options)
        : file_(file), options_(options), tensors_(file.tree(), *this) {}

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
    void read(std::size_t index, char* out) const override { file_.read_storage(index, out); }
    char* mapped(std::size_t index) const override { return options_.mmap ? file_.mapped_storage(index) : nullptr; }
    std::shared_ptr<const MappedFile> file() const override { return file_.file(); }
    [[noreturn]] void fail(const std::string& what) const override {
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
            return tensors_.tensor(file_.tree().tensors[n.index]);
        case NodeKind::Storage:
            fail("a bare storage is not a tensor; save a tensor on it instead");
        default:
            fail(std::string("internal error: ") + kind_name(n.kind) + " in a checked file");
        }
    }
    const PtReader& file_;
    const LoadOptions& options_;
    FileTensors tensors_;
    std::unordered_map<const Node*, Value> made_;
    std::vector<std::string> path_;
};
} // namespace

Value to_value(const PtReader& file, const LoadOptions& options) {
    return Builder(file, options).value(*file.tree().root);
}

} // namespace reel::serialize
