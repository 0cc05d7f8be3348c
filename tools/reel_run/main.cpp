// reel-run: starts the ranks of a program, and starts them again when one dies.
#include <csignal>
#include <exception>
#include <iostream>
#include <stdexcept>

#include "attempt.hpp"
#include "options.hpp"
#include "place.hpp"

namespace {

using namespace reel_run;

int ranks_to_start(const Options& options, const Place& place) {
    if (options.ranks > 0) return options.ranks;
    if (place.launcher.empty()) throw std::runtime_error("how many ranks? reel-run -n N PROGRAM");
    return 1;
}

int run(const Options& options) {
    const Place place = find_place(options);
    int ranks = ranks_to_start(options, place);
    if (options.elastic && place.tasks > 1)
        throw std::runtime_error("--elastic: the ranks of one reel-run alone can become fewer; here " + place.launcher +
                                 " runs " + std::to_string(place.tasks));
    note_signals();
    for (int attempt = 0;; ++attempt) {
        const Outcome outcome = Attempt(options, place, ranks, attempt).wait();
        if (outcome.all_well) return 0;
        if (outcome.interrupted_by != 0) return 128 + outcome.interrupted_by;
        if (attempt >= options.max_restarts) {
            std::cerr << "reel-run: " << outcome.what << "; "
                      << (options.max_restarts > 0 ? "no restart is left" : "--max-restarts allows for none")
                      << std::endl;
            return outcome.status;
        }
        if (options.elastic) ranks = std::max(1, ranks - outcome.lost);
        std::cerr << "reel-run: " << outcome.what << "; restart " << attempt + 1 << " of " << options.max_restarts
                  << " with " << ranks * place.tasks << (ranks * place.tasks == 1 ? " rank" : " ranks") << std::endl;
    }
}

} // namespace

int main(int argc, char** argv) {
    try {
        std::string help;
        const Options options = parse(argc, argv, help);
        if (!help.empty()) {
            std::cout << help;
            return 0;
        }
        return run(options);
    } catch (const std::exception& e) {
        std::cerr << "reel-run: " << e.what() << "\n";
        return 127;
    }
}
