// Texts and archives that somebody bent: nothing but an Error comes out of reading, printing and running them. The same
// ones each time; REEL_FUZZ_SECONDS goes on from there for so long with each kind.
#include <chrono>
#include <cstdlib>
#include <functional>
#include <random>

#include <boost/test/unit_test.hpp>

#include <reel/script/compile.hpp>
#include <reel/script/exported_program.hpp>
#include <reel/script/load_save.hpp>

#include "archives.hpp"
#include "zip_reader.hpp"
#include "zip_writer.hpp"

using namespace reel;

namespace {
/// Changes texts at random places, always in the same way.
class Mutator {
public:
    explicit Mutator(std::vector<std::string> words) : words_(std::move(words)) {}
    std::string operator()(std::string s) {
        for (std::size_t n = 1 + below(2); n; --n) change(s);
        return s;
    }
    std::size_t below(std::size_t n) { return n ? std::size_t(random_() % n) : 0; }

private:
    void change(std::string& s) {
        const std::size_t at = below(s.size() + 1), length = below(std::min<std::size_t>(s.size() - at, 24) + 1);
        switch (below(5)) {
        case 0:
            s.erase(at, length);
            break;
        case 1:
            s.insert(below(s.size() + 1), s.substr(at, length));
            break;
        case 2:
            s.insert(at, words_[below(words_.size())]);
            break;
        case 3:
            s.replace(at, length, words_[below(words_.size())]);
            break;
        default:
            if (at < s.size()) s[at] = char(random_());
        }
    }
    std::mt19937_64 random_{20250101};
    std::vector<std::string> words_;
};
/// Calls `one` a few hundred times, or for the seconds that are asked for; counts what was accepted.
std::size_t repeat(const std::function<void()>& one) {
    using Clock = std::chrono::steady_clock;
    const char* seconds = std::getenv("REEL_FUZZ_SECONDS");
    const auto end = Clock::now() + std::chrono::seconds(seconds ? std::atoi(seconds) : 0);
    std::size_t accepted = 0;
    for (int i = 0; i < 400 || Clock::now() < end; ++i) {
        try {
            one();
            ++accepted;
        } catch (const Error&) {
        }
    }
    return accepted;
}
jit::RunLimits small_limits() {
    jit::RunLimits limits;
    limits.steps = 20'000;
    limits.live_bytes = 16 << 20;
    limits.call_depth = 100;
    return limits;
}
/// The archive with one member changed by `change`, its checksum right again.
std::string with_member(const std::string& archive, const std::function<bool(const std::string&)>& chosen,
                        Mutator& mutate) {
    serialize::ZipReader zip(std::make_shared<serialize::MappedFile>("seed", archive));
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < zip.members().size(); ++i)
        if (chosen(zip.members()[i].name)) candidates.push_back(i);
    const std::size_t bent = candidates.at(mutate.below(candidates.size()));
    std::vector<std::string> contents;
    for (const serialize::ZipMember& m : zip.members()) contents.push_back(zip.read(m));
    contents[bent] = mutate(contents[bent]);
    serialize::ZipWriter writer;
    for (std::size_t i = 0; i < contents.size(); ++i) writer.add(zip.members()[i].name, contents[i]);
    std::string out;
    writer.write([&](std::string_view bytes) { out += bytes; });
    return out;
}
bool ends_with(const std::string& name, const char* end) { return name.ends_with(end); }

const char* const sources[] = {
    "def f(x: int = 3) -> List[int]:\n    l = [i * 2 for i in range(x)]\n    while len(l) < 9:\n        l.append(l[-1] "
    "// 2 "
    "+ 1)\n        if l[-1] > 4:\n            break\n    return l\n",
    "def f() -> str:\n    d: Dict[str, float] = {'a': 1.5, \"b\": -2e3}\n    for k, v in d.items():\n        "
    "d[k] = v ** 2 if v > 0 else -v\n    assert 'a' in d, 'none'\n    return '{} {}'.format(d['a'], len(d))\n",
    "def f(o: Optional[Tensor] = None):\n    x = torch.zeros([2, 3])\n    if o is not None:\n        x = x + o\n"
    "    y, *z = (x, 1, 'q')\n    return x[0, 1:], torch.cat([x, x], dim=1).sum(), z[0] << 2 & 7 | ~3\n",
    "def g(n: int) -> int:\n    return n - 1\n\ndef f() -> int:\n    t = 0\n    for i, c in enumerate('abc'):\n        "
    "t "
    "+= g(i) % 2\n        del [t, i][0]\n    raise ValueError('no')\n"};
} // namespace

BOOST_AUTO_TEST_SUITE(script_mutations)

// SC-27 to SC-32, SC-97, SC-98
BOOST_AUTO_TEST_CASE(source_texts) {
    Mutator mutate({"\n",
                    "    ",
                    "(",
                    ")",
                    "[",
                    "]",
                    ":",
                    ",",
                    "'",
                    "\"",
                    "\\",
                    "0",
                    "9223372036854775807",
                    "-1",
                    "1e308",
                    "x",
                    "f",
                    "if ",
                    "else:\n",
                    "for ",
                    "while True:\n",
                    "def ",
                    "return ",
                    "lambda",
                    "*",
                    "**",
                    "//",
                    "%",
                    "None",
                    "List[",
                    "Optional[int]",
                    "torch.",
                    "self",
                    "# type: (int) -> int\n",
                    "=",
                    "==",
                    "\xc3\xa9"});
    const jit::Function::LimitScope limits(small_limits());
    const std::size_t accepted = repeat([&] {
        const auto unit = std::make_shared<jit::CompilationUnit>();
        jit::compile_functions(*unit, mutate(sources[mutate.below(std::size(sources))]));
        for (jit::Function* f : unit->functions()) {
            f->graph()->verify();
            BOOST_TEST(!f->code().empty());
            const auto again = jit::parse_graph(f->graph()->str(), unit.get());
            BOOST_TEST(jit::canonical(*again) == jit::canonical(*f->graph()));
        }
        if (jit::Function* f = unit->find_function("__torch__.f")) (*f)({});
    });
    BOOST_TEST(accepted > 0u);
}
// SC-96 to SC-99
BOOST_AUTO_TEST_CASE(archives) {
    Mutator mutate({"\n",        "  ",           "(",    ")",  "self", "Tensor", "int",    "\x80\x02",   "q\x01",
                    "(K\x05",    "K\xff",        "R",    "b.", "t",    "X",      "torch.", "__torch__.", "ops.prim.",
                    "annotate(", "CONSTANTS.c0", "None", "0",  "-1",   "List["});
    const jit::Function::LimitScope limits(small_limits());
    std::size_t saved = 0;
    repeat([&] {
        static const char* const seeds[] = {"net.pt", "hooked.pt", "layers.pt", "function.pt"};
        const std::string seed = reel::testing::archive_bytes(seeds[mutate.below(4)]);
        const jit::Module m = jit::load_from_buffer(with_member(
            seed,
            [](const std::string& n) {
                return ends_with(n, ".py") || ends_with(n, "data.pkl") || ends_with(n, "constants.pkl");
            },
            mutate));
        for (const jit::Method& method : m.get_methods()) method.code();
        jit::load_from_buffer(m.save_to_buffer());
        ++saved;
    });
    BOOST_TEST(saved > 0u);
}
// SC-100 to SC-117
BOOST_AUTO_TEST_CASE(exported_programs) {
    Mutator mutate({"{",
                    "}",
                    "[",
                    "]",
                    ",",
                    "\"",
                    "null",
                    "true",
                    "0",
                    "-1",
                    "9223372036854775807",
                    "1e999",
                    "as_int",
                    "as_tensor",
                    "as_sym_int",
                    "Symbol('s0')",
                    "(",
                    "torch.ops.aten.add.Tensor",
                    "weight",
                    "as_none",
                    "7"});
    const std::size_t accepted = repeat([&] {
        const std::string seed = reel::testing::archive_bytes(mutate.below(2) ? "counted.pt2" : "mixed.pt2");
        const jit::ExportedProgram p = jit::load_exported_from_buffer(with_member(
            seed, [](const std::string& n) { return ends_with(n, ".json"); }, mutate));
        BOOST_TEST(!p->str().empty());
        BOOST_TEST(jit::load_exported_from_buffer(jit::save_exported_to_buffer(p))->str() == p->str());
    });
    BOOST_TEST(accepted > 0u);
}

BOOST_AUTO_TEST_SUITE_END()
