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
    for (const std::string& text : request.inputs) inputs.push_back(input_of(text));
    const Program program(request.file, format);
    const NoGradGuard no_grad;
    const IValue result = program.run(request.method, inputs);
    if (request.output.empty()) {
        out << jit::str(result) << "\n";
        return;
    }
    std::vector<Tensor> tensors;
    tensors_of(result, tensors);
    write_tensors(out, tensors, request.output);
}

} // namespace reel_file
