// script-replay: runs the reference cases of scripts and reports what differs.
#include <algorithm>
#include <iostream>

#include <boost/program_options.hpp>

#include <reel/autograd/parallel.hpp>

#include "common/checkout_file.hpp"
#include "script/cases.hpp"

namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using namespace replay::script;

std::vector<fs::path> sorted(const fs::path& folder) {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
}
/// A folder of cases, or one above such folders.
void walk(const fs::path& folder, const std::regex& filter, Report& report) {
    const std::string name = folder.filename().string();
    const auto wanted = [&](const fs::path& p) {
        return std::regex_search(p.parent_path().filename().string() + "/" + p.filename().string(), filter);
    };
    if (fs::exists(folder / "case.json") && fs::exists(folder / "model.pt")) {
        if (wanted(folder)) run_archive(folder, report);
    } else if (name == "define" && fs::exists(folder / "cases.jsonl")) {
        run_defines(folder, filter, report);
    } else if (name == "hostile" && fs::exists(folder / "cases.jsonl")) {
        run_hostile(folder, filter, report);
    } else if (fs::exists(folder / "case.json") && fs::exists(folder / "model.pt2")) {
        if (wanted(folder)) run_export(folder, report);
    } else if (name == "trace") {
        for (const fs::path& p : sorted(folder))
            if (p.extension() == ".json" && wanted(p)) run_trace(p, report);
    } else if (name == "real") {
        for (const fs::path& p : sorted(folder))
            if (p.extension() == ".json" && wanted(p)) run_real(p, report);
    } else
        for (const fs::path& p : sorted(folder))
            if (fs::is_directory(p)) walk(p, filter, report);
}

reel::jit::RunLimits parse_limits(const std::string& text) {
    reel::jit::RunLimits limits;
    if (text.empty()) return limits;
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos) throw std::runtime_error("--limits: expected STEPS,MB, got '" + text + "'");
    limits.steps = std::stoull(text.substr(0, comma));
    limits.live_bytes = std::stoull(text.substr(comma + 1)) << 20;
    return limits;
}

int run(int argc, char** argv) {
    Options options;
    std::vector<std::string> folders;
    std::string limits;
    int threads = 0;
    po::options_description text("script-replay DIR...  runs the cases of scripts below");
    text.add_options()("help", "this text")("filter", po::value(&options.filter),
                                            "only cases whose KIND/NAME matches this regular expression")(
        "json", po::value(&options.json_file),
        "write the counts to this file")("verbose", po::bool_switch(&options.verbose), "whole messages, every case")(
        "real", po::value(&options.real_folder),
        "where packages with real models are unpacked")("threads", po::value(&threads), "compute threads")(
        "exports", po::value(&options.exports_folder),
        "where to write what archives become as exported programs, for other readers")(
        "limits", po::value(&limits), "STEPS,MB: what a run may take; 0 for no limit")(
        "differences",
        po::value(&options.differences_file)->default_value(replay::checkout_file("test/script/differences.json")),
        "the texts that are treated otherwise than by the reference on purpose; '' for none")(
        "dir", po::value(&folders), "folders");
    po::positional_options_description positional;
    positional.add("dir", -1);
    po::variables_map vm;
    po::store(po::command_line_parser(argc, argv).options(text).positional(positional).run(), vm);
    po::notify(vm);
    if (vm.count("help") || folders.empty()) {
        std::cout << text << "\n";
        return folders.empty() && !vm.count("help") ? 2 : 0;
    }
    options.limits = parse_limits(limits);
    if (threads > 0) reel::set_num_threads(threads);
    const std::regex filter(options.filter);
    Report report(options);
    for (const std::string& folder : folders) {
        if (!fs::is_directory(folder)) throw std::runtime_error(folder + ": no such folder");
        fs::path path = fs::canonical(folder);
        walk(path, filter, report);
    }
    report.check_list();
    const int status = report.print_totals();
    if (!options.json_file.empty()) report.write_json();
    return status;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::cerr << "script-replay: " << e.what() << "\n";
        return 2;
    }
}
