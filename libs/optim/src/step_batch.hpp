// The steps of many parameters at once, on devices where a launch costs more than a small step; and the rules of such
// steps alone, for graphs that replay them.
#pragma once

#include <functional>
#include <memory>
#include <typeinfo>
#include <unordered_set>
#include <utility>
#include <vector>

#include <reel/autograd/device_hooks.hpp>
#include <reel/optim/detail/step.hpp>

namespace reel::optim::detail {

/// Collects, while it lives, the steps that this thread takes on devices with a kernel for many. They are taken by
/// `flush`, in order where a parameter occurs twice.
class StepBatch {
public:
    /// `rules`: nothing is stepped, only the rules are looked at.
    enum class Mode { steps, rules };
    explicit StepBatch(Mode mode);
    ~StepBatch();
    StepBatch(const StepBatch&) = delete;
    static StepBatch* current();
    /// Collects no more.
    void end();

    template <class Rule>
    void add(const char* optimizer, const Rule& rule, const Tensor& param, const Tensor& grad,
             std::initializer_list<std::reference_wrapper<const Tensor>> state);
    void flush();
    /// The steps are left out where that number, of float32, is not 0 when the device gets there. Before any is added.
    void skip_where(Tensor found_inf) { found_inf_ = std::move(found_inf); }
    /// How many steps were collected.
    std::size_t size() const { return size_; }
    /// Gives rules, collected by the same calls on a later occasion, to the launches of this batch that were captured.
    void write_rules(const StepBatch& later) const;

private:
    /// What a step works on, kept while it is lent.
    struct Lent {
        std::vector<Tensor> operands;
        std::vector<const Tensor*> addresses;
        std::unique_ptr<reel::detail::DenseUpdate> update;
    };
    class Part {
    public:
        virtual ~Part() = default;
        virtual void run() = 0;
        virtual void write(const Part& later) const = 0;
    };
    template <class Rule> class PartOf;
    /// The part that steps by the rule go to, with others of this dtype and device.
    template <class Rule> PartOf<Rule>& part_for(const Tensor& param);

    Mode mode_;
    StepBatch* before_;
    bool ended_ = false;
    std::vector<std::unique_ptr<Part>> open_, done_;
    std::unordered_set<const void*> params_; ///< of the open parts
    std::size_t size_ = 0;
    Tensor found_inf_;
};

template <class Rule> class StepBatch::PartOf : public Part {
public:
    PartOf(const Tensor& param, const Tensor& found_inf)
        : where_(param), found_inf_(found_inf.defined() ? found_inf.detach().to(param.device()) : found_inf) {}
    bool fits(const Tensor& param) const {
        return param.device() == where_.device() && param.scalar_type() == where_.scalar_type();
    }
    void add(const Rule& rule, Lent lent) {
        rules_.push_back(rule);
        lent_.push_back(std::move(lent));
    }
    void run() override {
        std::vector<BatchedStep<Rule>> steps;
        for (std::size_t i = 0; i < rules_.size(); ++i) {
            const reel::detail::DenseUpdate& u = *lent_[i].update;
            steps.push_back({&rules_[i], {u.dtype(), u.count(), u.size(), u.data()}});
        }
        writer_ = batched_step_kernel<Rule>(where_, steps, found_inf_);
        for (const Lent& l : lent_) l.update->commit();
        lent_.clear();
    }
    void write(const Part& later) const override {
        const auto* const other = dynamic_cast<const PartOf*>(&later);
        REEL_CHECK(other && other->rules_.size() == rules_.size() && writer_,
                   "optimizer: the step is not the one that was captured: it has other parameters with gradients, or "
                   "other options that choose its arithmetic; capture it again");
        writer_(other->rules_);
    }

private:
    Tensor where_, found_inf_;
    std::vector<Rule> rules_;
    std::vector<Lent> lent_;
    RuleWriter<Rule> writer_;
};

template <class Rule> StepBatch::PartOf<Rule>& StepBatch::part_for(const Tensor& param) {
    for (const auto& part : open_)
        if (auto* const p = dynamic_cast<PartOf<Rule>*>(part.get()); p && p->fits(param)) return *p;
    open_.push_back(std::make_unique<PartOf<Rule>>(param, found_inf_));
    return static_cast<PartOf<Rule>&>(*open_.back());
}

template <class Rule>
void StepBatch::add(const char* optimizer, const Rule& rule, const Tensor& param, const Tensor& grad,
                    std::initializer_list<std::reference_wrapper<const Tensor>> state) {
    if (param.numel() == 0) return;
    if (!params_.insert(param.unsafeGetTensorImpl()).second) {
        flush(); // a parameter that occurs twice is stepped twice, one after the other
        params_.insert(param.unsafeGetTensorImpl());
    }
    ++size_;
    Lent lent;
    if (mode_ == Mode::rules) return part_for<Rule>(param).add(rule, std::move(lent));
    lent.operands = {param, grad};
    lent.operands.insert(lent.operands.end(), state.begin(), state.end());
    for (const Tensor& t : lent.operands) lent.addresses.push_back(&t);
    lent.update = open_step(optimizer, lent.addresses, true);
    if (lent.update) part_for<Rule>(param).add(rule, std::move(lent));
}

} // namespace reel::optim::detail
