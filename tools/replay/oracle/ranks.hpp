// Cases of several ranks: where they run, and who counts.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <reel/distributed/session.hpp>

#include "oracle/report.hpp"

namespace replay {

/// A world of ranks for cases: threads of this process, or processes of which this is one.
class Ranks {
public:
    using Body = std::function<void(std::int64_t rank)>;
    /// Processes join here, by what their launcher has set.
    Ranks(std::int64_t size, reel::distributed::Backend backend);
    ~Ranks();
    Ranks(const Ranks&) = delete;
    std::int64_t size() const { return size_; }
    reel::distributed::Backend backend() const { return backend_; }
    /// Counts, prints: one process of all.
    bool reports() const;
    /// Runs `body` on each rank, in a default group that no case has spoilt. What came of it, the same on all: nothing
    /// for a rank where it returned, else the error's kind and message (`ValueError: ...`). Any std::exception counts.
    std::vector<std::string> run(const Body& body, std::chrono::milliseconds timeout = std::chrono::seconds(60));
    /// What a rank has to say besides, gathered: `text(rank)` on each.
    std::vector<std::string> ask(const std::function<std::string(std::int64_t rank)>& text);

private:
    void join(std::chrono::milliseconds timeout);
    std::int64_t size_, rank_ = 0;
    reel::distributed::Backend backend_;
    reel::distributed::ProcessGroup control_; ///< for what the processes tell each other about cases
};

/// One of these per kind of cases, in the file that knows its format: `static const RankCases
/// collectives("collectives", run);`. `folder` is one that is called `distributed`; cases for another number of ranks
/// are passed over. The counts go to `report.kinds[kind]`, whose totals the report prints.
class RankCases {
public:
    using Run = void (*)(const std::filesystem::path& folder, Ranks& ranks, Report& report);
    RankCases(const char* kind, Run run) { kinds()[kind] = run; }
    static void run_all(const std::filesystem::path& folder, Ranks& ranks, Report& report);
    /// Says which entries of the list of differences are no longer needed.
    static void check_list(const Ranks& ranks, Report& report);

private:
    static std::map<std::string, Run>& kinds() {
        static std::map<std::string, Run> table;
        return table;
    }
};

/// Reads a JSON text of Python's, which has NaN and Infinity; they become the strings "NaN", "Infinity", "-Infinity".
json::value parse_python_json(const std::string& text);
/// A tensor written as {"shape", "data", "dtype"}; complex numbers are pairs. Undefined for null.
reel::Tensor tensor_of(const json::value& v);

} // namespace replay
