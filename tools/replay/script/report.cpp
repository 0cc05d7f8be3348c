#include "script/report.hpp"

#include <fstream>
#include <iostream>
#include <sstream>

#include <boost/json.hpp>

namespace replay::script {

namespace {
constexpr const char* kind_names[] = {"archives", "define", "refused", "trace", "hostile", "export", "real"};
const std::map<std::string, std::vector<const char*>>& tally_names() {
    static const std::map<std::string, std::vector<const char*>> names = {
        {"code", {"exact", "different"}},
        {"graph", {"exact", "canonical", "different"}},
        {"resave", {"equal", "different"}},
        {"exported", {"equal", "different", "refused"}},
    };
    return names;
}
} // namespace

Report::Report(Options given) : options(std::move(given)) {
    if (!options.differences_file.empty()) differences = Differences(options.differences_file);
}

void Report::check_list() {
    for (const std::string& wrong : differences.stale()) {
        ++stale_entries;
        std::cout << "FAIL " << wrong << std::endl;
    }
}

int Report::print_totals() const {
    bool good = stale_entries == 0;
    for (const char* kind : kind_names) {
        const auto it = kinds.find(kind);
        const Counts c = it == kinds.end() ? Counts() : it->second;
        std::cout << std::string(kind) + std::string(10 - std::string(kind).size(), ' ') << c.passed << " / "
                  << c.cases;
        if (c.unsupported) std::cout << "    " << c.unsupported << " unsupported";
        if (c.as_listed) std::cout << "    " << c.as_listed << " differ as listed";
        std::cout << "\n";
        good = good && c.failed == 0;
    }
    const char* gap = "";
    for (const auto& [what, outcomes] : tally_names()) {
        std::cout << gap << what;
        for (const char* outcome : outcomes) {
            const auto it = tallies.find(what);
            const auto found = it == tallies.end() ? 0 : it->second.count(outcome) ? it->second.at(outcome) : 0;
            std::cout << " " << outcome << " " << found;
        }
        gap = "    ";
    }
    std::cout << "\n";
    return good ? 0 : 1;
}
void Report::write_json() const {
    boost::json::object root;
    for (const char* kind : kind_names) {
        const auto it = kinds.find(kind);
        const Counts c = it == kinds.end() ? Counts() : it->second;
        root[kind] = boost::json::object{{"cases", c.cases},
                                         {"passed", c.passed},
                                         {"failed", c.failed},
                                         {"unsupported", c.unsupported},
                                         {"as_listed", c.as_listed}};
    }
    if (!options.differences_file.empty())
        root["differences"] = boost::json::object{{"passed", 0}, {"failed", stale_entries}, {"unsupported", 0}};
    for (const auto& [what, outcomes] : tally_names()) {
        boost::json::object table;
        for (const char* outcome : outcomes) {
            const auto it = tallies.find(what);
            table[outcome] = it != tallies.end() && it->second.count(outcome) ? it->second.at(outcome) : 0;
        }
        root[what] = std::move(table);
    }
    std::ofstream(options.json_file) << boost::json::serialize(root) << "\n";
}

Case::Case(Report& report, std::string kind, std::string name)
    : report_(report), kind_(std::move(kind)), name_(std::move(name)) {
    if (report_.options.verbose) std::cout << kind_ << "/" << name_ << std::endl;
}
Case::~Case() {
    Counts& c = report_.kinds[kind_];
    ++c.cases;
    ++(failures_ ? c.failed : unsupported_ ? c.unsupported : c.passed);
    c.as_listed += as_listed_ && !failures_;
}
void Case::check_listed(const std::string& source, bool differs, const std::string& where, const std::string& detail) {
    const bool listed = report_.differences.lists(kind_, source, differs);
    if (differs && listed) as_listed_ = true;
    else if (differs) fail(where, detail);
}
void Case::fail(const std::string& where, const std::string& detail) {
    ++failures_;
    std::string line = detail;
    if (!report_.options.verbose) {
        for (char& c : line)
            if (c == '\n') c = ' ';
        if (line.size() > 300) line = line.substr(0, 300) + " ...";
    }
    std::cout << "FAIL " << kind_ << "/" << name_ << " " << where << ": " << line << std::endl;
}
void Case::check_text(const std::string& got, const std::string& expected, const std::string& where) {
    if (got == expected) return;
    std::istringstream ours(got), theirs(expected);
    std::string a, b;
    int line = 0;
    for (bool more = true; more;) {
        const bool left = bool(std::getline(ours, a)), right = bool(std::getline(theirs, b));
        ++line;
        more = left && right && a == b;
        if (!left) a = "(end)";
        if (!right) b = "(end)";
    }
    fail(where, "line " + std::to_string(line) + " is `" + a + "`, expected `" + b + "`" +
                    (report_.options.verbose ? "\n" + got + "--- expected\n" + expected : ""));
}

} // namespace replay::script
