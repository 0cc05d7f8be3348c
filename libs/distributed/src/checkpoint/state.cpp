// Modules, optimizers, generators, tensors and whatever has a state dict as items of a state.
#include <reel/distributed/checkpoint.hpp>

#include <unordered_map>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/distributed/zero_redundancy_optimizer.hpp>
#include <reel/nn/module.hpp>
#include <reel/optim/optimizer.hpp>

#include "checkpoint/item.hpp"

namespace reel::distributed::checkpoint {

namespace {
using detail::Item;

/// ValueError for a saved tensor of other sizes than the one that it is for.
void check_sizes(const Tensor& saved, const std::optional<Shard>& shard, const Tensor& own, const std::string& name) {
    REEL_CHECK_VALUE(saved.sizes().equals(own.sizes()), "checkpoint: '", name, "' has shape ", saved.sizes(),
                     shard ? " in this rank's rows" : "", ", the program's has ", own.sizes());
}

class ModuleItem final : public Item {
public:
    ModuleItem(std::string name, nn::Module& module) : Item(std::move(name)), module_(module) {}
    Value save(const Deposit& deposit) const override {
        nn::StateDict dict = module_.state_dict({}, true);
        for (auto& item : dict)
            *item =
                with_tensors_replaced(*item, name() + "." + item.key(), [&](const Tensor& t, const std::string& path) {
                    return deposit({path, t, shard_of(t)});
                });
        return dict.to_value();
    }
    std::function<void()> prepare(const Value& saved, const Fetch& fetch) override {
        const nn::StateDict given = nn::StateDict::from_value(saved), own = module_.state_dict({}, true);
        nn::StateDict dict;
        dict.metadata = given.metadata;
        std::string missing;
        for (const auto& item : own) {
            const Value* const value = given.find(item.key());
            if (!value) missing += (missing.empty() ? "'" : ", '") + item.key() + "'";
            else if (item->isTensor() && (value->isTensor() || marked(*value))) {
                const auto shard = shard_of(item->toTensor());
                const Value tensor = fetch(*value, shard);
                if (item->toTensor().numel() > 0) // a lazy layer takes any
                    check_sizes(tensor.toTensor(), shard, item->toTensor(), name() + "." + item.key());
                dict.insert(item.key(), tensor);
            } else dict.insert(item.key(), with_marks_fetched(*value, fetch));
        }
        REEL_CHECK_WITH(KeyError, missing.empty(), "checkpoint: '", name(), "' was saved without ", missing);
        return [this, dict] { module_.load_state_dict(dict); };
    }

private:
    nn::Module& module_;
};

/// Parameters by the numbers that they have in state dicts.
std::vector<Tensor> numbered(const optim::Optimizer& optimizer) {
    std::vector<Tensor> parameters;
    std::unordered_map<const void*, bool> seen;
    for (const optim::OptimizerParamGroup& group : optimizer.param_groups())
        for (const Tensor& p : group.params())
            if (seen.emplace(p.unsafeGetTensorImpl(), true).second) parameters.push_back(p);
    return parameters;
}

class OptimizerItem final : public Item {
public:
    OptimizerItem(std::string name, optim::Optimizer& optimizer)
        : Item(std::move(name)), optimizer_(optimizer),
          spread_(dynamic_cast<distributed::detail::SpreadState*>(&optimizer)) {}
    Value save(const Deposit& deposit) const override {
        const Value dict = spread_ ? spread_->local_state_dict(optimizer_) : optimizer_.state_dict();
        const std::vector<Tensor> parameters = numbered(optimizer_);
        ValueDict result, states;
        for (const auto& [key, value] : dict.toGenericDict())
            if (key.toStringRef() != "state")
                result.set(key, with_tensors_replaced(value, name() + "." + key.toStringRef(),
                                                      [&](const Tensor& t, const std::string& path) {
                                                          return deposit({path, t});
                                                      }));
        for (const auto& [number, fields] : dict.toGenericDict().at("state").toGenericDict()) {
            const Tensor& p = parameters.at(std::size_t(number.toInt()));
            states.set(number, with_tensors_replaced(fields, str(name(), ".state.", number.toInt()),
                                                     [&](const Tensor& t, const std::string& path) {
                                                         return deposit(outgoing(t, path, p));
                                                     }));
        }
        result.set("state", Value(std::move(states)));
        return Value(std::move(result));
    }
    bool is_spread() const override { return true; }
    Value merged(Value first, const Value& other) const override {
        ValueDict& states = first.toGenericDict().at("state").toGenericDict();
        for (const auto& [number, fields] : other.toGenericDict().at("state").toGenericDict())
            if (!states.find(number)) states.set(number, fields);
        return first;
    }
    std::function<void()> prepare(const Value& saved, const Fetch& fetch) override {
        const std::vector<Tensor> parameters = numbered(optimizer_);
        const std::vector<std::int64_t> owners =
            spread_ ? spread_->owners(optimizer_) : std::vector<std::int64_t>(parameters.size());
        const std::int64_t own = spread_ ? spread_->group().rank() : 0;
        check_groups(saved);
        ValueDict result, states;
        for (const auto& [key, value] : saved.toGenericDict())
            if (key.toStringRef() != "state") result.set(key, with_marks_fetched(value, fetch));
        for (const auto& [number, fields] : saved.toGenericDict().at("state").toGenericDict()) {
            const auto n = std::size_t(number.toInt());
            if (n >= parameters.size() || owners[n] != own) continue;
            states.set(number, with_marks_fetched(fields, [&](const Value& mark, const std::optional<Shard>&) {
                           return fetch(mark, shard_of(parameters[n]));
                       }));
        }
        result.set("state", Value(std::move(states)));
        return [this, result] { optimizer_.load_state_dict(Value(result)); };
    }

private:
    OutgoingTensor outgoing(const Tensor& t, const std::string& path, const Tensor& parameter) const {
        const auto shard = shard_of(parameter);
        if (!shard || t.dim() == 0) return {path, t, std::nullopt, spread_ != nullptr};
        REEL_CHECK(t.sizes().equals(parameter.sizes()), "checkpoint: '", path, "' has shape ", t.sizes(),
                   ", its sharded parameter ", parameter.sizes(),
                   " on this rank: what is not cut as the parameter is cannot be put together again");
        return {path, t, shard, spread_ != nullptr};
    }
    void check_groups(const Value& saved) const {
        const auto& groups = saved.toGenericDict().at("param_groups").elements();
        REEL_CHECK_VALUE(groups.size() == optimizer_.param_groups().size(), "checkpoint: '", name(), "' has ",
                         groups.size(), " parameter groups, the program's optimizer has ",
                         optimizer_.param_groups().size());
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const std::size_t n = groups[g].toGenericDict().at("params").elements().size();
            REEL_CHECK_VALUE(n == optimizer_.param_groups()[g].params().size(), "checkpoint: group ", g, " of '",
                             name(), "' has ", n, " parameters, the program's optimizer has ",
                             optimizer_.param_groups()[g].params().size());
        }
    }
    optim::Optimizer& optimizer_;
    const distributed::detail::SpreadState* spread_;
};

class FunctionItem final : public Item {
public:
    FunctionItem(std::string name, std::function<Value()> get, std::function<void(const Value&)> set, bool local)
        : Item(std::move(name), local), get_(std::move(get)), set_(std::move(set)) {}
    Value save(const Deposit& deposit) const override {
        return with_tensors_replaced(get_(), name(), [&](const Tensor& t, const std::string& path) {
            return deposit({path, t, std::nullopt, is_local()});
        });
    }
    std::function<void()> prepare(const Value& saved, const Fetch& fetch) override {
        return [this, value = with_marks_fetched(saved, fetch)] { set_(value); };
    }

private:
    std::function<Value()> get_;
    std::function<void(const Value&)> set_;
};

class TensorItem final : public Item {
public:
    TensorItem(std::string name, Tensor tensor) : Item(std::move(name)), tensor_(std::move(tensor)) {}
    Value save(const Deposit& deposit) const override { return deposit({name(), tensor_, shard_of(tensor_)}); }
    std::function<void()> prepare(const Value& saved, const Fetch& fetch) override {
        const auto shard = shard_of(tensor_);
        const Value value = fetch(saved, shard);
        REEL_CHECK_TYPE(value.isTensor(), "checkpoint: '", name(), "' is a ", value.kind_name(), "; expected a Tensor");
        check_sizes(value.toTensor(), shard, tensor_, name());
        return [this, value] {
            const NoGradGuard no_grad;
            tensor_.copy_(value.toTensor());
        };
    }

private:
    Tensor tensor_;
};
} // namespace

State::State() = default;
State::~State() = default;
State::State(State&&) noexcept = default;
State& State::operator=(State&&) noexcept = default;

State& State::add_item(std::unique_ptr<Item> item) {
    REEL_CHECK_VALUE(!item->name().empty(), "checkpoint: State::add: the name is empty");
    for (const auto& other : items_)
        REEL_CHECK_VALUE(other->name() != item->name(), "checkpoint: State::add: there is a '", item->name(),
                         "' already");
    items_.push_back(std::move(item));
    return *this;
}
State& State::add(std::string name, nn::Module& module) {
    return add_item(std::make_unique<ModuleItem>(std::move(name), module));
}
State& State::add(std::string name, optim::Optimizer& optimizer) {
    return add_item(std::make_unique<OptimizerItem>(std::move(name), optimizer));
}
State& State::add(std::string name, std::function<Value()> get, std::function<void(const Value&)> set, bool local) {
    return add_item(std::make_unique<FunctionItem>(std::move(name), std::move(get), std::move(set), local));
}
State& State::add(std::string name, Generator generator) {
    REEL_CHECK_VALUE(generator.defined(), "checkpoint: State::add: generator '", name, "' is undefined");
    return add(
        std::move(name), [generator] { return Value(generator.get_state()); },
        [generator](const Value& v) mutable { generator.set_state(v.toTensor()); }, true);
}
State& State::add_default_generator(std::string name) {
    return add(
        std::move(name), [] { return Value(get_rng_state()); }, [](const Value& v) { set_rng_state(v.toTensor()); },
        true);
}
State& State::add(std::string name, Tensor tensor) {
    REEL_CHECK_VALUE(tensor.defined(), "checkpoint: State::add: tensor '", name, "' is undefined");
    return add_item(std::make_unique<TensorItem>(std::move(name), std::move(tensor)));
}

} // namespace reel::distributed::checkpoint
