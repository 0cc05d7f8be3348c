// collectives.jsonl: calls, and what each rank has afterwards.
#include <complex>
#include <fstream>
#include <sstream>

#include <reel/autograd/ops.hpp>
#include <reel/distributed/collectives.hpp>

#include "common/compare.hpp"
#include "oracle/ranks.hpp"

namespace replay {

using namespace reel;
namespace dist = reel::distributed;

namespace {
using Tensors = std::vector<Tensor>;

Tensors list_of(const json::value& v) {
    Tensors list;
    if (v.is_array())
        for (const json::value& e : v.as_array()) list.push_back(tensor_of(e));
    return list;
}

/// One case as one rank makes it.
class RankCase {
public:
    RankCase(const json::object& data, std::int64_t rank)
        : data_(data), kw_(data.at("kw").as_object()), rank_(rank), world_(data.at("world").to_number<std::int64_t>()),
          layout_(layout_of(std::string(data.at("name").as_string()))) {
        in_ = data.at("in").as_array().at(std::size_t(rank));
        if (const auto* op = kw_.if_contains("op")) op_ = dist::reduce_op(op->as_string());
        if (const auto* root = kw_.if_contains("root")) root_ = root->to_number<std::int64_t>();
        if (const auto* async = kw_.if_contains("async")) async_ = async->as_bool();
    }
    /// What the rank has after the call.
    Tensors run() {
        const std::string call(data_.at("call").as_string());
        static const std::map<std::string, Tensors (RankCase::*)()> calls = {
            {"all_reduce", &RankCase::all_reduce},
            {"reduce", &RankCase::reduce},
            {"broadcast", &RankCase::broadcast},
            {"all_gather", &RankCase::all_gather},
            {"all_gather_into_tensor", &RankCase::all_gather_into},
            {"gather", &RankCase::gather},
            {"scatter", &RankCase::scatter},
            {"reduce_scatter", &RankCase::reduce_scatter},
            {"reduce_scatter_tensor", &RankCase::reduce_scatter_tensor},
            {"all_to_all", &RankCase::all_to_all},
            {"send_recv", &RankCase::send_recv},
            {"tags", &RankCase::tags},
            {"subgroup", &RankCase::subgroup},
            {"barrier", &RankCase::barrier}};
        const auto found = calls.find(call);
        if (found == calls.end()) throw std::runtime_error("unknown call " + call);
        return (this->*found->second)();
    }

private:
    static MemoryLayout layout_of(const std::string& name) {
        for (const char* layout : {"transposed", "strided", "offset"})
            if (name.find("-" + std::string(layout)) != std::string::npos) return layout_from_name(layout);
        return MemoryLayout::contiguous;
    }
    Tensor operand() const {
        Tensor t = lay_out(tensor_of(in_), layout_);
        if (data_.contains("requires_grad") && data_.at("requires_grad").as_bool()) t.requires_grad_();
        return t;
    }
    /// The same call at once, or begun and waited for.
    template <class Now, class Later> void make(Now now, Later later) const {
        if (async_) later().wait();
        else now();
    }
    Tensors like(const Tensor& t, std::int64_t n) const {
        Tensors list;
        for (std::int64_t i = 0; i < n; ++i) list.push_back(lay_out(zeros_like(t), layout_));
        return list;
    }

    Tensors all_reduce() {
        const Tensor t = operand();
        make([&] { dist::all_reduce(t, op_); }, [&] { return dist::all_reduce_async(t, op_); });
        return {t};
    }
    Tensors reduce() {
        const Tensor t = operand();
        make([&] { dist::reduce(t, root_, op_); }, [&] { return dist::reduce_async(t, root_, op_); });
        return {t};
    }
    Tensors broadcast() {
        const Tensor t = operand();
        make([&] { dist::broadcast(t, root_); }, [&] { return dist::broadcast_async(t, root_); });
        return {t};
    }
    Tensors all_gather() {
        const Tensor t = operand();
        const Tensors out = like(t, world_);
        make([&] { dist::all_gather(out, t); }, [&] { return dist::all_gather_async(out, t); });
        return out;
    }
    Tensors all_gather_into() {
        const Tensor t = operand();
        std::vector<std::int64_t> sizes(t.sizes().begin(), t.sizes().end());
        if (sizes.empty()) sizes.push_back(world_);
        else sizes[0] *= world_;
        const Tensor out = zeros(sizes, t.options());
        make([&] { dist::all_gather_into(out, t); }, [&] { return dist::all_gather_into_async(out, t); });
        return {out};
    }
    Tensors gather() {
        const Tensor t = operand();
        const Tensors out = rank_ == root_ ? like(t, world_) : Tensors{};
        make([&] { dist::gather(t, out, root_); }, [&] { return dist::gather_async(t, out, root_); });
        return out;
    }
    /// The shape comes from the root's list, or from the result where there is none.
    Tensors scatter() {
        const Tensors parts = list_of(in_);
        const json::array& all = data_.at("in").as_array();
        Tensor like = zeros({3}, kDouble);
        for (const json::value& of_rank : all)
            if (of_rank.is_array() && !of_rank.as_array().empty()) like = tensor_of(of_rank.as_array()[0]);
        const Tensor out = lay_out(zeros_like(like), layout_);
        make([&] { dist::scatter(out, parts, root_); }, [&] { return dist::scatter_async(out, parts, root_); });
        return {out};
    }
    Tensors reduce_scatter() {
        const Tensors parts = list_of(in_);
        const Tensor out = zeros_like(parts.at(0));
        make([&] { dist::reduce_scatter(out, parts, op_); },
             [&] { return dist::reduce_scatter_async(out, parts, op_); });
        return {out};
    }
    Tensors reduce_scatter_tensor() {
        const Tensor t = operand();
        std::vector<std::int64_t> sizes(t.sizes().begin(), t.sizes().end());
        sizes.at(0) /= world_;
        const Tensor out = zeros(sizes, t.options());
        make([&] { dist::reduce_scatter_tensor(out, t, op_); },
             [&] { return dist::reduce_scatter_tensor_async(out, t, op_); });
        return {out};
    }
    Tensors all_to_all() {
        const Tensors parts = list_of(in_);
        Tensors out;
        for (const json::value& of_rank : data_.at("in").as_array())
            out.push_back(zeros_like(tensor_of(of_rank.as_array().at(std::size_t(rank_)))));
        make([&] { dist::all_to_all(out, parts); }, [&] { return dist::all_to_all_async(out, parts); });
        return out;
    }
    Tensors send_recv() {
        const Tensor t = operand(), from = lay_out(zeros_like(t), layout_);
        const std::int64_t next = (rank_ + 1) % world_, previous = (rank_ + world_ - 1) % world_;
        const dist::Work received = dist::recv_async(from, previous), sent = dist::send_async(t, next);
        received.wait();
        sent.wait();
        return {from};
    }
    Tensors tags() {
        const Tensor t = operand();
        if (rank_ == 0) {
            dist::send(t, 1, 5);
            dist::send(t * 10, 1, 4);
        }
        if (rank_ != 1) return {};
        const Tensor four = zeros_like(t), five = zeros_like(t);
        dist::recv(four, 0, 4);
        dist::recv(five, 0, 5);
        return {four, five};
    }
    Tensors subgroup() {
        const dist::ProcessGroup last = dist::new_group({world_ - 2, world_ - 1});
        const Tensor t = operand();
        dist::all_reduce(t, op_, last);
        return {t};
    }
    Tensors barrier() {
        make([] { dist::barrier(); }, [] { return dist::barrier_async(); });
        return {};
    }

    const json::object& data_;
    const json::object& kw_;
    std::int64_t rank_, world_, root_ = 0;
    MemoryLayout layout_;
    json::value in_;
    dist::ReduceOp op_ = dist::kSum;
    bool async_ = false;
};

/// What a call in place gives by its meaning, from the inputs, element by element: for listed differences.
Tensor formula(const json::object& data) {
    const std::string call(data.at("call").as_string());
    REEL_CHECK_VALUE(call == "all_reduce" || call == "broadcast" || call == "reduce", call,
                     ": the list of differences covers all_reduce, broadcast and reduce alone");
    const json::object& kw = data.at("kw").as_object();
    const json::array& in = data.at("in").as_array();
    if (call == "broadcast") return tensor_of(in.at(kw.at("root").to_number<std::size_t>()));
    const std::string op(kw.at("op").as_string());
    Tensor result = tensor_of(in.at(0)).clone();
    for (std::size_t r = 1; r < in.size(); ++r) {
        const Tensor next = tensor_of(in.at(r));
        result = op == "min"       ? minimum(result, next)
                 : op == "max"     ? maximum(result, next)
                 : op == "product" ? result * next
                                   : result + next;
    }
    return op == "avg" ? result / double(in.size()) : result;
}

/// Exactly; sums and averages of floats over more than two ranks within four units in the last place.
Tolerance tolerance_for(const json::object& data, ScalarType dtype) {
    const auto* op = data.at("kw").as_object().if_contains("op");
    const bool sums = data.at("call").as_string().find("reduce") != std::string_view::npos || op;
    const bool summed = sums && (!op || op->as_string() == "sum" || op->as_string() == "avg");
    if (!summed || data.at("world").to_number<int>() < 3 || !isDifferentiableType(dtype)) return {};
    switch (toRealValueType(dtype)) {
    case kDouble:
        return {0, 4 * 0x1p-52, true};
    case kFloat:
        return {0, 4 * 0x1p-23, true};
    case kHalf:
        return {0, 4 * 0x1p-10, true};
    default:
        return {0, 4 * 0x1p-7, true};
    }
}

/// Empty when `got` is what the case has for the rank, or what its inputs mean.
std::string judge(const json::object& data, std::int64_t rank, const Tensors& got, bool by_formula) {
    const json::value& out = data.at("out").as_array().at(std::size_t(rank));
    if (out.is_null()) return {};
    Tensors expected = out.is_array() ? list_of(out) : Tensors{tensor_of(out)};
    if (by_formula) expected = {formula(data)};
    if (expected.size() != got.size()) return str(got.size(), " tensors, expected ", expected.size());
    const std::string name(data.at("name").as_string());
    const bool nan_is_open = name.find("-nan") != std::string::npos; // the reference may lose it: either passes
    for (std::size_t i = 0; i < got.size(); ++i) {
        const Tensor g = got[i].detach();
        std::string d = difference(g, expected[i], tolerance_for(data, g.scalar_type()));
        if (!d.empty() && nan_is_open && bool(isnan(g).any().item<bool>()))
            d = difference(where(isnan(g), g, expected[i]), g, {});
        if (!d.empty()) return str("tensor ", i, ": ", d);
    }
    return {};
}

/// What each rank said of its outcome, on all.
using Said = std::vector<std::string>;
Said on_all(const Said& said, Ranks& ranks) {
    return ranks.ask([&](std::int64_t r) { return said[std::size_t(r)]; });
}

/// `listed`: the entry about the case, null for most.
std::string run_case(const json::object& data, Ranks& ranks, RankDifference* listed) {
    const std::size_t n = std::size_t(ranks.size());
    const bool has_results = data.contains("out");
    Said wrong(n, ""), unlike(n, "");
    const auto outcomes = ranks.run([&](std::int64_t r) {
        const Tensors got = RankCase(data, r).run();
        if (!has_results) return;
        wrong[std::size_t(r)] = judge(data, r, got, listed);
        if (listed) unlike[std::size_t(r)] = judge(data, r, got, false);
    });
    wrong = on_all(wrong, ranks);
    if (listed) {
        ++listed->met;
        for (const std::string& d : on_all(unlike, ranks))
            if (!d.empty()) {
                ++listed->differed;
                break;
            }
    }
    const json::value* errors = data.if_contains("err");
    for (std::size_t r = 0; r < n; ++r) {
        const json::value kind = errors ? errors->as_array().at(r) : json::value();
        const std::string expected = kind.is_null() ? "" : std::string(kind.as_string());
        const std::string here = str("rank ", r, ": ");
        if (!expected.empty() && !outcomes[r].starts_with(expected + ":"))
            return here + (outcomes[r].empty() ? "returned" : outcomes[r]) + ", expected " + expected;
        if (!errors && !outcomes[r].empty()) return here + outcomes[r];
        if (!wrong[r].empty()) return here + wrong[r];
    }
    return {};
}

void run(const std::filesystem::path& folder, Ranks& ranks, Report& report) {
    std::ifstream file(folder / "collectives.jsonl");
    std::size_t index = 0;
    for (std::string line; std::getline(file, line); ++index) {
        const json::value parsed = parse_python_json(line);
        const json::object& data = parsed.as_object();
        if (data.at("world").to_number<std::int64_t>() != ranks.size()) continue;
        const std::string name(data.at("name").as_string());
        RankDifference* const listed = report.rank_differences.find("collectives", name);
        const std::string problem = run_case(data, ranks, listed);
        Counts& counts = report.kinds["collectives"][std::string(data.at("call").as_string())];
        ++counts.cases;
        ++(problem.empty() ? counts.passed : counts.failed);
        counts.as_listed += problem.empty() && listed;
        if (!problem.empty() && ranks.reports()) report.failure("collectives", index, name + ": " + problem);
    }
}

const RankCases collectives("collectives", run);
} // namespace

} // namespace replay
