// reel-file: shows what is in files of weights, `ls` for state dicts.
#include <exception>
#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include <reel/autograd/error.hpp>

#include "elements.hpp"
#include "listing.hpp"
#include "run.hpp"

namespace {
constexpr const char* usage =
    "usage: reel-file [--json] [--check] FILE...\n"
    "       reel-file --run FILE [--method NAME] [--input [NAME=]X]... [--output Y.npy]\n"
    "Shows what is in .pt (ZIP and legacy), .safetensors, .npy and .npz files, and in programs: archives of\n"
    "torch.jit.save and torch.export.save.\n"
    "  --json   one line per file: {\"file\": NAME, \"format\": F, \"value\": V} or {..., \"refused\": MESSAGE}\n"
    "  --check  reads everything and compares all checksums instead; with --json, \"checked\" in place of \"value\"\n"
    "  --run    runs the program's forward, or another method, and prints what it gives; inputs are .npy files, .pt "
    "files\n"
    "           of any value, numbers, true, false and none, NAME= makes one a keyword argument; --output writes\n"
    "           the resulting tensors (y_0.npy, y_1.npy)\n"
    "Exit status: 0, or 2 when a file was refused.\n";

/// Messages quote what files say; a terminal must not obey it.
std::string one_line(std::string s) {
    for (char& c : s)
        if (static_cast<unsigned char>(c) < 32 || c == 127) c = ' ';
    return s;
}

/// What the words after the program's name ask for.
struct Request {
    bool json = false, check = false, help = false;
    std::vector<std::string> files;
    reel_file::RunRequest run;
    std::string wrong; ///< why it makes no sense
};
Request read_arguments(int argc, char** argv) {
    Request r;
    bool options = true;
    for (int i = 1; i < argc; ++i) {
        const std::string a = argv[i];
        const auto next = [&]() -> std::string {
            if (i + 1 < argc) return argv[++i];
            r.wrong = a + " wants a value";
            return {};
        };
        if (!options || a.size() < 2 || a[0] != '-') r.files.push_back(a);
        else if (a == "--") options = false;
        else if (a == "--json") r.json = true;
        else if (a == "--check") r.check = true;
        else if (a == "--run") r.run.file = next();
        else if (a == "--method") r.run.method = next();
        else if (a == "--input") r.run.inputs.push_back(next());
        else if (a == "--output") r.run.output = next();
        else if (a == "--help" || a == "-h") r.help = true;
        else r.wrong = "unknown option " + a;
    }
    if (r.wrong.empty() && r.run.file.empty() &&
        !(r.run.inputs.empty() && r.run.method.empty() && r.run.output.empty()))
        r.wrong = "--input, --method and --output go with --run FILE";
    return r;
}
/// Empty, or why `work` was refused.
template <class F> std::string refusal_of(const std::string& file, F work) {
    try {
        work();
        return {};
    } catch (const reel::Error& e) {
        return e.msg();
    } catch (const std::bad_alloc&) {
        return file + ": not enough memory";
    } catch (const std::exception& e) {
        return file + ": " + e.what();
    }
}
int show(const Request& r) {
    bool refused = false;
    for (const std::string& file : r.files) {
        std::string format = "other";
        std::ostringstream value;
        const std::string message = refusal_of(file, [&] {
            format = reel_file::format_of(file);
            if (r.check) {
                const std::string words = reel_file::check(file, format);
                if (r.json) value << reel_file::json_string(words);
                else value << file << ": " << format << ": " << words << '\n';
            } else if (r.json) reel_file::write_json(value, file, format);
            else reel_file::write_table(value, file, format);
        });
        if (!message.empty()) {
            refused = true;
            format = reel_file::format_of(format, message);
        }
        if (r.json) {
            std::cout << "{\"file\": " << reel_file::json_string(file)
                      << ", \"format\": " << reel_file::json_string(format);
            if (message.empty()) std::cout << (r.check ? ", \"checked\": " : ", \"value\": ") << value.str();
            else std::cout << ", \"refused\": " << reel_file::json_string(message);
            std::cout << "}\n";
        } else if (message.empty()) std::cout << value.str();
        else std::cerr << "reel-file: " << one_line(message) << '\n';
        std::cout.flush();
    }
    return refused ? 2 : 0;
}
int run(const Request& r) {
    const std::string message = refusal_of(r.run.file, [&] { reel_file::run_program(std::cout, r.run); });
    if (!message.empty()) std::cerr << "reel-file: " << one_line(message) << '\n';
    return message.empty() ? 0 : 2;
}
} // namespace

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    const Request r = read_arguments(argc, argv);
    if (r.help) return std::cout << usage, 0;
    if (!r.wrong.empty()) return std::cerr << "reel-file: " << r.wrong << '\n' << usage, 1;
    if (r.files.empty() == r.run.file.empty()) return std::cerr << usage, 1; // one or the other
    return r.run.file.empty() ? show(r) : run(r);
}
