// What the tests of modules and hooks share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <reel/autograd.hpp>
#include <reel/nn.hpp>

namespace reel::testing {

/// The message of the error of kind `E` that `fn` throws; a description of what happened where it throws none.
template <class E = Error, class F> std::string message_of(F&& fn) {
    try {
        fn();
    } catch (const E& e) {
        return e.what();
    } catch (const std::exception& e) {
        return std::string("(another kind of error) ") + e.what();
    }
    return "(nothing was thrown)";
}
/// Does `text` hold every one of `parts`, in this order?
inline bool has(const std::string& text, std::initializer_list<const char*> parts) {
    std::size_t at = 0;
    for (const char* p : parts) {
        at = text.find(p, at);
        if (at == std::string::npos) return false;
        at += std::string(p).size();
    }
    return true;
}
inline bool has(const std::string& text, const char* part) { return has(text, {part}); }
inline Tensor leaf(double v) { return full({}, v).requires_grad_(); }
inline double number(const Tensor& t) { return t.defined() ? t.item<double>() : -1000; }
inline double number(const Value& v) { return v.isNone() ? -1000 : v.toTensor().item<double>(); }

/// x * w with one parameter w.
struct ScaleImpl : nn::Cloneable<ScaleImpl> {
    explicit ScaleImpl(double w_ = 3) : start(w_) { reset(); }
    void reset() override { w = register_parameter("w", full({}, start)); }
    Tensor forward(const Tensor& x) { return x * w; }
    double start;
    Tensor w;
};
REEL_MODULE(Scale);

/// Any forward over values.
struct AnyImpl : nn::Module {
    using Fn = std::function<Value(const Args&, const Kwargs&)>;
    explicit AnyImpl(Fn f) : fn(std::move(f)) {}
    Value forward_values(const Args& args, const Kwargs& kwargs) override { return fn(args, kwargs); }
    Fn fn;
};
inline std::shared_ptr<AnyImpl> any_module(AnyImpl::Fn fn) { return std::make_shared<AnyImpl>(std::move(fn)); }

/// Collects warnings while it lives.
class WarningLog : public WarningHandler {
public:
    WarningLog() : guard_(this) {}
    void process(const Warning& w) override { texts.emplace_back(w.msg()); }
    bool any(const char* part) const {
        for (const std::string& t : texts)
            if (has(t, part)) return true;
        return false;
    }
    std::vector<std::string> texts;

private:
    WarningUtils::WarningHandlerGuard guard_;
    WarningUtils::WarnAlways always_;
};

/// Global hooks and the reference mode end with the test.
struct CleanHooks {
    ~CleanHooks() {
        nn::hooks::reset_global_hooks();
        nn::hooks::set_reference_mode(false);
    }
};

} // namespace reel::testing
