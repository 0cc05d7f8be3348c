// Ops of a program: where their functions are kept, and what is asked of them before they are registered.
#include <reel/autograd/define_op.hpp>

#include <array>
#include <mutex>

#include <reel/autograd/error.hpp>
#include <reel/autograd/pointwise/run_rule.hpp>

#include "op/schema_text.hpp"

namespace reel::ops::detail {

namespace {

using Body = std::function<Value(std::span<const Value>)>;

/// A schema's `call` is a plain function, which has no place for what a lambda holds: each op of a program has a
/// number, and a function of its own that looks there.
constexpr std::size_t most_ops = 512;
std::array<Body, most_ops>& bodies() {
    static auto* const all = new std::array<Body, most_ops>(); // ops outlive every variable
    return *all;
}
template <std::size_t I> Value run(std::span<const Value> bound) { return bodies()[I](bound); }
using Run = Value (*)(std::span<const Value>);
template <std::size_t... I> constexpr std::array<Run, sizeof...(I)> make_runs(std::index_sequence<I...>) {
    return {run<I>...};
}
constexpr std::array<Run, most_ops> runs = make_runs(std::make_index_sequence<most_ops>());

/// May a parameter spelled `cpp` stand for an argument of type `schema`?
bool stands_for(std::string_view cpp, std::string_view schema) {
    if (schema.ends_with(']') && cpp.ends_with(']'))
        return schema.substr(0, schema.find('[')) == cpp.substr(0, cpp.find('['));
    if (schema == "Tensor?" && cpp == "Tensor") return true; // an undefined tensor is none
    return cpp == schema;
}
void check_signature(const Schema& s, std::span<const char* const> types) {
    REEL_CHECK_TYPE(types.size() == s.arguments.size(), "ops::def: ", s.name, " has ", s.arguments.size(),
                    " arguments in its schema; its function takes ", types.size(), ": ", s.text);
    for (std::size_t i = 0; i < types.size(); ++i)
        REEL_CHECK_TYPE(
            stands_for(types[i], s.arguments[i].type), "ops::def: ", s.name, ": argument ", i, " (",
            s.arguments[i].name, ") is '", s.arguments[i].type,
            "' in the schema; the function's parameter stands for '", types[i],
            "'. (int is std::int64_t, float is double, Tensor[] is std::vector<Tensor>, `?` is std::optional)");
}

} // namespace

Tensor bound_tensor(const Value& v) {
    if (v.isNone()) return {};
    return v.isScalar() ? pointwise::detail::plain_number(v.toScalar()) : v.toTensor();
}
Device bound_device(const Value& v) { return v.toDevice(); }

const Op& define(std::string_view text, std::span<const char* const> types, Body body) {
    static std::mutex mutex;
    static std::size_t used = 0;
    Schema s = read_schema(text);
    REEL_CHECK_WITH(KeyError, s.name.find('.') != std::string::npos, "ops::def: '", s.name,
                    "' has no prefix; names without one are Reel's own: write 'my.", s.name, "'");
    check_signature(s, types);
    s.gradient = Gradient::Composite;
    const std::lock_guard lock(mutex);
    Registry& all = registry();
    if (const Op* known = all.find(s.name))
        REEL_THROW(KeyError, "ops::def: there is an op '", s.name, "' already: ", known->schemas.at(0).text,
                   "; give this one another name");
    REEL_CHECK(used < most_ops, "ops::def: '", s.name, "' would be op ", used + 1, " of this program; there can be ",
               most_ops);
    bodies()[used] = std::move(body);
    s.call = runs[used++];
    const std::string name = s.name;
    all.add(std::move(s));
    return all.at(name);
}

} // namespace reel::ops::detail
