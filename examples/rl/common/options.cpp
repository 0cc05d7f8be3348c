#include "options.hpp"

#include <filesystem>
#include <iostream>
#include <optional>

#include <boost/program_options.hpp>

#include <reel/autograd/error.hpp>

namespace agents {

namespace {

namespace po = boost::program_options;

/// Nothing when only the help was asked for.
std::optional<RunOptions> read(int argc, char** argv, const std::string& title, RunOptions o) {
    bool help = false;
    po::options_description text(title + "\nOptions");
    text.add_options()("help,h", po::bool_switch(&help), "this text")(
        "seed", po::value(&o.seed)->value_name("N")->default_value(o.seed), "of all that is random")(
        "frames", po::value(&o.frames)->value_name("N")->default_value(o.frames), "environment steps at most")(
        "seconds", po::value(&o.seconds)->value_name("S")->default_value(o.seconds), "of training at most")(
        "episodes", po::value(&o.episodes)->value_name("N")->default_value(o.episodes),
        "of the closing evaluation")("report", po::value(&o.report)->value_name("FILE"), "write an HTML page")(
        "checkpoint", po::value(&o.checkpoint)->value_name("FILE"), "save the run here as it goes")(
        "save-every", po::value(&o.save_every)->value_name("N")->default_value(o.save_every),
        "frames between two savings")("resume", po::bool_switch(&o.resume), "go on from the checkpoint");
    po::variables_map vm;
    po::store(po::command_line_parser(argc, argv).options(text).positional({}).run(), vm);
    po::notify(vm);
    if (help) {
        std::cout << text;
        return std::nullopt;
    }
    const auto positive = [](const char* name, auto value) {
        REEL_CHECK_VALUE(value > 0, "--", name, ": expected a positive number, got ", value);
    };
    positive("frames", o.frames);
    positive("seconds", o.seconds);
    positive("episodes", o.episodes);
    positive("save-every", o.save_every);
    REEL_CHECK_VALUE(!o.resume || !o.checkpoint.empty(), "--resume: needs --checkpoint FILE to go on from");
    REEL_CHECK_VALUE(!o.resume || std::filesystem::exists(o.checkpoint), "--resume: there is no ", o.checkpoint);
    for (const std::string& file : {o.report, o.checkpoint}) {
        const auto folder = std::filesystem::path(file).parent_path();
        REEL_CHECK_VALUE(folder.empty() || std::filesystem::is_directory(folder), file, ": there is no folder ",
                         folder.string());
    }
    return o;
}

} // namespace

int run_agent(int argc, char** argv, const std::string& title, RunOptions defaults,
              const std::function<int(const RunOptions&)>& run) {
    const std::string program = std::filesystem::path(argv[0]).filename().string();
    try {
        const auto options = read(argc, argv, title, std::move(defaults));
        return options ? run(*options) : 0;
    } catch (const std::exception& e) {
        const std::string text = e.what();
        std::cerr << program << ": " << text.substr(0, text.find('\n')) << std::endl;
        return 2;
    }
}

} // namespace agents
