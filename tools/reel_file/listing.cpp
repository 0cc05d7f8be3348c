#include "listing.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>
#include <vector>

#include <reel/autograd/error.hpp>
#include <reel/serialize/safetensors.hpp>

#include "elements.hpp"
#include "npz_reader.hpp"
#include "programs.hpp"
#include "pt_elements.hpp"

namespace reel_file {

namespace {
/// Arrays that know their name, dtype, shape and dense elements: the other formats.
struct Array {
    std::string name;
    FileDtype dtype;
    std::vector<std::int64_t> shape;
    std::uint64_t bytes;
    int fortran; ///< -1: the format does not say
};
using GiveArray = std::function<void(const Array&, const char* data)>;

void each_safetensor(const std::string& path, const GiveArray& give) {
    const SafetensorsFile file(path);
    std::vector<std::string> names = file.keys();
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
        const reel::Tensor t = file.tensor(name);
        give({name, file_dtype_of(t.scalar_type()), file.sizes(name), t.nbytes(), -1},
             t.nbytes() ? static_cast<const char*>(t.data_ptr()) : "");
    }
}
void each_npz(const std::string& path, const GiveArray& give) {
    const NpzReader file(path);
    for (const NpzReader::Array& a : file.arrays()) {
        const std::unique_ptr<char[]> data(new char[a.header.bytes + 1]);
        file.read(a, data.get());
        give({a.name, a.header.dtype, a.header.shape, a.header.bytes, a.header.fortran}, data.get());
    }
}
void each_npy(const std::string& path, const GiveArray& give) {
    const MappedFile file(path);
    if (!file.size()) REEL_THROW(ValueError, path, ": the npy file is cut off: it is empty");
    const NpyHeader h = parse_npy_header(file.bytes(), path);
    if (file.size() - h.data != h.bytes)
        REEL_THROW(ValueError, path, ": its shape needs ", h.bytes, " bytes, ", file.size() - h.data, " are there");
    const std::unique_ptr<char[]> data(new char[h.bytes + 1]);
    npy_elements(h, file.data() + h.data, data.get());
    give({"", h.dtype, h.shape, h.bytes, h.fortran}, data.get());
}
void each_array(const std::string& path, const std::string& format, const GiveArray& give) {
    if (format == "npy") each_npy(path, give);
    else if (format == "npz") each_npz(path, give);
    else each_safetensor(path, give);
}
bool is_program(const std::string& format) { return format == "torchscript" || format == "exported"; }
bool is_pt(const std::string& format) { return format != "npy" && format != "npz" && format != "safetensors"; }
} // namespace

std::string format_of(const std::string& path) {
    const std::size_t dot = path.rfind('.'), slash = path.rfind('/');
    const std::string extension =
        dot == std::string::npos || (slash != std::string::npos && dot < slash) ? "" : path.substr(dot + 1);
    if (extension == "npy" || extension == "npz" || extension == "safetensors") return extension;
    std::shared_ptr<const MappedFile> file;
    try {
        file = std::make_shared<MappedFile>(path);
    } catch (const reel::Error&) { // reading it will say why
        return "other";
    }
    const std::string_view bytes = file->bytes(), zip("PK\x03\x04", 4);
    const bool checkpoint = extension == "pt" || extension == "pth" || extension == "bin" || extension == "ckpt";
    const std::string content = describe_content(bytes);
    const auto is = [&](const char* what) { return content.rfind(what, 0) == 0; };
    if (is("a ZIP archive") || (checkpoint && bytes == zip.substr(0, bytes.size()))) {
        if (const std::string program = program_format(file); !program.empty()) return program;
        if (!checkpoint) {
            try {
                if (NpzReader(file).arrays().size()) return "npz";
            } catch (const reel::Error&) { // some other archive
            }
        }
        return "zip";
    }
    if (is("a checkpoint from before") || bytes.substr(0, 32).find("\x8a\x0a\x6c\xfc\x9c") != std::string_view::npos)
        return "legacy";
    if (is("a tar archive")) return "tar";
    if (extension == "pt" || extension == "pth") return "other";
    if (is("an npy file")) return "npy";
    return is("a safetensors file") ? "safetensors" : "other";
}
std::string format_of(const std::string& format, const std::string& refusal) {
    const auto says = [&](const char* text) { return refusal.find(text) != std::string::npos; };
    if (says("this is a TorchScript archive") || says("it looks like a TorchScript archive")) return "torchscript";
    const bool foreign = says("not a PyTorch checkpoint: it looks like an npz") || says("looks like some other ZIP");
    return format == "zip" && foreign ? "other" : format;
}

std::string check(const std::string& path, const std::string& format) {
    if (is_program(format)) return check_program(path);
    if (is_pt(format)) {
        const PtReader file(path);
        if (file.legacy()) return reel::str(file.tree().storages.size(), " storages; this container has no checksums");
        return reel::str(file.check_members(), " members, all checksums match");
    }
    std::uint64_t arrays = 0;
    each_array(path, format, [&](const Array&, const char*) { ++arrays; });
    return reel::str(arrays, arrays == 1 ? " array" : " arrays",
                     format == "npz" ? ", all checksums match" : "; this format has no checksums");
}

void write_json(std::ostream& out, const std::string& path, const std::string& format) {
    if (is_program(format)) return write_program_json(out, Program(path, format));
    if (is_pt(format)) {
        const PtReader file(path);
        write_pt_json(out, file);
        return;
    }
    if (format != "npy") out << "{\"dict\": [";
    bool first = true;
    each_array(path, format, [&](const Array& a, const char* data) {
        if (format != "npy") out << (first ? "[" : ", [") << json_string(a.name) << ", ";
        first = false;
        out << "{\"tensor\": {";
        if (a.fortran >= 0) out << "\"class\": \"Array\", ";
        out << "\"dtype\": \"" << info(a.dtype).name << "\", \"shape\": " << shape_text(a.shape);
        if (a.fortran >= 0) out << ", \"fortran_order\": " << (a.fortran ? "true" : "false");
        dense_fields(out, a.dtype, data, a.bytes);
        out << "}}";
        if (format != "npy") out << "]";
    });
    if (format != "npy") out << "]}";
}

void write_table(std::ostream& out, const std::string& path, const std::string& format) {
    out << path << ": " << format << '\n';
    if (is_program(format)) return write_program_table(out, Program(path, format));
    if (is_pt(format)) {
        const PtReader file(path);
        write_pt_table(out, file);
        return;
    }
    each_array(path, format, [&](const Array& a, const char* data) {
        std::string first;
        const std::size_t item = info(a.dtype).size;
        for (std::uint64_t k = 0; k < 4 && k * item < a.bytes; ++k)
            first += plain_element(a.dtype, data + k * item) + " ";
        if (a.bytes > 4 * item) first += "... ";
        write_row(out, a.name.empty() ? "array" : a.name, info(a.dtype).name, a.shape, a.bytes, first, "");
    });
}

} // namespace reel_file
