// The state of a run, written by all ranks together, read by any number of them.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/generator.hpp>
#include <reel/autograd/ordered_dict.hpp>
#include <reel/autograd/value.hpp>
#include <reel/distributed/process_group.hpp>

namespace reel::nn {
class Module;
}
namespace reel::optim {
class Optimizer;
}

namespace reel::distributed::checkpoint {

namespace detail {
class Item;
} // namespace detail

/// What has a state dict that is no module and no optimizer: schedules, samplers, scalers.
template <class T>
concept Stateful = !std::derived_from<T, nn::Module> && !std::derived_from<T, optim::Optimizer> &&
                   requires(T & t, const T& c, const Value& v) {
    { c.state_dict() } -> std::convertible_to<Value>;
    t.load_state_dict(v);
};
/// Numbers, bools and strings of the program.
template <class T>
concept PlainValue = std::is_arithmetic_v<T> || std::same_as<T, std::string>;

/// The objects of a run under names of the program's choice. It refers to them: they live longer than it does. Names
/// may not be empty or occur twice (ValueError).
class State {
public:
    State();
    ~State();
    State(State&&) noexcept;
    State& operator=(State&&) noexcept;

    /// Parameters, buffers and extra state; of sharded parameters each rank writes and reads its rows.
    State& add(std::string name, nn::Module& module);
    template <class H>
    requires requires(H& h) {
        { *h } -> std::convertible_to<nn::Module&>;
    }
    State& add(std::string name, H& holder) { return add(std::move(name), static_cast<nn::Module&>(*holder)); }
    /// Options, and state by parameter, which is cut as the parameter is; of a ZeroRedundancyOptimizer each rank has
    /// its part.
    State& add(std::string name, optim::Optimizer& optimizer);
    template <Stateful T> State& add(std::string name, T& object) {
        return add(
            std::move(name), [&object] { return Value(object.state_dict()); },
            [&object](const Value& v) { object.load_state_dict(v); }, false);
    }
    /// The same where every rank has its own. A rank that the saving run did not have keeps what it has.
    template <Stateful T> State& add_local(std::string name, T& object) {
        return add(
            std::move(name), [&object] { return Value(object.state_dict()); },
            [&object](const Value& v) { object.load_state_dict(v); }, true);
    }
    /// Each rank's own; of the default generator the state that `reel::get_rng_state` gives.
    State& add(std::string name, Generator generator);
    State& add_default_generator(std::string name = "random");
    /// Written in place when it is loaded; ValueError for another shape.
    State& add(std::string name, Tensor tensor);
    template <PlainValue T> State& add(std::string name, T& value) {
        return add(
            std::move(name), [&value] { return Value(value); },
            [&value](const Value& v) { value = v.template to<T>(); }, false);
    }
    const std::vector<std::unique_ptr<detail::Item>>& items() const { return items_; }

private:
    State& add(std::string name, std::function<Value()> get, std::function<void(const Value&)> set, bool local);
    State& add_item(std::unique_ptr<detail::Item> item);
    std::vector<std::unique_ptr<detail::Item>> items_;
};

struct Options {
    ProcessGroup group{}; ///< else the default group where `init` was called, else this process alone
};

/// Writes the state into folder `directory`, which all ranks see: each rank a file with its part, what all have in
/// equal shares, and the first rank, when all are there, the index with names, shapes, places and checksums. Writing
/// the index is what makes it the folder's checkpoint; until then, whatever happens, the one before is. Files of older
/// ones are deleted afterwards. All ranks call it. Errors on all ranks, naming the rank that failed and the file (a
/// full disk, a folder that is not shared); Error where the ranks' states do not make a whole.
void save(const State& state, const std::string& directory, const Options& options = {});
/// Reads what `save` wrote into the objects of `state`, on the same number of ranks, another, or in a program without
/// `init`; each rank reads the rows that it needs and checks their sums. All ranks call it. Errors on all ranks, before
/// anything is changed: Error when there is none; KeyError for names that it does not have; ValueError for other shapes
/// and for damage, naming file and tensor.
void load(State& state, const std::string& directory, const Options& options = {});

/// Is there a complete checkpoint? Reads the index alone.
bool exists(const std::string& directory);
/// The one of the folders in `parent` with the newest complete checkpoint, `parent` itself included; empty for none.
std::string newest(const std::string& parent);
/// Reads everything and compares the sums. ValueError naming what is damaged.
void verify(const std::string& directory);
/// All tensors, whole, by their names (`model.0.weight`, `optimizer.state.0.exp_avg`).
OrderedDict<std::string, Tensor> read_tensors(const std::string& directory);
/// The same as one safetensors file. With `object` (`model`) that object's alone, under their names in it.
void export_safetensors(const std::string& directory, const std::string& path, const std::string& object = {});

} // namespace reel::distributed::checkpoint
