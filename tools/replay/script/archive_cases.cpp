// Archives: load, look, run, save again.
#include <fstream>
#include <sstream>

#include <reel/script/load_save.hpp>
#include <reel/serialize/detail/json.hpp>

#include "script/cases.hpp"
#include "script/export_checks.hpp"
#include "script/module_checks.hpp"
#include "script/runs.hpp"
#include "zip_reader.hpp"

namespace replay::script {

using namespace reel;

json::value read_json(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::ostringstream all;
    all << in.rdbuf();
    return serialize::parse_json(all.str(), 256);
}

namespace {
using serialize::MappedFile;
using serialize::ZipMember;
using serialize::ZipReader;

/// Members whose bytes are not compared: they are nobody's meaning.
bool is_free(const std::string& name) {
    const auto ends = [&](const std::string& end) {
        return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
    };
    return ends(".debug_pkl") || ends(".data/serialization_id") || name.rfind("traced_inputs", 0) == 0;
}
std::string below_root(const std::string& name) { return name.substr(name.find('/') + 1); }

/// Rule SC-122.
void check_resave(Case& c, const std::filesystem::path& file, const jit::Module& module,
                  const jit::ExtraFilesMap& extra_files, const json::object& expected) {
    ZipReader before(std::make_shared<MappedFile>(file.string()));
    ZipReader after(std::make_shared<MappedFile>("the saved archive", module.save_to_buffer(extra_files)));
    std::vector<std::string> differing;
    if (const auto* listed = expected.if_contains("resave_differs"))
        for (const json::value& v : listed->as_array()) differing.emplace_back(v.as_string());
    std::map<std::string, const ZipMember*> ours;
    for (const ZipMember& m : after.members()) ours[below_root(m.name)] = &m;
    for (const ZipMember& m : before.members()) {
        const std::string name = below_root(m.name);
        const auto it = ours.find(name);
        const ZipMember* mine = it == ours.end() ? nullptr : it->second;
        if (mine) ours.erase(it);
        if (is_free(name) || std::find(differing.begin(), differing.end(), name) != differing.end()) continue;
        if (!mine) {
            c.report().tally("resave", "different");
            c.fail("resave " + name, "is not there");
            continue;
        }
        const std::string theirs = before.read(m), got = after.read(*mine);
        const bool same = got == theirs && mine->deflated == m.deflated;
        c.report().tally("resave", same ? "equal" : "different");
        if (same) continue;
        const bool text = name.size() > 3 && name.compare(name.size() - 3, 3, ".py") == 0;
        if (text) c.check_text(got, theirs, "resave " + name);
        else c.fail("resave " + name, str(got.size(), " bytes, expected ", theirs.size(), ": other contents"));
    }
    for (const auto& [name, member] : ours)
        if (!is_free(name)) c.fail("resave " + name, "is too much");
}
} // namespace

void run_archive(const std::filesystem::path& folder, Report& report) {
    Case c(report, "archives", folder.filename().string());
    try {
        const json::value whole = read_json(folder / "case.json");
        const json::object& expected = whole.as_object();
        const Values values(folder / "values.safetensors");
        const std::string file = (folder / "model.pt").string();
        jit::ExtraFilesMap extra_files;
        const jit::Module module = jit::load(file, std::nullopt, &extra_files);
        std::string names, known;
        for (const auto& [name, contents] : extra_files) names += name + "\n";
        for (const json::value& v : expected.at("extra_files").as_array()) known += std::string(v.as_string()) + "\n";
        c.check_text(names, known, "extra_files");
        check_module(c, module, expected, values);
        try {
            check_resave(c, file, module, extra_files, expected);
        } catch (const std::exception& e) {
            c.fail("resave", e.what());
        }
        std::size_t i = 0;
        for (const json::value& run : expected.at("runs").as_array()) {
            const std::string where = str("run ", i++);
            check_run(c, where, jit::load(file), run.as_object(), values);
            try {
                check_export(c, folder.filename().string() + "-" + std::to_string(i - 1), file, run.as_object(),
                             values);
            } catch (const std::exception& e) {
                c.fail(where + " exported", e.what());
            }
        }
    } catch (const std::exception& e) {
        c.fail("load", e.what());
    }
}

} // namespace replay::script
