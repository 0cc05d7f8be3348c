// Sequential.
#include <reel/nn/modules/sequential.hpp>

#include <algorithm>
#include <functional>

#include <reel/nn/factory.hpp>

namespace reel::nn {

namespace detail {
std::vector<std::size_t> slice_positions(const char* what, std::optional<std::int64_t> begin,
                                         std::optional<std::int64_t> end, std::int64_t step, std::size_t size) {
    REEL_CHECK_VALUE(step != 0, what, ": slice: the step must not be zero");
    const std::int64_t n = std::int64_t(size), low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    const auto place = [&](std::optional<std::int64_t> i, std::int64_t otherwise) {
        return i ? std::clamp(*i < 0 ? *i + n : *i, low, high) : otherwise;
    };
    std::vector<std::size_t> r;
    const std::int64_t last = place(end, step > 0 ? high : low);
    for (std::int64_t i = place(begin, step > 0 ? low : high); step > 0 ? i < last : i > last; i += step)
        r.push_back(std::size_t(i));
    return r;
}

OrderedDict<std::string, ModulePtr> numbered(const std::vector<ModulePtr>& modules) {
    OrderedDict<std::string, ModulePtr> r("Submodule");
    for (std::size_t k = 0; k < modules.size(); ++k) r.insert(std::to_string(k), modules[k]);
    return r;
}
OrderedDict<std::string, ModulePtr> without_slice(const char* what, const OrderedDict<std::string, ModulePtr>& modules,
                                                  std::optional<std::int64_t> begin, std::optional<std::int64_t> end,
                                                  std::int64_t step) {
    const std::vector<std::size_t> gone = slice_positions(what, begin, end, step, modules.size());
    std::vector<ModulePtr> rest;
    for (std::size_t i = 0; i < modules.size(); ++i)
        if (std::find(gone.begin(), gone.end(), i) == gone.end()) rest.push_back(modules[i].value());
    return numbered(rest);
}

namespace {
/// What layers draw has two dimensions or more: biases are drawn with their weights, norms begin with constants.
bool has_drawn_parameters(const Module& m) {
    const std::vector<Tensor> parameters = m.parameters();
    return std::any_of(parameters.begin(), parameters.end(), [](const Tensor& p) { return p.dim() > 1; });
}
} // namespace

void warn_if_made_backwards(const char* container, const OrderedDict<std::string, ModulePtr>& children) {
    std::vector<std::uint32_t> numbers;
    for (const auto& child : children)
        if (child.value() && has_drawn_parameters(*child.value()))
            numbers.push_back(child.value()->construction_number());
    const bool backwards =
        numbers.size() > 1 && std::is_sorted(numbers.begin(), numbers.end(), std::greater<std::uint32_t>());
    if (backwards)
        REEL_WARN_ONCE(container,
                       "(a, b, ...): the compiler made these modules last to first, which is also the order in "
                       "which they drew their initial numbers; PyTorch draws first to last. Braces do, too: ",
                       container, "{a, b, ...}");
}
} // namespace detail

void SequentialImpl::append(std::string name, ModulePtr module) {
    if (children_.contains(name)) REEL_THROW(KeyError, "Sequential: the name '", name, "' is already taken");
    add_module(std::move(name), std::move(module));
}
ModulePtr SequentialImpl::ptr(std::int64_t i) const {
    const std::int64_t n = std::int64_t(size()), at = i < 0 ? i + n : i;
    REEL_CHECK_INDEX(at >= 0 && at < n, "Sequential: index ", i, " is out of range for ", n, " modules");
    return *children_[std::size_t(at)];
}
void SequentialImpl::insert(std::int64_t i, ModulePtr module) {
    const std::int64_t n = std::int64_t(size());
    REEL_CHECK_INDEX(i >= -n && i <= n, "Sequential: index ", i, " is out of range for inserting among ", n,
                     " modules");
    std::vector<ModulePtr> all = children_.values();
    all.insert(all.begin() + (i < 0 ? i + n : i), std::move(module));
    rebuild_children(detail::numbered(all));
}
void SequentialImpl::assign(std::int64_t i, ModulePtr module) {
    ptr(i); // checks the index
    const std::int64_t n = std::int64_t(size());
    replace_module(children_.keys()[std::size_t(i < 0 ? i + n : i)], std::move(module));
}
void SequentialImpl::erase(std::int64_t i) { pop(i); }
void SequentialImpl::erase(std::optional<std::int64_t> begin, std::optional<std::int64_t> end, std::int64_t step) {
    rebuild_children(detail::without_slice("Sequential", children_, begin, end, step));
}
ModulePtr SequentialImpl::pop(std::int64_t i) {
    ModulePtr m = ptr(i);
    std::vector<ModulePtr> all = children_.values();
    all.erase(all.begin() + (i < 0 ? i + std::int64_t(all.size()) : i));
    rebuild_children(detail::numbered(all));
    return m;
}
std::shared_ptr<SequentialImpl> SequentialImpl::slice(std::optional<std::int64_t> begin,
                                                      std::optional<std::int64_t> end, std::int64_t step) const {
    auto out = std::make_shared<SequentialImpl>();
    const std::vector<std::string> names = children_.keys();
    for (const std::size_t i : detail::slice_positions("Sequential", begin, end, step, size()))
        out->append(names[i], children_[names[i]]);
    return out;
}
SequentialImpl& SequentialImpl::operator+=(const SequentialImpl& other) {
    for (const ModulePtr& m : other.children_.values()) push_back(m);
    return *this;
}
SequentialImpl& SequentialImpl::operator*=(std::int64_t n) {
    REEL_CHECK_VALUE(n > 0, "Sequential: it can be repeated one or more times, not ", n);
    const std::vector<ModulePtr> once = children_.values();
    for (std::int64_t k = 1; k < n; ++k)
        for (const ModulePtr& m : once) push_back(m);
    return *this;
}
Sequential operator+(const Sequential& a, const Sequential& b) {
    Sequential out;
    *out += *a;
    *out += *b;
    return out;
}
Sequential operator*(const Sequential& a, std::int64_t n) {
    Sequential out;
    *out += *a;
    *out *= n;
    return out;
}
Sequential operator*(std::int64_t n, const Sequential& a) { return a * n; }
void SequentialImpl::reset() {}

Value SequentialImpl::forward_values(const Args& args, const Kwargs& kwargs) {
    REEL_CHECK_TYPE(args.size() == 1 && kwargs.empty(), "Sequential: forward takes exactly one argument, got ",
                    args.size(), " and ", kwargs.size(), " keyword arguments");
    return run(args);
}
Value SequentialImpl::run(Args args) {
    const std::vector<ModulePtr> children = own_children().values(); // a hook may change the table
    REEL_CHECK_TYPE(args.size() == 1 || !children.empty(), "Sequential: an empty one takes exactly one argument, got ",
                    args.size());
    for (std::size_t i = 0; i < children.size(); ++i) {
        REEL_CHECK(children[i], "Sequential: submodule ", i, " is none");
        args = Args{children[i]->call_values(args)};
    }
    return args[0];
}
Tensor SequentialImpl::forward(const Tensor& input) {
    const Value r = forward_values({Value(input)}, {});
    return r.toTensor();
}

void register_sequential() {
    register_module_class("Sequential", [](const Args& args, const Kwargs&) -> ModulePtr {
        auto m = std::make_shared<SequentialImpl>();
        for (const Value& v : args) m->push_back(v.get<ModulePtr>());
        return m;
    });
}

} // namespace reel::nn
