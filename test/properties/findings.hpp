// What a property test found, against the exceptions that are known and explained.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "sample.hpp"

namespace properties {

/// Violations by op and aspect.
class Findings {
public:
    void add(const Sample& sample, const std::string& aspect, const std::string& what);
    /// A refusal on another device; its aspect is "host operand" when the op says that it wants one on the CPU.
    void add_refusal(const Sample& sample, const std::string& aspect, const std::string& error);
    /// Fails the test for each (op, aspect) that is not among the known exceptions, and for each known exception of
    /// `aspects` that was not found any more.
    void judge(std::initializer_list<const char*> aspects) const;

private:
    std::map<std::pair<std::string, std::string>, std::string> first_; ///< what was found first
};

} // namespace properties
