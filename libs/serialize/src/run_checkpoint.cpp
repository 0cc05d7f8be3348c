#include <reel/serialize/run_checkpoint.hpp>

#include <cstdio>
#include <cstdlib>

#include <boost/json.hpp>

#include <reel/serialize/safetensors.hpp>

namespace reel::serialize {

namespace {
namespace json = boost::json;
constexpr const char* metadata_key = "reel.checkpoint";

/// Turns values into JSON; tensors go into a list of their own.
class Writer {
public:
    json::value write(const Value& v, const std::string& path) {
        switch (v.kind()) {
        case Value::Kind::None:
            return nullptr;
        case Value::Kind::Bool:
            return v.toBool();
        case Value::Kind::Int:
            return v.toInt();
        case Value::Kind::String:
            return json::string(v.toStringRef());
        case Value::Kind::Double:
            return json::object{{"double", exact(v.toDouble())}};
        case Value::Kind::Dtype:
            return json::object{{"dtype", int(v.toDtype())}};
        case Value::Kind::Tensor:
            return write_tensor(v.toTensor(), path);
        case Value::Kind::List:
        case Value::Kind::Tuple: {
            json::array elements;
            for (std::size_t i = 0; i < v.elements().size(); ++i)
                elements.push_back(write(v.elements()[i], join(path, std::to_string(i))));
            return json::object{{v.isList() ? "list" : "tuple", std::move(elements)}};
        }
        case Value::Kind::Dict:
            return write_dict(v.toGenericDict(), path);
        default:
            REEL_THROW(TypeError, "save_checkpoint: '", path, "' is ", v.repr(), ", which a checkpoint cannot hold");
        }
    }
    json::value write_dict(const ValueDict& dict, const std::string& path) {
        json::array items;
        for (const auto& [key, value] : dict) {
            REEL_CHECK_TYPE(key.isString() || key.isInt(), "save_checkpoint: a key of '", path, "' is ", key.repr(),
                            "; expected a string or an int");
            const std::string text = key.isString() ? key.toStringRef() : std::to_string(key.toInt());
            items.push_back(json::array{write(key, path), write(value, join(path, text))});
        }
        json::object out{{"dict", std::move(items)}};
        if (!dict.attributes().empty()) out["attributes"] = write_dict(dict.attributes(), join(path, "__dict__"));
        return out;
    }
    OrderedDict<std::string, Tensor> tensors{"Tensor"};

private:
    static std::string join(const std::string& path, const std::string& name) {
        return path.empty() ? name : path + "." + name;
    }
    static json::string exact(double d) {
        char text[64];
        std::snprintf(text, sizeof text, "%a", d);
        return text;
    }
    json::value write_tensor(const Tensor& t, const std::string& path) {
        if (!t.defined()) return json::object{{"tensor", nullptr}};
        std::string key = path;
        while (tensors.contains(key)) key += "'";
        tensors.insert(key, t.detach());
        return json::object{{"tensor", key}, {"requires_grad", t.requires_grad()}};
    }
};

Value read(const json::value& v, const SafetensorsFile& file) {
    if (v.is_null()) return Value();
    if (v.is_bool()) return v.as_bool();
    if (v.is_int64()) return v.as_int64();
    if (v.is_string()) return std::string(v.as_string());
    const json::object& o = v.as_object();
    if (const json::value* d = o.if_contains("double")) return std::strtod(d->as_string().c_str(), nullptr);
    if (const json::value* d = o.if_contains("dtype")) return ScalarType(d->as_int64());
    if (const json::value* t = o.if_contains("tensor")) {
        if (t->is_null()) return Value(Tensor());
        Tensor tensor = file.tensor(std::string(t->as_string()));
        if (o.at("requires_grad").as_bool()) tensor.requires_grad_();
        return Value(std::move(tensor));
    }
    if (const json::value* items = o.if_contains("dict")) {
        ValueDict dict;
        for (const json::value& item : items->as_array())
            dict.set(read(item.as_array().at(0), file), read(item.as_array().at(1), file));
        if (const json::value* attributes = o.if_contains("attributes")) {
            const Value beside = read(*attributes, file);
            for (const auto& [name, value] : beside.toGenericDict()) dict.set_attribute(name.toStringRef(), value);
        }
        return Value(std::move(dict));
    }
    const bool list = o.contains("list");
    std::vector<Value> elements;
    for (const json::value& e : o.at(list ? "list" : "tuple").as_array()) elements.push_back(read(e, file));
    return list ? Value::list(std::move(elements)) : Value::tuple(std::move(elements));
}
} // namespace

void save_checkpoint(const ValueDict& values, const std::string& path) {
    Writer writer;
    const json::value structure = writer.write_dict(values, {});
    save_file(writer.tensors, path, {{metadata_key, json::serialize(structure)}});
}
ValueDict load_checkpoint(const std::string& path) {
    const SafetensorsFile file(path);
    const std::string* text = file.metadata(metadata_key);
    REEL_CHECK_VALUE(text, path, ": is a safetensors file, but not a checkpoint (its metadata has no '", metadata_key,
                     "')");
    try {
        return read(json::parse(*text), file).toGenericDict();
    } catch (const Error& e) {
        REEL_THROW(ValueError, path, ": the checkpoint is damaged: ", e.msg());
    } catch (const std::exception& e) {
        REEL_THROW(ValueError, path, ": the checkpoint is damaged: ", e.what());
    }
}

} // namespace reel::serialize
