#include "trainer.hpp"

#include <algorithm>
#include <cstdio>

#include <reel/autograd/cuda.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/data/dataloader.hpp>
#include <reel/serialize/run_checkpoint.hpp>

namespace digits {

using namespace reel;
using data::TensorDataset;

namespace {
constexpr double rates[Trainer::stages] = {3e-3, 3e-3, 1e-3};

std::string hex(std::uint64_t v) {
    char text[32];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(v));
    return text;
}
} // namespace

const char* Trainer::stage_title(std::int64_t stage) {
    static const char* const titles[] = {"digits 0-4", "new head, features frozen", "everything, all ten digits"};
    return titles[stage];
}

Trainer::Trainer(const Options& options, Digits data) : options_(options), data_(std::move(data)) {
    const auto images = std::int64_t(*below(data_.train, classes()).size());
    REEL_CHECK_VALUE(options.batch <= images, "--batch: ", options.batch, " is more than the ", images,
                     " images of the first stage");
    manual_seed(options.seed);
    net_ = DigitNet(classes());
    net_->to(options.device);
    make_optimizer();
}

void Trainer::make_optimizer() {
    optimizer_ =
        std::make_unique<optim::AdamW>(net_->parameters(), optim::AdamWOptions(rates[stage_]).weight_decay(0.01));
    schedule_ = std::make_unique<optim::CosineAnnealingLR>(*optimizer_, options_.epochs[std::size_t(stage_)]);
}
void Trainer::set_modes() {
    net_->train();
    net_->features->requires_grad_(!frozen());
    if (frozen()) net_->features->eval(); // so that the statistics of its batch norms rest
    monitor_.attach(*net_);
}

void Trainer::begin_stage() {
    if (stage_ == 1) {
        net_->replace_head(classes());
        net_->to(options_.device);
        frozen_hash_ = hex(state_hash(*net_->features));
    }
    make_optimizer();
}
void Trainer::end_stage() {
    if (!frozen()) return;
    const std::string now = hex(state_hash(*net_->features));
    REEL_CHECK(now == frozen_hash_, "the frozen features changed: hash ", frozen_hash_, " before, ", now, " after");
}

Tensor Trainer::predict(const Tensor& images) {
    NoGradGuard no_grad;
    net_->eval();
    const Tensor classes = reel::argmax(net_(images.to(options_.device)), 1).cpu();
    set_modes();
    return classes;
}
double Trainer::accuracy(const TensorDataset& set) {
    return reel::eq(predict(set.data()), set.target()).to(kDouble).mean().item<double>();
}

void Trainer::epoch(Progress& progress) {
    const TensorDataset train = below(data_.train, classes());
    const auto loader =
        data::make_data_loader(train, data::DataLoaderOptions(std::size_t(options_.batch)).drop_last(true));
    const std::int64_t steps = std::int64_t(*train.size()) / options_.batch;
    char title[80];
    std::snprintf(title, sizeof title, "stage %d/%d  epoch %d/%d", int(stage_ + 1), stages, int(epochs_done_ + 1),
                  int(options_.epochs[std::size_t(stage_)]));
    progress.begin_epoch(title, steps);
    EpochRecord record;
    record.stage = stage_;
    record.epoch = epochs_done_;
    record.rate = schedule_->get_last_lr()[0];
    double loss_sum = 0, hits = 0, seen = 0;
    for (auto& batch : *loader) {
        optimizer_->zero_grad();
        const Tensor scores = net_(batch.data.to(options_.device)), target = batch.target.to(options_.device);
        const Tensor loss = reel::cross_entropy(scores, target);
        loss.backward();
        optimizer_->step();
        const double n = double(batch.target.numel());
        loss_sum += loss.item<double>() * n;
        hits += reel::eq(reel::argmax(scores.detach(), 1), target).sum().item<double>();
        seen += n;
        progress.step(std::int64_t(n), loss_sum / seen, hits / seen);
    }
    schedule_->step();
    record.loss = loss_sum / seen;
    record.train_accuracy = hits / seen;
    record.norms = monitor_.take();
    record.test_accuracy = accuracy(below(data_.test, classes()));
    history_.push_back(record);
    ++epochs_done_;
    progress.end_epoch(history_.back());
}

std::int64_t Trainer::samples_left() const {
    std::int64_t n = 0;
    for (std::int64_t s = stage_; s < stages; ++s) {
        const std::int64_t rows =
            s == 0 ? std::int64_t(*below(data_.train, 5).size()) : std::int64_t(*data_.train.size());
        n += (options_.epochs[std::size_t(s)] - (s == stage_ ? epochs_done_ : 0)) *
             (rows / options_.batch * options_.batch);
    }
    return n;
}

void Trainer::run() {
    Progress progress(samples_left());
    while (stage_ < stages) {
        const std::int64_t epochs = options_.epochs[std::size_t(stage_)];
        progress.note(
            str("stage ", stage_ + 1, ": ", stage_title(stage_), ", epochs ", epochs_done_ + 1, " to ", epochs));
        set_modes();
        while (epochs_done_ < epochs) {
            epoch(progress);
            if (epochs_done_ < epochs) save();
        }
        progress.note(norm_table(history_, stage_));
        end_stage();
        if (frozen()) progress.note(str("frozen features: hash ", frozen_hash_, " before and after, no bit changed"));
        ++stage_;
        epochs_done_ = 0;
        if (stage_ < stages) begin_stage();
        save();
    }
}

void Trainer::save() const {
    ValueDict d;
    d.set("seed", std::int64_t(options_.seed));
    d.set("batch", options_.batch);
    d.set("epochs", std::vector<std::int64_t>(options_.epochs.begin(), options_.epochs.end()));
    d.set("stage", stage_);
    d.set("epochs_done", epochs_done_);
    d.set("frozen_hash", frozen_hash_);
    d.set("model", const_cast<DigitNet&>(net_)->state_dict().to_value());
    d.set("optimizer", optimizer_->state_dict());
    d.set("schedule", schedule_->state_dict());
    d.set("generator", detail::getDefaultCPUGenerator().get_state());
    if (options_.device.is_cuda()) d.set("device_generator", cuda::get_rng_state(options_.device.index()));
    d.set("history", to_value(history_));
    serialize::save_checkpoint(d, options_.checkpoint());
}

void Trainer::resume(const std::string& path) {
    const ValueDict d = serialize::load_checkpoint(path);
    try {
        const auto same = [&](const char* key, const std::string& mine, const std::string& theirs) {
            REEL_CHECK_VALUE(mine == theirs, "was made with --", key, " ", theirs, ", not ", mine,
                             "; give the same options to go on");
        };
        const auto text = [](const auto& list) {
            std::string r;
            for (const std::int64_t v : list) r += (r.empty() ? "" : ",") + std::to_string(v);
            return r;
        };
        same("seed", std::to_string(options_.seed), std::to_string(std::uint64_t(d.at("seed").toInt())));
        same("batch", std::to_string(options_.batch), std::to_string(d.at("batch").toInt()));
        same("epochs", text(options_.epochs), text(d.at("epochs").toIntVector()));
        const std::int64_t stage = d.at("stage").toInt(), done = d.at("epochs_done").toInt();
        REEL_CHECK_VALUE(stage >= 0 && stage <= stages && done >= 0, "key 'stage' or 'epochs_done' is out of range");
        frozen_hash_ = d.at("frozen_hash").toStringRef();
        history_ = history_from(d.at("history"));
        stage_ = std::min<std::int64_t>(stage, stages - 1);
        net_ = DigitNet(classes());
        net_->to(options_.device);
        net_->load_state_dict(nn::StateDict::from_value(d.at("model")));
        make_optimizer();
        optimizer_->load_state_dict(d.at("optimizer"));
        schedule_->load_state_dict(d.at("schedule"));
        stage_ = stage;
        epochs_done_ = done;
        Generator(detail::getDefaultCPUGenerator()).set_state(d.at("generator").toTensor());
        if (options_.device.is_cuda() && d.contains("device_generator"))
            cuda::set_rng_state(d.at("device_generator").toTensor(), options_.device.index());
    } catch (const Error& e) {
        REEL_THROW(Error, path, ": ", e.msg());
    }
}

} // namespace digits
