// Writing archives.
#include <reel/script/load_save.hpp>

#include <ostream>

#include "archive/code_export.hpp"
#include "archive/object_writer.hpp"
#include "archive_names.hpp"
#include "atomic_file.hpp"
#include "zip_writer.hpp"

namespace reel::jit {

using namespace serialize;

namespace {
/// Code longer than this is deflated (rule SC-3).
constexpr std::size_t longest_stored_code = 200;

/// Everything that the ZIP archive refers to while it is written.
struct Composition {
    const ExtraFilesMap& extra_files;
    ObjectWriter objects;
    Pickled data, constants;
    std::vector<std::pair<std::string, std::string>> code;
    std::string version, root;
    std::vector<std::string> names;
    ZipWriter zip;

    Composition(const Module& module, const ExtraFilesMap& extra, std::string root_name)
        : extra_files(extra), root(std::move(root_name)) {
        module->adopt_registered();
        data = objects.write(module._ivalue(), module.type());
        CodeExport exported;
        for (const ClassTypePtr& type : objects.classes()) exported.add(type);
        exported.finish();
        code = exported.files();
        const IValue table = IValue::tuple(exported.constants());
        constants = ObjectWriter().write(table, Type::Any());
        version = std::to_string(exported.version()) + "\n";
        compose(exported.version());
    }
    Composition(const Composition&) = delete;

private:
    void add(const std::string& name, std::string_view bytes) {
        names.push_back(name);
        zip.add(root + "/" + name, bytes);
    }
    void add_pickle(const std::string& name, const Pickled& pickled) {
        for (std::size_t k = 0; k < pickled.storages.size(); ++k)
            add(name + "/" + std::to_string(k), pickled.storages[k].bytes);
        add(name + ".pkl", pickled.pickle);
    }
    void compose(int number) {
        for (const auto& [name, contents] : extra_files) add("extra/" + name, contents);
        add_pickle("data", data);
        for (const auto& [name, text] : code) {
            if (text.size() <= longest_stored_code) {
                add(name, text);
                continue;
            }
            names.push_back(name);
            zip.add_deflated(root + "/" + name, text);
        }
        add_pickle("constants", constants);
        add(number < 6 ? "version" : ".data/version", version);
        add("byteorder", "little");
        zip.add_late(root + "/.data/serialization_id", [this] { return serialization_id(names, zip); });
    }
};
} // namespace

void save(const Module& module, const std::string& path, const ExtraFilesMap& extra_files) {
    Composition all(module, extra_files, archive_root(path));
    AtomicFile file(path);
    all.zip.write([&](std::string_view bytes) { file.write(bytes); });
    file.commit();
}
void save(const Module& module, std::ostream& stream, const ExtraFilesMap& extra_files) {
    Composition all(module, extra_files, "archive");
    all.zip.write([&](std::string_view bytes) {
        stream.write(bytes.data(), std::streamsize(bytes.size()));
        REEL_CHECK(stream.good(), "jit::save: the stream does not take the archive");
    });
    stream.flush();
    REEL_CHECK(stream.good(), "jit::save: flushing the stream failed");
}
std::string save_to_buffer(const Module& module, const ExtraFilesMap& extra_files) {
    std::string out;
    Composition all(module, extra_files, "archive");
    all.zip.write([&](std::string_view bytes) { out += bytes; });
    return out;
}

} // namespace reel::jit
