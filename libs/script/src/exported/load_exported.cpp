// Reading `.pt2` archives (rules SC-100 to SC-102, SC-108, SC-117).
#include <algorithm>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_impl.hpp>
#include <reel/script/exported_program.hpp>

#include "exported/graph_reader.hpp"
#include "file_dtype.hpp"
#include "pt_reader.hpp"
#include "zip_reader.hpp"

namespace reel::jit {

using namespace serialize;

namespace {
namespace json = boost::json;
std::string text(const json::value& v) { return std::string(v.as_string()); }
std::int64_t whole(const json::value& v) { return v.as_object().at("as_int").as_int64(); }

class Pt2Reader {
public:
    explicit Pt2Reader(std::shared_ptr<const MappedFile> file) : zip_(std::move(file)) {
        if (zip_.members().empty()) zip_.fail("not an exported program: the ZIP archive is empty");
        const std::string& first = zip_.members().front().name;
        root_ = first.substr(0, first.find('/'));
        if (has("constants.pkl")) zip_.fail("this is a script archive; jit::load reads it");
        if (!has("models/model.json"))
            zip_.fail("not an exported program: the member '" + root_ + "/models/model.json' is missing");
        if (has("archive_format") && trimmed("archive_format") != "pt2")
            zip_.fail("the archive's format is '" + trimmed("archive_format") + "'; expected pt2");
        if (has("archive_version") && trimmed("archive_version") != "0")
            zip_.fail("the archive has version " + trimmed("archive_version") + "; only 0 is supported");
        if (has("byteorder") && trimmed("byteorder") == "big")
            zip_.fail("exported programs with big-endian weights are not supported");
    }
    std::unique_ptr<ExportedProgramImpl::Parts> read() {
        const json::value model = parse("models/model.json");
        guarded("models/model.json", [&] { read_model(model.as_object()); });
        return std::move(parts_);
    }
    void read_extra(ExtraFilesMap& files) {
        const std::string folder = root_ + "/extra/";
        for (auto& [name, contents] : files)
            if (has("extra/" + name)) contents = bytes("extra/" + name);
        if (!files.empty()) return;
        for (const ZipMember& m : zip_.members())
            if (m.name.rfind(folder, 0) == 0 && !m.is_folder())
                files.emplace_back(m.name.substr(folder.size()), zip_.read(m));
    }

private:
    bool has(const std::string& name) const { return zip_.find(root_ + "/" + name) >= 0; }
    std::string bytes(const std::string& name) {
        const std::int64_t i = zip_.find(root_ + "/" + name);
        if (i < 0) zip_.fail("the member '" + root_ + "/" + name + "' is missing");
        return zip_.read(zip_.members()[std::size_t(i)]);
    }
    std::string trimmed(const std::string& name) {
        std::string s = bytes(name).substr(0, 100);
        while (!s.empty() && (s.back() == '\n' || s.back() == ' ')) s.pop_back();
        return s;
    }
    /// What is wrong in a member is said of it.
    template <class F> void guarded(const std::string& name, F f) {
        const std::string where = zip_.file().path() + ": member '" + root_ + "/" + name + "': ";
        try {
            f();
        } catch (const NotImplementedError& e) {
            REEL_THROW(NotImplementedError, where, e.what());
        } catch (const std::exception& e) {
            REEL_THROW(ValueError, where, e.what());
        }
    }
    json::value parse(const std::string& name) {
        json::value v;
        guarded(name, [&] {
            json::parse_options options;
            options.max_depth = 200;
            v = json::parse(bytes(name), {}, options);
        });
        return v;
    }

    // --- tensors
    void read_tensors(const std::string& folder, const std::string& config, OrderedDict<std::string, Tensor>& out) {
        const std::string name = folder + "/" + config;
        if (!has(name)) return;
        const json::value v = parse(name);
        guarded(name, [&] {
            for (const auto& item : v.as_object().at("config").as_object())
                out.insert(std::string(item.key()), tensor(folder, std::string(item.key()), item.value().as_object()));
        });
    }
    Tensor tensor(const std::string& folder, const std::string& name, const json::object& o) {
        if (const json::value* pickled = o.if_contains("use_pickle"))
            REEL_CHECK_NOT_IMPLEMENTED(!pickled->as_bool(), "'", name, "' is pickled, which is not supported");
        const json::object& meta = o.at("tensor_meta").as_object();
        const ScalarType type = exported_dtype(meta.at("dtype").as_int64());
        REEL_CHECK_VALUE(type != ScalarType::Undefined, "'", name, "': tensors do not have the dtype number ",
                         meta.at("dtype").as_int64());
        std::vector<std::int64_t> sizes, strides;
        for (const json::value& s : meta.at("sizes").as_array()) sizes.push_back(whole(s));
        for (const json::value& s : meta.at("strides").as_array()) strides.push_back(whole(s));
        const std::int64_t offset = whole(meta.at("storage_offset"));
        // tied weights are one tensor under two names
        const std::string shape = json::serialize(o);
        if (const auto it = tensors_.find(folder + shape); it != tensors_.end()) return it->second;
        const StoragePtr& s = storage(folder + "/" + text(o.at("path_name")), type);
        check_bounds(name, sizes, strides, offset, s->nbytes() / elementSize(type));
        auto* impl = new TensorImpl(s, type, Device(kCPU));
        Tensor t{TensorImplPtr(impl)};
        impl->set_geometry(sizes, strides, offset);
        if (meta.at("requires_grad").as_bool()) t.requires_grad_();
        return tensors_[folder + shape] = t;
    }
    static void check_bounds(const std::string& name, const std::vector<std::int64_t>& sizes,
                             const std::vector<std::int64_t>& strides, std::int64_t offset, std::size_t elements) {
        REEL_CHECK_VALUE(sizes.size() == strides.size() && sizes.size() <= 64 && offset >= 0, "'", name, "' has ",
                         sizes.size(), " sizes, ", strides.size(), " strides and the offset ", offset);
        std::int64_t last = offset, step, numel = 1;
        bool good = true, empty = false;
        for (std::size_t d = 0; d < sizes.size(); ++d) {
            good = good && sizes[d] >= 0 && strides[d] >= 0 &&
                   !__builtin_mul_overflow(numel, std::max<std::int64_t>(sizes[d], 1), &numel);
            empty = empty || sizes[d] == 0;
            if (sizes[d] > 0)
                good = good && !__builtin_mul_overflow(sizes[d] - 1, strides[d], &step) &&
                       !__builtin_add_overflow(last, step, &last);
        }
        REEL_CHECK_VALUE(good && (empty ? std::size_t(offset) <= elements : std::size_t(last) < elements), "'", name,
                         "' does not lie inside its member of ", elements, " elements");
    }
    const StoragePtr& storage(const std::string& member, ScalarType type) {
        StoragePtr& s = storages_[member];
        if (s) return s;
        std::string data = bytes(member);
        const std::size_t item = elementSize(type), n = std::max(data.size(), item);
        s = Storage::allocate(n / item * item, Device(kCPU));
        std::copy_n(data.data(), std::min(data.size(), n / item * item), static_cast<char*>(s->data()));
        return s;
    }

    // --- the model
    void read_model(const json::object& model) {
        if (const json::value* v = model.if_contains("schema_version"))
            REEL_CHECK_VALUE(v->as_object().at("major").as_int64() == 8, "the schema version is ",
                             v->as_object().at("major").as_int64(), "; only 8 is supported");
        const json::object& module = model.at("graph_module").as_object();
        const json::object& graph = module.at("graph").as_object();
        OrderedDict<std::string, Tensor> weights, constants;
        read_tensors("data/weights", "model_weights_config.json", weights);
        read_tensors("data/constants", "model_constants_config.json", constants);
        parts_->graph = read_exported_graph(graph);
        const json::object& signature = module.at("signature").as_object();
        for (const json::value& v : signature.at("input_specs").as_array())
            read_input(v.as_object(), graph, weights, constants);
        for (const json::value& v : signature.at("output_specs").as_array()) read_output(v.as_object());
        REEL_CHECK_VALUE(parts_->inputs.size() == parts_->graph.inputs.size() &&
                             parts_->results.size() == parts_->graph.outputs.size(),
                         "the signature has ", parts_->inputs.size(), " inputs and ", parts_->results.size(),
                         " outputs, the graph ", parts_->graph.inputs.size(), " and ", parts_->graph.outputs.size());
        read_specs(module);
        read_guards(model);
        put_in_order(weights);
    }
    void read_input(const json::object& o, const json::object& graph, const OrderedDict<std::string, Tensor>& weights,
                    const OrderedDict<std::string, Tensor>& constants) {
        REEL_CHECK_VALUE(o.size() == 1, "an input of the signature is ", json::serialize(o).substr(0, 100));
        const std::string kind(o.begin()->key());
        const json::object& spec = o.begin()->value().as_object();
        ExportedInput in{};
        const auto state = [&](const char* key, ExportedInput::Kind k, OrderedDict<std::string, Tensor>& to) {
            in.kind = k;
            in.path = text(spec.at(key));
            if (to.contains(in.path)) return;
            const Tensor* t = weights.find(in.path);
            if (!t) t = constants.find(in.path);
            REEL_CHECK_VALUE(t, "the archive has no tensor '", in.path, "'");
            to.insert(in.path, *t);
        };
        if (kind == "parameter") state("parameter_name", ExportedInput::Kind::Parameter, parts_->parameters);
        else if (kind == "buffer") {
            state("buffer_name", ExportedInput::Kind::Buffer, parts_->buffers);
            if (const json::value* p = spec.if_contains("persistent"); p && p->is_bool() && !p->as_bool())
                parts_->non_persistent.push_back(in.path);
        } else if (kind == "tensor_constant")
            state("tensor_constant_name", ExportedInput::Kind::Constant, parts_->constants);
        else if (kind == "user_input") read_user_input(in, spec.at("arg").as_object(), graph);
        else if (kind == "constant_input") {
            in.kind = ExportedInput::Kind::Fixed;
            in.path = text(spec.at("name"));
            in.value = fixed(spec.at("value").as_object());
        } else REEL_THROW(NotImplementedError, "inputs of the kind '", kind, "' are not supported");
        parts_->inputs.push_back(std::move(in));
    }
    static IValue fixed(const json::object& o) {
        const std::string kind(o.begin()->key());
        const json::value& v = o.begin()->value();
        if (kind == "as_none") return {};
        if (kind == "as_int") return v.as_int64();
        if (kind == "as_float") return v.to_number<double>();
        if (kind == "as_bool") return v.as_bool();
        if (kind == "as_string") return text(v);
        REEL_THROW(NotImplementedError, "constant inputs of the kind '", kind, "' are not supported");
    }
    void read_user_input(ExportedInput& in, const json::object& arg, const json::object& graph) {
        in.kind = ExportedInput::Kind::User;
        if (const json::value* t = arg.if_contains("as_tensor")) {
            in.path = text(t->as_object().at("name"));
            const json::object& meta = graph.at("tensor_values").as_object().at(in.path).as_object();
            in.sizes.emplace();
            for (const json::value& s : meta.at("sizes").as_array()) in.sizes->push_back(read_size(s.as_object()));
        } else if (const json::value* s = arg.if_contains("as_sym_int")) {
            in.path = text(s->as_object().at("as_name"));
            in.number = read_size(graph.at("sym_int_values").as_object().at(in.path).as_object());
        } else {
            in.kind = ExportedInput::Kind::Fixed;
            in.path = "number " + std::to_string(parts_->inputs.size());
            in.value = fixed(arg);
        }
    }
    void read_output(const json::object& o) {
        REEL_CHECK_VALUE(o.size() == 1, "an output of the signature is ", json::serialize(o).substr(0, 100));
        const std::string kind(o.begin()->key());
        const json::object& spec = o.begin()->value().as_object();
        if (kind == "user_output") parts_->results.push_back({ExportedResult::Kind::User, {}});
        else if (kind == "buffer_mutation")
            parts_->results.push_back({ExportedResult::Kind::Buffer, text(spec.at("buffer_name"))});
        else if (kind == "user_input_mutation")
            parts_->results.push_back({ExportedResult::Kind::Input, text(spec.at("user_input_name"))});
        else REEL_THROW(NotImplementedError, "outputs of the kind '", kind, "' are not supported");
    }
    void read_specs(const json::object& module) {
        for (const json::value& entry : module.at("module_call_graph").as_array()) {
            if (text(entry.as_object().at("fqn")) != "") continue;
            const json::object& s = entry.as_object().at("signature").as_object();
            parts_->in_spec = TreeSpec::parse(text(s.at("in_spec")));
            parts_->out_spec = TreeSpec::parse(text(s.at("out_spec")));
        }
        const auto users = [](const auto& all, auto... kinds) {
            return std::size_t(
                std::count_if(all.begin(), all.end(), [&](const auto& e) { return ((e.kind == kinds) || ...); }));
        };
        REEL_CHECK_VALUE(parts_->in_spec.leaves() ==
                                 users(parts_->inputs, ExportedInput::Kind::User, ExportedInput::Kind::Fixed) &&
                             parts_->out_spec.leaves() == users(parts_->results, ExportedResult::Kind::User),
                         "the trees of inputs and outputs do not have the leaves of the signature");
    }
    void read_guards(const json::object& model) {
        const auto bound = [](const json::object& o, const char* key) -> std::optional<std::int64_t> {
            const json::value* v = o.if_contains(key);
            return v && v->is_int64() ? std::optional(v->as_int64()) : std::nullopt;
        };
        for (const auto& item : model.at("range_constraints").as_object()) {
            const json::object& o = item.value().as_object();
            parts_->ranges.push_back(
                {SizeExpression::parse(std::string(item.key())), bound(o, "min_val"), bound(o, "max_val")});
        }
        if (const json::value* guards = model.if_contains("guards_code"))
            for (const json::value& g : guards->as_array()) parts_->guards.push_back(SizeExpression::parse(text(g)));
    }
    /// Parameters and buffers as the weights are listed, which is the order of the module that was exported.
    void put_in_order(const OrderedDict<std::string, Tensor>& weights) {
        const auto sorted = [&](OrderedDict<std::string, Tensor>& table) {
            OrderedDict<std::string, Tensor> out(table.key_description());
            for (const auto& w : weights)
                if (const Tensor* t = table.find(w.key())) out.insert(w.key(), *t);
            for (const auto& rest : table)
                if (!out.contains(rest.key())) out.insert(rest.key(), *rest);
            table = std::move(out);
        };
        parts_->weight_names = weights.keys();
        sorted(parts_->parameters);
        sorted(parts_->buffers);
    }

    ZipReader zip_;
    std::string root_;
    std::unordered_map<std::string, StoragePtr> storages_;
    std::unordered_map<std::string, Tensor> tensors_; ///< by folder and description
    std::unique_ptr<ExportedProgramImpl::Parts> parts_ = std::make_unique<ExportedProgramImpl::Parts>();
};

ExportedProgram read(std::shared_ptr<const MappedFile> file, ExtraFilesMap* extra_files) {
    const std::string_view bytes = file->bytes();
    if (bytes.substr(0, 4) != std::string_view("PK\x03\x04", 4)) {
        const std::string looks = describe_content(bytes);
        REEL_THROW(ValueError, file->path(), ": not an exported program, which begins as a ZIP archive",
                   looks.empty() ? "" : ": it looks like ", looks);
    }
    Pt2Reader reader(std::move(file));
    auto program = std::make_shared<ExportedProgramImpl>(reader.read());
    if (extra_files) reader.read_extra(*extra_files);
    return ExportedProgram(std::move(program));
}
} // namespace

ExportedProgram load_exported(const std::string& path, ExtraFilesMap* extra_files) {
    return read(std::make_shared<MappedFile>(path), extra_files);
}
ExportedProgram load_exported_from_buffer(std::string bytes, ExtraFilesMap* extra_files, const std::string& name) {
    return read(std::make_shared<MappedFile>(name, std::move(bytes)), extra_files);
}

} // namespace reel::jit
