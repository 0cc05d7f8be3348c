// Dictionaries as safetensors files: the tensors by their paths, and beside them what the dictionaries are.
#include <boost/json.hpp>

#include <reel/rl/tensordict.hpp>
#include <reel/serialize/safetensors.hpp>

#include "tensordict/storing.hpp"

namespace reel::rl {

using namespace detail;
namespace json = boost::json;

namespace {

constexpr const char* metadata_name = "tensordict";

json::parse_options options() {
    json::parse_options o;
    o.max_depth = 256; // two for each dictionary in another
    return o;
}

/// What the tensor at a path is called in the file: 'next.reward', with a backslash before dots of the names' own.
std::string file_name(const NestedKey& key) {
    std::string text;
    for (const std::string& name : key.path()) {
        if (!text.empty()) text += '.';
        for (const char c : name) {
            if (c == '.' || c == '\\') text += '\\';
            text += c;
        }
    }
    return text == "__metadata__" ? "\\" + text : text; // the format keeps that one to itself
}

/// `{"batch_size": [2], "device": null, "entries": {"a": null, "next": {...}}}`: null stands for a tensor.
json::object description(const TensorDict& dict) {
    const DictImpl& impl = DictImpl::of(dict);
    json::object entries;
    for (const DictImpl::Slot& slot : impl.slots)
        entries[slot.name] = slot.entry.is_tensor() ? json::value() : json::value(description(slot.entry.dict()));
    return {{"batch_size", json::array(impl.batch_size.begin(), impl.batch_size.end())},
            {"device", impl.device ? json::value(impl.device->str()) : json::value()},
            {"entries", std::move(entries)}};
}

/// A file being read.
class Reader {
public:
    Reader(const std::string& path, bool mapped) : path_(path), mapped_(mapped), file_(path) {}

    TensorDict read() {
        const std::string* text = file_.metadata(metadata_name);
        check(text, "was not written by TensorDict::save: its metadata has no '", metadata_name,
              "'; serialize::load_file reads any safetensors file");
        boost::system::error_code ec;
        const json::value tree = json::parse(*text, ec, {}, options());
        check(!ec, "its metadata '", metadata_name, "' is no JSON: ", ec.message());
        TensorDict dict = dictionary(tree, Path());
        for (const std::string& name : file_.keys())
            check(read_.contains(name), "the tensor '", name, "' belongs to no entry of the dictionary");
        return dict;
    }

private:
    template <class... A> void check(bool ok, const A&... text) const {
        REEL_CHECK_VALUE(ok, "TensorDict::load: ", path_, ": ", text...);
    }
    TensorDict dictionary(const json::value& v, const Path& path) {
        const json::object* o = v.if_object();
        const json::value* sizes = o ? o->if_contains("batch_size") : nullptr;
        const json::value* device = o ? o->if_contains("device") : nullptr;
        const json::value* entries = o ? o->if_contains("entries") : nullptr;
        check(sizes && sizes->is_array() && device && (device->is_null() || device->is_string()) && entries &&
                  entries->is_object(),
              path.str(), " is described without batch_size, device and entries");
        std::vector<std::int64_t> batch_size;
        for (const json::value& size : sizes->get_array()) {
            check(size.is_int64() && size.get_int64() >= 0, path.str(), " has a batch_size that is no list of sizes");
            batch_size.push_back(size.get_int64());
        }
        // What was on another device is on the host now.
        TensorDict dict(batch_size, device->is_null() ? std::nullopt : std::optional<Device>(kCPU));
        for (const auto& [name, entry] : entries->get_object()) {
            const std::string key(name);
            check(!key.empty(), path.str(), " has an entry without a name");
            const Path own(path, key);
            Entry value = entry.is_null() ? Entry(tensor(own.key())) : Entry(dictionary(entry, own));
            check(begins_with(sizes_of(value), batch_size), value.is_tensor() ? "the tensor " : "the TensorDict ",
                  own.str(), " has ", value.is_tensor() ? "sizes " : "batch size ", sizes_of(value),
                  value.is_tensor() ? ", which do" : ", which does", " not begin with the batch size ",
                  IntArrayRef(batch_size));
            store("load", dict, key, std::move(value));
        }
        return dict;
    }
    Tensor tensor(const NestedKey& key) {
        const std::string name = file_name(key);
        check(file_.contains(name), "the tensor ", key.str(), " is missing ('", name, "')");
        read_.insert(name, true);
        return mapped_ ? file_.mapped(name) : file_.tensor(name);
    }

    const std::string& path_;
    bool mapped_;
    serialize::SafetensorsFile file_;
    OrderedDict<std::string, bool> read_;
};

} // namespace

void TensorDict::save(const std::string& path) const {
    OrderedDict<std::string, Tensor> tensors;
    for (const auto& [key, entry] : items(true, true)) tensors.insert(file_name(key), entry.tensor());
    const std::string text = json::serialize(description(*this));
    boost::system::error_code ec;
    json::parse(text, ec, {}, options()); // names that are no UTF-8, dictionaries too deep in each other
    REEL_CHECK_VALUE(!ec, "TensorDict::save: ", path, ": the names of the entries cannot be written: ", ec.message());
    serialize::save_file(tensors, path, {{metadata_name, text}});
}
TensorDict TensorDict::load(const std::string& path, bool mapped) { return Reader(path, mapped).read(); }

} // namespace reel::rl
