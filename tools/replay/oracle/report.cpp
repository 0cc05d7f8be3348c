// Totals and JSON of a run.
#include "oracle/report.hpp"

#include <fstream>
#include <functional>
#include <iostream>

namespace replay {

void Report::failure(const std::string& file, std::size_t index, const std::string& what) const {
    std::string line = what;
    for (char& c : line)
        if (c == '\n') c = ' ';
    if (!options.verbose && line.size() > 300) line = line.substr(0, 300) + " ...";
    std::cout << "FAIL " << file << " case " << index << ": " << line << "\n";
}

void Report::stale_entry(const std::string& what) {
    ++stale_entries;
    std::cout << "FAIL " << what << "\n";
}

Counts Report::sum(const std::string& kind) const {
    Counts all;
    if (const auto it = kinds.find(kind); it != kinds.end())
        for (const auto& [name, c] : it->second) all += c;
    return all;
}

/// Most wanted first.
void Report::print_missing() const {
    std::multimap<int, std::string, std::greater<>> by_count;
    if (options.verbose)
        for (const auto& [what, cases] : missing) by_count.emplace(cases, what);
    for (const auto& [cases, what] : by_count) std::cout << "missing " << cases << "  " << what << "\n";
}

int Report::print_totals() const {
    int whole = 0, files = 0;
    if (const auto it = kinds.find("ops"); it != kinds.end())
        for (const auto& [name, c] : it->second) {
            ++files;
            whole += c.cases > 0 && c.passed == c.cases;
        }
    const auto part = [](const char* name, const Tally& t) {
        return std::string(name) + " " + std::to_string(t.passed) + "/" + std::to_string(t.total);
    };
    const auto kind = [&](const char* title, const char* name) {
        const Counts c = sum(name);
        return std::string(title) + " " + std::to_string(c.passed) + "/" + std::to_string(c.cases);
    };
    std::cout << "ops       " << whole << " / " << files << "    " << part("forward", forward) << "  "
              << part("inplace", inplace) << "  " << part("backward", backward) << "  "
              << part("double-backward", double_backward) << "  " << part("jvp", jvp) << "  "
              << part("refused", refused) << "  unsupported " << unsupported_op_cases << "  " << sum("ops").as_listed
              << " differ as listed\n";
    if (entries_for_other_inputs > 0)
        std::cout << "          " << entries_for_other_inputs
                  << " listed differences are for other inputs than these\n";
    if (drawn_elsewhere > 0)
        std::cout << "          of " << drawn_elsewhere
                  << " cases only the places were compared: this device draws other numbers\n";
    print_missing();
    std::cout << kind("modules   ", "modules") << "    " << part("repr", repr) << "    "
              << kind("optimizers", "optimizers") << "    " << kind("schedulers", "schedulers") << "    "
              << kind("random", "random") << "    " << kind("training", "training") << "\n";
    std::cout << kind("multistep", "multistep") << "    " << kind("norms", "norms") << "\n";
    if (options.ranks > 0) {
        for (const char* name : kinds_of_ranks)
            std::cout << (name == kinds_of_ranks[0] ? "" : "  ") << kind(name, name);
        std::cout << "    " << sum("collectives").as_listed + sum("faults").as_listed << " differ as listed\n";
    }
    for (const auto& [name, files_of_kind] : kinds)
        for (const auto& [key, c] : files_of_kind)
            if (c.failed) return 1;
    return repr.passed == repr.total && stale_entries == 0 ? 0 : 1;
}

void Report::write_json() const {
    json::object root;
    std::vector<const char*> names{"ops",    "modules",  "optimizers", "schedulers",
                                   "random", "training", "multistep",  "norms"};
    if (options.ranks > 0) names.insert(names.end(), std::begin(kinds_of_ranks), std::end(kinds_of_ranks));
    for (const char* kind : names) {
        json::object table;
        if (const auto it = kinds.find(kind); it != kinds.end())
            for (const auto& [name, c] : it->second)
                table[name] = json::object{{"cases", c.cases},
                                           {"passed", c.passed},
                                           {"failed", c.failed},
                                           {"unsupported", c.unsupported},
                                           {"as_listed", c.as_listed}};
        root[kind] = std::move(table);
    }
    root["missing"] = json::value_from(missing);
    std::ofstream(options.json_file) << json::serialize(root) << "\n";
}

} // namespace replay
