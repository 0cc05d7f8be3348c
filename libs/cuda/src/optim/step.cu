// Optimizer steps: the rules that the CPU has, many parameters by one launch.
#include <reel/optim/detail/all_steps.hpp>
#include <reel/optim/detail/step_kernel.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "capturing.hpp"
#include "dispatch.cuh"
#include "many_tensors.cuh"
#include "replay_work.hpp"
#include "scratch.cuh"

namespace reel::cuda {

namespace {

/// Parameter, gradient and states of one step, and the first of the blocks that work on it.
template <class Rule, class T> struct Slot {
    static constexpr int operands = 2 + Rule::states;
    T* data[operands];
    std::int64_t count;
    std::int32_t first_block, rule;
};
/// What a launch gets to know, as its parameters: nothing is sent before it, and a captured graph keeps it.
template <class Rule, class T, int slots, int rules> struct Table {
    const Rule* captured;   ///< rules that replays read; null: those below
    const float* found_inf; ///< where that is not 0, nothing is stepped; null: whatever
    std::int32_t count;
    Rule rule[rules];
    Slot<Rule, T> slot[slots];
};
template <class Rule, class T, int slots, int rules>
__global__ void step_kernel_of_many(TableParameter<Table<Rule, T, slots, rules>> table) {
    if (table.found_inf && *table.found_inf != 0) return;
    const Slot<Rule, T>& s = entry_of_block(table.slot, table.count);
    const Rule rule = table.captured ? table.captured[s.rule] : table.rule[s.rule];
    constexpr int operands = Slot<Rule, T>::operands;
    for_chunk(s, [&](std::int64_t i) {
        compute_t<T> x[operands];
        for (int a = 0; a < operands; ++a) x[a] = compute_t<T>(s.data[a][i]);
        rule(x);
        for (int a = 0; a < operands; ++a)
            if (a != 1) s.data[a][i] = T(x[a]); // the gradient is only read
    });
}

/// Launches as few as the table's size allows.
template <class Rule, class T, int slots, int rules> class Launches {
public:
    Launches(const Tensor& where, const Rule* captured, const float* found_inf)
        : on_(where), captured_(captured), found_inf_(found_inf) {
        begin();
    }
    void add(const Rule& rule, const optim::StepOperands& o, int number) {
        if (table_->count == slots || !place_for(rule, number)) {
            flush();
            place_for(rule, number);
        }
        Slot<Rule, T>& s = table_->slot[table_->count++];
        for (int a = 0; a < o.size; ++a) s.data[a] = reinterpret_cast<T*>(o.data[a]);
        s.count = o.count;
        s.first_block = blocks_;
        s.rule = rule_;
        blocks_ += chunks_of(o.count);
    }
    void flush() {
        if (table_->count > 0)
            launch("optimizer_step", step_kernel_of_many<Rule, T, slots, rules>,
                   {unsigned(blocks_), threads_per_block, 0, on_.stream()}, *table_);
        begin();
    }

private:
    void begin() {
        table_ = std::make_unique<Table<Rule, T, slots, rules>>();
        table_->captured = captured_;
        table_->found_inf = found_inf_;
        blocks_ = rules_ = 0;
    }
    /// Most parameters step by the same numbers.
    bool place_for(const Rule& rule, int number) {
        if (captured_) return rule_ = number, true;
        for (rule_ = 0; rule_ < rules_; ++rule_)
            if (std::memcmp(&table_->rule[rule_], &rule, sizeof rule) == 0) return true;
        if (rules_ == rules) return false;
        table_->rule[rules_++] = rule;
        return true;
    }

    OnDevice on_;
    const Rule* captured_;
    const float* found_inf_;
    std::unique_ptr<Table<Rule, T, slots, rules>> table_;
    std::int32_t blocks_ = 0, rules_ = 0, rule_ = 0;
};

template <class Rule> __global__ void write_rules_kernel(Rule* to, Rule rule, int count) {
    for (int i = int(threadIdx.x); i < count; i += int(blockDim.x)) to[i] = rule;
}
/// Equal neighbours by one launch.
template <class Rule> void write_rules(const DeviceScratch<Rule>& to, const Tensor& where, ArrayRef<Rule> rules) {
    const OnDevice on(where);
    for (std::size_t i = 0, next; i < rules.size(); i = next) {
        for (next = i + 1; next < rules.size(); ++next)
            if (std::memcmp(&rules[i], &rules[next], sizeof(Rule)) != 0) break;
        launch("optimizer_step", write_rules_kernel<Rule>, on.blocks(1), to.data() + i, rules[i], int(next - i));
    }
}

template <class Rule, class T>
void steps_as(const Tensor& where, ArrayRef<optim::BatchedStep<Rule>> steps, const Rule* captured,
              const float* found_inf) {
    constexpr int few = 8, bytes = 32000; // what a launch takes, less some room
    constexpr int rules = 8, many = (bytes - int(sizeof(Rule)) * rules) / int(sizeof(Slot<Rule, T>));
    const auto take = [&](auto&& launches) {
        int number = 0;
        for (const optim::BatchedStep<Rule>& step : steps) launches.add(*step.rule, step.operands, number++);
        launches.flush();
    };
    if (steps.size() <= few) take(Launches<Rule, T, few, 1>(where, captured, found_inf));
    else take(Launches<Rule, T, many, rules>(where, captured, found_inf));
}
template <class Rule>
void take_steps(const Tensor& where, ArrayRef<optim::BatchedStep<Rule>> steps, const Rule* captured,
                const float* found_inf) {
    switch (steps[0].operands.dtype) {
    case kFloat:
        return steps_as<Rule, float>(where, steps, captured, found_inf);
    case kDouble:
        return steps_as<Rule, double>(where, steps, captured, found_inf);
    case kHalf:
        return steps_as<Rule, Half>(where, steps, captured, found_inf);
    case kBFloat16:
        return steps_as<Rule, BFloat16>(where, steps, captured, found_inf);
    default:
        reel::detail::throw_no_kernel("optimizer_step", where, {true});
    }
}
template <class Rule> void step(const Tensor& param, const Rule& rule, const optim::StepOperands& operands) {
    const optim::BatchedStep<Rule> one{&rule, operands};
    take_steps<Rule>(param, {&one, 1}, nullptr, nullptr);
}
template <class Rule>
optim::RuleWriter<Rule> step_many(const Tensor& where, ArrayRef<optim::BatchedStep<Rule>> steps,
                                  const Tensor& found_inf) {
    const float* const found = found_inf.defined() ? static_cast<const float*>(found_inf.data_ptr()) : nullptr;
    if (!capture_memory(where.device().index())) return take_steps<Rule>(where, steps, nullptr, found), nullptr;
    std::shared_ptr<DeviceScratch<Rule>> rules;
    {
        const MemoryBeforeReplay memory(where.device().index());
        rules = std::make_shared<DeviceScratch<Rule>>(std::int64_t(steps.size()), where);
    }
    take_steps<Rule>(where, steps, rules->data(), found);
    return [rules, where](ArrayRef<Rule> now) { write_rules(*rules, where, now); };
}

template <class... Rule> void attach(optim::steps::op_list<Rule...>) {
    (optim::step_kernel<Rule>.set(kCUDA, &step<Rule>), ...);
    (optim::batched_step_kernel<Rule>.set(kCUDA, &step_many<Rule>), ...);
}
template <class... List> void attach_all(optim::steps::lists<List...>) { (attach(List{}), ...); }

[[maybe_unused]] const bool attached = (attach_all(optim::steps::all{}), true);

} // namespace

} // namespace reel::cuda
