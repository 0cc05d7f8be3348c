// Writing `.pt2` archives (rules SC-100 to SC-102).
#include <set>

#include <reel/script/exported_program.hpp>
#include <reel/serialize/detail/json.hpp>

#include "archive_names.hpp"
#include "atomic_file.hpp"
#include "exported/numbers.hpp"
#include "exported/program.hpp"
#include "exported/python_json.hpp"
#include "exported/tensor_table.hpp"
#include "zip_writer.hpp"

namespace reel::jit {

using namespace serialize;

namespace {
namespace json = boost::json;

/// The tensors that are there now under the names of the file.
OrderedDict<std::string, Tensor> present(const ExportedProgramImpl& program,
                                         const OrderedDict<std::string, Tensor>& file) {
    OrderedDict<std::string, Tensor> out;
    for (const auto& item : file) out.insert(item.key(), program.present(item.key(), *item));
    return out;
}
/// The graph was made for tensors of one dtype and shape.
void check_meta(const std::string& path, const Tensor& now, const json::object& meta) {
    std::vector<std::int64_t> sizes;
    for (const json::value& s : meta.at("sizes").as_array()) sizes.push_back(s.at("as_int").as_int64());
    const ScalarType dtype = exported_dtype(meta.at("dtype").as_int64());
    REEL_CHECK_VALUE(now.sizes().vec() == sizes && now.scalar_type() == dtype, "save: '", path, "' is ",
                     now.scalar_type(), " of the shape ", now.sizes(), ", but the program's graph is for ", dtype,
                     " of ", IntArrayRef(sizes), "; export the module again, or convert it back");
}
std::set<std::string> parameter_names(const ExportedProgramImpl::Parts& parts) {
    std::set<std::string> out;
    for (const auto& p : parts.parameters) out.insert(p.key());
    return out;
}
/// The model's text, changed where parameters were frozen or thawed since it was read.
std::string described_model(const ExportedProgramImpl& program) {
    const ExportedProgramImpl::Parts& parts = program.parts();
    json::value model = serialize::parse_json(parts.model, 200);
    json::object& module = model.at("graph_module").as_object();
    json::object& metas = module.at("graph").as_object().at("tensor_values").as_object();
    bool changed = false;
    for (const json::value& v : module.at("signature").as_object().at("input_specs").as_array()) {
        const auto& [kind, spec] = *v.as_object().begin();
        const bool parameter = kind == "parameter";
        if (!parameter && kind != "buffer") continue;
        const std::string path(spec.at(parameter ? "parameter_name" : "buffer_name").as_string());
        const Tensor now = program.present(path, Tensor());
        json::object& meta = metas.at(spec.at("arg").at("name").as_string()).as_object();
        check_meta(path, now, meta);
        if (!parameter) continue;
        changed |= meta.at("requires_grad").as_bool() != now.requires_grad();
        meta["requires_grad"] = now.requires_grad();
    }
    return changed ? python_json(model) : parts.model;
}
/// A file that loaded and runs may still leave out what a weight is like: its reader takes that from the weights.
std::string model_text(const ExportedProgramImpl& program) {
    try {
        return described_model(program);
    } catch (const Error&) {
        throw;
    } catch (const std::exception& e) { // of the reader of JSON: out of range, another kind of value
        REEL_THROW(ValueError,
                   "save: model.json of the program that was read does not describe each of its weights: ", e.what(),
                   "; export the module again");
    }
}

/// Everything that the ZIP archive refers to while it is written.
struct Composition {
    const ExportedProgramImpl& program;
    const ExtraFilesMap& extra_files;
    std::string root, model, weights_config, constants_config;
    TensorTable weights, constants;
    std::vector<std::string> names;
    ZipWriter zip;

    Composition(const ExportedProgramImpl& p, const ExtraFilesMap& extra, std::string root_name)
        : program(p), extra_files(extra), root(std::move(root_name)), model(model_text(p)),
          weights(present(p, p.parts().weights), "weight_", parameter_names(p.parts()), p.parts().weights),
          constants(present(p, p.parts().file_constants), "tensor_", {}, p.parts().file_constants) {
        weights_config = python_json(json::object{{"config", weights.entries}});
        constants_config = python_json(json::object{{"config", constants.entries}});
        compose();
    }
    Composition(const Composition&) = delete;

private:
    void add(const std::string& name, std::string_view bytes) {
        names.push_back(name);
        zip.add(root + "/" + name, bytes);
    }
    void add_table(const std::string& folder, const TensorTable& table, const char* file, const std::string& config) {
        for (const TensorTable::Member& m : table.members)
            add(folder + m.name, {static_cast<const char*>(m.bytes.data_ptr()), std::size_t(m.bytes.numel())});
        add(folder + file, config);
    }
    void compose() {
        add_table("data/weights/", weights, "model_weights_config.json", weights_config);
        add_table("data/constants/", constants, "model_constants_config.json", constants_config);
        add("models/model.json", model);
        add("data/sample_inputs/model.pt", program.parts().sample_inputs);
        for (const auto& [name, contents] : extra_files) add("extra/" + name, contents);
        add("archive_format", "pt2");
        add("archive_version", "0");
        add(".data/version", "6\n");
        add("byteorder", "little");
        zip.add_late(root + "/.data/serialization_id", [this] { return serialization_id(names, zip); });
    }
};
} // namespace

void ExportedProgram::save(const std::string& path, const ExtraFilesMap& extra_files) const {
    save_exported(*this, path, extra_files);
}
void save_exported(const ExportedProgram& program, const std::string& path, const ExtraFilesMap& extra_files) {
    Composition all(*program, extra_files, archive_root(path));
    AtomicFile file(path);
    all.zip.write([&](std::string_view bytes) { file.write(bytes); });
    file.commit();
}
std::string save_exported_to_buffer(const ExportedProgram& program, const ExtraFilesMap& extra_files) {
    std::string out;
    Composition all(*program, extra_files, "archive");
    all.zip.write([&](std::string_view bytes) { out += bytes; });
    return out;
}

} // namespace reel::jit
