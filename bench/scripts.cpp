// What the interpreter of scripts adds to the ops that it calls, and whole archives: written by Reel, loaded by it and
// by its peers (bench/peers/scripts.py, bench/peers/scripts.cpp), which run `forward` on what `example` gives.
#include <cstdlib>
#include <filesystem>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>
#include <reel/script/load_save.hpp>
#include <reel/script/module.hpp>
#include <reel/script/trace.hpp>

#include "bench.hpp"

namespace bench {

using namespace reel;

namespace {

constexpr int adds = 1000;

void interpreter() {
    const jit::Module module("Chain");
    module.define("def forward(self, x: Tensor, y: Tensor, n: int):\n"
                  "    for i in range(n):\n"
                  "        x = x + y\n"
                  "    return x\n"
                  "def count(self, n: int):\n"
                  "    k = 0\n"
                  "    for i in range(n):\n"
                  "        k = (k * 3 + i) % 1001\n"
                  "    return k\n");
    const Tensor x = randn({8}), y = randn({8});
    const double in_script = median_us([&] { module.run_method("forward", x, y, adds); }, 20, 101, 1);
    const double in_cpp = median_us(
        [&] {
            Tensor z = x;
            for (int i = 0; i < adds; ++i) z = z + y;
        },
        20, 101, 1);
    row("script_1000_adds_of_8", in_script);
    row("script_1000_adds_of_8_in_cpp", in_cpp);
    // a trip is the op and the loop's own node
    figure("script_over_the_op_per_node", (in_script - in_cpp) * 1000 / adds, "ns");
    row("script_3000_sums_of_ints", median_us([&] { module.run_method("count", adds); }, 20, 101, 1));
}

/// A script with its weights and the input that everybody runs it on.
struct Archive {
    const char* name;
    std::vector<std::pair<const char*, std::vector<std::int64_t>>> weights;
    const char* source;
};
const Archive archives[] = {
    {"script_int_loop", {}, R"(
def forward(self, x: Tensor):
    k = 0
    for i in range(1000):
        if i % 3 == 0:
            k = k + i
        else:
            k = (k * 3 + i) % 1001
    return k
def example(self):
    return torch.zeros([1])
)"},
    {"script_lstm_loop", {{"w", {256, 32}}, {"u", {256, 64}}, {"b", {256}}}, R"(
def forward(self, x: Tensor):
    h = torch.zeros([x.size(1), 64])
    c = h
    for t in range(x.size(0)):
        gates = torch.nn.functional.linear(x[t], self.w, self.b) + torch.nn.functional.linear(h, self.u)
        i, f, g, o = torch.chunk(gates, 4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
    return h
def example(self):
    return torch.sin(torch.arange(0, 64 * 32, dtype=torch.float)).reshape([64, 1, 32])
)"},
    {"script_lstm_tagger",
     {{"table", {200, 32}},
      {"w", {256, 32}},
      {"u", {256, 64}},
      {"b", {256}},
      {"v", {256}},
      {"out", {12, 64}},
      {"bias", {12}}},
     R"(
def forward(self, words: Tensor):
    x = torch.nn.functional.embedding(words, self.table).unsqueeze(1)
    h = torch.zeros([1, 1, 64])
    y, _, _ = torch.lstm(x, [h, h], [self.w, self.u, self.b, self.v], True, 1, 0., False, False, False)
    return torch.log_softmax(torch.nn.functional.linear(y.squeeze(1), self.out, self.bias), 1)
def example(self):
    return torch.arange(0, 32) * 37 % 200
)"},
    {"script_gpt_block",
     {{"g1", {128}},
      {"b1", {128}},
      {"qkv", {384, 128}},
      {"bq", {384}},
      {"proj", {128, 128}},
      {"bp", {128}},
      {"g2", {128}},
      {"b2", {128}},
      {"up", {512, 128}},
      {"bu", {512}},
      {"down", {128, 512}},
      {"bd", {128}}},
     R"(
def forward(self, x: Tensor):
    b, t, d = x.size(0), x.size(1), x.size(2)
    y = torch.layer_norm(x, [d], self.g1, self.b1)
    qkv = torch.nn.functional.linear(y, self.qkv, self.bq).reshape([b, t, 3, 4, d // 4]).permute([2, 0, 3, 1, 4])
    scores = torch.matmul(qkv[0], qkv[1].transpose(-2, -1)) / 5.656854
    mask = torch.ones([t, t], dtype=torch.bool).triu(1)
    heads = torch.matmul(torch.softmax(scores.masked_fill(mask, -1e9), -1), qkv[2])
    x = x + torch.nn.functional.linear(heads.transpose(1, 2).reshape([b, t, d]), self.proj, self.bp)
    y = torch.layer_norm(x, [d], self.g2, self.b2)
    y = torch.nn.functional.gelu(torch.nn.functional.linear(y, self.up, self.bu))
    return x + torch.nn.functional.linear(y, self.down, self.bd)
def example(self):
    return torch.sin(torch.arange(0, 64 * 128, dtype=torch.float)).reshape([1, 64, 128])
)"},
};
jit::Module made(const Archive& a) {
    const jit::Module m(a.name);
    for (const auto& [name, sizes] : a.weights)
        m.register_parameter(name, (randn(sizes) * 0.1).requires_grad_(), false);
    m.define(a.source);
    return m;
}

/// Two convolutions and what goes around them; the first block of a stage halves the image.
struct BlockImpl : nn::Module {
    BlockImpl(std::int64_t in, std::int64_t out)
        : body(register_module(
              "body", nn::Sequential{nn::Conv2d(nn::Conv2dOptions(in, out, 3).stride(out / in).padding(1).bias(false)),
                                     nn::BatchNorm2d(out), nn::ReLU(),
                                     nn::Conv2d(nn::Conv2dOptions(out, out, 3).padding(1).bias(false)),
                                     nn::BatchNorm2d(out)})) {
        if (in != out)
            side =
                register_module("side", nn::Sequential{nn::Conv2d(nn::Conv2dOptions(in, out, 1).stride(2).bias(false)),
                                                       nn::BatchNorm2d(out)});
    }
    Tensor forward(const Tensor& x) { return relu(body(x) + (side ? side(x) : x)); }
    nn::Sequential body, side{nullptr};
};
REEL_MODULE(Block);

nn::Sequential resnet18() {
    nn::Sequential net{nn::Conv2d(nn::Conv2dOptions(3, 64, 7).stride(2).padding(3).bias(false)), nn::BatchNorm2d(64),
                       nn::ReLU(), nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1))};
    for (const std::int64_t width : {64, 128, 256, 512}) {
        net->push_back(Block(width == 64 ? 64 : width / 2, width));
        net->push_back(Block(width, width));
    }
    net->push_back(nn::AdaptiveAvgPool2d(1));
    net->push_back(nn::Flatten());
    net->push_back(nn::Linear(512, 1000));
    net->eval();
    return net;
}

/// Where archives stand for the peers: out/bench/scripts, unless REEL_BENCH_SCRIPTS names another folder.
std::string file_of(const std::string& name) {
    const char* const folder = std::getenv("REEL_BENCH_SCRIPTS");
    const std::filesystem::path path = folder ? folder : "out/bench/scripts";
    std::filesystem::create_directories(path);
    return (path / (name + ".pt")).string();
}
double forward_us(const jit::Module& m, const Tensor& x, int reps) {
    return median_us([&] { m.forward({x}); }, 5, reps, 1);
}

void written_by_reel() {
    for (const Archive& a : archives) {
        if (!wanted(a.name)) continue;
        made(a).save(file_of(a.name));
        const jit::Module m = jit::load(file_of(a.name));
        row(a.name, forward_us(m, m.run_method("example").toTensor(), 101));
    }
    if (!wanted("script_resnet18")) return;
    const nn::Sequential net = resnet18();
    const Tensor image = sin(arange(3 * 64 * 64, kFloat)).reshape({1, 3, 64, 64});
    const jit::Module traced = jit::trace(net.ptr(), {image});
    traced.define("def example(self):\n"
                  "    return torch.sin(torch.arange(0, 3 * 64 * 64, dtype=torch.float)).reshape([1, 3, 64, 64])\n");
    traced.save(file_of("script_resnet18"));
    const jit::Module m = jit::load(file_of("script_resnet18"));
    row("script_resnet18", forward_us(m, image, 31));
    row("script_resnet18_in_cpp", median_us([&] { net(image); }, 5, 31, 1));
}

/// An archive that others made (tools/fetch_silero.sh): a frame of 32 ms.
void silero() {
    const std::string file = file_of("silero_vad");
    if (!wanted("script_silero") || !std::filesystem::exists(file)) return;
    const jit::Module m = jit::load(file, kCPU);
    m->eval();
    const Tensor frame = sin(arange(512, kFloat) * 0.05).reshape({1, 512}) * 0.3;
    row("script_silero_vad_frame", median_us([&] { m.forward({frame, 16000}); }, 20, 101, 1));
}

} // namespace

void scripts() {
    const NoGradGuard no_grad;
    if (wanted("script_1000_adds_of_8") || wanted("script_over_the_op_per_node")) interpreter();
    written_by_reel();
    silero();
}

} // namespace bench
