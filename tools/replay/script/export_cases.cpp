// Exported programs: load, look, run, train.
#include <algorithm>
#include <map>

#include <reel/autograd/random.hpp>
#include <reel/script/exported_program.hpp>

#include "common/case_file.hpp"
#include "script/cases.hpp"
#include "script/runs.hpp"
#include "zip_reader.hpp"

namespace replay::script {

using namespace reel;

namespace {
/// The cases list names in alphabetical order.
void check_names(Case& c, const std::string& what, std::vector<std::string> got, const json::array& expected) {
    std::string ours, theirs;
    std::sort(got.begin(), got.end());
    for (const std::string& name : got) ours += name + "\n";
    for (const json::value& v : expected) theirs += std::string(v.as_string()) + "\n";
    c.check_text(ours, theirs, what);
}
/// What is differentiated is so by all inputs that can be.
void require_grad(const Args& args) {
    std::vector<Tensor> tensors;
    for (const IValue& a : args) flatten_tensors(a, tensors);
    for (const Tensor& t : tensors)
        if (isDifferentiableType(t.scalar_type())) t.requires_grad_();
}
void run_once(Case& c, const std::string& where, const std::filesystem::path& folder, const json::object& run,
              const Values& values) {
    const jit::ExportedProgram program =
        jit::load_exported((folder / std::string(run.at("file").as_string())).string());
    const jit::CompilationUnit no_classes;
    Args args;
    Kwargs kwargs;
    for (const json::value& v : run.at("args").as_array()) args.push_back(read_value(v, values, no_classes));
    for (const auto& item : run.at("kwargs").as_object())
        kwargs.set(std::string(item.key()), read_value(item.value(), values, no_classes));
    Args everything = args;
    for (const auto& [key, value] : kwargs) everything.push_back(value);
    if (run.contains("gradients") || run.contains("backward_error")) require_grad(everything);
    const std::vector<Tensor> leaves = leaves_of(everything);
    if (const auto* seed = run.if_contains("seed"); seed && !seed->is_null())
        manual_seed(seed->to_number<std::uint64_t>());
    const auto* error = run.if_contains("error");
    IValue output;
    try {
        output = program(args, kwargs);
    } catch (const Error& e) {
        return c.check(error != nullptr, where, e.what());
    }
    if (error) return c.fail(where, "runs, expected " + json::serialize(*error));
    const std::string d = difference(output, run.at("output"), values);
    c.check(d.empty(), where + " output", d);
    if (const auto* gradients = run.if_contains("gradients"); gradients && gradients->is_object())
        check_gradients(c, where, *program, leaves, output, gradients->as_object(), values);
    if (const auto* state = run.if_contains("state_after"); state && state->is_object())
        check_state(c, where, program.state_dict(), state->as_object(), values);
    if (const auto* after = run.if_contains("inputs_after"))
        for (std::size_t i = 0; i < after->as_array().size(); ++i) {
            const std::string changed = difference(everything.at(i), after->as_array()[i], values);
            c.check(changed.empty(), str(where, " input ", i, " afterwards"), changed);
        }
}
/// Every member of a program that is saved as it was loaded has the bytes that it had.
void check_resave(Case& c, const std::string& file) {
    jit::ExtraFilesMap extra_files;
    const jit::ExportedProgram program = jit::load_exported(file, &extra_files);
    serialize::ZipReader before(std::make_shared<serialize::MappedFile>(file));
    serialize::ZipReader after(std::make_shared<serialize::MappedFile>(
        "the saved program", jit::save_exported_to_buffer(program, extra_files)));
    const auto below_root = [](const std::string& name) { return name.substr(name.find('/') + 1); };
    std::map<std::string, std::string> ours;
    for (const serialize::ZipMember& m : after.members()) ours[below_root(m.name)] = after.read(m);
    for (const serialize::ZipMember& m : before.members()) {
        const std::string name = below_root(m.name);
        if (name == ".data/serialization_id") continue;
        const auto it = ours.find(name);
        const bool same = it != ours.end() && it->second == before.read(m);
        c.report().tally("resave", same ? "equal" : "different");
        c.check(same, "resave " + name, it == ours.end() ? "is not there" : "has other bytes");
    }
    c.check(ours.size() == before.members().size(), "resave",
            str(ours.size(), " members, expected ", before.members().size()));
}
} // namespace

void run_export(const std::filesystem::path& folder, Report& report) {
    Case c(report, "export", folder.filename().string());
    try {
        const json::value whole = read_json(folder / "case.json");
        const json::object& expected = whole.as_object();
        const Values values(folder / "values.safetensors");
        const jit::ExportedProgram program = jit::load_exported((folder / "model.pt2").string());
        check_names(c, "state_dict", program.state_dict().keys(), expected.at("state_dict").as_array());
        for (const char* name : {"model.pt2", "core.pt2"})
            if (std::filesystem::exists(folder / name)) check_resave(c, (folder / name).string());
        std::size_t i = 0;
        for (const json::value& run : expected.at("runs").as_array()) {
            const std::string where = str("run ", i++);
            try {
                run_once(c, where, folder, run.as_object(), values);
            } catch (const std::exception& e) {
                c.fail(where, e.what());
            }
        }
    } catch (const std::exception& e) {
        c.fail("load", e.what());
    }
}

} // namespace replay::script
