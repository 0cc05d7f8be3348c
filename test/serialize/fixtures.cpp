// Every file that the manifests list is read right, hash for hash, or refused for the right reason, in bounded memory.
#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include <boost/json.hpp>

#include <reel/autograd/memory.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/serialize/save_load.hpp>

namespace {
using namespace reel;
namespace fs = std::filesystem;
namespace json = boost::json;

fs::path program() { return fs::read_symlink("/proc/self/exe").parent_path() / "reel-file"; }
fs::path checkout() {
    fs::path p = program().parent_path();
    while (p.has_relative_path() && !fs::exists(p / "Jamroot")) p = p.parent_path();
    return p;
}
json::value parse(const std::string& text) {
    json::parse_options options;
    options.max_depth = 4000;
    return json::parse(text, {}, options);
}

struct Run {
    int status = 0; ///< exit status, or minus the signal
    std::string out;
    double megabytes = 0;
};
Run run(const fs::path& file, const char* option = nullptr) {
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    empty_cache();
    ::malloc_trim(0); // a child's peak counts what it inherits before exec: give back what other tests left
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], 1);
        ::close(ends[0]);
        const rlimit seconds{20, 20};
        ::setrlimit(RLIMIT_CPU, &seconds);
        ::execl(program().c_str(), "reel-file", "--json", file.c_str(), option, static_cast<char*>(nullptr));
        ::_exit(127);
    }
    ::close(ends[1]);
    Run r;
    char block[65536];
    for (ssize_t n; (n = ::read(ends[0], block, sizeof block)) > 0;) r.out.append(block, std::size_t(n));
    ::close(ends[0]);
    int status = 0;
    rusage usage{};
    BOOST_REQUIRE(::wait4(child, &status, 0, &usage) == child);
    r.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    r.megabytes = double(usage.ru_maxrss) / 1024;
    return r;
}

std::string lower(std::string s) {
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return s;
}
bool same(const json::value& e, const json::value& g);
bool same_set(const json::array& e, const json::array& g) {
    return e.size() == g.size() && std::all_of(e.begin(), e.end(), [&](const json::value& x) {
               return std::any_of(g.begin(), g.end(), [&](const json::value& y) { return same(x, y); });
           });
}
/// `nested` and `doubled` are shorthands; such files may be refused, so this test only takes the long form of small
/// ones.
bool same_object(json::object e, json::object g) {
    if (e.size() == 1 && e.contains("set") && g.size() == 1 && g.contains("set"))
        return same_set(e["set"].as_array(), g["set"].as_array());
    // attributes and the class Buffer may be dropped
    if (e.contains("sha256") && g.contains("sha256")) {
        if (!g.contains("attributes")) e.erase("attributes");
        if (const json::value* c = e.if_contains("class"); c && *c == "Buffer") e.erase("class"), g.erase("class");
    }
    if (e.size() != g.size()) return false;
    return std::all_of(e.begin(), e.end(), [&](const auto& item) {
        const json::value* other = g.if_contains(item.key());
        return other && same(item.value(), *other);
    });
}
bool same(const json::value& e, const json::value& g) {
    if (e.is_object() && g.is_object()) return same_object(e.get_object(), g.get_object());
    if (e.is_array() && g.is_array()) {
        const json::array &a = e.get_array(), &b = g.get_array();
        return a.size() == b.size() &&
               std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) { return same(x, y); });
    }
    if (e.is_double() && g.is_double())
        return e.get_double() == g.get_double() && std::signbit(e.get_double()) == std::signbit(g.get_double());
    if (e.is_double() != g.is_double()) return false; // a float has a point, an int has none
    return e == g;
}
/// Empty when the program did right by the entry.
std::string verdict(const fs::path& folder, const json::object& entry) {
    const std::string file(entry.at("file").as_string());
    const Run r = run(folder / file);
    if (r.status != 0 && r.status != 2) return "ended with " + std::to_string(r.status);
#ifndef REEL_SANITIZE
    if (const json::value* limit = entry.if_contains("memory_limit_mb");
        limit && r.megabytes > limit->to_number<double>())
        return "took " + std::to_string(r.megabytes) + " MB";
#endif
    const json::object answer = parse(r.out).as_object();
    const json::value* refused = answer.if_contains("refused");
    if (bool(refused) != (r.status == 2)) return "exit status and answer disagree";
    if (answer.at("format").as_string() != entry.at("format").as_string())
        return "is called " + std::string(answer.at("format").as_string());
    if (!refused) {
        // what reads and must not run is refused by the limits of a run: test/script/mutations.cpp, function_calls.cpp
        const json::value* when = entry.if_contains("refuse_at");
        if (when && when->as_string() == "run") return {};
        const json::value* expect = entry.if_contains("expect");
        if (!expect) return "accepted, though: " + std::string(entry.at("refuse").as_string());
        return same(*expect, answer.at("value")) ? "" : "another value: " + r.out.substr(0, 2000);
    }
    const std::string message(refused->as_string());
    if (!entry.contains("refuse")) return "refused: " + message;
    if (const json::value* names = entry.if_contains("names"))
        for (const json::value& name : names->as_array()) {
            bool found = false;
            std::istringstream choices{std::string(name.as_string())};
            for (std::string choice; std::getline(choices, choice, '|');)
                found |= lower(message).find(lower(choice)) != std::string::npos;
            if (!found) return "the message does not mention " + std::string(name.as_string()) + ": " + message;
        }
    if (const json::value* at = entry.if_contains("at"))
        for (const json::value& key : at->as_array())
            if (key.is_string() && message.find("['" + std::string(key.as_string()) + "']") == std::string::npos)
                return "the message does not say where: " + message;
    return {};
}
void check_manifest(const fs::path& folder) {
    std::ifstream in(folder / "manifest.json");
    BOOST_REQUIRE(in);
    const json::value manifest = parse({std::istreambuf_iterator<char>(in), {}});
    for (const json::value& entry : manifest.at("files").as_array()) {
        const std::string wrong = verdict(folder, entry.as_object());
        BOOST_TEST(wrong.empty(), std::string(entry.at("file").as_string()) << ": " << wrong);
    }
}
} // namespace

BOOST_AUTO_TEST_SUITE(fixtures)

// PT-3 to PT-5, PT-8, PT-13 and PT-14: the other byte order, scripts, ZIP64, deflated members, files from before 1.6;
// PK-6, PK-8; SR-2, SR-6, SR-7, SR-12, SR-13 among those to refuse
BOOST_AUTO_TEST_CASE(the_small_set_in_the_repository) { check_manifest(checkout() / "test/fixtures/pytorch-2.15"); }
BOOST_AUTO_TEST_CASE(the_whole_set_beside_the_checkout) {
    const fs::path folder = checkout() / "../shared/fixtures/pytorch-2.15";
    if (fs::exists(folder)) check_manifest(folder);
    else std::cout << "skipped: the whole set of fixtures is not beside the checkout\n";
}
BOOST_AUTO_TEST_CASE(files_of_older_releases_are_read_or_refused) {
    const fs::path folder = checkout() / "../shared/fixtures/pytorch";
    if (!fs::exists(folder)) return;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const Run r = run(entry.path());
        const bool tar = entry.path().extension() == ".tar";
        BOOST_TEST(r.status == (tar ? 2 : 0), entry.path() << ": " << r.out.substr(0, 400));
        if (tar) BOOST_TEST(r.out.find("tar-based format") != std::string::npos, r.out);
    }
}

BOOST_AUTO_TEST_CASE(a_check_reads_what_a_listing_does_not) {
    ValueDict d;
    d.set("w", ones({100}));
    const fs::path file = fs::temp_directory_path() / ("reel_check_" + std::to_string(::getpid()) + ".pt");
    save(Value(d), file.string());
    Run r = run(file, "--check");
    BOOST_TEST(r.status == 0);
    BOOST_TEST(r.out.find("all checksums match") != std::string::npos, r.out);
    // a byte of a member that no value refers to
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(bytes)), {});
    bytes.seekp(std::streamoff(all.rfind("PK\x07\x08") - 1));
    bytes.put('x');
    bytes.close();
    BOOST_TEST(run(file).status == 0);
    r = run(file, "--check");
    BOOST_TEST(r.status == 2);
    BOOST_TEST(r.out.find("serialization_id") != std::string::npos, r.out);
    fs::remove(file);
}
BOOST_AUTO_TEST_CASE(a_small_file_takes_little_time_however_often_it_refers_to_its_memory) {
    const fs::path file = fs::temp_directory_path() / ("reel_views_" + std::to_string(::getpid()) + ".pt");
    // each view is 64 MB written out; the first are, and `run` gives the program 20 seconds
    const Tensor one = zeros({1}, kComplexDouble), large = zeros({2'000'000});
    std::vector<Value> views;
    for (int i = 0; i < 300; ++i) views.emplace_back(one.expand({4'000'000}));
    save(Value::list(views), file.string());
    Run r = run(file);
    BOOST_TEST(r.status == 0);
    BOOST_TEST(r.out.find("\"first\": [{\"complex\": [0.0, 0.0]}") != std::string::npos);
    BOOST_TEST(r.out.find("\"sha256\": null") != std::string::npos);
    // one tensor in many places is looked at once
    save(Value::list(std::vector<Value>(5'000, Value(large))), file.string());
    r = run(file);
    BOOST_TEST(r.status == 0);
    BOOST_TEST(r.out.find("null") == std::string::npos);
    fs::remove(file);
}
BOOST_AUTO_TEST_CASE(answers_are_UTF8_whatever_the_file_says) {
    const Run r = run(fs::temp_directory_path() / "reel_no_such_\xff.pt");
    BOOST_TEST(r.status == 2);
    BOOST_TEST(parse(r.out).as_object().contains("refused"));
}

BOOST_AUTO_TEST_SUITE_END()
