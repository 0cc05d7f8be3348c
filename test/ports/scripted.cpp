// A model that was written as a script: defined, saved, loaded, asked.
#include <torch/script.h>

#include <iostream>
#include <memory>
#include <sstream>
#include <vector>

int wrong = 0;
#define EXPECT(x)                                                                                                      \
    if (!(x)) {                                                                                                        \
        std::cerr << "WRONG: line " << __LINE__ << ": " << #x << std::endl;                                            \
        ++wrong;                                                                                                       \
    }

torch::jit::Module written() {
    torch::jit::Module m("Net");
    m.register_parameter("weight", torch::randn({3, 4}), false);
    m.register_buffer("bias", torch::zeros({3}));
    m.register_attribute("scale", torch::jit::FloatType::get(), 2.0);
    m.define(R"(
      def forward(self, x, flip: bool = False):
          y = torch.matmul(x, self.weight.t()) + self.bias
          if flip:
              y = -y
          return torch.relu(y) * self.scale
      def both(self, x):
          # type: (Tensor) -> Tuple[Tensor, Dict[str, Tensor]]
          y = self.forward(x)
          return y, {"mean": y.mean(), "max": y.max()}
      def count(self, xs: List[int], n: Optional[int] = None) -> int:
          total = 0
          for v in xs:
              total += v
          if n is not None:
              total += n
          return total
    )");
    return m;
}

void ask(torch::jit::script::Module& module, const std::vector<torch::jit::IValue>& inputs, torch::Tensor output) {
    auto flipped = module.forward({torch::ones({2, 4}), true}).toTensor();
    EXPECT(torch::equal(output * flipped, torch::zeros({2, 3})));
    auto result = module.get_method("both")({torch::ones({2, 4})});
    EXPECT(result.isTuple());
    auto elements = result.toTuple()->elements();
    EXPECT(torch::equal(elements[0].toTensor(), output));
    auto dict = elements[1].toGenericDict();
    EXPECT(dict.at("max").toTensor().item<float>() == output.max().item<float>());
    for (const auto& item : dict) std::cout << item.key().toStringRef() << ": " << item.value() << '\n';
    EXPECT(module.run_method("count", std::vector<int64_t>{1, 2, 3}).toInt() == 6);
    EXPECT(module.run_method("count", torch::List<int64_t>({1, 2, 3}), 4).toInt() == 10);

    for (const auto& p : module.named_parameters()) std::cout << p.name << ' ' << p.value.sizes() << '\n';
    EXPECT(module.hasattr("scale") && module.attr("scale").toDouble() == 2.0);
    module.setattr("scale", 3.0);
    EXPECT(torch::allclose(module.forward(inputs).toTensor(), output * 1.5));
    EXPECT(module.find_method("forward").has_value() && !module.find_method("backward"));
    EXPECT(module.is_training() == false);
}

int main(int argc, const char* argv[]) {
    std::string folder = argc > 1 ? argv[1] : ".";
    torch::manual_seed(0);
    auto m = written();
    m.save(folder + "/net.pt");

    torch::jit::script::Module module;
    try {
        module = torch::jit::load(folder + "/net.pt");
    } catch (const torch::Error& e) {
        std::cerr << "error loading the model\n" << e.what();
        return -1;
    }
    module.eval();
    module.to(torch::kCPU);
    std::vector<torch::jit::IValue> inputs;
    inputs.push_back(torch::ones({2, 4}));
    torch::Tensor output = module.forward(inputs).toTensor();
    std::cout << output.slice(/*dim=*/1, /*start=*/0, /*end=*/5) << '\n';
    EXPECT(torch::allclose(output, torch::relu(torch::ones({2, 4}).mm(m.attr("weight").toTensor().t())) * 2));

    ask(module, inputs, output);

    auto copy = module.deepcopy();
    copy.setattr("scale", 1.0);
    EXPECT(module.attr("scale").toDouble() == 3.0);

    torch::jit::setGraphExecutorOptimize(false);
    auto frozen = torch::jit::freeze(module);
    EXPECT(torch::allclose(frozen.forward(inputs).toTensor(), output * 1.5));

    std::stringstream stream;
    module.save(stream);
    auto streamed = torch::jit::load(stream, torch::kCPU);
    torch::InferenceMode guard;
    EXPECT(torch::allclose(streamed.forward(inputs).toTensor(), output * 1.5));
    try {
        streamed.forward({torch::ones({2, 5})});
        EXPECT(false);
    } catch (const std::exception& e) {
        std::cout << e.what() << std::endl;
    }
    return wrong;
}
