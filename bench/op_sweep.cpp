// The op sweep: times calls by name that a file lists, in the form that the peers' side reads and writes
// (../shared/bench/ops). Forward without a tape, and forward with backward.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>

#include <boost/json.hpp>

#include <reel/autograd.hpp>
#include <reel/autograd/op.hpp>

#include "bench.hpp"

namespace bench {

namespace {

namespace json = boost::json;
using reel::Tensor;
using reel::Value;

reel::ScalarType dtype_of(const json::value& name) {
    const std::string_view d = name.as_string();
    return d == "f32"    ? reel::kFloat
           : d == "f64"  ? reel::kDouble
           : d == "bf16" ? reel::kBFloat16
           : d == "f16"  ? reel::kHalf
           : d == "i64"  ? reel::kLong
           : d == "bool" ? reel::kBool
                         : throw reel::Error("op sweep: unknown dtype '" + std::string(d) + "'");
}

/// Numbers of a kind: `randn`, `unit` (away from 0 and 1), `int:N` (below N), `int1:N` (1 to N), `const:N`, ...
Tensor numbers(const std::string& kind, const reel::Dims& sizes, reel::ScalarType dtype) {
    const auto bound = [&] { return std::stoll(kind.substr(kind.find(':') + 1)); };
    if (kind == "randn") return reel::randn(sizes).to(dtype);
    if (kind == "unit") return (reel::rand(sizes) * 0.98 + 0.01).to(dtype);
    if (kind == "bool") return reel::gt(reel::rand(sizes), 0.5);
    if (kind.starts_with("int:")) return reel::randint(0, bound(), sizes).to(dtype);
    if (kind.starts_with("int1:")) return reel::randint(1, bound() + 1, sizes).to(dtype);
    if (kind.starts_with("const:")) return reel::full(sizes, bound(), reel::TensorOptions(dtype));
    if (kind == "perm") return reel::randperm(sizes[0]);
    if (kind == "sorted") return std::get<0>(reel::sort(reel::randn(sizes)));
    if (kind == "logp") return reel::log_softmax(reel::randn(sizes), -1);
    if (kind == "spd") {
        const Tensor a = reel::randn(sizes);
        return reel::matmul(a, a.transpose(-1, -2)) + reel::eye(sizes.back()) * double(sizes.back());
    }
    throw reel::Error("op sweep: unknown kind of numbers '" + kind + "'");
}

/// One call of the file, its arguments made.
struct Call {
    const reel::ops::Op* op = nullptr;
    reel::Args args;
    reel::Kwargs keywords;
    std::vector<Tensor> leaves;

    Value made(const json::value& j, bool grad) {
        if (j.is_null()) return {};
        if (j.is_bool()) return j.as_bool();
        if (j.is_int64()) return j.as_int64();
        if (j.is_double()) return j.as_double();
        if (j.is_string()) return std::string(j.as_string());
        if (j.is_array()) {
            std::vector<Value> list;
            for (const json::value& each : j.as_array()) list.push_back(made(each, grad));
            return list;
        }
        const json::object& o = j.as_object();
        if (o.contains("dtype")) return dtype_of(o.at("dtype"));
        reel::Dims sizes;
        for (const json::value& n : o.at("T").as_array()) sizes.push_back(n.as_int64());
        Tensor t = numbers(std::string(o.at("k").as_string()), sizes, dtype_of(o.at("d")));
        if (o.contains("v") && o.at("v") == "t") t = t.t();
        if (grad && t.is_floating_point()) leaves.push_back(t.requires_grad_());
        return t;
    }
    Call(const json::object& c, bool grad) {
        std::string name(c.at("name").as_string());
        op = reel::ops::registry().find(name);
        const std::string functional = "nn.functional.";
        if (!op && name.starts_with(functional)) name.erase(0, functional.size());
        if (!op) op = &reel::ops::registry().at(name);
        for (const json::value& a : c.at("args").as_array()) args.push_back(made(a, grad));
        for (const auto& [key, value] : c.at("kw").as_object()) keywords.set(std::string(key), made(value, grad));
    }
    Value operator()() const { return op->call(args, keywords); }
};

/// The least of many, in microseconds.
double least_us(const std::function<void()>& f, double seconds) {
    using clock = std::chrono::steady_clock;
    const auto took = [&](int times) {
        const auto start = clock::now();
        for (int i = 0; i < times; ++i) f();
        return std::chrono::duration<double>(clock::now() - start).count() / times;
    };
    f();
    const int inner = int(std::clamp(0.002 / std::max(took(1), 1e-9), 1.0, 2000.0));
    double best = 1e9;
    const auto start = clock::now();
    for (int n = 0; n < 200 && (n < 5 || std::chrono::duration<double>(clock::now() - start).count() < seconds); ++n)
        best = std::min(best, took(inner));
    return best * 1e6;
}

/// The results that have a gradient.
std::vector<Tensor> roots(const Value& result) {
    std::vector<Tensor> out;
    const auto add = [&](const Value& v) {
        if (v.isTensor() && v.toTensor().defined() && v.toTensor().requires_grad()) out.push_back(v.toTensor());
    };
    if (result.isList())
        for (const Value& v : result.toList()) add(v);
    else add(result);
    return out;
}

json::array figures(const json::object& c, double seconds) {
    json::array row;
    {
        const Call call(c, false);
        const reel::NoGradGuard no_grad;
        row.push_back(least_us([&] { (void)call(); }, seconds));
    }
    row.push_back(nullptr);
    if (!c.at("grad").as_bool()) return row;
    Call call(c, true);
    std::vector<Tensor> seeds;
    for (const Tensor& t : roots(call())) seeds.push_back(reel::ones_like(t.detach()));
    row[1] = least_us(
        [&] {
            for (Tensor& leaf : call.leaves) leaf.mutable_grad().reset();
            reel::autograd::backward(roots(call()), seeds);
        },
        seconds);
    return row;
}

} // namespace

int op_sweep(const std::string& file, const std::string& out, double seconds) {
    std::ifstream in(file);
    if (!in) {
        std::fprintf(stderr, "reel-bench: cannot read %s\n", file.c_str());
        return 2;
    }
    std::ofstream file_out(out); // before the work, which takes minutes
    const auto unwritable = [&] {
        std::fprintf(stderr, "reel-bench: cannot write %s\n", out.c_str());
        return 2;
    };
    if (!file_out) return unwritable();
    const json::value calls = json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
    json::array rows;
    for (const json::value& c : calls.as_array()) {
        try {
            rows.push_back(figures(c.as_object(), seconds));
        } catch (const std::exception& e) {
            rows.push_back(json::array{"err", std::string(e.what()).substr(0, 120)});
        }
    }
    file_out << json::serialize(rows) << '\n' << std::flush;
    return file_out ? 0 : unwritable();
}

} // namespace bench
