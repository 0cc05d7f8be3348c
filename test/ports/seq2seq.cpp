// Reversing sequences of symbols: a recurrent encoder, a decoder that attends to what it has read.
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <random>
#include <tuple>

namespace F = torch::nn::functional;
using torch::indexing::None;
using torch::indexing::Slice;

constexpr int64_t kPad = 0, kBegin = 1, kEnd = 2, kSymbols = 10;

struct EncoderImpl : torch::nn::Module {
    EncoderImpl(int64_t vocabulary, int64_t width)
        : embedding(torch::nn::EmbeddingOptions(vocabulary, width).padding_idx(kPad)),
          rnn(torch::nn::GRUOptions(width, width).batch_first(true).bidirectional(true)), bridge(2 * width, width) {
        register_module("embedding", embedding);
        register_module("rnn", rnn);
        register_module("bridge", bridge);
    }
    std::tuple<torch::Tensor, torch::Tensor> forward(const torch::Tensor& tokens, const torch::Tensor& lengths) {
        auto packed = torch::nn::utils::rnn::pack_padded_sequence(embedding(tokens), lengths, /*batch_first=*/true,
                                                                  /*enforce_sorted=*/false);
        auto [out, hidden] = rnn->forward_with_packed_input(packed);
        auto [memory, unused] = torch::nn::utils::rnn::pad_packed_sequence(out, /*batch_first=*/true);
        auto last = torch::cat({hidden[0], hidden[1]}, /*dim=*/1);
        return std::make_tuple(bridge->forward(memory), torch::tanh(bridge->forward(last)).unsqueeze(0));
    }
    torch::nn::Embedding embedding;
    torch::nn::GRU rnn;
    torch::nn::Linear bridge;
};
TORCH_MODULE(Encoder);

struct AttentionImpl : torch::nn::Module {
    explicit AttentionImpl(int64_t width) {
        query = register_module("query", torch::nn::Linear(torch::nn::LinearOptions(width, width).bias(false)));
        key = register_module("key", torch::nn::Linear(width, width));
        score = register_parameter("score", torch::empty({width}));
        torch::nn::init::uniform_(score, -0.1, 0.1);
    }
    torch::Tensor forward(torch::Tensor state, torch::Tensor memory, torch::Tensor mask) {
        auto energies = torch::matmul(torch::tanh(query(state).unsqueeze(1) + key(memory)), score);
        energies.masked_fill_(mask.logical_not(), -std::numeric_limits<float>::infinity());
        return F::softmax(energies, F::SoftmaxFuncOptions(1));
    }
    torch::nn::Linear query{nullptr}, key{nullptr};
    torch::Tensor score;
};
TORCH_MODULE(Attention);

struct DecoderImpl : torch::nn::Module {
    DecoderImpl(int64_t vocabulary, int64_t width)
        : embedding(vocabulary, width), cell(2 * width, width), attention(width), out(2 * width, vocabulary) {
        register_module("embedding", embedding);
        register_module("cell", cell);
        register_module("attention", attention);
        register_module("out", out);
    }
    std::pair<torch::Tensor, torch::Tensor> forward(torch::Tensor token, torch::Tensor state, torch::Tensor memory,
                                                    torch::Tensor mask) {
        auto weights = attention(state, memory, mask);
        auto context = torch::bmm(weights.unsqueeze(1), memory).squeeze(1);
        state = cell(torch::cat({embedding(token), context}, 1), state);
        return {out(torch::cat({state, context}, 1)), state};
    }
    torch::nn::Embedding embedding;
    torch::nn::GRUCell cell;
    Attention attention;
    torch::nn::Linear out;
};
TORCH_MODULE(Decoder);

struct Batch {
    torch::Tensor source, lengths, target;
};
Batch make_batch(int64_t n, std::mt19937& rng) {
    std::uniform_int_distribution<int64_t> length(2, 5), symbol(3, kSymbols - 1);
    auto source = torch::full({n, 5}, kPad, torch::kLong), target = torch::full({n, 6}, kPad, torch::kInt64);
    std::vector<int64_t> lengths;
    auto s = source.accessor<int64_t, 2>(), t = target.accessor<int64_t, 2>();
    for (int64_t i = 0; i < n; ++i) {
        lengths.push_back(length(rng));
        for (int64_t j = 0; j < lengths.back(); ++j) s[i][j] = symbol(rng);
        for (int64_t j = 0; j < lengths.back(); ++j) t[i][j] = s[i][lengths.back() - 1 - j];
        t[i][lengths.back()] = kEnd;
    }
    int64_t longest = *std::max_element(lengths.begin(), lengths.end());
    return {source.index({Slice(), Slice(None, longest)}), torch::tensor(lengths),
            target.index({"...", Slice(None, longest + 1)})};
}

struct Model {
    Encoder encoder{kSymbols, 32};
    Decoder decoder{kSymbols, 32};
    torch::Device device{torch::cuda::is_available() ? torch::kCUDA : torch::kCPU};
    std::vector<torch::Tensor> parameters() const {
        std::vector<torch::Tensor> all = encoder->parameters();
        for (const auto& p : decoder->parameters()) all.push_back(p);
        return all;
    }
    torch::Tensor begin(int64_t n) const {
        return torch::full({n}, kBegin, torch::TensorOptions().dtype(torch::kLong).device(device));
    }
};

torch::Tensor loss_of(Model& model, const Batch& batch, torch::nn::CrossEntropyLoss& criterion) {
    auto source = batch.source.to(model.device), target = batch.target.to(model.device);
    auto [memory, hidden] = model.encoder(source, batch.lengths);
    auto mask = source != kPad;
    auto state = hidden.squeeze(0), token = model.begin(source.size(0));
    std::vector<torch::Tensor> logits;
    bool teach = torch::rand({1}).item<float>() < 0.8;
    for (int64_t t = 0; t < target.size(1); ++t) {
        torch::Tensor scores;
        std::tie(scores, state) = model.decoder(token, state, memory, mask);
        logits.push_back(scores);
        token = teach ? target.select(1, t) : scores.argmax(1).detach();
    }
    return criterion(torch::stack(logits, 1).view({-1, kSymbols}), target.reshape({-1}));
}

double share_of_right_symbols(Model& model, const Batch& batch) {
    torch::NoGradGuard no_grad;
    model.encoder->eval();
    model.decoder->eval();
    auto [memory, hidden] = model.encoder(batch.source.to(model.device), batch.lengths);
    auto state = hidden.squeeze(0), token = model.begin(batch.source.size(0));
    auto mask = (batch.source != kPad).to(model.device);
    std::vector<torch::Tensor> said;
    for (int64_t t = 0; t < batch.target.size(1); ++t) {
        auto result = model.decoder(token, state, memory, mask);
        token = std::get<0>(result).argmax(-1);
        state = result.second;
        said.push_back(token);
    }
    auto wanted = batch.target != kPad;
    auto right = (torch::stack(said, 1).cpu() == batch.target).masked_select(wanted).to(torch::kFloat).mean();
    return right.item<double>();
}

int main() {
    torch::manual_seed(1);
    std::mt19937 rng(3);
    Model model;
    model.encoder->to(model.device);
    model.decoder->to(model.device);
    auto parameters = model.parameters();
    torch::optim::Adam optimizer(parameters, torch::optim::AdamOptions(5e-3).betas({0.9, 0.98}));
    torch::optim::StepLR scheduler(optimizer, /*step_size=*/100, /*gamma=*/0.5);
    torch::nn::CrossEntropyLoss criterion(torch::nn::CrossEntropyLossOptions().ignore_index(kPad));
    for (int step = 0; step < 220; ++step) {
        optimizer.zero_grad();
        auto loss = loss_of(model, make_batch(32, rng), criterion);
        loss.backward();
        torch::nn::utils::clip_grad_norm_(parameters, 1.0);
        optimizer.step();
        scheduler.step();
        if (step % 50 == 0) std::cout << "step " << step << " loss " << loss.item<float>() << std::endl;
    }
    double right = share_of_right_symbols(model, make_batch(64, rng));
    std::cout << "right: " << right << std::endl;
    return right > 0.8 ? 0 : 1;
}
