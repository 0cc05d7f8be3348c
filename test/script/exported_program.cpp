// jit::load_exported: programs of torch.export run, check their inputs and train.
#include <reel/script/exported_program.hpp>

#include <deque>

#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/optim.hpp>

#include "archives.hpp"
#include "message.hpp"
#include "zip_reader.hpp"
#include "zip_writer.hpp"

using namespace reel;
using reel::testing::archive_bytes;
using reel::testing::archive_file;
using reel::testing::message;

namespace {
jit::ExportedProgram counted() { return jit::load_exported(archive_file("counted.pt2")); }
IValue extra(float b = 0) { return ValueDict{{"a", reel::full({2}, -1.f)}, {"b", reel::full({2}, b)}}; }
Kwargs factor(double f = 2) { return Kwargs{{"factor", f}}; }
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
} // namespace

BOOST_AUTO_TEST_SUITE(exported_program)

// SC-101, SC-108: weights, a buffer of the state and one that is not
BOOST_AUTO_TEST_CASE(state_is_that_of_the_module) {
    const jit::ExportedProgram p = counted();
    std::string names;
    for (const auto& item : p.state_dict()) names += item.key() + " ";
    BOOST_TEST(names == "calls fc.weight fc.bias ");
    BOOST_TEST(p->named_buffers().contains("unsaved"));
    BOOST_TEST(p->get_parameter("fc.weight").requires_grad()); // SC-116
}
// SC-109, SC-110: the tree of inputs goes in, the tree of outputs comes out, the buffer is written
BOOST_AUTO_TEST_CASE(a_call_gives_the_tree_and_writes_the_buffer) {
    const jit::ExportedProgram p = counted();
    const Tensor x = reel::ones({4, 3});
    const IValue out = p({x, extra(1)}, factor());
    const Tensor y = out.toGenericDict().at("y").toTensor();
    const Tensor expected = reel::linear(x, p->get_parameter("fc.weight"), p->get_parameter("fc.bias")) * 2 +
                            reel::tensor({1.0, 2.0}, TensorOptions(kFloat));
    BOOST_TEST(reel::allclose(y, expected));
    BOOST_TEST(reel::allclose(out.toGenericDict().at("both").elements()[0].toTensor(), expected + 1));
    BOOST_TEST(out.toGenericDict().at("both").elements()[1].toTensor().sum().item<float>() == 0.f);
    BOOST_TEST(p->get_buffer("calls").item<std::int64_t>() == 1);
}
// SC-109: what writes nothing may view what lies in another order than in the reference
BOOST_AUTO_TEST_CASE(a_program_that_was_decomposed_views_what_was_turned) {
    const Tensor x = reel::arange(6, TensorOptions(kFloat)).reshape({2, 3});
    const Tensor y = jit::load_exported(archive_file("turned.pt2"))({x}).toTensor();
    BOOST_TEST(reel::equal(y, reel::tensor({{1.0, 1.0, 0.0}, {3.0, 4.0, 0.0}})));
}
BOOST_AUTO_TEST_CASE(dicts_are_matched_by_key) {
    const IValue turned = ValueDict{{"b", reel::full({2}, 1.f)}, {"a", reel::full({2}, -1.f)}};
    const auto both = [&](const IValue& e) {
        return counted()({reel::ones({1, 3}), e}, factor()).toGenericDict().at("both").elements()[0].toTensor();
    };
    BOOST_TEST(reel::equal(both(turned), both(extra(1))));
}
// SC-111, SC-112
BOOST_AUTO_TEST_CASE(inputs_are_checked) {
    const auto says = [](Args args, const Kwargs& kwargs) { return message([&] { counted()(args, kwargs); }); };
    BOOST_TEST(says({reel::ones({1, 3}), extra()}, factor()) == "nothing was thrown");
    BOOST_TEST(has(says({reel::ones({17, 3}), extra()}, factor()), "is 17, at most 16 is allowed"));
    BOOST_TEST(has(says({reel::ones({4, 2}), extra()}, factor()), "dimension 1 of input 'x' is 2, must be 3"));
    BOOST_TEST(has(says({reel::ones({3}), extra()}, factor()), "input 'x' has 1 dimensions"));
    BOOST_TEST(has(says({reel::ones({4, 3}), extra()}, factor(3)), "for 2"));
    BOOST_TEST(has(says({reel::ones({4, 3}), extra()}, {}), "keywords is"));
    BOOST_TEST(has(says({reel::ones({4, 3}), ValueDict{{"a", 1}, {"c", 2}}}, factor()), "a dict with the key 'b'"));
    BOOST_TEST(has(says({reel::ones({4, 3})}, factor()), "a tuple of 2"));
}
BOOST_AUTO_TEST_CASE(SC_116_it_trains_as_a_module_does) {
    const jit::ExportedProgram p = counted();
    optim::SGD optimizer(p->parameters(), optim::SGDOptions(0.003));
    const auto loss = [&] {
        return (p({reel::ones({4, 3}), extra()}, factor()).toGenericDict().at("y").toTensor() - 5).pow(2).sum();
    };
    const float before = loss().item<float>();
    for (int i = 0; i < 40; ++i) {
        optimizer.zero_grad();
        loss().backward();
        optimizer.step();
    }
    BOOST_TEST(loss().item<float>() < before / 4);
}
BOOST_AUTO_TEST_CASE(SC_100_extra_files_are_read) {
    jit::ExtraFilesMap files;
    jit::load_exported(archive_file("counted.pt2"), &files);
    BOOST_REQUIRE(files.size() == 1u);
    BOOST_TEST(files[0].second == "here");
}
// SC-102 to SC-107, SC-113 to SC-115
BOOST_AUTO_TEST_CASE(the_text_has_a_line_for_each_node) {
    const std::string text = counted()->str();
    BOOST_TEST(has(text, "%linear = torch.ops.aten.linear"));
    BOOST_TEST(has(text, "return ("));
}
// SC-114: the region's dtype for products, none where it is turned off, float32 for losses, the widest for `cat`
BOOST_AUTO_TEST_CASE(autocast_regions) {
    const jit::ExportedProgram p = jit::load_exported(archive_file("mixed.pt2"));
    const Tensor a = reel::tensor({1.001, 2.003, 0.5, -3.007}, TensorOptions(kFloat)).view({2, 2});
    const Tensor b = reel::tensor({0.333, 1.0, 2.0, 0.25}, TensorOptions(kFloat)).view({2, 2});
    const IValue out = p({a, b});
    const auto tensor = [&](std::size_t i) { return out.elements()[i].toTensor(); };
    const Tensor rounded = reel::tensor({4.34375, 1.5, -5.84375, -0.25}, TensorOptions(kBFloat16)).view({2, 2});
    BOOST_TEST(tensor(0).scalar_type() == kBFloat16);
    BOOST_TEST(reel::equal(tensor(0), rounded));
    BOOST_TEST(reel::equal(tensor(1), reel::matmul(a, b)));
    BOOST_TEST(tensor(2).scalar_type() == kFloat);
    BOOST_TEST(std::abs(tensor(2).item<float>() - 19.5276f) < 1e-3f);
    BOOST_TEST(reel::equal(tensor(3), reel::cat({rounded.to(kFloat), b})));
    BOOST_TEST(reel::equal(tensor(4), a + b)); // outside again
}
// SC-117, and what is no program
BOOST_AUTO_TEST_CASE(other_files_are_refused_by_name) {
    const auto says = [](std::string bytes) {
        return message([&] { jit::load_exported_from_buffer(std::move(bytes)); });
    };
    BOOST_TEST(has(says(archive_bytes("net.pt")), "this is a script archive"));
    BOOST_TEST(has(says("<html>"), "it looks like a web page"));
    const std::string good = archive_bytes("counted.pt2");
    std::size_t refused = 0;
    for (std::size_t n = 0; n < good.size(); n += 11)
        refused += has(says(good.substr(0, n)), "nothing was thrown") ? 0 : 1;
    BOOST_TEST(refused == (good.size() + 10) / 11);
}
// SC-100, SC-101
BOOST_AUTO_TEST_CASE(what_is_saved_unchanged_has_the_bytes_that_it_had) {
    for (const char* name : {"counted.pt2", "mixed.pt2"}) {
        jit::ExtraFilesMap files;
        const jit::ExportedProgram p = jit::load_exported(archive_file(name), &files);
        const std::string once = jit::save_exported_to_buffer(p, files);
        const jit::ExportedProgram again = jit::load_exported_from_buffer(once);
        BOOST_TEST(jit::save_exported_to_buffer(again, files) == once);
        BOOST_TEST(again->str() == p->str());
        for (const char* part : {"model_weights_config.json", "models/model.json", "extra/note.txt"})
            BOOST_TEST(has(once, part) == has(archive_bytes(name), part));
    }
}
BOOST_AUTO_TEST_CASE(what_is_trained_is_saved) {
    const jit::ExportedProgram p = counted();
    p({reel::ones({4, 3}), extra(1)}, factor()); // counts the call
    {
        const NoGradGuard no_grad;
        p->get_parameter("fc.bias").add_(3);
    }
    p->get_parameter("fc.weight").requires_grad_(false);
    const auto folder = std::filesystem::temp_directory_path() / ("reel-saved-" + std::to_string(getpid()));
    std::filesystem::create_directory(folder);
    const std::string file = (folder / "trained.pt2").string();
    p.save(file, {{"note.txt", "trained"}});
    jit::ExtraFilesMap files;
    const jit::ExportedProgram again = jit::load_exported(file, &files);
    std::filesystem::remove_all(folder);
    BOOST_TEST(files[0].second == "trained");
    BOOST_TEST(again->get_buffer("calls").item<std::int64_t>() == 1);
    BOOST_TEST(reel::equal(again->get_parameter("fc.bias"), p->get_parameter("fc.bias")));
    BOOST_TEST(!again->get_parameter("fc.weight").requires_grad());
    BOOST_TEST(again->get_parameter("fc.bias").requires_grad());
    const Args args{reel::ones({2, 3}), extra(1)};
    BOOST_TEST(reel::equal(again(args, factor()).toGenericDict().at("y").toTensor(),
                           p(args, factor()).toGenericDict().at("y").toTensor()));
}
BOOST_AUTO_TEST_CASE(what_the_graph_is_not_for_is_not_saved) {
    const jit::ExportedProgram p = counted();
    p->to(kDouble);
    BOOST_TEST(has(message([&] { jit::save_exported_to_buffer(p); }),
                   "save: 'fc.weight' is Double of the shape [2, 3], but the program's graph is for Float of [2, 3]; "
                   "export the module again, or convert it back"));
}
BOOST_AUTO_TEST_CASE(a_model_that_leaves_out_what_a_weight_is_like_is_not_saved) {
    serialize::ZipReader in(std::make_shared<serialize::MappedFile>("counted.pt2", archive_bytes("counted.pt2")));
    serialize::ZipWriter out;
    std::deque<std::string> members; // which the writer refers to
    for (const serialize::ZipMember& m : in.members()) {
        std::string& bytes = members.emplace_back(in.read(m));
        if (m.name.ends_with("model.json")) {
            const std::size_t meta = bytes.find("\"tensor_values\"");
            BOOST_REQUIRE(meta != std::string::npos);
            const std::size_t at = bytes.find("\"p_", meta);
            BOOST_REQUIRE(at != std::string::npos);
            bytes[at + 1] = 'q';
        }
        out.add(m.name, bytes);
    }
    std::string bent;
    out.write([&](std::string_view bytes) { bent += bytes; });
    const jit::ExportedProgram p = jit::load_exported_from_buffer(bent);
    BOOST_TEST(has(message([&] { jit::save_exported_to_buffer(p); }),
                   "save: model.json of the program that was read does not describe each of its weights"));
}
BOOST_AUTO_TEST_CASE(flipped_bytes_do_no_harm) {
    const std::string good = archive_bytes("counted.pt2");
    std::size_t refused = 0;
    for (std::size_t i = 0; i < good.size(); i += 5) {
        std::string bent = good;
        bent[i] = char(bent[i] ^ 0x15);
        try {
            jit::load_exported_from_buffer(bent);
        } catch (const Error&) {
            ++refused;
        }
    }
    BOOST_TEST(refused > good.size() / 10);
}

BOOST_AUTO_TEST_SUITE_END()
