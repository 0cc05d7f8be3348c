#include "options.hpp"

#include <iostream>
#include <stdexcept>

#include <boost/program_options.hpp>

namespace ranks {

Options parse_options(int argc, char** argv) {
    namespace po = boost::program_options;
    Options o;
    po::options_description text("ranks [OPTIONS]  trains on several ranks: threads, or the processes that reel-run or "
                                 "mpirun started\nOptions");
    text.add_options()("help,h", po::bool_switch(&o.help), "this text")(
        "model", po::value(&o.model)->default_value(o.model),
        "digits (replicated, gradients averaged) or gpt (parameters spread over the ranks)")(
        "ranks,n", po::value(&o.ranks)->default_value(o.ranks), "threads, where no processes were started")(
        "steps", po::value(&o.steps)->default_value(o.steps),
        "of training")("device", po::value(&o.device)->default_value(o.device),
                       "where ranks compute: cpu, or cuda, a device each as far as there are")(
        "data", po::value(&o.data)->default_value(o.data),
        "the digits")("checkpoint", po::value(&o.checkpoint), "folder to go on from, and to save in every tenth step")(
        "out", po::value(&o.out)->default_value(o.out), "the report");
    po::variables_map given;
    po::store(po::command_line_parser(argc, argv).options(text).run(), given);
    po::notify(given);
    if (o.help) std::cout << text;
    if (o.model != "digits" && o.model != "gpt")
        throw std::runtime_error("--model " + o.model + ": expected digits or gpt");
    if (o.ranks < 1 || o.steps < 1) throw std::runtime_error("--ranks and --steps: expected at least one");
    return o;
}

} // namespace ranks
