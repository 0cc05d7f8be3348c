#include "options.hpp"

#include <sstream>
#include <stdexcept>

#include <boost/program_options.hpp>

namespace reel_run {

namespace po = boost::program_options;

namespace {
/// Where the program's own words begin: behind `--`, or at the first word that is no option and no option's value.
int first_of_program(int argc, char** argv, const po::options_description& known) {
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--") return i + 1;
        if (word.size() < 2 || word[0] != '-') return i;
        if (word.find('=') != std::string::npos) continue;
        const bool is_long = word[1] == '-';
        if (!is_long && word.size() > 2) continue; // -n3
        const po::option_description* const option =
            known.find_nothrow(word.substr(is_long ? 2 : 0), false, false, false);
        if (option && option->semantic()->min_tokens() > 0) ++i;
    }
    return argc;
}
} // namespace

Options parse(int argc, char** argv, std::string& help) {
    Options o;
    double grace = 5;
    po::options_description text("reel-run [-n N] [OPTIONS] PROGRAM [ARGUMENTS...]\n"
                                 "Starts N ranks of a program, each with RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and "
                                 "MASTER_PORT set. When one dies the others are ended and, up to K times, all are "
                                 "started again; the program goes on from its newest checkpoint. Under srun or mpirun "
                                 "each task starts N ranks (one unless given) of one world.\nOptions");
    text.add_options()("help,h", "this text")("ranks,n", po::value(&o.ranks), "how many ranks")(
        "max-restarts", po::value(&o.max_restarts)->default_value(0), "how often all are started again")(
        "elastic", po::bool_switch(&o.elastic), "start again with as many ranks as are left")(
        "master", po::value(&o.master), "host[:port] where rank 0 listens; else found")(
        "log-dir", po::value(&o.log_folder), "what rank R prints goes to DIR/rankR.log")(
        "grace", po::value(&grace)->default_value(5, "5"), "seconds between SIGTERM and SIGKILL");
    const int first = first_of_program(argc, argv, text);
    po::variables_map given;
    const bool marked = first > 1 && std::string(argv[first - 1]) == "--";
    po::store(po::command_line_parser(first - (marked ? 1 : 0), argv).options(text).run(), given);
    po::notify(given);
    std::ostringstream printed;
    printed << text;
    if (given.count("help")) help = printed.str();
    o.command.assign(argv + first, argv + argc);
    if (!help.empty()) return o;
    if (o.command.empty()) throw std::runtime_error("there is no PROGRAM; reel-run --help says more");
    if (given.count("ranks") && o.ranks < 1)
        throw std::runtime_error("-n " + std::to_string(o.ranks) + ": expected at least one rank");
    if (o.max_restarts < 0)
        throw std::runtime_error("--max-restarts " + std::to_string(o.max_restarts) + ": expected no negative number");
    if (grace < 0) throw std::runtime_error("--grace: expected no negative number of seconds");
    o.grace = std::chrono::milliseconds(static_cast<long>(grace * 1000));
    return o;
}

} // namespace reel_run
