// Data sets, samplers, collations and loaders of our own.
#include <torch/torch.h>

#include <algorithm>
#include <iostream>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <vector>

int wrong = 0;
#define EXPECT(x)                                                                                                      \
    if (!(x)) {                                                                                                        \
        std::cerr << "WRONG: line " << __LINE__ << ": " << #x << std::endl;                                            \
        ++wrong;                                                                                                       \
    }

struct Sentence {
    std::vector<int64_t> words;
    int64_t label;
};
struct Padded {
    torch::Tensor words, lengths, labels;
};

class Sentences : public torch::data::Dataset<Sentences, Sentence> {
public:
    explicit Sentences(int64_t n) {
        for (int64_t i = 0; i < n; ++i) sentences_.push_back({std::vector<int64_t>(1 + i % 5, i + 1), i % 2});
    }
    Sentence get(size_t i) override { return sentences_.at(i); }
    torch::optional<size_t> size() const override { return sentences_.size(); }

private:
    std::vector<Sentence> sentences_;
};
struct PadCollate : public torch::data::transforms::Collation<Padded, std::vector<Sentence>> {
    Padded apply_batch(std::vector<Sentence> batch) override {
        std::vector<torch::Tensor> words;
        std::vector<int64_t> lengths, labels;
        for (const auto& s : batch) {
            words.push_back(torch::tensor(s.words, torch::kLong));
            lengths.push_back(s.words.size());
            labels.push_back(s.label);
        }
        return {torch::nn::utils::rnn::pad_sequence(words, /*batch_first=*/true, /*padding_value=*/0),
                torch::tensor(lengths), torch::tensor(labels, torch::dtype(torch::kInt64))};
    }
};
// whole batches at once
class Squares : public torch::data::datasets::BatchDataset<Squares, torch::data::TensorExample> {
public:
    torch::data::TensorExample get_batch(torch::ArrayRef<size_t> indices) override {
        std::vector<float> values(indices.begin(), indices.end());
        return {torch::tensor(values).pow(2)};
    }
    torch::optional<size_t> size() const override { return 20; }
};
// an endless stream
class Counter : public torch::data::datasets::StreamDataset<Counter, std::vector<int>> {
public:
    std::vector<int> get_batch(size_t n) override {
        std::lock_guard<std::mutex> lock(mutex_);
        std::vector<int> out;
        while (out.size() < n && next_ < 23) out.push_back(next_++);
        return out;
    }
    torch::optional<size_t> size() const override { return torch::nullopt; }
    Counter() = default;
    Counter(Counter&& other) : next_(other.next_) {}

private:
    std::mutex mutex_;
    int next_ = 0;
};
// the even indices first
class EvenFirst : public torch::data::samplers::Sampler<> {
public:
    explicit EvenFirst(size_t n) : size_(n) { reset(n); }
    void reset(torch::optional<size_t> size = torch::nullopt) override {
        if (size) size_ = *size;
        order_.clear();
        for (size_t i = 0; i < size_; i += 2) order_.push_back(i);
        for (size_t i = 1; i < size_; i += 2) order_.push_back(i);
        at_ = 0;
    }
    torch::optional<std::vector<size_t>> next(size_t batch) override {
        if (at_ == order_.size()) return torch::nullopt;
        size_t end = std::min(at_ + batch, order_.size());
        std::vector<size_t> out(order_.begin() + at_, order_.begin() + end);
        at_ = end;
        return out;
    }
    void save(torch::serialize::OutputArchive& archive) const override {
        archive.write("at", torch::tensor(static_cast<int64_t>(at_)), /*is_buffer=*/true);
    }
    void load(torch::serialize::InputArchive& archive) override {
        auto at = torch::empty(1, torch::kInt64);
        archive.read("at", at, /*is_buffer=*/true);
        at_ = at.item<int64_t>();
    }

private:
    size_t size_ = 0, at_ = 0;
    std::vector<size_t> order_;
};

void sentences_are_padded() {
    auto loader =
        torch::data::make_data_loader(Sentences(37).map(PadCollate()),
                                      torch::data::DataLoaderOptions().batch_size(8).workers(2).enforce_ordering(true));
    std::multiset<int64_t> seen;
    size_t batches = 0;
    for (Padded& batch : *loader) {
        ++batches;
        EXPECT(batch.words.dim() == 2 && batch.words.size(1) == batch.lengths.max().item<int64_t>());
        for (int64_t i = 0; i < batch.words.size(0); ++i) seen.insert(batch.words[i][0].item<int64_t>());
    }
    EXPECT(batches == 5 && seen.size() == 37 && *seen.begin() == 1 && *seen.rbegin() == 37);
}

void a_sampler_of_ones_own() {
    auto dataset = Sentences(10);
    auto loader = torch::data::make_data_loader(dataset, EvenFirst(10), /*options=*/4);
    std::vector<int64_t> first;
    for (auto& batch : *loader)
        for (auto& s : batch) first.push_back(s.words.front());
    EXPECT((first == std::vector<int64_t>{1, 3, 5, 7, 9, 2, 4, 6, 8, 10}));
}

void whole_batches() {
    auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
        Squares(), torch::data::DataLoaderOptions(6).drop_last(true));
    auto it = loader->begin();
    EXPECT(it->data[2].item<float>() == 4);
    size_t n = 0;
    for (; it != loader->end(); ++it) ++n;
    EXPECT(n == 3);
}

void a_stream() {
    auto loader = torch::data::make_data_loader(Counter(), torch::data::samplers::StreamSampler(25),
                                                torch::data::DataLoaderOptions().batch_size(5));
    int total = 0;
    for (auto& batch : *loader) total += std::accumulate(batch.begin(), batch.end(), 0);
    EXPECT(total == 23 * 22 / 2);
}

void transforms() {
    auto set = Sentences(12)
                   .map(torch::data::transforms::Lambda<Sentence, int64_t>([](Sentence s) { return s.words.at(0); }))
                   .map(torch::data::transforms::BatchLambda<std::vector<int64_t>, int64_t>(
                       [](std::vector<int64_t> v) { return std::accumulate(v.begin(), v.end(), int64_t(0)); }));
    int64_t sum = 0;
    auto loader = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(std::move(set), 5);
    for (int64_t batch : *loader) sum += batch;
    EXPECT(sum == 78);
}

void shared_sets() {
    auto data = torch::rand({10, 3}), target = torch::arange(10);
    auto tensors = torch::data::datasets::TensorDataset(std::vector<torch::Tensor>{data[0], data[1]});
    EXPECT(tensors.size().value() == 2u);
    auto shared = torch::data::datasets::make_shared_dataset<Sentences>(6);
    auto one = torch::data::make_data_loader(shared, torch::data::DataLoaderOptions().batch_size(3));
    auto two = torch::data::make_data_loader(shared, torch::data::DataLoaderOptions().batch_size(2));
    EXPECT(std::distance(one->begin(), one->end()) == 2);
    EXPECT(std::distance(two->begin(), two->end()) == 3);
    EXPECT(one->options().batch_size == 3u);
}

void samplers() {
    torch::data::samplers::RandomSampler sampler(5);
    sampler.next(2);
    torch::serialize::OutputArchive out;
    sampler.save(out);
    torch::data::samplers::DistributedRandomSampler shares(100, /*num_replicas=*/4, /*rank=*/1,
                                                           /*allow_duplicates=*/false);
    shares.set_epoch(2);
    EXPECT(shares.next(100)->size() == 25);
}

void a_worker_that_fails() {
    try {
        struct Bad : torch::data::Dataset<Bad, int> {
            int get(size_t i) override {
                if (i == 3) throw std::invalid_argument("bad row");
                return int(i);
            }
            torch::optional<size_t> size() const override { return 6; }
        };
        auto loader = torch::data::make_data_loader(Bad(), torch::data::DataLoaderOptions().workers(2).batch_size(2));
        for (auto& b : *loader) (void)b;
        EXPECT(false);
    } catch (const torch::data::WorkerException& e) {
        EXPECT(std::string(e.what()).find("bad row") != std::string::npos);
    }
}

int main() {
    torch::manual_seed(5);
    sentences_are_padded();
    a_sampler_of_ones_own();
    whole_batches();
    a_stream();
    transforms();
    shared_sets();
    samplers();
    a_worker_that_fails();
    return wrong;
}
