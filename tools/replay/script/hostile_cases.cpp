// Archives that somebody bent: each is refused, read, or stopped by the limits, as its case says.
#include <fstream>

#include <reel/script/load_save.hpp>
#include <reel/serialize/detail/json.hpp>

#include "script/cases.hpp"
#include "script/runs.hpp"

namespace replay::script {

using namespace reel;

namespace {
/// Enough for every honest program among the cases.
jit::RunLimits default_limits() {
    jit::RunLimits limits;
    limits.steps = 2'000'000;
    limits.live_bytes = std::uint64_t(256) << 20;
    return limits;
}
Args arguments(const json::object& o, const jit::Module& module) {
    Args args;
    if (const auto* given = o.if_contains("args"))
        for (const json::value& v : given->as_array()) args.push_back(read_value(v, Values(), *module->unit()));
    return args;
}
IValue call(const json::object& o, const jit::Module& module, const jit::RunLimits& limits) {
    const jit::Function::LimitScope scope(limits);
    return module(arguments(o, module));
}
void run_case(Case& c, const std::string& file, const json::object& o, const jit::RunLimits& limits) {
    const std::string expect(o.at("expect").as_string());
    jit::Module module;
    try {
        module = jit::load(file);
    } catch (const Error& e) {
        return c.check(expect == "refuse" || expect == "free", "load", e.what());
    }
    const auto* error = o.if_contains("error");
    try {
        const IValue output = call(o, module, limits);
        if (expect == "refuse") return c.fail("run", "gives " + output.repr() + ", expected a refusal");
        if (expect == "free") return;
        if (error && expect == "load") return c.fail("run", "gives " + output.repr() + ", expected an error");
        if (const auto* want = o.if_contains("output"); want && !want->is_null()) {
            const std::string d = difference(output, *want, Values());
            c.check(d.empty(), "output", d);
        }
    } catch (const Error& e) {
        if (expect != "load") return;
        const std::string d = error && error->is_object() ? error_difference(e, error->as_object()) : e.what();
        // without arguments of its own the file was only to be loaded
        c.check(d.empty() || !o.contains("args"), "run", d);
    }
}
} // namespace

void run_hostile(const std::filesystem::path& folder, const std::regex& filter, Report& report) {
    std::ifstream in(folder / "cases.jsonl");
    jit::RunLimits limits = default_limits();
    if (report.options.limits.steps) limits.steps = report.options.limits.steps;
    if (report.options.limits.live_bytes) limits.live_bytes = report.options.limits.live_bytes;
    for (std::string line; std::getline(in, line);) {
        if (line.empty()) continue;
        const json::value v = serialize::parse_json(line);
        const json::object& o = v.as_object();
        const std::string full(o.at("name").as_string());
        if (!std::regex_search(full, filter)) continue;
        Case c(report, "hostile", full.substr(full.find('/') + 1));
        try {
            run_case(c, (folder / std::string(o.at("file").as_string())).string(), o, limits);
        } catch (const std::exception& e) {
            c.fail("case", std::string("throws what is no error of Reel: ") + e.what());
        }
    }
}

} // namespace replay::script
