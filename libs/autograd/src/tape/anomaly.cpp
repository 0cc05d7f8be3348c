// Call stacks of forward ops: taken by Boost.Stacktrace, resolved to functions and lines only when an error is printed.
#include "tape/anomaly.hpp"

#include <dlfcn.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/core/demangle.hpp>
#include <boost/stacktrace.hpp>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <mutex>
#include <new>
#include <sstream>
#include <string_view>
#include <unordered_map>

#include <reel/autograd/error.hpp>

#include "tape/node_extras.hpp"
#include "tape/rule_node.hpp"

extern char** environ;

namespace reel::autograd {

namespace {

struct Place {
    std::string file;     ///< the program or library that holds the code
    std::string function; ///< demangled, empty when unknown
    std::string line;     ///< `source.cpp:12`, empty without debug information
    std::string offset;   ///< within `file`, as addr2line takes it
};

std::string hexadecimal(std::uintptr_t n) {
    std::ostringstream s;
    s << "0x" << std::hex << n;
    return s.str();
}

Place place_of(const void* address) {
    // A return address: the call itself ends one byte before.
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(address) - 1;
    Place p;
    Dl_info info;
    if (!dladdr(reinterpret_cast<const void*>(at), &info) || !info.dli_fname) return p;
    p.file = info.dli_fname;
    if (p.file.empty() || p.file[0] != '/') {
        char path[4096];
        const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
        if (n > 0) p.file.assign(path, std::size_t(n));
    }
    const bool relocated = static_cast<const ElfW(Ehdr)*>(info.dli_fbase)->e_type == ET_DYN;
    p.offset = hexadecimal(relocated ? at - reinterpret_cast<std::uintptr_t>(info.dli_fbase) : at);
    if (info.dli_sname) p.function = boost::core::demangle(info.dli_sname);
    return p;
}

/// What a program prints; empty when it cannot be started.
std::string output_of(const std::vector<std::string>& command) {
    int ends[2];
    if (pipe(ends) != 0) return {};
    std::vector<char*> argv;
    for (const std::string& a : command) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, STDERR_FILENO);
    pid_t child = 0;
    const bool started = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t n = 0; started && (n = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, std::size_t(n));
    close(ends[0]);
    int status = 0;
    if (started) waitpid(child, &status, 0);
    return text;
}

/// The name without result type, which templates carry: `decltype(...) reel::nn::call<...>(...)`.
std::string_view qualified_name(std::string_view function) {
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i < function.size(); ++i) {
        const char c = function[i];
        // The first parenthesis right behind a name opens its arguments.
        if (c == '(' && depth == 0 && i > 0 && function[i - 1] != ' ' && function[i - 1] != ':') break;
        if (c == '(' || c == '<' || c == '{') ++depth;
        else if (c == ')' || c == '>' || c == '}') --depth;
        else if (c == ' ' && depth == 0) start = i + 1;
    }
    return function.substr(start);
}
bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
    return std::any_of(starts.begin(), starts.end(), [&](std::string_view s) { return text.starts_with(s); });
}
std::string_view file_name(const Place& p) { return std::string_view(p.file).substr(p.file.rfind('/') + 1); }
bool in_reel_library(const Place& p) { return file_name(p).starts_with("libreel"); }
/// Not the user's: Reel's own code and headers, the standard library, what calls `main` and starts threads.
bool belongs_to_reel(const Place& p) {
    return in_reel_library(p) || starts_with_any(file_name(p), {"libc.", "libc-", "libstdc++", "libpthread", "ld-"}) ||
           starts_with_any(qualified_name(p.function), {"reel::", "std::", "__gnu_cxx::", "__gthread"}) ||
           p.function == "_start" || p.line.find("include/reel/") != std::string::npos ||
           p.line.find("/include/c++/") != std::string::npos;
}

/// Fills functions and lines from symbol tables and debug information: one addr2line per file. Where the compiler has
/// put functions into one another, the innermost that is the user's counts.
void resolve(std::vector<Place>& places) {
    std::map<std::string, std::vector<Place*>> by_file;
    for (Place& p : places)
        if (!p.file.empty()) by_file[p.file].push_back(&p);
    for (auto& [file, members] : by_file) {
        std::vector<std::string> command{"addr2line", "-C", "-f", "-i", "-a", "-e", file};
        for (const Place* p : members) command.push_back(p->offset);
        std::istringstream lines(output_of(command));
        std::ptrdiff_t member = -1; // an address begins the answer for the next one
        bool found = false;
        for (std::string function, line; std::getline(lines, function);) {
            if (function.starts_with("0x")) {
                ++member;
                found = false;
                continue;
            }
            if (!std::getline(lines, line) || member < 0 || member >= std::ptrdiff_t(members.size())) break;
            if (found) continue;
            Place& p = *members[std::size_t(member)];
            Place here = p;
            if (!function.starts_with("??")) here.function = function;
            here.line = line.starts_with("??") ? std::string() : line.substr(0, line.find(" (discriminator"));
            found = !belongs_to_reel(here);
            if (found || p.line.empty()) p = std::move(here);
        }
    }
}

std::string text_of(const Place& p) {
    std::string r = p.function.empty() ? p.offset : p.function;
    if (!p.line.empty()) r += " at " + p.line;
    else if (!p.file.empty()) r += " in " + p.file;
    return r;
}

} // namespace

std::vector<const void*> current_frames(std::size_t skip) {
    std::vector<const void*> r;
    for (const auto& frame : boost::stacktrace::stacktrace(skip, 48)) r.push_back(frame.address());
    return r;
}

namespace {
/// Frames in words. Views of a tape ask for the same few thousands of times.
class KnownFrames {
public:
    struct Known {
        std::string text;
        bool reels = false;
    };
    std::vector<const Known*> of(const std::vector<const void*>& frames) {
        const std::lock_guard lock(mutex_);
        std::vector<const void*> fresh;
        std::vector<Place> places;
        for (const void* f : frames)
            if (known_.emplace(f, Known()).second) {
                fresh.push_back(f);
                places.push_back(place_of(f));
            }
        if (!fresh.empty()) resolve(places);
        for (std::size_t i = 0; i < fresh.size(); ++i)
            known_[fresh[i]] = {text_of(places[i]), belongs_to_reel(places[i])};
        std::vector<const Known*> r;
        for (const void* f : frames) r.push_back(&known_.at(f));
        return r;
    }

private:
    std::mutex mutex_;
    std::unordered_map<const void*, Known> known_; // its values stay where they are
};
} // namespace

std::string trace_text(const std::vector<const void*>& frames) {
    static auto* known = new KnownFrames; // outlives what asks while the program ends
    const auto places = known->of(frames);
    std::string r;
    std::size_t users = 0;
    for (const auto* p : places)
        if (!p->reels) r += str(users++ == 0 ? "  called by " : "  from ", p->text, '\n');
    if (users > 0) return r;
    for (std::size_t i = 0; i < places.size(); ++i) r += str("  #", i, ' ', places[i]->text, '\n');
    return r;
}

namespace {
/// What frames say, empty for Reel's own. Looking into debug information takes another program and milliseconds, and
/// reports ask for the same few places thousands of times.
class UserFrames {
public:
    /// The first of `frames` that is not Reel's.
    std::string first(const std::vector<const void*>& frames) {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < frames.size(); ++i) {
            if (!known_.count(frames[i])) look_up(frames, i);
            if (const std::string& text = known_.at(frames[i]); !text.empty()) return text;
        }
        return {};
    }

private:
    /// Frame `i`, and in the same go what follows it in the same file.
    void look_up(const std::vector<const void*>& frames, std::size_t i) {
        std::vector<const void*> addresses;
        std::vector<Place> places;
        for (; i < frames.size(); ++i) {
            Place p = place_of(frames[i]);
            if (!places.empty() && p.file != places[0].file) break;
            addresses.push_back(frames[i]);
            places.push_back(std::move(p));
        }
        if (!in_reel_library(places[0])) resolve(places);
        for (std::size_t k = 0; k < places.size(); ++k)
            known_[addresses[k]] = belongs_to_reel(places[k]) ? std::string() : text_of(places[k]);
    }
    std::mutex mutex_;
    std::unordered_map<const void*, std::string> known_;
};
} // namespace

std::string user_place(const std::vector<const void*>& frames) {
    static auto* known = new UserFrames; // outlives what asks while the program ends
    return known->first(frames);
}

void explain_failure(const Node& node, const std::function<void(const std::string&)>& line) {
    /// Of a node that was made in anomaly mode.
    const auto notes_of = [](const Node& n) {
        const NodeNotes* const notes = n.extras() ? n.extras()->notes.get() : nullptr;
        return notes && !notes->frames.empty() ? notes : nullptr;
    };
    const NodeNotes* notes = notes_of(node);
    if (!notes) return;
    line(node.name() + ": the forward operation was\n" + node.creation_trace());
    for (const Node* n = notes->parent.get(); n && (notes = notes_of(*n)); n = notes->parent.get())
        line("it was made while evaluating " + n->name() + ", whose forward operation was\n" + n->creation_trace());
}

GradList apply_explained(Node& node, GradList&& grads, bool nothing) {
    const auto explained = [&](Error& error) {
        explain_failure(node, [&](const std::string& line) { error.add_context(line); });
    };
    try {
        if (!nothing) return node.apply(std::move(grads));
        look_at_saved(node);
        return {};
    } catch (Error& error) {
        explained(error);
        throw;
    } catch (const std::bad_alloc&) {
        OutOfMemoryError error(node.name() + ": there is no memory for the gradients");
        explained(error);
        throw error;
    } catch (const std::exception& error) {
        explain_failure(
            node, [&](const std::string& line) { REEL_WARN("backward failed with \"", error.what(), "\". ", line); });
        throw;
    }
}

} // namespace reel::autograd
