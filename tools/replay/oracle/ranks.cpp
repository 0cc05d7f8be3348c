// Worlds for cases of several ranks.
#include "oracle/ranks.hpp"

#include <cstring>

#include <reel/autograd/ops.hpp>
#include <reel/distributed/collectives.hpp>

#include "oracle/faults.hpp"

namespace replay {

using namespace reel;
namespace dist = reel::distributed;

std::string outcome_text(const std::exception& e) {
    const char* kind = dynamic_cast<const ValueError*>(&e)            ? "ValueError"
                       : dynamic_cast<const TypeError*>(&e)           ? "TypeError"
                       : dynamic_cast<const IndexError*>(&e)          ? "IndexError"
                       : dynamic_cast<const NotImplementedError*>(&e) ? "NotImplementedError"
                                                                      : "RuntimeError";
    return std::string(kind) + ": " + e.what();
}

namespace {
std::string outcome(const std::function<void()>& body) {
    try {
        body();
        return {};
    } catch (const std::exception& e) {
        return outcome_text(e);
    }
}

/// Each member's text at all of them.
std::vector<std::string> gathered(const std::string& own, const dist::ProcessGroup& group) {
    const std::int64_t n = group.size();
    const Tensor length = full({1}, std::int64_t(own.size()), kLong), lengths = empty({n}, kLong);
    dist::all_gather_into(lengths, length, group);
    const std::int64_t longest = std::max<std::int64_t>(1, lengths.max().item<std::int64_t>());
    const Tensor padded = zeros({longest}, kByte), all = empty({n * longest}, kByte);
    std::memcpy(padded.data_ptr(), own.data(), own.size());
    dist::all_gather_into(all, padded, group);
    std::vector<std::string> texts;
    for (std::int64_t r = 0; r < n; ++r)
        texts.emplace_back(static_cast<const char*>(all.data_ptr()) + r * longest,
                           std::size_t(lengths[r].item<std::int64_t>()));
    return texts;
}
} // namespace

Ranks::Ranks(std::int64_t size, dist::Backend backend) : size_(size), backend_(backend) {
    if (backend_ != dist::Backend::kThreads) join(std::chrono::seconds(60));
}

Ranks::~Ranks() {
    if (dist::is_initialized()) dist::finalize();
}

void Ranks::join(std::chrono::milliseconds timeout) {
    dist::init(backend_, {.timeout = timeout});
    REEL_CHECK_VALUE(dist::world_size() == size_, "--ranks ", size_, ": the launcher started ", dist::world_size());
    rank_ = dist::rank();
    std::vector<std::int64_t> all;
    for (std::int64_t r = 0; r < size_; ++r) all.push_back(r);
    control_ = dist::new_group(all, {.timeout = std::chrono::minutes(10), .name = "control"});
}

bool Ranks::reports() const { return rank_ == 0; }

std::vector<std::string> Ranks::run(const Body& body, std::chrono::milliseconds timeout) {
    if (backend_ == dist::Backend::kThreads) {
        std::vector<std::string> results(std::size_t(size_), "");
        const auto each = [&](std::int64_t r) {
            std::string& result = results[std::size_t(r)];
            result = outcome([&] { body(r); });
            if (result.starts_with("RuntimeError")) throw Error(result); // as when it left the program
        };
        outcome([&] { dist::spawn(size_, each, {.timeout = timeout}); });
        return results;
    }
    dist::default_group().set_timeout(timeout);
    std::string own = outcome([&] { body(rank_); });
    bool spoilt = false;
    // a rank that fails would end its program, and with it the others' waiting
    if (!own.empty() && dist::is_initialized()) dist::default_group().abort(own);
    if (!dist::is_initialized()) join(std::chrono::seconds(60));
    const auto results = gathered(own, control_);
    for (const std::string& r : results) spoilt |= !r.empty();
    if (spoilt) {
        dist::finalize();
        join(std::chrono::seconds(60));
    }
    return results;
}

std::vector<std::string> Ranks::ask(const std::function<std::string(std::int64_t)>& text) {
    if (backend_ != dist::Backend::kThreads) return gathered(text(rank_), control_);
    std::vector<std::string> texts;
    for (std::int64_t r = 0; r < size_; ++r) texts.push_back(text(r));
    return texts;
}

void RankCases::run_all(const std::filesystem::path& folder, Ranks& ranks, Report& report) {
    for (const auto& [kind, run] : kinds()) {
        report.kinds[kind]; // it is counted, if only to none
        run(folder, ranks, report);
    }
}

void RankCases::check_list(const Ranks& ranks, Report& report) {
    if (!ranks.reports()) return;
    for (const std::string& wrong : report.rank_differences.stale()) report.stale_entry(wrong);
}

} // namespace replay
