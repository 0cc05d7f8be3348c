// Sources for `define`: those that compile and those that are refused.
#include <fstream>

#include <reel/script/load_save.hpp>
#include <reel/serialize/detail/json.hpp>

#include "script/cases.hpp"
#include "script/module_checks.hpp"
#include "script/runs.hpp"

namespace replay::script {

using namespace reel;

namespace {
/// The case's column is that of the last line that is marked.
std::int64_t marked_column(const jit::ScriptError& e) {
    const std::string shown = e.where().highlight();
    const std::size_t here = shown.rfind(" <--- HERE");
    if (here == std::string::npos) return -1;
    const std::size_t line = shown.rfind('\n', here) + 1;
    return std::int64_t(shown.find('~', line) - line);
}

void run_accepted(const std::string& base, const std::string& name, const json::object& o, Report& report) {
    Case c(report, "define", name);
    try {
        const std::string source(o.at("source").as_string());
        const Values none;
        const jit::Module module = jit::load(base);
        try {
            module.define(source);
        } catch (const jit::ScriptError& e) {
            return c.check_listed(source, true, "define", e.what());
        }
        c.check_listed(source, false, "define", {});
        check_methods(c, module, o.at("methods").as_object(), none);
        std::size_t i = 0;
        for (const json::value& run : o.at("runs").as_array()) {
            const jit::Module fresh = jit::load(base);
            fresh.define(source);
            check_run(c, str("run ", i++), fresh, run.as_object(), none);
        }
    } catch (const std::exception& e) {
        c.fail("define", e.what());
    }
}
/// Rule SC-85: line and column of what is marked.
void run_refused(const std::string& base, const std::string& name, const json::object& o, Report& report) {
    Case c(report, "refused", name);
    const json::object& error = o.at("error").as_object();
    const std::string source(o.at("source").as_string());
    try {
        const jit::Module module = jit::load(base);
        try {
            module.define(source);
            c.check_listed(source, true, "define", "is accepted, expected " + json::serialize(error));
        } catch (const jit::ScriptError& e) {
            c.check_listed(source, false, "define", {});
            const auto* line = error.if_contains("line");
            const auto* column = error.if_contains("column");
            if (!line || !line->is_int64() || !column || !column->is_int64()) return;
            const auto l = std::int64_t(e.where().line()), k = marked_column(e);
            if (l != line->as_int64() || k != column->as_int64())
                c.fail("place", str(l, ":", k, ", expected ", line->as_int64(), ":", column->as_int64(), " of `",
                                    std::string(error.at("first_line").as_string()), "`; says ", e.message()));
        }
    } catch (const std::exception& e) {
        c.fail("define", std::string("throws something else: ") + e.what());
    }
}
} // namespace

void run_defines(const std::filesystem::path& folder, const std::regex& filter, Report& report) {
    std::ifstream in(folder / "cases.jsonl");
    const std::string base = (folder / "base.pt").string();
    for (std::string line; std::getline(in, line);) {
        if (line.empty()) continue;
        const json::value v = serialize::parse_json(line);
        const json::object& o = v.as_object();
        const std::string full(o.at("name").as_string()), name = full.substr(full.find('/') + 1);
        if (!std::regex_search(full, filter)) continue;
        if (o.contains("error")) run_refused(base, name, o, report);
        else run_accepted(base, name, o, report);
    }
}

} // namespace replay::script
