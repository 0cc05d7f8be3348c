// out/bin/reel-file on programs: it shows them and runs them.
#include <array>
#include <cstdio>
#include <filesystem>

#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/script/compile.hpp>
#include <reel/script/export_program.hpp>
#include <reel/serialize/npz.hpp>

#include "archives.hpp"

using namespace reel;
using reel::testing::archive_file;

namespace {
namespace fs = std::filesystem;

/// A folder that goes when it is left.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("reel-file-" + std::to_string(::getpid()));
    Folder() { fs::create_directory(path); }
    ~Folder() { fs::remove_all(path); }
    std::string operator/(const char* name) const { return (path / name).string(); }
};
struct Run {
    int status;
    std::string text; ///< of both outputs
};
Run run(const std::string& arguments) {
    const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "reel-file";
    std::FILE* pipe = ::popen((program.string() + " " + arguments + " 2>&1").c_str(), "r");
    BOOST_REQUIRE(pipe);
    Run r{0, {}};
    std::array<char, 4096> block;
    for (std::size_t n; (n = std::fread(block.data(), 1, block.size(), pipe)) > 0;) r.text.append(block.data(), n);
    const int status = ::pclose(pipe);
    r.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return r;
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

jit::Module doubler() {
    jit::Module m("Doubler");
    m.register_parameter("w", reel::full({3}, 2.f), false);
    m.register_attribute("name", jit::Type::String(), "d\x1b[31m");
    m.define("def forward(self, x):\n    return x * self.w, x.sum()\n"
             "def scaled(self, x, n: int):\n    return x * n\n");
    return m;
}
} // namespace

BOOST_AUTO_TEST_SUITE(reel_file)

BOOST_AUTO_TEST_CASE(archives_are_shown) {
    const Folder folder;
    doubler().save(folder / "d.pt");
    const Run r = run(folder / "d.pt");
    BOOST_TEST(r.status == 0);
    for (const char* part : {": torchscript\n", "  w  ", "float32 [3]", "name : str = d?[31m",
                             "code of __torch__.Doubler", "    def scaled(self,", "graph of forward", "aten::mul("})
        BOOST_TEST(has(r.text, part), part << " is not in\n" << r.text);
    const Run json = run("--json " + (folder / "d.pt"));
    BOOST_TEST(has(json.text,
                   R"("format": "torchscript", "value": {"ordered_dict": [["w", {"tensor": {"class": "Tensor", )"
                   R"("dtype": "float32", "shape": [3], "stride": [1], "offset": 0, "storage": 0, )"
                   R"("storage_bytes": 12, "requires_grad": false, "sha256": ")"),
               json.text);
    BOOST_TEST(has(run("--check " + (folder / "d.pt")).text, "members, all checksums match"));
}
BOOST_AUTO_TEST_CASE(exported_programs_are_shown) {
    const Run r = run(archive_file("counted.pt2"));
    BOOST_TEST(r.status == 0);
    for (const char* part : {": exported\n", "fc.weight", "graph\n", "torch.ops.aten.linear.default(%x, "})
        BOOST_TEST(has(r.text, part), part << " is not in\n" << r.text);
}
BOOST_AUTO_TEST_CASE(what_is_refused_is_called_by_its_kind) {
    const Folder folder;
    std::string bytes = reel::testing::archive_bytes("net.pt");
    bytes.replace(bytes.find("c__torch__"), 10, "c__torcX__"); // in data.pkl, whose checksum is wrong now
    std::ofstream(folder / "bent.pt", std::ios::binary) << bytes;
    const Run r = run("--json " + (folder / "bent.pt"));
    BOOST_TEST(r.status == 2);
    BOOST_TEST(has(r.text, R"("format": "torchscript", "refused": ")"), r.text);
    BOOST_TEST(has(r.text, "member 'net/data.pkl': its CRC does not match"), r.text);
}
BOOST_AUTO_TEST_CASE(programs_are_run) {
    const Folder folder;
    const jit::Module m = doubler();
    m.save(folder / "d.pt");
    const Tensor x = reel::tensor({1.0, 2.0, 3.0}, TensorOptions(kFloat));
    jit::export_program(m, {x}).save(folder / "d.pt2");
    serialize::save_npy(x, folder / "x.npy");
    for (const char* file : {"d.pt", "d.pt2"}) {
        const Run r =
            run("--run " + (folder / file) + " --input " + (folder / "x.npy") + " --output " + (folder / "y.npy"));
        BOOST_TEST(r.status == 0, r.text);
        BOOST_TEST(has(r.text, "y_1.npy: float32 []"), r.text);
        BOOST_TEST(reel::equal(serialize::load_npy(folder / "y_0.npy"), x * 2));
        BOOST_TEST(serialize::load_npy(folder / "y_1.npy").item<float>() == 6.f);
    }
    const Run scaled =
        run("--run " + (folder / "d.pt") + " --method scaled --input " + (folder / "x.npy") + " --input 5");
    BOOST_TEST(has(scaled.text, "15"), scaled.text);
    const Run named =
        run("--run " + (folder / "d.pt") + " --method scaled --input n=5 --input x=" + (folder / "x.npy"));
    BOOST_TEST(named.text == scaled.text);
    const auto refused = [&](const std::string& arguments, int status, const char* part) {
        const Run r = run(arguments);
        BOOST_TEST(r.status == status);
        BOOST_TEST(has(r.text, part), r.text);
    };
    refused("--run " + (folder / "d.pt"), 2, "forward() is missing value for argument 'x'");
    refused("--run " + (folder / "x.npy"), 2, "holds no program");
    refused("--run " + (folder / "d.pt2") + " --method scaled --input 1", 2, "has the method forward alone");
    refused("--run " + (folder / "d.pt") + " --input word", 2, "--input word: expected a file .npy or .pt");
    refused("--run " + (folder / "d.pt") + " --input x=1 --input 2", 2, "inputs without a name come before");
    refused("--run " + (folder / "d.pt") + " --input x=1 --input x=2", 2, "'x' was given before");
    refused("--run " + (folder / "d.pt") + " --input y=1", 2, "'y'");
    refused("--run " + (folder / "d.pt2") + " --input x=" + (folder / "x.npy"), 2, "exported with a tuple of 1");
    refused("--input 1 " + (folder / "d.pt"), 1, "go with --run FILE");
    refused("--run", 1, "--run wants a value");
}

BOOST_AUTO_TEST_SUITE_END()
