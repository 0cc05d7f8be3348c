// op-fuzz: calls every op with arguments that nobody meant; none may crash, hang, or touch what is not its own.
#include <algorithm>
#include <iostream>
#include <regex>

#include <boost/program_options.hpp>

#include <reel/autograd/op.hpp>

#include "op_fuzz/dice.hpp"
#include "op_fuzz/supervisor.hpp"

#ifdef REEL_SANITIZE
// Giant requests fail as they do without a sanitizer. Options in the environment come on top.
extern "C" const char* __asan_default_options() {
    return "allocator_may_return_null=1:max_allocation_size_mb=512:detect_leaks=0";
}
#endif

namespace {

namespace po = boost::program_options;

/// Every op once, under its own name, in an order that the seed determines.
std::vector<std::string> chosen_ops(const op_fuzz::Options& options) {
    std::vector<std::string> names;
    const std::regex filter(options.filter);
    for (const std::string& name : reel::ops::registry().names())
        if (reel::ops::registry().at(name).schemas[0].name == name && std::regex_search(name, filter))
            names.push_back(name);
    op_fuzz::Dice dice(options.seed);
    for (std::size_t i = names.size(); i > 1; --i) std::swap(names[i - 1], names[dice.below(i)]);
    return names;
}

int run(int argc, char** argv) {
    op_fuzz::Options options;
    po::options_description text(
        "op-fuzz [--seconds N] [--seed S] [--filter REGEX]\n"
        "op-fuzz --seed S --op NAME --only K\n"
        "Calls of every op with mutated arguments, in processes of their own: forward, in place, backward and double\n"
        "backward. A line for each finding: a crash, a hang, an exception that is not Reel's, an operand changed by a\n"
        "call that was refused, a result outside of its storage, output on the terminal. Exit status 0 when there was\n"
        "none, 1 when there was, 2 for options that make no sense.\n\nOptions");
    auto add = text.add_options();
    add("help", "this text");
    add("seconds", po::value(&options.seconds)->default_value(options.seconds), "how long");
    add("rounds", po::value(&options.rounds)->default_value(0),
        "how often each op gets its eight calls; 0: as often as the time allows");
    add("seed", po::value(&options.seed)->default_value(options.seed), "which calls");
    add("filter", po::value(&options.filter), "only ops whose names match this regular expression");
    add("op", po::value(&options.op), "with --only: the op of the one call to make");
    add("only", po::value(&options.only), "the number of the call");
    add("jobs", po::value(&options.jobs), "processes; one per core unless given");
    add("limit", po::value(&options.limit_s)->default_value(options.limit_s),
        "seconds that a stage of a call may compute");
    add("memory", po::value(&options.memory_mib)->default_value(options.memory_mib), "MiB that a process may take");
    add("show", po::value(&options.show)->default_value(options.show), "findings shown per op, stage and kind");
    po::variables_map given;
    po::store(po::parse_command_line(argc, argv, text), given);
    po::notify(given);
    if (given.count("help")) {
        std::cout << text << "\n";
        return 0;
    }
    if (!options.op.empty() && !reel::ops::registry().find(options.op))
        throw std::runtime_error("--op: there is no op '" + options.op + "'");
    if (options.only >= 0) {
        if (options.op.empty()) throw std::runtime_error("--only: say of which op, --op NAME");
        return op_fuzz::rerun(options) ? 0 : 1;
    }
    const std::vector<std::string> ops =
        options.op.empty() ? chosen_ops(options) : std::vector<std::string>{options.op};
    if (ops.empty()) throw std::runtime_error("--filter: no op matches '" + options.filter + "'");
    return op_fuzz::supervise(options, ops) ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::cerr << "op-fuzz: " << e.what() << "\n";
        return 2;
    }
}
