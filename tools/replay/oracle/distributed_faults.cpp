// faults.json: what each of two ranks gets when something goes wrong.
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include <unistd.h>

#include "common/case_file.hpp"
#include "oracle/faults.hpp"
#include "oracle/launch.hpp"
#include "oracle/ranks.hpp"

namespace replay {

using namespace reel;
namespace dist = reel::distributed;

namespace {
using Clock = std::chrono::steady_clock;

/// What a rank came to, as a line: `returned TEXT`, or `ValueError: ...`; how long it took.
struct Outcome {
    std::string text;
    double seconds = 0;
};

Outcome run_rank(const Fault& fault, std::int64_t rank) {
    const auto begin = Clock::now();
    const std::string text = "returned " + fault.body(rank);
    return {text, std::chrono::duration<double>(Clock::now() - begin).count()};
}

std::vector<Outcome> on_ranks(const Fault& fault, Ranks& ranks) {
    std::vector<Outcome> found(std::size_t(ranks.size()), Outcome());
    std::vector<double> begun(found.size(), 0);
    const auto now = [] { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); };
    const auto errors = ranks.run(
        [&](std::int64_t r) {
            begun[std::size_t(r)] = now();
            try {
                found[std::size_t(r)] = run_rank(fault, r);
            } catch (...) {
                found[std::size_t(r)].seconds = now() - begun[std::size_t(r)];
                throw;
            }
        },
        fault_timeout);
    const auto texts = ranks.ask([&](std::int64_t r) {
        const Outcome& o = found[std::size_t(r)];
        return str(o.seconds, " ", o.text);
    });
    for (std::size_t r = 0; r < found.size(); ++r) {
        found[r].seconds = std::stod(texts[r]);
        found[r].text = errors[r].empty() ? texts[r].substr(texts[r].find(' ') + 1) : errors[r];
    }
    return found;
}

/// A fault that ends a process, in a job of its own: this program once more.
std::vector<Outcome> in_a_job(const std::string& name, Ranks& ranks) {
    std::string said;
    if (ranks.reports()) {
        const std::string launcher =
            "env -u RANK -u WORLD_SIZE -u MASTER_ADDR -u MASTER_PORT "
            "$(env | sed -n 's/^\\(\\(OMPI\\|PMIX\\|PRTE\\|ORTE\\)[A-Z_a-z0-9]*\\)=.*/-u \\1/p' | grep -v ALLOW_RUN) ";
        char self[4096] = {};
        if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) throw std::runtime_error("no /proc/self/exe");
        const std::string command = launcher + self + " --ranks 2 --backend " +
                                    std::string(dist::name_of(ranks.backend())) + " --fault " + name + " . 2>/dev/null";
        FILE* out = ::popen(command.c_str(), "r");
        if (!out) throw std::runtime_error("popen failed");
        char text[4096];
        while (const std::size_t n = std::fread(text, 1, sizeof text, out)) said.append(text, n);
        ::pclose(out);
    }
    said = ranks.ask([&](std::int64_t) { return said; })[0];
    std::vector<Outcome> found(2, {"exit"});
    std::istringstream lines(said);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string mark;
        std::size_t rank = 0;
        if (!(words >> mark >> rank) || mark != "fault-of-rank" || rank > 1) continue;
        words >> found[rank].seconds >> std::ws;
        std::getline(words, found[rank].text);
    }
    return found;
}

/// Empty when `got` is what is expected. Errors have a kind, a rank that ends has none.
std::string judge(const json::object& expected, const Outcome& got) {
    const double slack = 3; // machines that are busy
    if (const json::value* kind = expected.if_contains("error")) {
        const std::string k(kind->as_string());
        if (!got.text.starts_with(k + ":")) return got.text + ", expected " + k;
        const double limit = expected.at("seconds").to_number<double>() + slack;
        return got.seconds <= limit ? "" : str("after ", got.seconds, " s, expected at most ", limit);
    }
    if (expected.contains("exit"))
        return got.text.starts_with("exit") || got.text.starts_with("RuntimeError") ? ""
                                                                                    : got.text + ", expected its end";
    const json::value& returned = expected.at("returned");
    const std::string text = "returned " + (returned.is_null() ? std::string() : std::string(returned.as_string()));
    return got.text == text ? "" : got.text + ", expected " + text;
}

void run(const std::filesystem::path& folder, Ranks& ranks, Report& report) {
    std::ifstream file(folder / "faults.json");
    if (!file || ranks.size() != 2) return;
    std::stringstream text;
    text << file.rdbuf();
    const json::value parsed = parse_python_json(text.str());
    std::size_t index = 0;
    for (const json::value& entry : parsed.as_object().at("faults").as_array()) {
        const std::string name(entry.as_object().at("name").as_string());
        const Fault* fault = find_fault(name);
        std::string problem = fault ? "" : "unknown";
        RankDifference* const listed = report.rank_differences.find("faults", name);
        if (fault) {
            const bool job = fault->dies && ranks.backend() != dist::Backend::kThreads;
            const auto got = job ? in_a_job(name, ranks) : on_ranks(*fault, ranks);
            for (std::size_t r = 0; r < 2 && problem.empty(); ++r) {
                json::object expected = entry.as_object().at("ranks").as_array().at(r).as_object();
                if (listed && !expected.contains("error")) {
                    ++listed->met;
                    listed->differed += !judge(expected, got[r]).empty();
                    expected = {{"error", listed->error}, {"seconds", expected.at("seconds")}};
                }
                problem = judge(expected, got[r]);
                if (!problem.empty()) problem = str("rank ", r, ": ", problem);
            }
        }
        Counts& counts = report.kinds["faults"][name];
        ++counts.cases;
        ++(problem.empty() ? counts.passed : fault ? counts.failed : counts.unsupported);
        counts.as_listed += problem.empty() && listed;
        if (!problem.empty() && ranks.reports()) report.failure("faults", index, name + ": " + problem);
        ++index;
    }
}

const RankCases faults("faults", run);
} // namespace

int become_fault(const std::string& name, dist::Backend backend) {
    const Fault* fault = find_fault(name);
    if (!fault) throw std::runtime_error("--fault: there is no " + name);
    const dist::Session session(backend, {.timeout = fault_timeout});
    const std::int64_t rank = dist::rank();
    const auto begin = Clock::now();
    std::string text;
    try {
        text = run_rank(*fault, rank).text;
    } catch (const std::exception& e) {
        text = outcome_text(e);
    }
    std::ostringstream line; // in one piece, beside the others'
    line << "fault-of-rank " << rank << " " << std::chrono::duration<double>(Clock::now() - begin).count() << " "
         << text << "\n";
    std::fputs(line.str().c_str(), stdout);
    std::fflush(stdout);
    return 0;
}

void end_this_rank() {
    if (dist::default_group().backend() == dist::Backend::kThreads) throw std::runtime_error("this rank ends");
    ::_exit(3);
}

} // namespace replay
