// The three stages of training, and going on from a checkpoint.
#pragma once

#include <memory>
#include <string>

#include <reel/optim.hpp>

#include "data.hpp"
#include "history.hpp"
#include "model.hpp"
#include "options.hpp"
#include "progress.hpp"

namespace digits {

class Trainer {
public:
    Trainer(const Options& options, Digits data);
    /// Takes over what the checkpoint file holds. Errors: the file's name and what is wrong; nothing is changed then.
    void resume(const std::string& path);
    /// Runs what is left to do, writing a checkpoint after every epoch.
    void run();

    DigitNet& net() { return net_; }
    const History& history() const { return history_; }
    const Digits& data() const { return data_; }
    /// Predicted class of every image.
    reel::Tensor predict(const reel::Tensor& images);
    /// Takes the gradient hooks off.
    void stop_watching() { monitor_.detach(); }
    static constexpr int stages = 3;
    static const char* stage_title(std::int64_t stage);

private:
    void begin_stage();
    void end_stage();
    void make_optimizer();
    void set_modes();
    void epoch(Progress& progress);
    double accuracy(const reel::data::TensorDataset& set);
    void save() const;
    std::int64_t samples_left() const;
    bool frozen() const { return stage_ == 1; }
    std::int64_t classes() const { return stage_ == 0 ? 5 : 10; }

    const Options& options_;
    Digits data_;
    DigitNet net_{nullptr};
    std::unique_ptr<reel::optim::AdamW> optimizer_;
    std::unique_ptr<reel::optim::CosineAnnealingLR> schedule_;
    GradientMonitor monitor_;
    History history_;
    std::int64_t stage_ = 0, epochs_done_ = 0; ///< of the stage
    std::string frozen_hash_;                  ///< of the feature extractor when it was frozen
};

} // namespace digits
