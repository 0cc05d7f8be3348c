// The sources that Reel treats otherwise than the reference on purpose: read from differences.json, expected by the
// run.
#pragma once

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

namespace replay::script {

/// One entry: `define` treats every text like this otherwise than the reference. An entry knows texts, not the names of
/// cases: whoever writes another case of the kind finds it covered.
struct Difference {
    std::string kind;             ///< `define`: accepted by the reference, refused here; `refused`: the other way
    std::string source;           ///< a regular expression (ECMAScript) that is found in the text
    std::string example;          ///< a text of which it is true, whatever cases there are
    std::string reason, evidence; ///< why it is so, and where one sees that
    std::regex pattern;           ///< `source`, compiled
    int met = 0, differed = 0;    ///< cases of the run with such a text, and how many of them differed
};

/// What differences.json lists.
class Differences {
public:
    Differences() = default;
    /// Throws ValueError naming the entry when one is incomplete, is of another kind, or no regular expression.
    explicit Differences(const std::filesystem::path& file);
    /// Is a case of this kind and text listed? `differs`: what the run found.
    bool lists(const std::string& kind, const std::string& source, bool differs);
    /// What is wrong with the entries after the run: texts, or the example, that are treated as the reference does.
    std::vector<std::string> stale() const;

private:
    std::vector<Difference> entries_;
};

} // namespace replay::script
