#include "checkpoint.hpp"

#include <reel/autograd/random.hpp>
#include <reel/serialize/run_checkpoint.hpp>

namespace agents {

using namespace reel;
using rl::TensorDict;

Value to_value(const TensorDict& dict) {
    ValueDict entries;
    for (const auto& [key, entry] : dict.items()) {
        const std::string& name = key.back();
        if (entry.is_dict()) entries.set(name, to_value(entry.dict()));
        else entries.set(name, entry.tensor());
    }
    return ValueDict{{"batch_size", dict.batch_size()}, {"entries", entries}};
}
TensorDict tensordict_from(const Value& value) {
    const ValueDict& d = value.toGenericDict();
    TensorDict r(IntArrayRef(d.at("batch_size").toIntVector()));
    for (const auto& [name, entry] : d.at("entries").toGenericDict()) {
        if (entry.isTensor()) r.set(name.toStringRef(), entry.toTensor());
        else r.set(name.toStringRef(), tensordict_from(entry));
    }
    return r;
}

void save_run(const std::string& program, const RunOptions& options, ValueDict values) {
    values.set("program", program);
    values.set("seed", std::int64_t(options.seed));
    values.set("generator", detail::getDefaultCPUGenerator().get_state());
    serialize::save_checkpoint(values, options.checkpoint);
}
ValueDict load_run(const std::string& program, const RunOptions& options) {
    ValueDict d = serialize::load_checkpoint(options.checkpoint);
    const std::string made_by = d.at("program").toStringRef();
    const auto seed = std::uint64_t(d.at("seed").toInt());
    REEL_CHECK_VALUE(made_by == program, options.checkpoint, ": was saved by ", made_by, ", not by ", program);
    REEL_CHECK_VALUE(seed == options.seed, options.checkpoint, ": was made with --seed ", seed, ", not ", options.seed);
    Generator(detail::getDefaultCPUGenerator()).set_state(d.at("generator").toTensor());
    return d;
}

} // namespace agents
