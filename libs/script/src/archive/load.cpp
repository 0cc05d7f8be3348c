// Reading archives.
#include <reel/script/load_save.hpp>

#include <istream>

#include "archive/code_import.hpp"
#include "archive/object_reader.hpp"
#include "archive/upgrade.hpp"
#include "emit/file_version.hpp"

namespace reel::jit {

using namespace serialize;

namespace {
/// A constant without dimensions is a number that a trace combined with tensors: it raises no dtypes, as in the call
/// that was traced.
void make_numbers(const IValue& v) {
    if (v.isTensor() && v.toTensor().defined() && v.toTensor().dim() == 0)
        v.toTensor().impl()->is_wrapped_number = true;
    if (v.isTuple())
        for (const IValue& e : v.elements()) make_numbers(e);
}
std::shared_ptr<const std::vector<IValue>>
read_constants(ArchiveFile& archive, const std::shared_ptr<CompilationUnit>& unit, std::optional<Device> map_location) {
    ArchivePickle pickle(archive, "constants", map_location);
    if (pickle.root().kind != NodeKind::Tuple)
        REEL_THROW(ValueError, pickle.where(), ": the constants are ", kind_name(pickle.root().kind),
                   "; expected a tuple");
    const IValue all = ObjectReader(pickle, unit).read(pickle.root(), Type::Any());
    make_numbers(all);
    return std::make_shared<const std::vector<IValue>>(all.elements());
}

/// Methods are compiled when they are first asked for; here they all are, so that an archive is refused as a whole, and
/// mean what they meant in files of that version.
void compile_all(const CompilationUnit& unit, int version) {
    std::vector<TypePtr> types = unit.types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (types[i]->kind() == TypeKind::Class)
            for (const auto& method : static_cast<const ClassType&>(*types[i]).methods()) method->ensure_defined();
        if (i + 1 == types.size()) types = unit.types(); // compiling may have added classes, behind those that were
    }
    for (const TypePtr& type : types)
        if (type->kind() == TypeKind::Class)
            for (const auto& method : static_cast<const ClassType&>(*type).methods())
                upgrade(*method->graph(), version);
    for (Function* function : unit.functions()) upgrade(*function->graph(), version);
}

Module read(std::shared_ptr<const MappedFile> file, std::optional<Device> map_location, ExtraFilesMap* extra_files) {
    const auto archive = std::make_shared<ArchiveFile>(std::move(file));
    const emit::FileVersion version(archive->version());
    const auto unit = std::make_shared<CompilationUnit>();
    const auto constants = read_constants(*archive, unit, map_location);
    const auto import = std::make_shared<CodeImport>(*unit, archive, constants);
    unit->importer = [import](const std::string& name) { (*import)(name); };
    ArchivePickle pickle(*archive, "data", map_location);
    if (pickle.root().kind != NodeKind::Object)
        REEL_THROW(ValueError, pickle.where(), ": the archive's value is ", kind_name(pickle.root().kind),
                   "; expected an object of a module's class");
    const IValue root = ObjectReader(pickle, unit).read(pickle.root(), Type::Any());
    if (!is_module(root))
        REEL_THROW(ValueError, pickle.where(), ": the archive's object is of class '", pickle.root().text,
                   "', which is no module");
    compile_all(*unit, archive->version());
    if (extra_files) {
        for (auto& [name, contents] : *extra_files)
            if (archive->has("extra/" + name)) contents = archive->read("extra/" + name, std::uint64_t(1) << 40);
        if (extra_files->empty())
            for (const std::string& name : archive->extra_files())
                extra_files->emplace_back(name, archive->read("extra/" + name, std::uint64_t(1) << 40));
    }
    return to_module(root);
}
} // namespace

Module load(const std::string& path, std::optional<Device> map_location, ExtraFilesMap* extra_files) {
    return read(std::make_shared<MappedFile>(path), map_location, extra_files);
}
Module load(std::istream& stream, std::optional<Device> map_location, ExtraFilesMap* extra_files) {
    REEL_CHECK(stream.good(), "jit::load: the stream cannot be read (it failed before, or stands at its end)");
    std::string bytes;
    char block[1 << 16];
    while (stream.read(block, sizeof block) || stream.gcount()) bytes.append(block, std::size_t(stream.gcount()));
    REEL_CHECK(!stream.bad(), "jit::load: reading the stream failed after ", bytes.size(), " bytes");
    return load_from_buffer(std::move(bytes), map_location, extra_files, "the stream");
}
Module load_from_buffer(std::string bytes, std::optional<Device> map_location, ExtraFilesMap* extra_files,
                        const std::string& name) {
    return read(std::make_shared<MappedFile>(name, std::move(bytes)), map_location, extra_files);
}

} // namespace reel::jit
