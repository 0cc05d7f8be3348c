#include "sample.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <reel/autograd/context.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>

#include "common/case_file.hpp"

namespace properties {

namespace fs = std::filesystem;

namespace {

void collect(const Value& v, variable_list& out) {
    if (v.isTensor()) {
        if (v.toTensor().defined()) out.push_back(v.toTensor());
    } else if (v.isSequence()) {
        for (const Value& e : v.elements()) collect(e, out);
    }
}
Value replaced(const Value& v, const variable_list& tensors, std::size_t& next) {
    if (v.isTensor()) return v.toTensor().defined() ? Value(tensors.at(next++)) : v;
    if (!v.isSequence()) return v;
    std::vector<Value> elements;
    for (const Value& e : v.elements()) elements.push_back(replaced(e, tensors, next));
    return v.isTuple() ? Value::tuple(std::move(elements)) : Value::list(std::move(elements));
}

/// Single precision is raised: differences need the digits.
Tensor raised(const Tensor& t) {
    if (t.scalar_type() == kFloat) return t.to(kDouble);
    if (t.scalar_type() == kComplexFloat) return t.to(kComplexDouble);
    return t;
}
void add_cases(const fs::path& path, bool all, std::vector<Sample>& list) {
    const replay::CaseFile file(path);
    for (const auto& entry : file.cases()) {
        const auto& data = entry.as_object();
        if (data.if_contains("error")) continue;
        if (all && data.at("dtype").as_string() != "float64" && data.at("dtype").as_string() != "complex128") continue;
        Sample s;
        s.op = data.at("op").as_string();
        // The order of these in a call by name is PyTorch's, in C++ libtorch's: their blocks have samples.
        if (s.op == "where" || s.op.starts_with("nn.functional.embedding")) continue;
        s.origin = data.if_contains("from") ? std::string(data.at("from").as_string())
                                            : str(file.stem(), " ", &entry - file.cases().data());
        replay::ArgumentReader reader(file, replay::MemoryLayout::contiguous);
        s.args = reader.read_args(data.at("args"));
        s.kwargs = reader.read_kwargs(data.at("kwargs"));
        variable_list operands = s.operands();
        for (Tensor& t : operands) t = raised(t.detach());
        if (s.origin.starts_with("linalg.pinv-singular")) // two thin factors, so that it stays singular
            s.call = [](const Args& a) -> Value {
                return linalg::pinv(matmul(a.at(0).toTensor(), transpose(a.at(1).toTensor(), -2, -1)));
            };
        list.push_back(s.with(operands));
    }
}
/// Ops of which only complex calls are there get real ones: of the real parts, where they take them.
void add_real_samples(std::vector<Sample>& list) {
    const auto is_complex = [](const Tensor& t) { return t.is_complex(); };
    std::set<std::string> with_real;
    for (const Sample& s : list) {
        const variable_list operands = s.operands();
        if (!operands.empty() && std::none_of(operands.begin(), operands.end(), is_complex)) with_real.insert(s.op);
    }
    for (std::size_t i = 0, n = list.size(); i < n; ++i) {
        variable_list operands = list[i].operands();
        if (with_real.contains(list[i].op) || operands.empty()) continue;
        for (Tensor& t : operands)
            if (is_complex(t)) t = real(t).clone();
        Sample s = list[i].with(operands);
        s.origin += ", real part";
        try {
            s.run();
        } catch (const Error&) {
            continue; // it takes complex numbers only
        }
        list.push_back(std::move(s));
    }
}
fs::path checkout() {
    for (fs::path p = fs::current_path(); p.has_relative_path(); p = p.parent_path())
        if (fs::exists(p / "test/reference/samples.safetensors")) return p;
    const fs::path program = fs::read_symlink("/proc/self/exe");
    for (fs::path p = program.parent_path(); p.has_relative_path(); p = p.parent_path())
        if (fs::exists(p / "test/reference/samples.safetensors")) return p;
    throw ValueError("test/reference/samples.safetensors was not found above the working directory or the program");
}
/// The call with its operands there; one without operands is told the device.
Sample on_device(const Sample& s, const Device& device, bool integers_too) {
    variable_list operands = s.operands();
    for (Tensor& t : operands)
        if (integers_too || t.scalar_type() != kLong) t = t.to(device);
    Sample there = s.with(operands);
    if (!operands.empty() || s.call) return there;
    for (const ops::Schema& schema : ops::registry().at(s.op).schemas)
        for (const ops::Argument& a : schema.arguments)
            if (a.name == "device" || a.type == "TensorOptions") there.kwargs.set("device", Value(device));
    return there;
}
/// Onto the device that REEL_PROPERTIES_DEVICE names: what holds of memory, views and derivatives holds there, too.
/// Calls that it refuses stay out.
void move_where_asked(std::vector<Sample>& list) {
    const char* const name = std::getenv("REEL_PROPERTIES_DEVICE");
    if (!name) return;
    globalContext().setAllowTF32CuDNN(false); // float32 is to have its digits
    std::vector<Sample> moved;
    for (const Sample& s : list)
        for (const bool integers_too : {true, false}) { // some lengths belong on the host
            Sample there = on_device(s, Device(name), integers_too);
            there.random = s.is_random(); // the device has numbers of its own
            try {
                there.run_on(there.operands());
            } catch (const Error&) {
                continue;
            }
            moved.push_back(std::move(there));
            break;
        }
    list = std::move(moved);
}
std::vector<Sample> read_samples() {
    std::vector<Sample> list;
    add_samples_of_blocks(list);
    add_cases(checkout() / "test/reference/samples.safetensors", false, list);
    add_real_samples(list);
    if (!long_form()) {
        add_gauge_free_samples(list);
        move_where_asked(list);
        return list;
    }
    const char* named = std::getenv("REEL_REFERENCE");
    fs::path folder = named ? fs::path(named) : checkout() / "../shared/oracle";
    if (fs::exists(folder / "oracle")) folder /= "oracle";
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder / "ops")) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& path : files) add_cases(path, true, list);
    add_gauge_free_samples(list);
    move_where_asked(list);
    return list;
}

} // namespace

variable_list Sample::operands() const {
    variable_list out;
    for (const Value& v : args) collect(v, out);
    for (const auto& [key, v] : kwargs) collect(v, out);
    return out;
}
Sample Sample::with(const variable_list& tensors) const {
    Sample s = *this;
    std::size_t next = 0;
    for (Value& v : s.args) v = replaced(v, tensors, next);
    s.kwargs = Kwargs();
    for (const auto& [key, v] : kwargs) s.kwargs.set(key, replaced(v, tensors, next));
    return s;
}
variable_list Sample::run() const {
    manual_seed(0);
    variable_list out;
    collect(call ? call(args) : ops::registry().at(op).call(args, kwargs), out);
    return out;
}
variable_list Sample::run_on(variable_list operands) const {
    if (op.ends_with('_') && !operands.empty()) operands[0] = operands[0].clone();
    return with(operands).run();
}
bool Sample::is_random() const {
    if (random) return *random;
    manual_seed(0);
    const Tensor before = detail::getDefaultCPUGenerator().get_state();
    run_on(operands());
    return !equal(before, detail::getDefaultCPUGenerator().get_state());
}
bool Sample::leaves_memory_unwritten() const {
    return op.starts_with("empty") || op.starts_with("new_empty") || op.starts_with("resize_");
}

BoundCall bound_call(const Sample& sample) {
    BoundCall made;
    if (sample.call) return made;
    for (const ops::Schema& schema : ops::registry().at(sample.op).schemas) {
        if (!schema.bind(sample.args, sample.kwargs, made.arguments, nullptr)) continue;
        made.schema = &schema;
        break;
    }
    return made;
}
bool holds(const Value& value, const Tensor& t) {
    variable_list held;
    collect(value, held);
    return std::any_of(held.begin(), held.end(), [&](const Tensor& e) { return e.is_same(t); });
}

const std::vector<Sample>& samples() {
    static const std::vector<Sample> list = read_samples();
    return list;
}
bool long_form() {
    const char* form = std::getenv("REEL_PROPERTIES");
    return form && std::string(form) == "long";
}

variable_list leaves(const variable_list& operands, const std::vector<bool>& wanted) {
    const NoGradGuard guard;
    variable_list out;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        out.push_back(operands[i].detach().clone());
        if (wanted.at(i)) out.back().requires_grad_();
    }
    return out;
}

std::vector<bool> differentiable_operands(const Sample& sample) {
    const variable_list operands = sample.operands();
    std::vector<bool> wanted;
    for (const Tensor& t : operands) wanted.push_back(t.scalar_type() == kDouble || t.scalar_type() == kComplexDouble);
    const auto accepted = [&](const std::vector<bool>& which) {
        try {
            sample.run_on(leaves(operands, which));
            return true;
        } catch (const Error&) {
            return false;
        }
    };
    if (accepted(wanted)) return wanted;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!wanted[i]) continue;
        std::vector<bool> alone(wanted.size());
        alone[i] = true;
        wanted[i] = accepted(alone);
    }
    return wanted;
}

Tensor noise_like(const Tensor& like, std::uint64_t seed) {
    const NoGradGuard guard;
    Generator generator{Device(kCPU)};
    generator.manual_seed(seed);
    const Tensor shape = like.is_complex() ? view_as_real(like.detach()) : like.detach();
    const Tensor t = randn(shape.sizes(), generator, TensorOptions(kDouble));
    return (like.is_complex() ? view_as_complex(t) : t).to(like.device());
}

} // namespace properties
