// hooks-replay: runs the recorded scenarios and compares what happened, event by event.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>

#include <boost/program_options.hpp>

#include <reel/autograd/parallel.hpp>
#include <reel/serialize/detail/json.hpp>

#include "hooks/interp.hpp"

namespace replay {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

struct Count {
    int scenarios = 0, passed = 0, failed = 0, unsupported = 0;
};
struct Report {
    std::map<std::string, Count> families;
    std::vector<std::string> failed;
    std::map<std::string, int> unsupported;
    std::map<std::string, bool> decisions;
    int warnings = 0, warnings_same = 0;
};

/// Scenarios that a decision answers otherwise, each with the first difference that must be found: conversions give
/// buffers new data behind the same tensor (doc/adr/0024, M-18), where the reference makes another one.
const std::map<std::string, std::string> decided_otherwise{
    {"M-19-to-float32", "entry 7: .r false and true"},   {"M-19-float", "entry 7: .r false and true"},
    {"M-19-half", "entry 7: .r false and true"},         {"M-19-bfloat16", "entry 7: .r false and true"},
    {"M-19-type-float32", "entry 7: .r false and true"},
};

std::string shortened(const std::string& s) { return s.size() > 1500 ? s.substr(0, 1500) + "..." : s; }

/// What differs first, empty when nothing does.
std::string first_difference(const json::object& scenario, Interp& run) {
    const json::array& expected = scenario.at("trace").as_array();
    std::string where;
    for (std::size_t i = 0; i < expected.size() || i < run.trace.size(); ++i) {
        const bool missing = i >= run.trace.size(), surplus = i >= expected.size();
        if (!missing && !surplus && same_entry(expected[i], run.trace[i], where)) continue;
        return "entry " + std::to_string(i) + ": " +
               (missing   ? "missing"
                : surplus ? "surplus"
                          : where) +
               "\n    expected " + (surplus ? "nothing" : shortened(json::serialize(expected[i]))) + "\n    got      " +
               (missing ? "nothing" : shortened(json::serialize(run.trace[i])));
    }
    const json::object final_state = run.final_state();
    if (!same_json(scenario.at("final"), final_state, where))
        return "final state: " + where + "\n    expected " + shortened(json::serialize(scenario.at("final"))) +
               "\n    got      " + shortened(json::serialize(final_state));
    return {};
}

void run_scenario(const json::object& scenario, Report& report, bool verbose) {
    const std::string name = text(scenario, "name");
    Count& count = report.families[text(scenario, "family")];
    ++count.scenarios;
    reel::nn::hooks::reset_global_hooks();
    reel::nn::hooks::set_reference_mode(true);
    Interp run(scenario);
    const auto unsupported = [&](const std::string& word) {
        ++count.unsupported;
        ++report.unsupported[word];
        if (verbose) std::cout << "unsupported " << name << ": " << word << '\n';
    };
    if (const json::value* needs = scenario.if_contains("needs"))
        for (const auto& word : needs->as_array())
            if (!knows_need(word.as_string())) return unsupported(std::string(word.as_string()));
    std::string difference;
    try {
        run.run();
        if (run.unsupported.empty()) difference = first_difference(scenario, run);
    } catch (const Unsupported& u) {
        return unsupported(u.word);
    } catch (...) {
        std::string message;
        const std::string kind = kind_of_current_exception(message);
        difference = "the scenario could not be run: " + kind + ": " + message;
    }
    if (!run.unsupported.empty()) return unsupported(run.unsupported);
    if (scenario.contains("decision")) {
        report.decisions[name] = difference.empty();
        ++count.passed;
        return;
    }
    if (const auto decided = decided_otherwise.find(name); decided != decided_otherwise.end()) {
        if (difference.starts_with(decided->second)) {
            report.decisions[name] = false;
            ++count.passed;
            return;
        }
        difference = "expected the difference that was decided (" + decided->second +
                     "), got: " + (difference.empty() ? "none" : difference);
    }
    std::string where;
    ++report.warnings;
    const json::value* warnings = scenario.if_contains("warnings");
    if (same_json(warnings ? *warnings : json::value(json::array()), run.warnings, where)) ++report.warnings_same;
    else if (verbose)
        std::cout << "warnings of " << name << " differ: " << where << ", got " << json::serialize(run.warnings)
                  << '\n';
    if (difference.empty()) {
        ++count.passed;
        if (verbose) std::cout << "passed " << name << '\n';
        return;
    }
    ++count.failed;
    report.failed.push_back(name);
    std::cout << "FAILED " << name << ": " << difference << '\n';
}

void write_json(const Report& r, const std::string& path) {
    json::object families, unsupported, decisions;
    for (const auto& [name, c] : r.families)
        families[name] = json::object{
            {"scenarios", c.scenarios}, {"passed", c.passed}, {"failed", c.failed}, {"unsupported", c.unsupported}};
    for (const auto& [word, n] : r.unsupported) unsupported[word] = n;
    for (const auto& [name, same] : r.decisions) decisions[name] = same ? "same" : "different";
    json::array failed;
    for (const std::string& name : r.failed) failed.push_back(json::string(name));
    std::ofstream(path) << json::serialize(
                               json::object{{"families", families},
                                            {"failed", failed},
                                            {"unsupported", unsupported},
                                            {"warnings", {{"passed", r.warnings_same}, {"scenarios", r.warnings}}},
                                            {"decisions", decisions}})
                        << '\n';
}

int run_all(const po::variables_map& options) {
    std::vector<fs::path> files;
    for (const std::string& dir : options["dir"].as<std::vector<std::string>>()) {
        if (fs::is_regular_file(dir)) files.emplace_back(dir);
        else
            for (const auto& entry : fs::recursive_directory_iterator(dir))
                if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    if (files.empty()) {
        std::cerr << "hooks-replay: no .jsonl file below the given folders\n";
        return 2;
    }
    const std::regex filter(options["filter"].as<std::string>());
    const std::string family = options["family"].as<std::string>();
    Report report;
    for (const fs::path& file : files) {
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);) {
            if (line.empty()) continue;
            const json::value v = reel::serialize::parse_json(line);
            const json::object& scenario = v.as_object();
            if ((!family.empty() && text(scenario, "family") != family) ||
                !std::regex_search(text(scenario, "name"), filter))
                continue;
            run_scenario(scenario, report, options.count("verbose") > 0);
        }
    }
    Count total;
    const auto print = [](const std::string& name, const Count& c) {
        std::cout << name << "   passed " << c.passed << "   failed " << c.failed << "   unsupported " << c.unsupported
                  << '\n';
    };
    for (const auto& [name, c] : report.families) {
        print(name, c);
        total.passed += c.passed, total.failed += c.failed, total.unsupported += c.unsupported;
    }
    print("TOTAL", total);
    const auto same =
        std::count_if(report.decisions.begin(), report.decisions.end(), [](const auto& d) { return d.second; });
    std::cout << "warnings " << report.warnings_same << '/' << report.warnings << "    decisions: same " << same
              << ", different " << report.decisions.size() - std::size_t(same) << '\n';
    if (const std::string path = options["json"].as<std::string>(); !path.empty()) write_json(report, path);
    return total.failed == 0 ? 0 : 1;
}

} // namespace
} // namespace replay

int main(int argc, char** argv) {
    namespace po = boost::program_options;
    po::options_description options("hooks-replay DIR...");
    options.add_options()("help", "this text")("dir", po::value<std::vector<std::string>>(), "folders with *.jsonl")(
        "filter", po::value<std::string>()->default_value(""), "regular expression over scenario names")(
        "family", po::value<std::string>()->default_value(""),
        "only this family")("json", po::value<std::string>()->default_value(""), "report file")(
        "verbose", "also name what passes and what is unsupported")("threads", po::value<int>()->default_value(1),
                                                                    "compute threads");
    po::positional_options_description positional;
    positional.add("dir", -1);
    try {
        po::variables_map values;
        po::store(po::command_line_parser(argc, argv).options(options).positional(positional).run(), values);
        po::notify(values);
        if (values.count("help") || !values.count("dir")) {
            std::cout << options;
            return values.count("help") ? 0 : 2;
        }
        reel::set_num_threads(values["threads"].as<int>());
        return replay::run_all(values);
    } catch (const std::exception& e) {
        std::cerr << "hooks-replay: " << e.what() << '\n';
        return 2;
    }
}
