// oracle-replay: runs the reference cases through the library's registries and reports what differs.
#include <algorithm>
#include <iostream>
#include <regex>

#include <boost/program_options.hpp>

#include <reel/autograd/context.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/cuda/device.hpp>

#include "common/checkout_file.hpp"
#include "oracle/faults.hpp"
#include "oracle/launch.hpp"
#include "oracle/ranks.hpp"
#include "oracle/report.hpp"

namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

/// Runs DIR/.../ops/add.safetensors and its like; a file without cases belongs to another system, whose folders may
/// have the same names.
void run_file(const fs::path& path, replay::Report& report) {
    const auto run = replay::FilesIn::runner(path.parent_path().filename().string());
    if (!run || !replay::CaseFile::has_cases(path)) return;
    run(replay::CaseFile(path), report);
}

reel::Device device_from_name(const std::string& name) {
    if (name != "cpu" && name != "cuda") throw std::runtime_error("--device: '" + name + "' is neither cpu nor cuda");
    if (name == "cuda" && !reel::cuda::is_available())
        throw std::runtime_error("--device cuda: " + reel::cuda::versions());
    return reel::Device(name);
}

std::vector<fs::path> files_below(const std::vector<std::string>& folders) {
    std::vector<fs::path> files;
    for (const std::string& folder : folders) {
        if (!fs::exists(folder)) throw std::runtime_error(folder + ": no such folder");
        if (fs::is_regular_file(folder)) files.emplace_back(folder);
        else
            for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator();
                 ++entry)
                if (entry->is_regular_file() && entry->path().extension() == ".safetensors")
                    files.push_back(entry->path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// The folders `distributed`. Says whether this process is the one that counts.
bool run_on_ranks(const std::vector<std::string>& folders, reel::distributed::Backend backend, replay::Report& report) {
    replay::Ranks ranks(report.options.ranks, backend);
    for (const std::string& folder : folders) {
        std::vector<fs::path> found;
        if (fs::canonical(folder).filename() == "distributed") found.emplace_back(folder);
        else if (fs::is_directory(folder))
            for (const auto& entry : fs::recursive_directory_iterator(folder))
                if (entry.is_directory() && entry.path().filename() == "distributed") found.push_back(entry.path());
        for (const fs::path& f : found) replay::RankCases::run_all(f, ranks, report);
    }
    replay::RankCases::check_list(ranks, report);
    return ranks.reports();
}

int run(int argc, char** argv) {
    replay::Options options;
    std::vector<std::string> folders;
    std::string layout = "contiguous", device, backend, fault;
    int threads = 0;
    po::options_description text("oracle-replay DIR...  runs every *.safetensors below");
    text.add_options()("help", "this text")("filter", po::value(&options.filter),
                                            "only files whose KIND/NAME matches this regular expression")(
        "json", po::value(&options.json_file),
        "write the counts to this file")("verbose", po::bool_switch(&options.verbose), "whole messages, every file")(
        "device", po::value(&device)->default_value("cpu"), "where the operands of ops are: cpu or cuda")(
        "threads", po::value(&threads), "compute threads")("layout", po::value(&layout)->default_value("contiguous"),
                                                           "contiguous, strided, transposed or offset inputs")(
        "data", po::value(&options.data_file), "digits.csv.gz, for training runs")(
        "differences",
        po::value(&options.differences_file)->default_value(replay::checkout_file("test/reference/differences.json")),
        "what is known to differ from the reference (doc/adr/0027); an empty name for nothing")(
        "ranks", po::value(&options.ranks), "cases of several ranks, too, with so many")(
        "backend", po::value(&backend)->default_value("threads"),
        "for these: threads, sockets or mpi; processes are started unless "
        "a launcher has done so")("fault", po::value(&fault), "only this one of the faults, and what came of it")(
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
    options.layout = replay::layout_from_name(layout);
    if (threads > 0) reel::set_num_threads(threads);
    options.device = device_from_name(device);
    reel::globalContext().setAllowTF32CuDNN(false); // cases hold what float32 gives

    if (options.ranks > 0)
        if (const auto status = replay::launch(options.ranks, reel::distributed::backend(backend), argv))
            return *status;
    if (!fault.empty()) return replay::become_fault(fault, reel::distributed::backend(backend));
    const std::regex filter(options.filter);
    replay::Report report(options);
    if (options.ranks > 0 && !run_on_ranks(folders, reel::distributed::backend(backend), report)) return 0;
    for (const fs::path& path : files_below(folders)) {
        const std::string name = path.parent_path().filename().string() + "/" + path.stem().string();
        if (!std::regex_search(name, filter)) continue;
        if (options.verbose) std::cout << name << std::endl;
        run_file(path, report);
    }
    const int status = report.print_totals();
    if (!options.json_file.empty()) report.write_json();
    return status;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::cerr << "oracle-replay: " << e.what() << "\n";
        return 2;
    }
}
