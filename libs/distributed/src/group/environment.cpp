#include "group/environment.hpp"

#include <charconv>
#include <cstdlib>

#include <reel/autograd/error.hpp>

namespace reel::distributed::detail {

namespace {
std::optional<std::string> variable(const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

std::int64_t number(const std::string& text, const std::string& what) {
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    REEL_CHECK_VALUE(error == std::errc() && end == text.data() + text.size(), "init: ", what, " is '", text,
                     "'; expected an integer");
    return n;
}

std::optional<std::int64_t> count(std::optional<std::int64_t> option, const char* name) {
    if (option) return option;
    const auto text = variable(name);
    return text ? std::optional(number(*text, name)) : std::nullopt;
}
} // namespace

std::optional<Place> place_in_world(const Options& options) {
    const auto rank = count(options.rank, "RANK"), size = count(options.world_size, "WORLD_SIZE");
    auto host = variable("MASTER_ADDR"), port = variable("MASTER_PORT");
    if (!options.master.empty()) {
        const auto colon = options.master.rfind(':');
        REEL_CHECK_VALUE(colon != std::string::npos && colon > 0, "init: master is '", options.master,
                         "'; expected HOST:PORT");
        host = options.master.substr(0, colon);
        port = options.master.substr(colon + 1);
    }
    if (!rank && !size && (under_mpi() || (!host && !port))) return std::nullopt;
    std::string missing;
    const auto need = [&](bool given, const char* name) {
        if (!given) (missing += missing.empty() ? "" : ", ") += name;
    };
    need(rank.has_value(), "RANK");
    need(size.has_value(), "WORLD_SIZE");
    const bool alone = size && *size == 1;
    if (!alone) {
        need(host.has_value(), "MASTER_ADDR");
        need(port.has_value(), "MASTER_PORT");
    }
    REEL_CHECK_VALUE(missing.empty(), "init: the environment is set by half: ", missing,
                     " missing; a launcher sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, or give them in Options",
                     !rank && !size ? "; for a program that is a world of its own unset MASTER_ADDR and MASTER_PORT"
                                    : "");
    REEL_CHECK_VALUE(*size > 0, "init: WORLD_SIZE is ", *size, "; expected 1 at least");
    REEL_CHECK_VALUE(*rank >= 0 && *rank < *size, "init: RANK is ", *rank, "; expected 0 to ", *size - 1,
                     " with WORLD_SIZE ", *size);
    Place place{*rank, *size, host.value_or(""), 0};
    if (port) {
        const std::int64_t p = number(*port, "MASTER_PORT");
        REEL_CHECK_VALUE(p > 0 && p < 65536, "init: MASTER_PORT is ", p, "; expected 1 to 65535");
        place.port = std::uint16_t(p);
    }
    return place;
}

void check_not_alone_in_a_crowd() {
    const auto tasks = variable("SLURM_STEP_NUM_TASKS");
    REEL_CHECK_VALUE(!tasks || *tasks == "1", "init: srun has started ", *tasks,
                     " tasks, of which this one (SLURM_PROCID ", variable("SLURM_PROCID").value_or("?"),
                     ") would be a world of its own: RANK and WORLD_SIZE are missing; start `srun reel-run PROGRAM`, "
                     "which sets them");
}

bool under_mpi() { return variable("OMPI_COMM_WORLD_SIZE") || variable("PMIX_RANK") || variable("PMI_RANK"); }

} // namespace reel::distributed::detail
