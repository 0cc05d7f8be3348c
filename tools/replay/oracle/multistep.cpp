// Cases of n-step returns: both countings, every leaf of the result, its order, sizes and what it shares.
#include <reel/autograd/ops.hpp>
#include <reel/rl/postprocs/multi_step.hpp>

#include "common/compare.hpp"
#include "oracle/report.hpp"

namespace replay {

using namespace reel;
using rl::NestedKey;
using rl::TensorDict;

namespace {

NestedKey key_of(const json::value& v) {
    if (v.is_string()) return NestedKey(std::string(v.as_string()));
    std::vector<std::string> path;
    for (const json::value& part : v.as_array()) path.emplace_back(part.as_string());
    return NestedKey(path);
}
std::vector<NestedKey> keys_of(const json::value& list) {
    std::vector<NestedKey> keys;
    for (const json::value& v : list.as_array()) keys.push_back(key_of(v));
    return keys;
}
std::string dotted(const NestedKey& key) {
    std::string text;
    for (const std::string& part : key.path()) text += (text.empty() ? "" : ".") + part;
    return text;
}
NestedKey from_dotted(const std::string& text) {
    std::vector<std::string> path;
    for (std::size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
        end = std::min(text.find('.', begin), text.size());
        path.push_back(text.substr(begin, end - begin));
    }
    return NestedKey(path);
}
std::vector<std::int64_t> sizes_of(const json::value& list) {
    std::vector<std::int64_t> sizes;
    for (const json::value& v : list.as_array()) sizes.push_back(v.to_number<std::int64_t>());
    return sizes;
}

void set_fields(rl::MultiStepImpl& module, const json::object& fields) {
    for (const auto& [name, value] : fields)
        if (name == "done_key") module.done_key = key_of(value);
        else if (name == "done_keys") module.done_keys = keys_of(value);
        else if (name == "reward_keys") module.reward_keys = keys_of(value);
        else if (name == "mask_key") module.mask_key = value.is_null() ? std::nullopt : std::optional(key_of(value));
        else throw std::runtime_error("there is no field '" + std::string(name) + "'");
}

rl::MultiStep make(const json::object& data, bool counts_current_step) {
    const char* count = counts_current_step ? "counts_current_step" : "n_steps";
    const rl::MultiStep module(
        rl::MultiStepOptions(data.at("gamma").to_number<double>(), data.at(count).to_number<std::int64_t>())
            .counts_current_step(counts_current_step));
    set_fields(*module, data.at("fields").as_object());
    return module;
}

TensorDict input_of(const CaseFile& file, const json::object& data, MemoryLayout layout) {
    TensorDict dict(sizes_of(data.at("batch_size")));
    for (const NestedKey& key : keys_of(data.at("keys")))
        dict.set(key, lay_out(file.tensor("in." + dotted(key)), layout));
    return dict;
}

/// Is `key` of the result an entry that was computed?
bool is_computed(const NestedKey& key, const rl::MultiStepImpl& module) {
    return key == NestedKey("gamma") ||
           (key.size() > 1 && key.front() == "next" &&
            std::find(module.reward_keys.begin(), module.reward_keys.end(), key.tail()) != module.reward_keys.end());
}

std::string compare(const CaseFile& file, const json::object& data, const rl::MultiStepImpl& module,
                    const TensorDict& input, const TensorDict& result) {
    const auto want = keys_of(data.at("result_keys")), got = result.keys(true, true);
    std::string names;
    for (const NestedKey& key : got) names += dotted(key) + " ";
    if (got != want) return "entries are " + names;
    const auto sizes = [](IntArrayRef s) { return str(s); };
    if (result.batch_size() != sizes_of(data.at("result_batch_size")))
        return "batch size is " + sizes(result.batch_size());
    if (result.dict("next").batch_size() != sizes_of(data.at("result_next_batch_size")))
        return "batch size of next is " + sizes(result.dict("next").batch_size());
    for (const NestedKey& key : want) {
        const Tensor expected = file.tensor("out." + dotted(key));
        const Tolerance tolerance = is_computed(key, module) ? output_tolerance(expected.scalar_type()) : Tolerance();
        if (const std::string d = difference(result[key], expected, tolerance); !d.empty())
            return dotted(key) + ": " + d;
    }
    for (const auto& [name, from] : data.at("shared").as_object()) {
        const NestedKey source = from_dotted(std::string(from.as_string()));
        if (result[from_dotted(std::string(name))].data_ptr() != input[source].data_ptr())
            return std::string(name) + " does not share the storage of " + dotted(source);
    }
    return {};
}

std::string run_form(const CaseFile& file, const json::object& data, bool counts_current_step, MemoryLayout layout) {
    const rl::MultiStep module = make(data, counts_current_step);
    const Tensor gammas = file.tensor("state.gammas");
    const Tensor expected = counts_current_step ? gammas : gammas.slice(2, 0, -1);
    const auto state = module->state_dict();
    if (state.size() != 1 || state.begin()->key() != "gammas") return "the state has other keys than gammas";
    const Tensor got = state.begin()->value().toTensor();
    if (const std::string d = difference(got, expected, output_tolerance(kFloat)); !d.empty()) return "gammas: " + d;

    const TensorDict input = input_of(file, data, layout), before = input.clone();
    const auto keys = input.keys(true, true);
    const TensorDict result = module(input);
    if (input.keys(true, true) != keys || !input.equal(before, true)) return "the input was changed";
    return compare(file, data, *module, input, result);
}

/// The case must throw, in the constructor or in the call.
std::string run_refused(const CaseFile& file, const json::object& data, bool counts_current_step) {
    try {
        const rl::MultiStep module = make(data, counts_current_step);
        if (data.contains("keys")) module(input_of(file, data, MemoryLayout::contiguous));
    } catch (const Error&) {
        return {};
    }
    return "did not throw";
}

std::string run_case(const CaseFile& file, const json::object& data, MemoryLayout layout) {
    for (const bool counts_current_step : {false, true}) {
        std::string problem = data.contains("error") ? run_refused(file, data, counts_current_step)
                                                     : run_form(file, data, counts_current_step, layout);
        if (!problem.empty()) return (counts_current_step ? "counts_current_step: " : "n_steps: ") + problem;
    }
    return {};
}

} // namespace

static void run_multistep_file(const CaseFile& file, Report& report) {
    for (std::size_t index = 0; index < file.cases().size(); ++index) {
        Counts& counts = report.kinds["multistep"][file.stem()];
        ++counts.cases;
        std::string problem;
        try {
            problem = run_case(file, file.cases()[index].as_object(), report.options.layout);
        } catch (const std::exception& e) {
            problem = std::string("threw: ") + e.what();
        }
        if (problem.empty()) ++counts.passed;
        else {
            ++counts.failed;
            report.failure("multistep/" + file.stem(), index, problem);
        }
    }
}

static const FilesIn multistep_files("multistep", run_multistep_file);

} // namespace replay
