// Reading `.pt2` archives: the container and its tensors (rules SC-100, SC-101).
#include <algorithm>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_impl.hpp>
#include <reel/script/exported_program.hpp>
#include <reel/serialize/detail/json.hpp>

#include "exported/model_reader.hpp"
#include "exported/numbers.hpp"
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
        std::unique_ptr<ExportedProgramImpl::Parts> parts;
        OrderedDict<std::string, Tensor> weights, constants;
        read_tensors("data/weights", "model_weights_config.json", weights);
        read_tensors("data/constants", "model_constants_config.json", constants);
        guarded("models/model.json",
                [&] { parts = read_exported_model(bytes("models/model.json"), weights, constants); });
        if (has("data/sample_inputs/model.pt")) parts->sample_inputs = bytes("data/sample_inputs/model.pt");
        return parts;
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
        guarded(name, [&] { v = serialize::parse_json(bytes(name)); });
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

    ZipReader zip_;
    std::string root_;
    std::unordered_map<std::string, StoragePtr> storages_;
    std::unordered_map<std::string, Tensor> tensors_; ///< by folder and description
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
