// op-table [OP...]: every op of the registry as a table in Markdown: schemas, gradient, forward mode, dtypes, devices.
// op-table --refused: what the CPU takes and a CUDA device does not, an op a line; there must be a device.
// op-table --kernels: every kernel, by the header that declares it, and the devices that have it.
//
// What the schemas do not say is found out by calling the samples of test/properties. Each op is looked at in a process
// of its own, so that one that crashes is a cell that says so.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <reel/autograd/detail/all_kernels.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/cuda/device.hpp>

#include "probe.hpp"
#include "properties/sample.hpp"

namespace {

using op_table::Row;

/// The op that `name` or an alias of it names.
const std::string& canonical(const std::string& name) { return reel::ops::registry().at(name).schemas.front().name; }
/// `|` would end a cell.
std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
    return text;
}
std::string line_of(const std::string& op, const Row& row, const std::string& also, const std::string& end) {
    std::string line = "| ";
    for (std::size_t i = 0; i < row.schemas.size(); ++i) line += (i ? "<br>`" : "`") + cell(row.schemas[i]) + "`";
    if (row.schemas.empty()) line += op;
    line += also;
    if (!row.sampled) return line + " | no sample | | | |\n";
    return line + " | " + row.declared + (row.node.empty() ? "" : ": `" + row.node + "`") + " | " +
           (row.forward ? "yes" : "") + " | " + row.dtypes + " | " + row.devices + end + " |\n";
}

/// What the device does not take of `op`; empty: nothing.
std::string refusal_of(const std::string& op, const Row& row, const std::string& end) {
    if (!end.empty()) return op + ":" + end + "\n";
    if (row.refused_on_cuda) return op + ": all\n";
    return row.not_on_cuda.empty() ? "\n" : op + ": " + row.not_on_cuda + "\n";
}

/// What `write(row, end)` makes of `op`, in a child: whatever it last wrote, and what became of it.
template <class Write> std::string row_of(const std::string& op, const Write& write) {
    int ends[2];
    if (::pipe(ends) != 0) return "| " + op + " | no pipe | | | |\n";
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        ::alarm(60);
        const auto tell = [&](const Row& row, const char* end) {
            const std::string text = write(row, end);
            [[maybe_unused]] const ssize_t n = ::write(ends[1], text.data(), text.size());
        };
        tell(op_table::probe(op, [&](const Row& row) { tell(row, " (crashes)"); }), "");
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string all;
    char block[4096];
    for (ssize_t n; (n = ::read(ends[0], block, sizeof block)) > 0;) all.append(block, std::size_t(n));
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    if (all.empty()) return "| " + op + " | crashes | | | |\n";
    const std::size_t last = all.rfind('\n', all.size() - 2);
    return last == std::string::npos ? all : all.substr(last + 1);
}

void print_kernels() {
    std::printf(
        "# Kernels\n\nThe name is what errors call the op where it does not say its own. Pointwise rules have loops "
        "of their own.\n\n| Header | Op | Devices |\n| --- | --- | --- |\n");
    reel::detail::for_each_kernel([]<auto & kernel>(const char* stem) {
        std::string devices;
        for (int d = 0; d < reel::device_types; ++d)
            if (kernel.has(reel::DeviceType(d)))
                devices += (devices.empty() ? "" : ", ") + std::string(reel::device_type_name(reel::DeviceType(d)));
        std::printf("| %s | %s | %s |\n", stem, kernel.name(), devices.c_str());
    });
}

} // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "--kernels") {
        print_kernels();
        return 0;
    }
    const bool refused = argc >= 2 && std::string_view(argv[1]) == "--refused";
    if (refused && !reel::cuda::is_available()) {
        std::fprintf(stderr, "op-table --refused: %s\n", reel::cuda::versions().c_str());
        return 2;
    }
    reel::set_num_threads(1); // children of a process with a team of threads would wait for it
    properties::samples();    // read once, not by every child
    std::vector<std::string> names(argv + (refused ? 2 : 1), argv + argc);
    const bool asked = !names.empty();
    if (!asked) names = reel::ops::registry().names();
    for (std::string& name : names) {
        if (!reel::ops::registry().find(name)) {
            std::fprintf(stderr, "op-table: there is no op '%s'\nusage: op-table [--refused] [OP...] | --kernels\n",
                         name.c_str());
            return 2;
        }
        if (asked) name = canonical(name);
    }
    // an alias stands in the row of the op that it names
    std::map<std::string, std::string> aliases;
    for (const std::string& name : reel::ops::registry().names())
        if (const std::string& op = canonical(name); op != name) aliases[op] += "<br>also `" + name + "`";
    std::erase_if(names, [](const std::string& name) { return canonical(name) != name; });
    if (refused) {
        for (const std::string& op : names) {
            const std::string line =
                row_of(op, [&](const Row& row, const char* end) { return refusal_of(op, row, end); });
            if (line != "\n") std::fputs(line.c_str(), stdout);
        }
        return 0;
    }
    std::printf(
        "# Ops\n\n%zu ops, as `op-table` prints them. *Gradient*: a rule of its own, that of the ops that it "
        "calls\n(composite), or none; then the node that the result has. "
        "*Forward*: forward mode\ngoes through. *dtypes*: of the operands that hold values. *Devices*: where "
        "the call works on this machine,\nand in brackets dtypes that are the CPU's alone; `meta` computes shapes and "
        "dtypes alone.\n\n"
        "| op | gradient | forward | dtypes | devices |\n|---|---|---|---|---|\n",
        names.size());
    for (const std::string& op : names)
        std::fputs(
            row_of(op, [&](const Row& row, const char* end) { return line_of(op, row, aliases[op], end); }).c_str(),
            stdout);
}
