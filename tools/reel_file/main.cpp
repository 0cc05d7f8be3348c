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

namespace {
constexpr const char* usage =
    "usage: reel-file [--json] [--check] FILE...\n"
    "Shows what is in .pt (ZIP and legacy), .safetensors, .npy and .npz files.\n"
    "  --json   one line per file: {\"file\": NAME, \"format\": F, \"value\": V} or {..., \"refused\": MESSAGE}\n"
    "  --check  reads everything and compares all checksums instead; with --json, \"checked\" in place of \"value\"\n"
    "Exit status: 0, or 2 when a file was refused.\n";

/// Messages quote what files say; a terminal must not obey it.
std::string one_line(std::string s) {
    for (char& c : s)
        if (static_cast<unsigned char>(c) < 32 || c == 127) c = ' ';
    return s;
}
} // namespace

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    bool json = false, check = false, refused = false, options = true;
    std::vector<std::string> files;
    for (int i = 1; i < argc; ++i) {
        const std::string a = argv[i];
        if (options && a == "--") options = false;
        else if (options && a == "--json") json = true;
        else if (options && a == "--check") check = true;
        else if (options && (a == "--help" || a == "-h")) return std::cout << usage, 0;
        else if (options && a.size() > 1 && a[0] == '-')
            return std::cerr << "reel-file: unknown option " << a << '\n' << usage, 1;
        else files.push_back(a);
    }
    if (files.empty()) return std::cerr << usage, 1;
    for (const std::string& file : files) {
        std::string format = "other", message;
        std::ostringstream value;
        try {
            format = reel_file::format_of(file);
            if (check) {
                const std::string words = reel_file::check(file, format);
                if (json) value << reel_file::json_string(words);
                else value << file << ": " << format << ": " << words << '\n';
            } else if (json) reel_file::write_json(value, file, format);
            else reel_file::write_table(value, file, format);
        } catch (const reel::Error& e) {
            message = e.msg();
        } catch (const std::bad_alloc&) {
            message = file + ": not enough memory";
        } catch (const std::exception& e) {
            message = file + ": " + e.what();
        }
        if (!message.empty()) {
            refused = true;
            format = reel_file::format_of(format, message);
        }
        if (json) {
            std::cout << "{\"file\": " << reel_file::json_string(file)
                      << ", \"format\": " << reel_file::json_string(format);
            if (message.empty()) std::cout << (check ? ", \"checked\": " : ", \"value\": ") << value.str();
            else std::cout << ", \"refused\": " << reel_file::json_string(message);
            std::cout << "}\n";
        } else if (message.empty()) std::cout << value.str();
        else std::cerr << "reel-file: " << one_line(message) << '\n';
        std::cout.flush();
    }
    return refused ? 2 : 0;
}
