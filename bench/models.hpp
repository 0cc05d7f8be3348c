// The models of the rows: a small one, a convolutional one, a transformer.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/modules/activation.hpp>
#include <reel/nn/modules/batch_norm.hpp>
#include <reel/nn/modules/conv.hpp>
#include <reel/nn/modules/embedding.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/nn/modules/normalization.hpp>
#include <reel/nn/modules/sequential.hpp>

namespace bench {

using namespace reel;

struct MLP : nn::Module {
    nn::Linear a{nullptr}, b{nullptr}, c{nullptr};
    MLP() {
        a = register_module("a", nn::Linear(784, 512));
        b = register_module("b", nn::Linear(512, 512));
        c = register_module("c", nn::Linear(512, 10));
    }
    Tensor forward(const Tensor& x) { return c(relu(b(relu(a(x))))); }
};

struct Block : nn::Module {
    nn::Sequential f{nullptr}, s{nullptr};
    Block(std::int64_t i, std::int64_t o, std::int64_t stride) {
        f = register_module(
            "f", nn::Sequential(nn::Conv2d(nn::Conv2dOptions(i, o, 3).stride(stride).padding(1).bias(false)),
                                nn::BatchNorm2d(o), nn::ReLU(),
                                nn::Conv2d(nn::Conv2dOptions(o, o, 3).padding(1).bias(false)), nn::BatchNorm2d(o)));
        if (stride != 1 || i != o)
            s = register_module("s", nn::Sequential(nn::Conv2d(nn::Conv2dOptions(i, o, 1).stride(stride).bias(false)),
                                                    nn::BatchNorm2d(o)));
    }
    Tensor forward(const Tensor& x) {
        const Tensor y = f->forward(x);
        return relu(y + (s.is_empty() ? x : s->forward(x)));
    }
};
/// CIFAR ResNet-20 (He et al. 2016, 0.27 M parameters).
struct ResNet : nn::Module {
    nn::Sequential stem{nullptr};
    std::vector<std::shared_ptr<Block>> blocks;
    nn::Linear fc{nullptr};
    ResNet() {
        stem = register_module("stem", nn::Sequential(nn::Conv2d(nn::Conv2dOptions(3, 16, 3).padding(1).bias(false)),
                                                      nn::BatchNorm2d(16), nn::ReLU()));
        std::int64_t in = 16;
        for (int stage = 0; stage < 3; ++stage)
            for (int b = 0; b < 3; ++b) {
                const std::int64_t out = 16 << stage;
                blocks.push_back(register_module("block" + std::to_string(blocks.size()),
                                                 std::make_shared<Block>(in, out, stage && !b ? 2 : 1)));
                in = out;
            }
        fc = register_module("fc", nn::Linear(64, 10));
    }
    Tensor forward(const Tensor& input) {
        Tensor x = stem->forward(input);
        for (const auto& b : blocks) x = b->forward(x);
        return fc(x.mean({2, 3}));
    }
};

struct GPTBlock : nn::Module {
    nn::LayerNorm l1{nullptr}, l2{nullptr};
    nn::Linear qkv{nullptr}, o{nullptr}, u{nullptr}, d{nullptr};
    std::int64_t heads;
    GPTBlock(std::int64_t c, std::int64_t h) : heads(h) {
        l1 = register_module("l1", nn::LayerNorm(nn::LayerNormOptions({c})));
        l2 = register_module("l2", nn::LayerNorm(nn::LayerNormOptions({c})));
        qkv = register_module("qkv", nn::Linear(c, 3 * c));
        o = register_module("o", nn::Linear(c, c));
        u = register_module("u", nn::Linear(c, 4 * c));
        d = register_module("d", nn::Linear(4 * c, c));
    }
    Tensor forward(Tensor x, const Tensor& mask) {
        const std::int64_t b = x.size(0), t = x.size(1), c = x.size(2), e = c / heads;
        const std::vector<Tensor> p = qkv(l1(x)).chunk(3, 2);
        const auto split = [&](const Tensor& v) { return v.reshape({b, t, heads, e}).transpose(1, 2); };
        const Tensor q = split(p[0]), k = split(p[1]), v = split(p[2]);
        const Tensor scores = matmul(q, k.transpose(-2, -1)) / std::sqrt(double(e));
        const Tensor attention = softmax(scores.masked_fill(mask, -1e9), -1);
        x = x + o(matmul(attention, v).transpose(1, 2).contiguous().view({b, t, c}));
        return x + d(gelu(u(l2(x))));
    }
};
struct GPT : nn::Module {
    nn::Embedding te{nullptr}, pe{nullptr};
    std::vector<std::shared_ptr<GPTBlock>> blocks;
    nn::LayerNorm lf{nullptr};
    nn::Linear head{nullptr};
    GPT(std::int64_t vocabulary, std::int64_t t, std::int64_t c, int layers, std::int64_t heads) {
        te = register_module("te", nn::Embedding(vocabulary, c));
        pe = register_module("pe", nn::Embedding(t, c));
        for (int i = 0; i < layers; ++i)
            blocks.push_back(register_module("b" + std::to_string(i), std::make_shared<GPTBlock>(c, heads)));
        lf = register_module("lf", nn::LayerNorm(nn::LayerNormOptions({c})));
        head = register_module("head", nn::Linear(nn::LinearOptions(c, vocabulary).bias(false)));
    }
    Tensor forward(const Tensor& ix) {
        const std::int64_t t = ix.size(1);
        Tensor x = te(ix) + pe(arange(t));
        const Tensor mask = ones({t, t}, kBool).triu(1);
        for (const auto& b : blocks) x = b->forward(x, mask);
        return head(lf(x));
    }
};

} // namespace bench
