// Hooks under data parallelism: which fire, in what order, and what they see.
#include <reel/autograd/error.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "common/compare.hpp"
#include "oracle/distributed_rank.hpp"

namespace replay {

using namespace reel;
namespace dist = reel::distributed;

namespace {

Tensor read_tensor(const json::value& v) {
    const json::object& o = v.as_object();
    std::vector<std::int64_t> shape;
    for (const json::value& n : o.at("shape").as_array()) shape.push_back(n.as_int64());
    std::vector<double> numbers;
    const std::function<void(const json::value&)> flatten = [&](const json::value& x) {
        if (x.is_array())
            for (const json::value& e : x.as_array()) flatten(e);
        else numbers.push_back(x.to_number<double>());
    };
    flatten(o.at("data"));
    const Tensor t = reel::empty({std::int64_t(numbers.size())}, kDouble);
    std::copy(numbers.begin(), numbers.end(), t.data_ptr<double>());
    return t.reshape(shape);
}
std::vector<Tensor> defined_ones(const std::vector<Tensor>& tensors) {
    std::vector<Tensor> some;
    for (const Tensor& t : tensors)
        if (t.defined()) some.push_back(t);
    return some;
}

} // namespace

HookEvents::HookEvents(const DistributedRun& run, dist::DistributedDataParallelImpl& ddp, std::int64_t rank)
    : run_(run), rank_(rank) {
    std::vector<std::string> labels;
    for (const json::value& e : run.field("events")->as_array().at(std::size_t(rank)).as_array()) {
        const std::string label(e.as_array().at(1).as_string());
        if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
    }
    for (const std::string& label : labels) add(label, ddp);
}

nn::ModulePtr HookEvents::module_at(const std::string& path, dist::DistributedDataParallelImpl& ddp) const {
    return path == "module" ? ddp.shared_from_this() : ddp.module->get_submodule(path);
}

void HookEvents::add(const std::string& label, dist::DistributedDataParallelImpl& ddp) {
    const std::size_t space = label.find(' ');
    const std::string kind = label.substr(0, space), path = label.substr(space + 1);
    const auto one = [this, label](const Tensor& t) { happened(label, {t}); };
    if (kind == "forward_pre")
        module_at(path, ddp)->register_forward_pre_hook(
            [one](nn::Module&, const Args& args) { one(args.at(0).toTensor()); });
    else if (kind == "forward")
        module_at(path, ddp)->register_forward_hook(
            [one](nn::Module&, const Args&, const Value& result) { one(result.toTensor()); });
    else if (kind == "full_backward")
        module_at(path, ddp)->register_full_backward_hook(
            [this, label](nn::Module&, const std::vector<Tensor>& in, const std::vector<Tensor>& out) {
                const std::vector<Tensor> some = defined_ones(in);
                happened(label, some.empty() ? defined_ones(out) : some);
            });
    else if (kind == "tensor")
        ddp.module->get_parameter(path).register_hook([one](const Tensor& g) {
            one(g);
            return g * 2;
        });
    else {
        REEL_CHECK_VALUE(kind == "post_accumulate", run_.name, ": unknown hook '", label, "'");
        ddp.module->get_parameter(path).register_post_accumulate_grad_hook([one](const Tensor& p) { one(p.grad()); });
    }
}

void HookEvents::happened(const std::string& label, const std::vector<Tensor>& values) {
    Event e{step_, label, {}};
    for (const Tensor& t : values) e.values.push_back(t.detach().clone());
    events_.push_back(std::move(e));
}

void HookEvents::compare() const {
    const json::array& want = run_.field("events")->as_array().at(std::size_t(rank_)).as_array();
    REEL_CHECK(events_.size() == want.size(), "rank ", rank_, ": ", events_.size(), " hooks fired, expected ",
               want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
        const json::array& e = want[i].as_array();
        const Event& got = events_[i];
        REEL_CHECK(got.step == e.at(0).as_int64() && got.label == std::string(e.at(1).as_string()), "rank ", rank_,
                   ": event ", i, " is '", got.label, "' of step ", got.step, ", expected '",
                   std::string(e.at(1).as_string()), "' of step ", e.at(0).as_int64());
        const json::array& values = e.at(2).as_array();
        REEL_CHECK(values.size() == got.values.size(), "rank ", rank_, ": event ", i, " has ", got.values.size(),
                   " values, expected ", values.size());
        for (std::size_t k = 0; k < values.size(); ++k) {
            const Tensor expected = read_tensor(values[k]).to(got.values[k].scalar_type());
            const std::string d = difference(got.values[k], expected, {1e-12, run_.tolerance(), true});
            REEL_CHECK(d.empty(), "rank ", rank_, ": event ", i, " ('", got.label, "' of step ", got.step, "): ", d);
        }
    }
}

} // namespace replay
