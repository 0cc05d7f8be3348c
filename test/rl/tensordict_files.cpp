// Dictionaries as files, and their text.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/rl/tensordict.hpp>
#include <reel/serialize/safetensors.hpp>

#include <message.hpp>

using namespace reel;
using namespace reel::rl;
using reel::testing::message;

namespace {

using Sizes = std::vector<std::int64_t>;

struct Folder {
    Folder() : path(std::filesystem::temp_directory_path() / ("reel_tensordict_" + std::to_string(::getpid()))) {
        std::filesystem::create_directory(path);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file(const char* name) const { return (path / name).string(); }
    std::filesystem::path path;
};

TensorDict sample() {
    TensorDict td({{"z", arange(6).reshape({2, 3})},
                   {"a.b", ones({2}, kBool)},
                   {{"a", "b"}, randn({2, 3, 4})},
                   {"none", TensorDict({2, 7})},
                   {"__metadata__", zeros({2, 0})},
                   {"back\\slash", zeros({2}, kBFloat16)},
                   {"\xC3\xA9t\xC3\xA9", complex(ones({2}), zeros({2}))}},
                  {2});
    td.dict("a").set_batch_size({2, 3});
    return td;
}
std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}
/// A file of one tensor 'a' with this description.
std::string described(const Folder& folder, const std::string& description, Sizes sizes = {2}) {
    OrderedDict<std::string, Tensor> tensors;
    tensors.insert("a", zeros(sizes));
    const std::string path = folder.file("described");
    serialize::save_file(tensors, path, {{"tensordict", description}});
    return message([&] { TensorDict::load(path); });
}

} // namespace

BOOST_AUTO_TEST_SUITE(tensordict_files)

BOOST_AUTO_TEST_CASE(what_is_saved_comes_back) {
    const Folder folder;
    const TensorDict td = sample();
    td.save(folder.file("td"));
    for (const bool mapped : {false, true}) {
        const TensorDict back = TensorDict::load(folder.file("td"), mapped);
        BOOST_TEST(back.equal(td));
        BOOST_TEST((back.keys(true) == td.keys(true)));
        BOOST_TEST(back.dict("a").batch_size() == (Sizes{2, 3}));
        BOOST_TEST(back.dict("none").batch_size() == (Sizes{2, 7}));
        BOOST_TEST(!back.device().has_value());
        BOOST_TEST(back.str() == td.str());
    }
    TensorDict mapped = TensorDict::load_memmap(folder.file("td"));
    mapped.zero_();
    BOOST_TEST(TensorDict::load(folder.file("td")).equal(td)); // writing does not reach the file
    const serialize::SafetensorsFile file(folder.file("td"));
    BOOST_TEST(file.contains("a.b"));
    BOOST_TEST(file.sizes("a.b") == (Sizes{2, 3, 4}));
    BOOST_TEST(file.contains("a\\.b"));
    BOOST_TEST(file.contains("back\\\\slash"));
}

BOOST_AUTO_TEST_CASE(empty_ones_and_devices) {
    const Folder folder;
    TensorDict({3, 0}).save(folder.file("empty"));
    BOOST_TEST(TensorDict::load(folder.file("empty")).batch_size() == (Sizes{3, 0}));
    sample().cpu().save(folder.file("cpu"));
    const TensorDict back = TensorDict::load(folder.file("cpu"));
    BOOST_TEST(back.device()->is_cpu());
    BOOST_TEST(back.dict("none").device()->is_cpu());
    TensorDict({{"x", ones({2}).requires_grad_()}}, {2}).save(folder.file("grad"));
    BOOST_TEST(!TensorDict::load(folder.file("grad"))["x"].requires_grad());
}

BOOST_AUTO_TEST_CASE(damaged_files_are_refused_with_file_and_key) {
    const Folder folder;
    const std::string path = folder.file("described"), begin = "TensorDict::load: " + path + ": ";
    BOOST_TEST(described(folder, R"({"batch_size":[2],"device":null,"entries":{"a":null}})") == "nothing was thrown");
    BOOST_TEST(described(folder, R"({"batch_size":[3],"device":null,"entries":{"a":null}})") ==
               begin + "the tensor 'a' has sizes [2], which do not begin with the batch size [3]");
    BOOST_TEST(described(folder, R"({"batch_size":[2],"device":null,"entries":{"a":null,"b":null}})") ==
               begin + "the tensor 'b' is missing ('b')");
    BOOST_TEST(described(folder, R"({"batch_size":[2],"device":null,"entries":{}})") ==
               begin + "the tensor 'a' belongs to no entry of the dictionary");
    BOOST_TEST(
        described(folder, R"({"batch_size":[2],"device":null,"entries":{"n":{"batch_size":[2],"entries":{}}}})") ==
        begin + "'n' is described without batch_size, device and entries");
    BOOST_TEST(described(folder, R"({"batch_size":[2],"device":null,"entries":{"n":7}})") ==
               begin + "'n' is described without batch_size, device and entries");
    BOOST_TEST(described(folder, R"([])") ==
               begin + "the dictionary itself is described without batch_size, device and entries");
    BOOST_TEST(described(folder, R"({"batch_size":[2.5],"device":null,"entries":{"a":null}})") ==
               begin + "the dictionary itself has a batch_size that is no list of sizes");
    BOOST_TEST(described(folder, R"({"batch_size":[-2],"device":null,"entries":{"a":null}})") ==
               begin + "the dictionary itself has a batch_size that is no list of sizes");
    BOOST_TEST(described(folder, R"({"batch_size":[2],"device":null,"entries":{"":null}})") ==
               begin + "the dictionary itself has an entry without a name");
    const std::string nested =
        R"({"batch_size":[2],"device":null,"entries":{"a":null,"n":{"batch_size":[3],"device":null,"entries":{}}}})";
    BOOST_TEST(described(folder, nested) ==
               begin + "the TensorDict 'n' has batch size [3], which does not begin with the batch size [2]");
    BOOST_TEST(described(folder, "{").starts_with(begin + "its metadata 'tensordict' is no JSON: "));
    std::string deep;
    for (int i = 0; i < 5000; ++i) deep += R"({"batch_size":[],"device":null,"entries":{"n":)";
    BOOST_TEST(described(folder, deep).starts_with(begin + "its metadata 'tensordict' is no JSON: "));
    serialize::save_file({}, path);
    BOOST_TEST(message([&] { TensorDict::load(path); }) ==
               begin + "was not written by TensorDict::save: its metadata has no 'tensordict'; serialize::load_file "
                       "reads any safetensors file");
}

BOOST_AUTO_TEST_CASE(no_cut_or_changed_byte_crashes) {
    const Folder folder;
    sample().save(folder.file("whole"));
    const std::string whole = contents(folder.file("whole"));
    const std::string path = folder.file("cut");
    std::size_t refused = 0, cuts = 0;
    for (std::size_t n = 0; n < whole.size(); n += 7, ++cuts) {
        std::ofstream(path, std::ios::binary) << whole.substr(0, n);
        refused += message([&] { TensorDict::load(path); }) != "nothing was thrown";
    }
    BOOST_TEST(refused == cuts);
    const std::size_t header = whole.rfind('}'); // bytes of tensors may be anything
    for (std::size_t n = 0; n < header; n += 3) {
        std::string changed = whole;
        changed[n] = char(changed[n] ^ 0x15);
        std::ofstream(path, std::ios::binary) << changed;
        try {
            TensorDict::load(path);
        } catch (const Error& e) {
            BOOST_TEST(std::string(e.what()).find(path) != std::string::npos, e.what());
        }
    }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_saved) {
    const Folder folder;
    BOOST_TEST(
        message([&] {
            TensorDict({{"\xFF", ones({1})}}, {}).save(folder.file("x"));
        }).starts_with("TensorDict::save: " + folder.file("x") + ": the names of the entries cannot be written: "));
    BOOST_CHECK_THROW(TensorDict({{"x", ones({1})}}, {}).save(folder.file("no/where")), Error);
    BOOST_CHECK_THROW(TensorDict::load(folder.file("nothing")), Error);
    BOOST_TEST(!std::filesystem::exists(folder.file("x")));
}

BOOST_AUTO_TEST_CASE(text_as_the_package_prints_it) {
    const TensorDict td({{"b", zeros({2, 3}, kBFloat16)}, {"a", TensorDict({{"z", zeros({2}, kBool)}}, {2})}}, {2},
                        Device(kCPU));
    std::ostringstream out;
    out << td;
    BOOST_TEST(out.str() == R"(TensorDict(
    fields={
        a: TensorDict(
            fields={
                z: Tensor(shape=torch.Size([2]), device=cpu, dtype=torch.bool, is_shared=False)},
            batch_size=torch.Size([2]),
            device=cpu,
            is_shared=False),
        b: Tensor(shape=torch.Size([2, 3]), device=cpu, dtype=torch.bfloat16, is_shared=False)},
    batch_size=torch.Size([2]),
    device=cpu,
    is_shared=False))");
    BOOST_TEST(TensorDict().str() == R"(TensorDict(
    fields={
    },
    batch_size=torch.Size([]),
    device=None,
    is_shared=False))");
}

BOOST_AUTO_TEST_SUITE_END()
