// Things that go wrong on two ranks.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include <reel/distributed/types.hpp>

namespace replay {

inline constexpr std::chrono::milliseconds fault_timeout{4000};

struct Fault {
    /// What a rank does; what it returns is text as Python prints it.
    std::function<std::string(std::int64_t rank)> body;
    bool dies = false; ///< a rank ends its process
};
/// By the name of the file; null for others.
const Fault* find_fault(const std::string& name);
std::map<std::string, Fault> faults_of_groups();
std::map<std::string, Fault> faults_of_data_parallel();

/// This process as a rank of a job of its own, started for one fault: prints what came of it.
int become_fault(const std::string& name, reel::distributed::Backend backend);
/// As a process that ends: by exit, or where ranks are threads by an exception.
void end_this_rank();
/// `ValueError: message`, by the names of Python's kinds of errors.
std::string outcome_text(const std::exception& e);

} // namespace replay
