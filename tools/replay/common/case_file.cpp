// Files of reference cases.
#include "common/case_file.hpp"

#include <limits>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/serialize/detail/json.hpp>

namespace replay {

using namespace reel;

MemoryLayout layout_from_name(const std::string& name) {
    if (name == "contiguous") return MemoryLayout::contiguous;
    if (name == "strided") return MemoryLayout::strided;
    if (name == "transposed") return MemoryLayout::transposed;
    if (name == "offset") return MemoryLayout::offset;
    throw ValueError("--layout: '" + name + "' is none of contiguous, strided, transposed, offset");
}

Tensor lay_out(const Tensor& t, MemoryLayout layout) {
    const NoGradGuard no_grad;
    const TensorOptions options(t.scalar_type());
    Tensor out;
    if (layout == MemoryLayout::contiguous) return t.clone();
    std::vector<std::int64_t> strides(std::size_t(t.dim()), 1);
    std::int64_t step = 1;
    const auto fill_strides = [&](std::int64_t first) {
        step = first;
        for (std::size_t i = strides.size(); i-- > 0;) {
            strides[i] = step;
            // Sizes of a tensor without elements may be beyond counting.
            step =
                std::int64_t(std::uint64_t(step) * std::uint64_t(std::max<std::int64_t>(t.size(std::int64_t(i)), 1)));
        }
    };
    if (layout == MemoryLayout::strided) {
        fill_strides(2);
        out = reel::zeros({2 * t.numel()}, options).as_strided(t.sizes(), strides, 0);
    } else if (layout == MemoryLayout::offset) {
        fill_strides(1);
        out = reel::zeros({t.numel() + 1}, options).as_strided(t.sizes(), strides, 1);
    } else {
        for (std::size_t i = 0; i < strides.size(); ++i) {
            strides[i] = step;
            step *= std::max<std::int64_t>(t.size(std::int64_t(i)), 1);
        }
        out = reel::empty_strided(t.sizes(), strides, options);
    }
    out.copy_(t);
    return out.detach();
}

bool CaseFile::has_cases(const std::filesystem::path& path) {
    return serialize::SafetensorsFile(path).metadata("cases") != nullptr;
}

CaseFile::CaseFile(const std::filesystem::path& path) : path_(path), file_(path) {
    const std::string* text = file_.metadata("cases");
    REEL_CHECK_VALUE(text, path.string(), " has no __metadata__.cases");
    cases_ = serialize::parse_json(*text).as_array();
}

Tensor ArgumentReader::tensor(const std::string& key, bool requires_grad) {
    auto& slot = tensors_[key];
    if (!slot.defined()) {
        slot = lay_out(file_->tensor(key).to(device_), layout_);
        if (requires_grad) slot.requires_grad_();
    }
    return slot;
}

Value ArgumentReader::read(const json::value& v) {
    switch (v.kind()) {
    case json::kind::null:
        return {};
    case json::kind::bool_:
        return v.get_bool();
    case json::kind::int64:
        return v.get_int64();
    case json::kind::uint64:
        return std::int64_t(v.get_uint64());
    case json::kind::double_:
        return v.get_double();
    case json::kind::string:
        if (v.get_string() == "cpu") return device("cpu").str();
        return std::string(v.get_string());
    case json::kind::array:
        return Value::list(read_args(v));
    default:
        break;
    }
    const json::object& o = v.get_object();
    if (const json::value* key = o.if_contains("tensor")) {
        const json::value* rg = o.if_contains("requires_grad");
        return tensor(std::string(key->as_string()), rg && rg->as_bool());
    }
    if (const json::value* list = o.if_contains("list")) return Value::list(read_args(*list));
    if (const json::value* tuple = o.if_contains("tuple")) return Value::tuple(read_args(*tuple));
    if (const json::value* number = o.if_contains("float")) {
        const std::string name(number->as_string());
        const double inf = std::numeric_limits<double>::infinity();
        return name == "inf" ? inf : name == "-inf" ? -inf : std::numeric_limits<double>::quiet_NaN();
    }
    if (const json::value* parts = o.if_contains("complex"))
        return std::complex<double>(read(parts->as_array()[0]).toDouble(), read(parts->as_array()[1]).toDouble());
    if (const json::value* dtype = o.if_contains("dtype")) {
        const ScalarType t = dtype_from_name(std::string(dtype->as_string()).c_str());
        REEL_CHECK_VALUE(t != ScalarType::Undefined, "unknown dtype ", std::string(dtype->as_string()));
        return t;
    }
    if (const json::value* device = o.if_contains("device")) return this->device(device->as_string());
    if (const json::value* format = o.if_contains("memory_format")) return std::string(format->as_string());
    if (const json::value* slice = o.if_contains("slice")) {
        const auto part = [&](std::size_t i) -> indexing::Slice::Arg {
            const json::value& x = slice->as_array().at(i);
            if (x.is_null()) return indexing::None;
            return x.as_int64();
        };
        return Value::box(indexing::TensorIndex(indexing::Slice(part(0), part(1), part(2))));
    }
    if (o.if_contains("ellipsis")) return Value::box(indexing::TensorIndex(indexing::Ellipsis));
    ValueDict d;
    for (const auto& [key, value] : o) d.set(Value(std::string(key)), read(value));
    return Value(std::move(d));
}
// The reference ran on the CPU: what it calls so is where the operands are.
Device ArgumentReader::device(std::string_view name) const {
    return name == "cpu" ? device_ : Device(std::string(name));
}

Args ArgumentReader::read_args(const json::value& list) {
    Args args;
    for (const json::value& v : list.as_array()) args.push_back(read(v));
    return args;
}
Kwargs ArgumentReader::read_kwargs(const json::value& object) {
    Kwargs kwargs;
    for (const auto& [key, value] : object.as_object()) kwargs.set(Value(std::string(key)), read(value));
    return kwargs;
}

void flatten_tensors(const Value& v, std::vector<Tensor>& out) {
    if (v.isTensor()) {
        if (v.toTensor().defined()) out.push_back(v.toTensor());
    } else if (v.isSequence()) {
        for (const Value& e : v.elements()) flatten_tensors(e, out);
    } else if (v.isGenericDict()) {
        for (const auto& [key, e] : v.toGenericDict()) flatten_tensors(e, out);
    }
}

} // namespace replay
