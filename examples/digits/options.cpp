#include "options.hpp"

#include <charconv>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <boost/program_options.hpp>

#include "../device.hpp"

namespace digits {

namespace {
namespace po = boost::program_options;

/// The file of the repository, seen from its root or from where the program lies (out/bin).
std::string default_data(const char* program) {
    const std::string file = "examples/data/digits.csv.gz";
    if (std::filesystem::exists(file)) return file;
    std::error_code ignored;
    const auto beside = std::filesystem::canonical(program, ignored).parent_path() / "../.." / file;
    return !ignored && std::filesystem::exists(beside) ? beside.lexically_normal().string() : file;
}
std::array<std::int64_t, 3> read_epochs(const std::string& text) {
    std::array<std::int64_t, 3> epochs{};
    std::istringstream in(text);
    std::string part;
    std::size_t n = 0;
    bool good = true;
    while (std::getline(in, part, ',')) {
        std::int64_t v = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), v);
        good = good && error == std::errc() && end == part.data() + part.size() && v > 0 && n < 3;
        if (good) epochs[n] = v;
        ++n;
    }
    if (!good || n != 3)
        throw std::runtime_error("--epochs: expected three positive numbers such as 6,4,6, got '" + text + "'");
    return epochs;
}
} // namespace

Options parse_options(int argc, char** argv) {
    Options o;
    std::string epochs = "6,4,6", device = "cpu";
    po::options_description text("Trains a small network on handwritten digits in three stages.\nOptions");
    text.add_options()("help,h", po::bool_switch(&o.help), "this text")(
        "data", po::value(&o.data)->value_name("FILE"), "the digits (default: examples/data/digits.csv.gz)")(
        "out", po::value(&o.out)->value_name("DIR")->default_value(o.out),
        "where the model, checkpoints and the report go")(
        "seed", po::value(&o.seed)->value_name("N")->default_value(o.seed), "of the random generator")(
        "batch", po::value(&o.batch)->value_name("N")->default_value(o.batch), "images per step")(
        "epochs", po::value(&epochs)->value_name("A,B,C")->default_value(epochs), "of the three stages")(
        "threads", po::value(&o.threads)->value_name("N"), "compute threads; the numbers do not depend on it")(
        "device", po::value(&device)->value_name("NAME")->default_value(device),
        "where it computes: cpu, cuda or cuda:1")("resume", po::bool_switch(&o.resume),
                                                  "go on from the checkpoint in the output folder");
    std::ostringstream help;
    help << text;
    o.help_text = help.str();
    po::variables_map vm;
    po::store(po::command_line_parser(argc, argv).options(text).positional({}).run(), vm);
    po::notify(vm);
    if (vm.count("threads") && o.threads < 1)
        throw std::runtime_error("--threads: expected a positive number, got " + std::to_string(o.threads));
    if (o.batch < 2) throw std::runtime_error("--batch: expected at least 2, got " + std::to_string(o.batch));
    o.epochs = read_epochs(epochs);
    o.device = device_named(device);
    if (o.data.empty()) o.data = default_data(argv[0]);
    return o;
}

} // namespace digits
