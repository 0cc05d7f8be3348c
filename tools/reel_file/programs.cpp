#include "programs.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <reel/autograd/tensor_impl.hpp>
#include <reel/script/load_save.hpp>

#include "elements.hpp"
#include "listing.hpp"
#include "pt_elements.hpp"
#include "zip_reader.hpp"

namespace reel_file {

using namespace reel;

namespace {
jit::RunLimits limits_of_loading() {
    jit::RunLimits limits;
    limits.steps = 10'000'000;
    limits.live_bytes = std::uint64_t(4) << 30;
    return limits;
}
std::vector<std::int64_t> shape_of(const Tensor& t) { return t.sizes().vec(); }

/// Tensors of a state dict; storages are numbered as they are met.
class StateJson {
public:
    explicit StateJson(std::ostream& out) : out_(out) {}
    void write(const nn::StateDict& state) {
        out_ << "{\"ordered_dict\": [";
        const char* gap = "";
        for (const auto& item : state) {
            out_ << gap << "[" << json_string(item.key()) << ", ";
            if (item->isTensor()) tensor(item->toTensor());
            else out_ << json_string(item->repr());
            out_ << "]";
            gap = ", ";
        }
        out_ << "]}";
    }

private:
    void tensor(const Tensor& t) {
        const auto& storage = t.impl()->storage();
        const std::size_t number = numbers_.emplace(storage.get(), numbers_.size()).first->second;
        const FileDtype dtype = file_dtype_of(t.scalar_type());
        out_ << "{\"tensor\": {\"class\": \"Tensor\", \"dtype\": \"" << info(dtype).name
             << "\", \"shape\": " << shape_text(shape_of(t)) << ", \"stride\": " << shape_text(t.strides().vec())
             << ", \"offset\": " << t.storage_offset() << ", \"storage\": " << number
             << ", \"storage_bytes\": " << storage->nbytes() << ", \"requires_grad\": false";
        const Tensor dense = t.detach().contiguous();
        dense_fields(out_, dtype, t.numel() ? static_cast<const char*>(dense.data_ptr()) : "", dense.nbytes());
        out_ << "}}";
    }
    std::ostream& out_;
    std::map<const Storage*, std::size_t> numbers_;
};

void write_state(std::ostream& out, nn::Module& module) {
    for (const auto& item : module.state_dict()) {
        if (!item->isTensor()) continue;
        const Tensor t = item->toTensor().detach();
        const FileDtype dtype = file_dtype_of(t.scalar_type());
        const Tensor few = t.flatten().slice(0, 0, 4).contiguous();
        std::string first;
        for (std::int64_t i = 0; i < few.numel(); ++i)
            first +=
                plain_element(dtype, static_cast<const char*>(few.data_ptr()) + std::size_t(i) * info(dtype).size) +
                " ";
        if (t.numel() > 4) first += "... ";
        write_row(out, item.key(), info(dtype).name, shape_of(t), t.nbytes(), first, "");
    }
}
/// Foreign text on a terminal: control characters other than line ends do nothing there.
std::string shown(std::string text) {
    for (char& c : text)
        if ((static_cast<unsigned char>(c) < 32 && c != '\n') || c == 127) c = '?';
    return text;
}
std::string indented(const std::string& text) {
    std::istringstream lines(text);
    std::string out;
    for (std::string line; std::getline(lines, line);) out += line.empty() ? "\n" : "    " + line + "\n";
    return out;
}
void write_attributes(std::ostream& out, const std::string& path, const jit::Module& module) {
    for (const auto& attribute : module.type()->attributes()) {
        using Kind = jit::ClassType::AttributeKind;
        if (attribute.kind == Kind::Parameter || attribute.kind == Kind::Buffer) continue;
        const IValue value = module.attr(attribute.name);
        if (jit::is_module(value)) continue;
        std::string text = value.isTensor() && value.toTensor().defined() ? "a tensor" : jit::str(value);
        if (text.size() > 60) text = text.substr(0, 60) + "...";
        out << shown("  " + (path.empty() ? attribute.name : path + "." + attribute.name) + " : " +
                     attribute.type->annotation_str() + " = " + text)
            << '\n';
    }
}
void write_code(std::ostream& out, const jit::Module& module, std::set<const jit::ClassType*>& done) {
    if (!done.insert(module.type().get()).second) return;
    const std::vector<jit::Method> methods = module.get_methods();
    if (!methods.empty()) out << shown("\ncode of " + module.type()->name()) << '\n';
    for (const jit::Method& m : methods) {
        const auto [code, constants] = m.function->code_with_constants();
        out << shown(indented(code));
        for (const auto& [name, value] : constants)
            out << shown(indented("CONSTANTS." + name + " = " + jit::str(value)));
    }
}
void write_script(std::ostream& out, const jit::Module& script) {
    out << "\nattributes\n";
    for (const auto& [path, module] : script.named_modules()) write_attributes(out, path, module);
    std::set<const jit::ClassType*> done;
    for (const jit::Module& module : script.modules()) write_code(out, module, done);
    if (script.find_method("forward")) out << "\ngraph of forward\n" << shown(indented(script.graph()->str(false)));
}
} // namespace

std::string program_format(const std::shared_ptr<const MappedFile>& file) {
    try {
        const ZipReader zip(file);
        if (zip.members().empty()) return {};
        const std::string& first = zip.members().front().name;
        const std::string root = first.substr(0, first.find('/'));
        const auto is_code = [&](const ZipMember& m) { return m.name.starts_with(root + "/code/"); };
        const bool code = std::any_of(zip.members().begin(), zip.members().end(), is_code);
        if (code && zip.find(root + "/data.pkl") >= 0) return "torchscript";
        if (zip.find(root + "/models/model.json") >= 0) return "exported";
    } catch (const Error&) { // its own reader says what is wrong
    }
    return {};
}

Program::Program(const std::string& path, const std::string& format) {
    const jit::Function::LimitScope limits(limits_of_loading());
    if (format == "exported") exported = jit::load_exported(path);
    else script = jit::load(path, kCPU);
}
nn::Module& Program::module() const { return exported ? static_cast<nn::Module&>(**exported) : *script; }
IValue Program::run(const std::string& method, const Args& inputs, const Kwargs& named) const {
    if (!exported) return method.empty() ? script(inputs, named) : script.get_method(method)(inputs, named);
    REEL_CHECK_VALUE(method.empty() || method == "forward", "an exported program has the method forward alone, not '",
                     method, "'");
    return (*exported)(inputs, named);
}

void write_program_json(std::ostream& out, const Program& program) {
    StateJson(out).write(program.module().state_dict());
}
void write_program_table(std::ostream& out, const Program& program) {
    write_state(out, program.module());
    if (!program.exported) return write_script(out, program.script);
    if (const auto constants = (*program.exported)->constants(); !constants.is_empty()) {
        out << "\nconstants\n";
        for (const auto& c : constants)
            write_row(out, c.key(), info(file_dtype_of(c->scalar_type())).name, shape_of(*c), c->nbytes(), "", "");
    }
    out << "\ngraph\n" << shown(indented((*program.exported)->str()));
}
std::string check_program(const std::string& path) {
    ZipReader zip(std::make_shared<MappedFile>(path));
    for (const ZipMember& m : zip.members()) zip.read(m);
    return reel::str(zip.members().size(), " members, all checksums match");
}

} // namespace reel_file
