// Looking at the tape.
#include <reel/autograd/tape_view.hpp>

#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <reel/autograd/anomaly.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;
using autograd::TapeView;

namespace {
Tensor leaf(std::int64_t n) { return ones({n}, kDouble).requires_grad_(); }

/// While it lives, a program of that name comes first in the path, which counts how often it runs and then runs the
/// one that was found before.
class CountedProgram {
public:
    explicit CountedProgram(const std::string& name)
        : folder_(std::filesystem::temp_directory_path() / ("reel-counted-" + std::to_string(::getpid()))),
          path_(std::getenv("PATH") ? std::getenv("PATH") : "/usr/bin:/bin") {
        std::filesystem::create_directories(folder_);
        const std::filesystem::path program = folder_ / name;
        std::ofstream(program) << "#!/bin/sh\necho once >>'" << (folder_ / "runs").string() << "'\nPATH='" << path_
                               << "' exec " << name << " \"$@\"\n";
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        ::setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
    }
    ~CountedProgram() {
        ::setenv("PATH", path_.c_str(), 1);
        std::filesystem::remove_all(folder_);
    }
    CountedProgram(const CountedProgram&) = delete;
    int runs() const {
        std::ifstream lines(folder_ / "runs");
        int n = 0;
        for (std::string line; std::getline(lines, line);) ++n;
        return n;
    }

private:
    std::filesystem::path folder_;
    std::string path_;
};
} // namespace

BOOST_AUTO_TEST_SUITE(tape_view)

BOOST_AUTO_TEST_CASE(nodes_links_and_outputs) {
    const Tensor x = leaf(2), w = leaf(2);
    const Tensor y = (x * w + 1.0).sum();
    const TapeView view(y);
    BOOST_TEST(view.size() == 5u);
    BOOST_TEST(view.root(0) == 0);
    BOOST_TEST(view[0].name == "SumBackward0");
    BOOST_TEST(view[1].name == "AddBackward0");
    BOOST_TEST(view[2].name == "MulBackward0");
    BOOST_TEST(view[0].inputs[0].node == 1);
    BOOST_TEST(view[2].inputs.size() == 2u);
    BOOST_TEST(view[std::size_t(view[2].inputs[0].node)].name == "AccumulateGrad");
    BOOST_TEST(view[3].is_leaf());
    BOOST_TEST(view[2].outputs[0].sizes[0] == 2);
    BOOST_TEST(view.find("MulBackward0") == &view[2]);
    BOOST_TEST(!view.find("NoSuchBackward0"));
}

BOOST_AUTO_TEST_CASE(saved_bytes_count_each_storage_once) {
    const Tensor x = leaf(100);
    const Tensor y = x * x; // saves x twice
    const TapeView view(y);
    BOOST_TEST(view[0].saved.size() == 2u);
    BOOST_TEST(view[0].saved_bytes == 800u);
    BOOST_TEST(view.saved_bytes() == 800u);
    y.sum().backward();
    BOOST_TEST(TapeView(y).saved_bytes() == 0u);
    BOOST_TEST(TapeView(y)[0].saved[0].released);
}

BOOST_AUTO_TEST_CASE(hooks_are_counted_by_kind) {
    const Tensor x = leaf(1), y = x * 2.0;
    x.register_hook([](const Tensor&) {});
    x.register_post_accumulate_grad_hook([](const Tensor&) {});
    y.register_hook([](const Tensor&) {});
    auto removed = y.register_hook([](const Tensor&) {});
    removed.remove();
    y.retain_grad();
    y.grad_fn()->register_posthook([](const auto&, const auto&) { return std::nullopt; });
    const TapeView view(y);
    BOOST_TEST(view[0].hooks.tensor == 1u);
    BOOST_TEST(view[0].hooks.retain_grad == 1u);
    BOOST_TEST(view[0].hooks.post == 1u);
    BOOST_TEST(view[1].hooks.tensor == 1u);
    BOOST_TEST(view[1].hooks.post_accumulate == 1u);
}

BOOST_AUTO_TEST_CASE(text_and_dot) {
    const Tensor x = leaf(2), y = (x * 3.0).sum();
    TapeView view(y);
    view.label(x, "input");
    BOOST_TEST(view.text() == "#0 SumBackward0(#1) -> float64[]\n"
                              "#1 MulBackward0(#2, -) -> float64[2]\n"
                              "#2 AccumulateGrad input() -> float64[2]\n"
                              "3 nodes, 0 B kept for backward\n");
    const std::string dot = view.dot();
    BOOST_TEST(dot.find("n2 [label=\"AccumulateGrad\\ninput\\nfloat64[2]\"") != std::string::npos);
    BOOST_TEST(dot.find("n1 -> n0;") != std::string::npos);
    BOOST_TEST(dot.starts_with("digraph tape {"));
}

BOOST_AUTO_TEST_CASE(several_roots_and_a_tensor_without_history) {
    const Tensor x = leaf(2), a = x * 2.0, b = x * 3.0;
    const TapeView view(std::vector<Tensor>{a, b, ones({1})});
    BOOST_TEST(view.size() == 3u);
    BOOST_TEST(view.root(0) == 1);
    BOOST_TEST(view.root(1) == 0);
    BOOST_TEST(view.root(2) == -1);
    BOOST_CHECK_THROW(TapeView{Tensor()}, Error);
}

BOOST_AUTO_TEST_CASE(a_long_chain_is_walked_without_recursion) {
    Tensor y = leaf(1);
    for (int i = 0; i < 200000; ++i) y = y + 1.0;
    BOOST_TEST(TapeView(y).size() == 200001u);
}

BOOST_AUTO_TEST_CASE(traces_of_many_nodes_are_looked_up_together) {
    const CountedProgram addr2line("addr2line");
    const autograd::DetectAnomalyGuard anomaly;
    Tensor x = full({1}, 1.0).requires_grad_();
    for (int i = 0; i < 300; ++i) x = x + 1;
    const TapeView view(x);
    BOOST_TEST(view.size() == 301u);
    BOOST_TEST(view[0].creation_trace != "");
    BOOST_TEST(addr2line.runs() > 0);
    BOOST_TEST(addr2line.runs() < 50); // one for each library that the frames lie in, not for each node
}

BOOST_AUTO_TEST_CASE(absent_operands_keep_their_place_among_the_saved) {
    const Tensor x = ones({2, 3}, kDouble).requires_grad_(), w = ones({4, 3}, kDouble); // only x needs a gradient
    const Tensor y = linear(x, w);
    const std::vector<Tensor> saved = y.grad_fn()->saved_tensors();
    BOOST_TEST(saved.size() == 2u);
    BOOST_TEST(!saved.at(0).defined()); // x, for the gradient of w
    BOOST_TEST(saved.at(1).is_same(w));
    BOOST_TEST(TapeView(y)[0].saved.size() == 1u); // what is held
    BOOST_TEST(!TapeView(y)[0].saved[0].released);
    y.sum().backward();
    BOOST_TEST(TapeView(y)[0].saved.at(0).released);
}

BOOST_AUTO_TEST_SUITE_END()
