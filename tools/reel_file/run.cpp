#include "run.hpp"

#include <charconv>
#include <filesystem>
#include <memory>

#include <reel/autograd/grad_mode.hpp>
#include <reel/script/object.hpp>
#include <reel/serialize/npz.hpp>
#include <reel/serialize/save_load.hpp>

#include "programs.hpp"

namespace reel_file {

using namespace reel;

namespace {
template <class Number> bool is_number(const std::string& text, Number& v) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
    return error == std::errc() && end == text.data() + text.size();
}
IValue input_of(const std::string& text) {
    const std::filesystem::path path(text);
    if (path.extension() == ".npy") return serialize::load_npy(text);
    if (path.extension() == ".pt") return reel::load(text);
    std::int64_t i;
    double d;
    if (is_number(text, i)) return i;
    if (is_number(text, d)) return d;
    if (text == "true" || text == "false") return text == "true";
    if (text == "none") return {};
    REEL_THROW(ValueError, "--input ", text, ": expected a file .npy or .pt, a number, true, false or none");
}
/// Where the value begins in `name=value`; 0 for a value alone, which a file's name with a `=` in it may be.
std::size_t value_begin(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || std::filesystem::exists(text)) return 0;
    for (std::size_t i = 0; i < equals; ++i) {
        const char c = text[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9')) return 0;
    }
    return equals + 1;
}
void read_inputs(const std::vector<std::string>& texts, Args& inputs, Kwargs& named) {
    for (const std::string& text : texts) {
        const std::size_t begin = value_begin(text);
        if (begin == 0) {
            REEL_CHECK_VALUE(named.empty(), "--input ", text, ": inputs without a name come before those with one");
            inputs.push_back(input_of(text));
            continue;
        }
        const std::string name = text.substr(0, begin - 1);
        REEL_CHECK_VALUE(!named.contains(name), "--input ", text, ": '", name, "' was given before");
        named.set(name, input_of(text.substr(begin)));
    }
}
void tensors_of(const IValue& v, std::vector<Tensor>& out) {
    if (v.isTensor() && v.toTensor().defined()) out.push_back(v.toTensor().detach());
    else if (v.isSequence())
        for (const IValue& e : v.elements()) tensors_of(e, out);
    else if (v.isGenericDict())
        for (const auto& [key, item] : v.toGenericDict()) tensors_of(item, out);
}
/// `y.npy` alone; `y_0.npy`, `y_1.npy` of several.
void write_tensors(std::ostream& out, const std::vector<Tensor>& tensors, const std::filesystem::path& path) {
    REEL_CHECK_VALUE(path.extension() == ".npy", "--output ", path.string(), ": expected a name that ends in .npy");
    REEL_CHECK_VALUE(!tensors.empty(), "--output ", path.string(), ": the program gives no tensor");
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        std::filesystem::path file = path;
        if (tensors.size() > 1) file.replace_filename(path.stem().string() + "_" + std::to_string(i) + ".npy");
        serialize::save_npy(tensors[i].contiguous(), file.string());
        out << file.string() << ": " << dtype_name(tensors[i].scalar_type()) << " " << tensors[i].sizes() << "\n";
    }
}
} // namespace

void run_program(std::ostream& out, const RunRequest& request) {
    const std::string format = program_format(std::make_shared<serialize::MappedFile>(request.file));
    REEL_CHECK_VALUE(!format.empty(), request.file, ": holds no program; --run takes archives of torch.jit.save and ",
                     "torch.export.save");
    Args inputs;
    Kwargs named;
    read_inputs(request.inputs, inputs, named);
    const Program program(request.file, format);
    const NoGradGuard no_grad;
    const IValue result = program.run(request.method, inputs, named);
    if (request.output.empty()) {
        out << jit::str(result) << "\n";
        return;
    }
    std::vector<Tensor> tensors;
    tensors_of(result, tensors);
    write_tensors(out, tensors, request.output);
}

} // namespace reel_file
