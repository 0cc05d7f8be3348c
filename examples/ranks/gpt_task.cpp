// A small GPT that learns to count in words; every rank has its rows of the parameters.
#include "task.hpp"

#include <algorithm>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/distributed/fully_shard.hpp>
#include <reel/distributed/session.hpp>

namespace ranks {

using namespace reel;

namespace {
constexpr std::int64_t context = 48, width = 64, batch = 8;
const std::string alphabet = " abcdefghijklmnopqrstuvwxyz";

/// "one two three ... nine hundred ninety nine"
std::string counted() {
    const std::vector<std::string> small = {"",        "one",     "two",       "three",    "four",
                                            "five",    "six",     "seven",     "eight",    "nine",
                                            "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                                            "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"},
                                   tens = {"",      "",      "twenty",  "thirty", "forty",
                                           "fifty", "sixty", "seventy", "eighty", "ninety"};
    std::string text;
    for (std::size_t n = 1; n < 1000; ++n) {
        if (n >= 100) text += small[n / 100] + " hundred ";
        const std::size_t rest = n % 100;
        if (rest >= 20) text += tens[rest / 10] + " ";
        const std::string& last = small[rest >= 20 ? rest % 10 : rest];
        if (!last.empty()) text += last + " ";
    }
    return text;
}
Tensor numbers_of(const std::string& text) {
    const Tensor t = zeros({std::int64_t(text.size())}, kLong);
    for (std::size_t i = 0; i < text.size(); ++i)
        t.mutable_data_ptr<std::int64_t>()[i] = std::int64_t(alphabet.find(text[i]));
    return t;
}

struct GptImpl : nn::Module {
    GptImpl() {
        const auto letters = std::int64_t(alphabet.size());
        embedding = register_module("embedding", nn::Embedding(letters, width));
        place = register_parameter("place", 0.02 * randn({context, width}));
        blocks = register_module(
            "blocks",
            nn::TransformerEncoder(nn::TransformerEncoderOptions(
                nn::TransformerEncoderLayerOptions(width, 4).dim_feedforward(4 * width).dropout(0).batch_first(true),
                /*num_layers=*/2)));
        head = register_module("head", nn::Linear(width, letters));
        later = register_buffer("later", nn::Transformer::generate_square_subsequent_mask(context), false);
    }
    /// Logits of the letter after each of `letters` [batch, time].
    Tensor forward(const Tensor& letters) {
        const std::int64_t time = letters.size(1);
        const Tensor x = embedding(letters) + place.narrow(0, 0, time);
        return head(blocks(x, later.narrow(0, 0, time).narrow(1, 0, time)));
    }
    nn::Embedding embedding{nullptr};
    nn::TransformerEncoder blocks{nullptr};
    nn::Linear head{nullptr};
    Tensor place, later;
};
REEL_MODULE(Gpt);

class GptTask final : public Task {
public:
    explicit GptTask(Device device) : device_(device), text_(numbers_of(counted()).to(device)) {
        net_->to(device);
        for (const auto& m : net_->modules()) // one block at a time is whole
            if (m->as<nn::TransformerEncoderLayer>()) distributed::fully_shard(*m);
        distributed::fully_shard(net_);
        adam_ = std::make_unique<optim::AdamW>(net_->parameters(), optim::AdamWOptions(3e-3));
    }
    std::string title() const override { return "A small GPT that counts in words"; }
    std::string explanation() const override {
        return "Every rank has its rows of each parameter, of its gradient and of the optimizer's state. A block's "
               "parameters are whole while it runs, forward and backward.";
    }
    nn::Module& module() override { return *net_; }
    optim::Optimizer& optimizer() override { return *adam_; }
    Tensor loss(std::int64_t step) override {
        // drawn anew for each step and rank, so that a run goes on as it would have
        Generator draws =
            detail::createCPUGenerator(std::uint64_t(step * distributed::world_size() + distributed::rank()));
        const Tensor begin = randint(text_.numel() - context - 1, {batch}, draws);
        std::vector<Tensor> input, target;
        for (std::int64_t i = 0; i < batch; ++i) {
            const std::int64_t at = begin[i].item<std::int64_t>();
            input.push_back(text_.narrow(0, at, context));
            target.push_back(text_.narrow(0, at + 1, context));
        }
        return cross_entropy(net_(stack(input)).flatten(0, 1), stack(target).flatten());
    }
    std::pair<std::string, std::string> verdict() override {
        const NoGradGuard no_grad;
        std::string text = "twenty one twenty two ";
        while (text.size() < 80) {
            const std::string seen = text.substr(text.size() - std::min(text.size(), std::size_t(context)));
            const Tensor next = argmax(net_(numbers_of(seen).to(device_).unsqueeze(0)).select(0, 0).select(0, -1), 0);
            text += alphabet[std::size_t(next.item<std::int64_t>())];
        }
        return {text, "is how it goes on after 'twenty one twenty two'"};
    }

private:
    Device device_;
    Tensor text_;
    Gpt net_;
    std::unique_ptr<optim::AdamW> adam_;
};
} // namespace

std::unique_ptr<Task> gpt_task(Device device) {
    manual_seed(1);
    return std::make_unique<GptTask>(device);
}

} // namespace ranks
