// What fuzzing starts from, read once: every script, archive and program is accepted or refused, and nothing else
// happens.
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops/factory/factories.hpp>
#include <reel/script/compile.hpp>
#include <reel/script/exported_program.hpp>
#include <reel/script/load_save.hpp>

using namespace reel;

namespace {
namespace fs = std::filesystem;
fs::path corpus() {
    fs::path p = fs::read_symlink("/proc/self/exe").parent_path();
    while (p.has_relative_path() && !fs::exists(p / "Jamroot")) p = p.parent_path();
    return p / "test/fuzz/corpus";
}
/// Does it come to its end? Anything but a `reel::Error` ends the test.
template <class F> bool accepted(const F& f) {
    try {
        f();
        return true;
    } catch (const Error&) {
        return false;
    }
}
/// How many files of a folder `read` accepts, and how many it refuses; runs are bounded.
std::pair<int, int> accepted_and_refused(const char* folder, const std::function<void(const std::string&)>& read) {
    jit::RunLimits limits;
    limits.steps = 20'000;
    limits.live_bytes = 16 << 20;
    limits.call_depth = 100;
    const jit::Function::LimitScope scope(limits);
    std::pair<int, int> count;
    for (const auto& entry : fs::directory_iterator(corpus() / folder)) {
        std::ifstream in(entry.path(), std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(in)), {});
        ++(accepted([&] { read(bytes); }) ? count.first : count.second);
    }
    return count;
}
} // namespace

BOOST_AUTO_TEST_SUITE(corpus_of_the_fuzzers)

BOOST_AUTO_TEST_CASE(sources) {
    const auto [good, bad] = accepted_and_refused("source", [](const std::string& text) {
        const auto unit = std::make_shared<jit::CompilationUnit>();
        jit::compile_functions(*unit, text);
        for (jit::Function* const f : unit->functions()) {
            f->graph()->verify();
            accepted([&] { (*f)({}); });
        }
    });
    BOOST_TEST(good + bad > 40);
    BOOST_TEST(good > 3);
}
BOOST_AUTO_TEST_CASE(archives) {
    const auto [good, bad] = accepted_and_refused("archive", [](const std::string& bytes) {
        const jit::Module m = jit::load_from_buffer(bytes);
        accepted([&] { m.forward({}); });
        accepted([&] { m.forward({IValue(reel::ones({2, 4}))}); });
        std::string written;
        if (accepted([&] { written = m.save_to_buffer(); })) jit::load_from_buffer(written);
    });
    BOOST_TEST(good > 20);
    BOOST_TEST(bad > 10);
}
BOOST_AUTO_TEST_CASE(programs) {
    const auto [good, bad] = accepted_and_refused("exported", [](const std::string& bytes) {
        const jit::ExportedProgram p = jit::load_exported_from_buffer(bytes);
        const std::string text = p->str();
        accepted([&] { p({IValue(reel::ones({2, 3}))}); });
        std::string written;
        if (!accepted([&] { written = jit::save_exported_to_buffer(p); })) return; // it ran and changed its state
        BOOST_TEST(jit::load_exported_from_buffer(written)->str() == text);
    });
    BOOST_TEST(good > 2);
    BOOST_TEST(bad > 10);
}

BOOST_AUTO_TEST_SUITE_END()
