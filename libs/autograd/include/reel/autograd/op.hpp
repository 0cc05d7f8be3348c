// Calling ops by name: schemas, the registry, and binding of values to arguments.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <reel/autograd/value.hpp>

namespace reel::ops {

/// One argument of a schema.
struct Argument {
    std::string name, type; ///< type as written: `Tensor`, `Tensor?`, `Tensor[]`, `int`, `int[]`, `Scalar`, `str`, ...
    bool kwarg_only = false, has_default = false;
    Value default_value;
    bool differentiable = false; ///< a gradient reaches what is given here, where its dtype allows one
};

/// Where the gradient of an op comes from: a rule of its own, the ops that it calls, or nowhere.
enum class Gradient { Rule, Composite, None };

/// One way to call an op.
struct Schema {
    std::string name, returns, text;
    std::vector<Argument> arguments;
    Gradient gradient = Gradient::None;                             ///< as its block declares it
    bool has_inplace = false, takes_out = false, is_random = false; ///< is_random: draws from a generator
    Value (*call)(std::span<const Value> bound) = nullptr;          ///< bound: one value per argument
    Value (*call_inplace)(std::span<const Value> bound) = nullptr;  ///< the `op_` form on the first argument, or null

    /// One value per argument, converted; `why` explains a misfit.
    bool bind(const Args& args, const Kwargs& kwargs, std::vector<Value>& bound, std::string* why) const;
};

/// All schemas of one name, tried in order; binding takes the first that fits.
class Op {
public:
    std::string name;
    std::vector<Schema> schemas;

    /// Calls by position and name. Throws TypeError listing every schema when none fits.
    Value call(const Args& args, const Kwargs& kwargs = {}) const;
    bool has_inplace() const;
    Value call_inplace(const Args& args, const Kwargs& kwargs = {}) const;
};

/// Every op that this process knows.
class Registry {
public:
    const Op& at(std::string_view name) const; ///< KeyError with near misses
    const Op* find(std::string_view name) const;
    std::vector<std::string> names() const; ///< sorted
    void add(Schema schema);
    void add_alias(std::string_view alias, std::string_view name);

private:
    friend Registry& registry();
    struct Impl;
    std::shared_ptr<Impl> impl_;
    Impl& impl() const;
};
/// The process-wide registry; filled on first use.
Registry& registry();

} // namespace reel::ops
