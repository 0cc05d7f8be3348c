// The names of locals in printed code (rule SC-69).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace reel::jit {

/// Whether code can write it as it is: letters, digits, `_`, not a keyword.
bool is_identifier(std::string_view text);

class NameTable {
public:
    /// `wanted`, or with a number behind it when that is taken in this function or reserved.
    std::string fresh(const std::string& wanted);
    /// A new function begins: its names are free again, the numbers go on (they count through a file).
    void begin_function() { used_.clear(); }

private:
    std::unordered_set<std::string> used_;
    std::unordered_map<std::string, std::size_t> next_;
};

} // namespace reel::jit
