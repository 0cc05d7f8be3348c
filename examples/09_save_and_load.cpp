// Weights and training state in files that PyTorch, NumPy and safetensors read too.
#include <cstdio>
#include <filesystem>

#include <reel/reel.hpp>

using namespace reel;

int main() {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "reel_example_files";
    std::filesystem::create_directories(folder);
    std::filesystem::current_path(folder);

    nn::Sequential net{nn::Linear(8, 16), nn::ReLU(), nn::Linear(16, 2)};
    optim::Adam optimizer(net->parameters(), optim::AdamOptions(1e-3));
    net(randn({4, 8})).sum().backward();
    optimizer.step();

    save(net, "weights.pt");
    load(net, "weights.pt");

    ValueDict checkpoint;
    checkpoint.set("model", net->state_dict().to_value());
    checkpoint.set("optimizer", optimizer.state_dict());
    checkpoint.set("epoch", 3);
    save(Value(checkpoint), "checkpoint.pt");

    const Value loaded = load("checkpoint.pt");
    const ValueDict& state = loaded.toGenericDict();
    net->load_state_dict(state.at("model"));
    optimizer.load_state_dict(state.at("optimizer"));
    std::printf("goes on after epoch %d\n", int(state.at("epoch").toInt()));

    LoadOptions mapped;
    mapped.mmap = true; // nothing is read until it is used
    const Value weights = load("weights.pt", mapped);
    std::printf("%s\n", weights.toGenericDict().at("0.weight").repr().c_str());

    try {
        save(ones({2}), "not_a_net.pt");
        load(net, "not_a_net.pt");
    } catch (const Error& e) {
        std::printf("refused: %s\n", e.what());
    }

    OrderedDict<std::string, Tensor> arrays;
    arrays.insert("x", arange(6).reshape({2, 3}));
    serialize::save_npz(arrays, "arrays.npz");
    serialize::save_file(arrays, "arrays.safetensors");
    const Tensor x = serialize::load_npz("arrays.npz")["x"];
    const Tensor y = serialize::SafetensorsFile("arrays.safetensors").mapped("x");
    std::printf("equal: %d\n", int(equal(x, y)));

    std::filesystem::current_path("/");
    std::filesystem::remove_all(folder);
}
