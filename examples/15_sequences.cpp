// Sequences of several lengths: padded and packed batches, an LSTM, and a transformer with masks.
#include <cstdio>

#include <reel/reel.hpp>

#include "device.hpp"

using namespace reel;
namespace rnn = nn::utils::rnn;

/// Does a sequence [length, 1] sum to more than zero? The last hidden state says so.
struct SignOfSumImpl : nn::Module {
    explicit SignOfSumImpl(std::int64_t hidden) {
        lstm = register_module("lstm", nn::LSTM(nn::LSTMOptions(1, hidden)));
        head = register_module("head", nn::Linear(hidden, 1));
    }
    Tensor forward(const rnn::PackedSequence& batch) {
        const auto [outputs, states] = lstm->forward_with_packed_input(batch);
        return head(std::get<0>(states).select(0, 0)).squeeze(1); // h of the only layer, in the order of the batch
    }
    nn::LSTM lstm{nullptr};
    nn::Linear head{nullptr};
};
REEL_MODULE(SignOfSum);

/// What masks hide from a transformer and from attention.
void masked_attention(Device device) {
    // A transformer's encoder. A causal mask hides what comes later, a padding mask what is no data.
    nn::TransformerEncoder encoder(
        nn::TransformerEncoderOptions(nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(16).batch_first(true),
                                      /*num_layers=*/2));
    encoder->eval(); // no dropout
    encoder->to(device);
    const Tensor x = randn({2, 5, 8}, device);
    const Tensor causal = nn::Transformer::generate_square_subsequent_mask(5).to(device);
    const Tensor padding =
        (arange(5).unsqueeze(0) >= tensor({5, 3}).unsqueeze(1)).to(device); // true where a row has ended
    const Tensor y = encoder(x, causal, padding);

    Tensor changed = x.clone();
    changed.narrow(1, 4, 1).add_(1); // the last step
    const Tensor again = encoder(changed, causal, padding);
    std::printf("earlier steps do not see it: %s\n", equal(y.narrow(1, 0, 4), again.narrow(1, 0, 4)) ? "yes" : "no");

    // By value, arguments go by name, as in Python.
    const Value named = encoder->call_values({x}, {{"mask", causal}, {"src_key_padding_mask", padding}});
    std::printf("the same by name: %s\n", equal(named.toTensor(), y) ? "yes" : "no");

    // Attention itself, with its weights: [batch, target, source], rows of ones.
    nn::MultiheadAttention attention(nn::MultiheadAttentionOptions(8, 2).batch_first(true));
    attention->to(device);
    const auto [attended, weights] = attention(x, x, x, /*key_padding_mask=*/padding);
    std::printf("weight on padding: %.0f\n", weights[1].narrow(1, 3, 2).sum().item<double>());
}

int main(int argc, char** argv) {
    const Device device = device_of(argc, argv);
    manual_seed(0);

    // Three sequences: padded into one tensor, and packed so that nothing computes on the padding.
    const TensorOptions there(device);
    const std::vector<Tensor> sequences{randn({2, 3}, there), randn({4, 3}, there), randn({1, 3}, there)};
    const Tensor padded = rnn::pad_sequence(sequences, /*batch_first=*/true); // [3, 4, 3], zeros behind the ends
    const rnn::PackedSequence packed = rnn::pack_sequence(sequences, /*enforce_sorted=*/false);
    std::printf("padded: %lld rows, packed: %lld\n", (long long)(padded.size(0) * padded.size(1)),
                (long long)packed.data().size(0));

    nn::LSTM lstm(nn::LSTMOptions(3, 8).num_layers(2).bidirectional(true));
    lstm->to(device);
    const auto [packed_out, states] = lstm->forward_with_packed_input(packed);
    const auto [out, lengths] = rnn::pad_packed_sequence(packed_out, /*batch_first=*/true);
    // out is [3, 4, 16]; each sequence has what it has alone.
    const Tensor alone = std::get<0>(lstm(sequences[0]));
    std::printf("the same as alone: %s\n", allclose(out[0].narrow(0, 0, 2), alone) ? "yes" : "no");

    // Train on sequences whose lengths differ from batch to batch.
    SignOfSum net(16);
    net->to(device);
    optim::Adam adam(net->parameters(), optim::AdamOptions(1e-2));
    double right = 0;
    for (int step = 0; step < 200; ++step) {
        std::vector<Tensor> batch, targets;
        for (int i = 0; i < 32; ++i) {
            batch.push_back(randn({1 + (i + step) % 7, 1}, there));
            targets.push_back((batch.back().sum() > 0).to(kFloat));
        }
        const Tensor target = stack(targets);
        const Tensor logits = net(rnn::pack_sequence(batch, /*enforce_sorted=*/false));
        adam.zero_grad();
        binary_cross_entropy_with_logits(logits, target).backward();
        adam.step();
        if (step >= 150) right += ((logits > 0).to(kFloat) == target).to(kDouble).mean().item<double>() / 50;
    }
    std::printf("sign of the sum: right in %.0f %% of the last 50 batches\n", 100 * right);
    masked_attention(device);
}
