#include "script/export_checks.hpp"

#include <iostream>

#include <reel/autograd/random.hpp>
#include <reel/script/export_program.hpp>
#include <reel/script/load_save.hpp>

namespace replay::script {

using namespace reel;

namespace {
Args arguments(const json::object& run, const jit::Module& module, const Values& values) {
    Args args;
    for (const json::value& v : run.at("args").as_array()) args.push_back(read_value(v, values, *module->unit()));
    return args;
}
bool is_exportable(const json::object& run) {
    const json::value* output = run.if_contains("output");
    return run.at("method").as_string() == "forward" && output && !run.contains("error");
}
void seed_as(const json::object& run) {
    if (const auto* seed = run.if_contains("seed"); seed && !seed->is_null())
        manual_seed(seed->to_number<std::uint64_t>());
}
} // namespace

void check_export(Case& c, const std::string& name, const std::filesystem::path& archive, const json::object& run,
                  const Values& values) {
    if (!is_exportable(run)) return;
    const jit::Module module = jit::load(archive.string());
    if (const auto* mode = run.if_contains("mode")) module.train(mode->as_string() == "train");
    jit::ExportedProgram program;
    try {
        program = jit::export_program(module, arguments(run, module, values));
    } catch (const NotImplementedError& e) {
        if (c.report().options.verbose) std::cout << "    not exported: " << e.what() << "\n";
        return c.report().tally("exported", "refused");
    }
    const std::string bytes = jit::save_exported_to_buffer(program);
    if (const std::string& folder = c.report().options.exports_folder; !folder.empty())
        program.save((std::filesystem::path(folder) / (name + ".pt2")).string());
    seed_as(run);
    const IValue output = jit::load_exported_from_buffer(bytes)(arguments(run, module, values));
    const std::string d = difference(output, run.at("output"), values);
    c.report().tally("exported", d.empty() ? "equal" : "different");
    c.check(d.empty(), name + " as an exported program", d);
}

} // namespace replay::script
