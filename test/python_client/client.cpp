// client read|write FOLDER: Reel's half of client.py, which describes the files and the lists beside them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

#include <reel/autograd.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>
#include <reel/optim/factory.hpp>
#include <reel/serialize.hpp>
#include <reel/serialize/npz.hpp>

using namespace reel;

namespace {
std::string folder;
std::string file(const std::string& name) { return folder + "/" + name; }

// --- results, one line each
void report(const std::string& name, const std::string& wrong) {
    std::cout << (wrong.empty() ? "ok " + name : "not ok " + name + ": " + wrong) << std::endl;
}
void check(const std::string& name, const std::function<std::string()>& work) {
    try {
        report(name, work());
    } catch (const std::exception& e) {
        report(name, e.what());
    }
}

// --- descriptions of values, as in client.py
std::string hex(const void* data, std::size_t n) {
    std::string out;
    for (std::size_t i = 0; i < n; ++i) {
        const auto c = static_cast<const unsigned char*>(data)[i];
        out += "0123456789abcdef"[c >> 4];
        out += "0123456789abcdef"[c & 15];
    }
    return out;
}
std::string joined(IntArrayRef v) {
    std::string out;
    for (const std::int64_t i : v) out += (out.empty() ? "" : ",") + std::to_string(i);
    return out;
}
using Lines = std::vector<std::pair<std::string, std::string>>;
void describe(const Value& v, const std::string& path, Lines& out) {
    const auto below = [&](const std::string& step, const Value& child) {
        describe(child, path.empty() ? step : path + "/" + step, out);
    };
    const auto line = [&](const std::string& what) { out.emplace_back(path, what); };
    if (v.isTensor()) {
        const Tensor t = v.toTensor(), dense = t.detach().contiguous();
        line("tensor|" + std::string(dtype_name(t.scalar_type())) + "|" + joined(t.sizes()) + "|" +
             joined(t.strides()) + "|" + std::to_string(t.storage_offset()) + "|" + (t.requires_grad() ? "1" : "0") +
             "|" + hex(dense.data_ptr(), dense.nbytes()));
    } else if (v.isGenericDict()) {
        line("dict|" + std::to_string(v.toGenericDict().size()));
        for (const auto& [key, child] : v.toGenericDict())
            below(key.isString() ? "s:" + key.toStringRef() : "i:" + std::to_string(key.toInt()), child);
    } else if (v.isSequence()) {
        line((v.isList() ? "list|" : "tuple|") + std::to_string(v.elements().size()));
        for (std::size_t i = 0; i < v.elements().size(); ++i) below("[" + std::to_string(i) + "]", v.elements()[i]);
    } else if (v.isNone()) line("none");
    else if (v.isBool()) line(v.toBool() ? "bool|1" : "bool|0");
    else if (v.isInt()) line("int|" + std::to_string(v.toInt()));
    else if (v.isDouble()) {
        const double d = v.toDouble();
        line("float|" + hex(&d, 8));
    } else if (v.isString()) line("str|" + hex(v.toStringRef().data(), v.toStringRef().size()));
    else line("something else: " + v.repr());
}
Lines describe(const Value& v) {
    Lines out;
    describe(v, "", out);
    return out;
}
Value follow(Value v, const std::string& path) {
    std::istringstream steps(path);
    for (std::string step; std::getline(steps, step, '/');) {
        if (step[0] == '[') v = Value(v.elements().at(std::stoul(step.substr(1))));
        else if (step[0] == 'i') v = Value(*v.toGenericDict().find(Value(std::stoll(step.substr(2)))));
        else v = Value(v.toGenericDict().at(step.substr(2)));
    }
    return v;
}

// --- the network of client.py and its training
nn::Sequential network() {
    return nn::Sequential(nn::Linear(nn::LinearOptions(4, 8).bias(false)), nn::BatchNorm1d(8), nn::Tanh(),
                          nn::Linear(8, 3));
}
struct Training {
    nn::Sequential net = network();
    std::unique_ptr<optim::Optimizer> optimizer;
    std::unique_ptr<optim::SchedulerBase> scheduler;
    Tensor x, y;

    Training(const std::string& name, const Kwargs& arguments)
        : optimizer(optim::make_optimizer(name, net->parameters(), arguments)) {}
    void schedule(const std::string& name, const Kwargs& arguments) {
        scheduler = optim::make_scheduler(name, *optimizer, {}, arguments);
    }
    void step() {
        optimizer->zero_grad();
        (net->forward(x) - y).pow(2).mean().backward();
        optimizer->step();
        if (scheduler) scheduler->step_with(std::nullopt);
    }
    double lr() const {
        return optimizer->state_dict()
            .toGenericDict()
            .at("param_groups")
            .elements()[0]
            .toGenericDict()
            .at("lr")
            .toDouble();
    }
};
/// From a checkpoint of either side.
Training resumed(const ValueDict& c) {
    Training t(c.at("class").toStringRef(), c.at("arguments").toGenericDict());
    t.net->load_state_dict(nn::StateDict::from_value(c.at("model")));
    if (c.contains("schedule")) {
        t.schedule(c.at("schedule").elements()[0].toStringRef(), c.at("schedule").elements()[1].toGenericDict());
        t.scheduler->load_state_dict(c.at("scheduler"));
    }
    t.optimizer->load_state_dict(c.at("optimizer"));
    t.x = c.at("x").toTensor();
    t.y = c.at("y").toTensor();
    return t;
}
std::string difference(const nn::StateDict& got, const Value& expected) {
    const nn::StateDict e = nn::StateDict::from_value(expected);
    if (got.keys() != e.keys()) return "other entries";
    for (const std::string& key : e.keys())
        if (!reel::allclose(got.tensor(key), e.tensor(key), 1e-5, 1e-6)) return "the next step gives another " + key;
    return {};
}
/// The optimizers that client.py left checkpoints of: `python_NAME.pt` and `python_NAME_after.pt`.
std::vector<std::string> optimizers() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string(), end = "_after.pt";
        if (name.rfind("python_", 0) == 0 && name.size() > end.size() && name.substr(name.size() - end.size()) == end)
            names.push_back(name.substr(7, name.size() - 7 - end.size()));
    }
    std::sort(names.begin(), names.end());
    return names;
}

void read_described() {
    std::map<std::string, Lines> expected;
    std::ifstream in(file("python.expect"));
    for (std::string line; std::getline(in, line);) {
        const std::size_t a = line.find('|'), b = line.find('|', a + 1);
        expected[line.substr(0, a)].emplace_back(line.substr(a + 1, b - a - 1), line.substr(b + 1));
    }
    for (const auto& [name, lines] : expected)
        for (const bool mapped : {false, true})
            check(
                "reel reads " + name + (mapped ? ", mapped" : ""), [&, &name = name, &lines = lines]() -> std::string {
                    LoadOptions options;
                    options.mmap = mapped;
                    const Value v = load(file(name), options);
                    std::map<std::string, std::string> found;
                    for (auto& [path, what] : describe(v)) found[path] = what;
                    for (const auto& [path, what] : lines) {
                        if (what.rfind("shares|", 0) == 0) {
                            if (follow(v, path).toTensor().storage() != follow(v, what.substr(7)).toTensor().storage())
                                return path + " does not share its memory with " + what.substr(7);
                            continue;
                        }
                        const auto it = found.find(path);
                        if (it == found.end()) return path + " is missing";
                        if (it->second != what) return path + " is " + it->second + ", expected " + what;
                        found.erase(it);
                    }
                    return found.empty() ? "" : found.begin()->first + " is there, too";
                });
}
void read_modules() {
    check("reel loads a module", []() -> std::string {
        nn::Sequential net = network();
        load(net, file("state_zip.pt"));
        nn::StateDict theirs = nn::StateDict::from_value(load(file("state_zip.pt")));
        if (!theirs.metadata || theirs.metadata->keys() != net->state_dict().metadata->keys()) return "no versions";
        return difference(net->state_dict(), theirs.to_value());
    });
    check("reel loads a list of parameters and a module from a stream", []() -> std::string {
        nn::Sequential net = network(), other = network();
        std::ifstream stream(file("state_zip.pt"), std::ios::binary);
        load(net, stream);
        load(other, file("state_zip.pt"), kCPU);
        std::vector<Tensor> parameters;
        load(parameters, file("parameters_zip.pt"));
        if (parameters.size() != net->parameters().size()) return std::to_string(parameters.size()) + " parameters";
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (!parameters[i].requires_grad()) return "parameter " + std::to_string(i) + " is frozen";
            if (!reel::equal(parameters[i], net->parameters()[i])) return "parameter " + std::to_string(i) + " differs";
            if (!reel::equal(other->parameters()[i], net->parameters()[i])) return "two loads differ";
        }
        return {};
    });
}
void read_optimizers() {
    for (const std::string& name : optimizers())
        check("reel goes on with " + name, [&]() -> std::string {
            const Value c = load(file("python_" + name + ".pt")), after = load(file("python_" + name + "_after.pt"));
            Training t = resumed(c.toGenericDict());
            t.step();
            if (std::abs(t.lr() - after.toGenericDict().at("lr").toDouble()) > 1e-12)
                return "the rate is " + std::to_string(t.lr());
            return difference(t.net->state_dict(), after.toGenericDict().at("model"));
        });
}
void read_arrays() {
    check("reel reads numpy's archive", []() -> std::string {
        const auto arrays = serialize::load_npz(file("python.npz"));
        if (!reel::equal(arrays["a"], reel::arange(6, kFloat).reshape({2, 3}))) return "another a";
        if (!reel::equal(arrays["big"], reel::arange(3, kInt))) return "another big";
        return reel::equal(arrays["turned"], reel::ones({2, 2}, kLong)) ? "" : "another turned";
    });
}
void read() {
    read_described();
    read_modules();
    read_optimizers();
    read_arrays();
}

/// What is written, in words that Python checks.
class Expected {
public:
    void describes(const Value& v, const std::string& name) {
        for (const auto& [path, what] : describe(v)) list_ << name << '|' << path << '|' << what << '\n';
    }
    void put(const Value& v, const std::string& name, const std::vector<std::string>& shares = {}) {
        save(v, file(name));
        describes(v, name);
        for (const std::string& other : shares) list_ << name << "|s:base|shares|s:" << other << '\n';
    }

private:
    std::ofstream list_{file("reel.expect")};
};
void write_dtypes(Expected& expected) {
    ValueDict tensors;
    for (const ScalarType d :
         {kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble, kComplexFloat, kComplexDouble, kBool}) {
        const Tensor x = (reel::randn({3, 4, 5}, kDouble) * 50).to(d);
        const std::string name = dtype_name(d);
        tensors.set(name, x);
        tensors.set(name + " scalar", x.select(0, 1).select(0, 2).select(0, 3).clone());
        tensors.set(name + " empty", reel::empty({0, 4, 5}, d));
    }
    tensors.set("special", reel::tensor({std::nan(""), HUGE_VAL, -HUGE_VAL, -0.0, 5e-324}, kDouble));
    tensors.set("leaf", reel::ones({2}).requires_grad_());
    expected.put(Value(tensors), "reel_dtypes.pt");
}
void write_views(Expected& expected, const Tensor& base) {
    ValueDict shared;
    shared.set("base", base);
    shared.set("row", base.select(0, 2));
    shared.set("turned", base.t());
    shared.set("part", base.slice(0, 1, 4).slice(1, 2, 5));
    shared.set("steps", base.slice(0, 0, 6, 2));
    shared.set("wide", base.select(0, 0).expand({3, 7}));
    shared.set("same", base);
    expected.put(Value(shared), "reel_shared.pt", {"row", "turned", "part", "steps", "wide"});
}
void write_values(Expected& expected) {
    ValueDict values;
    values.set("none", Value());
    values.set("yes", true);
    std::vector<Value> ints;
    for (const std::int64_t i : {0L, 255L, 256L, 65535L, 65536L, -1L, -(1L << 31), 1L << 40, INT64_MIN})
        ints.emplace_back(i);
    values.set("ints", Value::list(ints));
    values.set("floats", Value::list({Value(0.1), Value(-0.0), Value(-HUGE_VAL), Value(1e300)}));
    values.set("text", "z\u00fcrich \U0001f600");
    values.set("tuple", Value::tuple({Value(1), Value::tuple({Value(2.5), Value("x")}), Value::tuple({})}));
    values.set("empty", Value::list({Value(ValueDict())}));
    values.set(3, "three");
    expected.put(Value(values), "reel_values.pt");
    ValueDict many;
    for (int i = 0; i < 2500; ++i) many.set("key " + std::to_string(i), i);
    expected.put(Value(many), "reel_many.pt");
}
/// By themselves and to a stream.
void write_tensors(Expected& expected, const Tensor& base) {
    const Tensor leaf = reel::randn({3, 4}).t().requires_grad_();
    save(leaf, file("reel_tensor.pt"));
    expected.describes(Value(leaf), "reel_tensor.pt");
    const std::vector<Tensor> some{base, base.select(0, 1), reel::ones({}, kLong), reel::empty({0, 2})};
    std::ofstream stream(file("reel_stream.pt"), std::ios::binary);
    save(some, stream);
    expected.describes(Value(some), "reel_stream.pt");
}
void write_archives(Expected& expected) {
    nn::Sequential module = network();
    save(module, file("reel_module.pt"));
    serialize::OutputArchive archive, part, rates;
    part << module;
    optim::SGD sgd(module->parameters(), optim::SGDOptions(0.1).momentum(0.9));
    module->forward(reel::randn({8, 4})).sum().backward();
    sgd.step();
    rates << sgd;
    archive.write("net", part);
    archive.write("optimizer", rates);
    archive.write("epoch", Value(3));
    archive.save_to(file("reel_archive.pt"));
    expected.describes(archive.value(), "reel_archive.pt");
}
void write_optimizers() {
    for (const std::string& name : optimizers())
        check("reel writes " + name, [&]() -> std::string {
            // the arguments are Python's, the training is our own
            const Value theirs = load(file("python_" + name + ".pt"));
            const ValueDict& c = theirs.toGenericDict();
            Training t(c.at("class").toStringRef(), c.at("arguments").toGenericDict());
            ValueDict mine;
            if (c.contains("schedule")) {
                t.schedule(c.at("schedule").elements()[0].toStringRef(),
                           c.at("schedule").elements()[1].toGenericDict());
                mine.set("schedule", c.at("schedule"));
            }
            t.x = reel::randn({16, 4});
            t.y = reel::randn({16, 3});
            for (int i = 0; i < 3; ++i) t.step();
            mine.set("model", t.net->state_dict().to_value());
            mine.set("optimizer", t.optimizer->state_dict());
            if (t.scheduler) mine.set("scheduler", t.scheduler->state_dict());
            for (const char* same : {"class", "arguments"}) mine.set(same, c.at(same));
            mine.set("x", t.x);
            mine.set("y", t.y);
            mine.set("epoch", 3);
            save(Value(mine), file("reel_" + name + ".pt"));
            t.step();
            ValueDict after;
            after.set("model", t.net->state_dict().to_value());
            after.set("lr", t.lr());
            save(Value(after), file("reel_" + name + "_after.pt"));
            return {};
        });
}
void write_arrays() {
    OrderedDict<std::string, Tensor> arrays("Tensor");
    arrays.insert("a", reel::arange(6, kFloat).reshape({2, 3}));
    arrays.insert("flag", reel::ones({1}).to(kBool));
    serialize::save_npz(arrays, file("reel.npz"));
}
void write() {
    Expected expected;
    manual_seed(1);
    write_dtypes(expected);
    const Tensor base = reel::randn({6, 7});
    write_views(expected, base);
    write_values(expected);
    write_tensors(expected, base);
    write_archives(expected);
    write_optimizers();
    write_arrays();
}
} // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::fprintf(stderr, "usage: client read|write FOLDER\n"), 2;
    folder = argv[2];
    std::strcmp(argv[1], "read") ? write() : read();
}
