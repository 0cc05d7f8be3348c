// A language model of a Transformer encoder over characters; models cloned, averaged, copied part by part.
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

struct PositionalEncodingImpl : torch::nn::Module {
    PositionalEncodingImpl(int64_t d_model, double dropout = 0.1, int64_t max_len = 512) : drop(dropout) {
        register_module("dropout", drop);
        auto position = torch::arange(0, max_len, torch::kFloat).unsqueeze(1);
        auto div_term = torch::exp(torch::arange(0, d_model, 2, torch::kFloat) * (-std::log(10000.0) / d_model));
        pe = torch::zeros({max_len, d_model});
        using namespace torch::indexing;
        pe.index_put_({Slice(), Slice(0, None, 2)}, torch::sin(position * div_term));
        pe.index_put_({Slice(), Slice(1, None, 2)}, torch::cos(position * div_term));
        pe = pe.unsqueeze(0).transpose(0, 1);
        register_buffer("pe", pe);
    }
    torch::Tensor forward(torch::Tensor x) { return drop(x + pe.slice(0, 0, x.size(0))); }
    torch::nn::Dropout drop;
    torch::Tensor pe;
};
TORCH_MODULE(PositionalEncoding);

struct LanguageModelImpl : torch::nn::Module {
    LanguageModelImpl(int64_t ntoken, int64_t d_model, int64_t nhead, int64_t d_hid, int64_t nlayers, double dropout)
        : d_model_(d_model), positions(d_model, dropout),
          encoder(torch::nn::TransformerEncoderOptions(torch::nn::TransformerEncoderLayerOptions(d_model, nhead)
                                                           .dim_feedforward(d_hid)
                                                           .dropout(dropout)
                                                           .activation(torch::kGELU),
                                                       nlayers)),
          embedding(ntoken, d_model), decoder(d_model, ntoken) {
        register_module("pos_encoder", positions);
        register_module("transformer_encoder", encoder);
        register_module("embedding", embedding);
        register_module("decoder", decoder);
        init_weights();
    }
    void init_weights() {
        torch::NoGradGuard no_grad;
        embedding->weight.uniform_(-0.1, 0.1);
        decoder->bias.zero_();
        decoder->weight.data().uniform_(-0.1, 0.1);
        for (auto& p : encoder->parameters())
            if (p.dim() > 1) torch::nn::init::xavier_uniform_(p);
    }
    torch::Tensor forward(const torch::Tensor& src, const torch::Tensor& mask = {}) {
        auto x = positions(embedding(src) * std::sqrt(double(d_model_)));
        return decoder(encoder(x, mask));
    }
    int64_t d_model_;
    PositionalEncoding positions;
    torch::nn::TransformerEncoder encoder;
    torch::nn::Embedding embedding;
    torch::nn::Linear decoder;
};
TORCH_MODULE(LanguageModel);

void copy_parameters(const torch::nn::Module& from, torch::nn::Module& to) {
    torch::NoGradGuard no_grad;
    auto source = from.named_parameters(true);
    auto params = to.named_parameters(true /*recurse*/);
    auto buffers = to.named_buffers(true /*recurse*/);
    for (auto& val : source) {
        auto name = val.key();
        auto* t = params.find(name);
        if (t != nullptr) {
            t->copy_(val.value());
        } else {
            t = buffers.find(name);
            if (t != nullptr) t->copy_(val.value());
        }
    }
}

// Letters as numbers, in columns to be read side by side.
struct Text {
    std::map<char, int64_t> index;
    std::vector<char> letters;
    torch::Tensor data;
    explicit Text(const std::string& text, int times = 8, int64_t batch = 8) {
        for (char c : text)
            if (index.emplace(c, letters.size()).second) letters.push_back(c);
        std::vector<int64_t> ids;
        for (int i = 0; i < times; ++i)
            for (char c : text) ids.push_back(index.at(c));
        data = torch::from_blob(ids.data(), {static_cast<int64_t>(ids.size())}, torch::kInt64).clone();
        data = data.narrow(0, 0, data.size(0) / batch * batch).view({batch, -1}).t().contiguous();
    }
};

constexpr int64_t kLength = 20;

double train_epoch(LanguageModel& model, LanguageModel& average, torch::optim::AdamW& optimizer,
                   const torch::Tensor& data) {
    auto mask = torch::nn::TransformerImpl::generate_square_subsequent_mask(kLength);
    model->train();
    double total = 0;
    int64_t n = 0;
    for (int64_t i = 0; i + 1 < data.size(0); i += kLength) {
        int64_t length = std::min(kLength, data.size(0) - 1 - i);
        auto source = data.slice(0, i, i + length), target = data.slice(0, i + 1, i + 1 + length).reshape(-1);
        auto output = model->forward(source, mask.slice(0, 0, length).slice(1, 0, length));
        auto loss = torch::nn::functional::cross_entropy(output.view({-1, output.size(-1)}), target);
        optimizer.zero_grad(/*set_to_none=*/true);
        loss.backward();
        torch::nn::utils::clip_grad_norm_(model->parameters(), 0.5);
        optimizer.step();
        total += length * loss.item<double>();
        n += length;
        torch::NoGradGuard no_grad;
        auto mine = average->named_parameters();
        for (auto& item : model->named_parameters()) mine[item.key()].lerp_(item.value(), 0.05);
    }
    return total / n;
}

// The most likely letters from here on.
std::string go_on(LanguageModel& model, const Text& text, std::string said, int letters) {
    auto context = torch::empty({int64_t(said.size()), 1}, torch::kLong);
    for (size_t i = 0; i < said.size(); ++i) context[i][0] = text.index.at(said[i]);
    for (int i = 0; i < letters; ++i) {
        auto mask = torch::nn::TransformerImpl::generate_square_subsequent_mask(context.size(0));
        auto next = torch::softmax(model(context, mask)[-1], /*dim=*/-1).argmax(-1, true);
        context = torch::cat({context, next}, 0);
        said += text.letters[next.item<int64_t>()];
    }
    return said;
}

int main() {
    torch::manual_seed(42);
    Text text("the quick brown fox jumps over the lazy dog. the dog sleeps. the fox runs away. ");
    const int64_t tokens = text.letters.size();
    LanguageModel model(tokens, 32, 4, 64, 2, 0.0), average(tokens, 32, 4, 64, 2, 0.0);
    copy_parameters(*model, *average);
    std::cout << model << std::endl;
    torch::optim::AdamW optimizer(model->parameters(), torch::optim::AdamWOptions(4e-3));
    double first = train_epoch(model, average, optimizer, text.data), last = first;
    for (int epoch = 1; epoch < 25; ++epoch) last = train_epoch(model, average, optimizer, text.data);
    std::cout << "perplexity " << std::exp(first) << " -> " << std::exp(last) << std::endl;

    std::ostringstream out;
    torch::save(model, out);
    LanguageModel other(tokens, 32, 4, 64, 2, 0.0);
    std::istringstream in(out.str());
    torch::load(other, in);
    torch::NoGradGuard no_grad;
    model->eval();
    other->eval();
    average->eval();
    auto mask = torch::nn::TransformerImpl::generate_square_subsequent_mask(kLength);
    auto sample = text.data.slice(0, 0, kLength), next = text.data.slice(0, 1, kLength + 1).flatten();
    bool same = torch::allclose(model(sample, mask), other->forward(sample, mask));
    auto smooth = torch::nn::functional::cross_entropy(average(sample, mask).flatten(0, 1), next).item<double>();
    std::string said = go_on(model, text, "the qu", 14);
    std::cout << said << ", averaged loss " << smooth << std::endl;
    auto copy = std::dynamic_pointer_cast<torch::nn::LinearImpl>(model->decoder->clone());
    bool apart = copy->weight.data_ptr() != model->decoder->weight.data_ptr() &&
                 torch::equal(copy->weight, model->decoder->weight);
    return same && apart && std::exp(last) < 1.6 && smooth < first && said.substr(0, 9) == "the quick" ? 0 : 1;
}
