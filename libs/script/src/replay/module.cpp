// Modules whose calls are compiled: arguments and results with tensors inside become lists of tensors and back.
#include <deque>
#include <iterator>
#include <mutex>

#include <reel/autograd/error.hpp>
#include <reel/nn/compile.hpp>
#include <reel/script/compiled_function.hpp>

namespace reel::jit {

namespace {

/// Tensors, none, and tuples and lists of them.
bool takes_apart(const Value& v, std::vector<Tensor>& tensors) {
    if (v.isTensor()) {
        tensors.push_back(v.toTensor());
        return tensors.back().defined();
    }
    if (!v.isSequence()) return v.isNone();
    for (const Value& e : v.elements())
        if (!takes_apart(e, tensors)) return false;
    return true;
}
/// The shape of what `takes_apart` takes: `(t[tt]n)`.
void describe(const Value& v, std::string& text) {
    if (v.isTensor()) text += 't';
    else if (v.isNone()) text += 'n';
    else {
        text += v.isTuple() ? '(' : '[';
        for (const Value& e : v.elements()) describe(e, text);
        text += v.isTuple() ? ')' : ']';
    }
}
std::vector<Value> many(std::string_view& text, TensorList tensors, std::size_t& next);
Value one(std::string_view& text, TensorList tensors, std::size_t& next) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == 't') return Value(tensors[next++]);
    if (c == 'n') return Value();
    std::vector<Value> elements = many(text, tensors, next);
    text.remove_prefix(1);
    return c == '(' ? Value::tuple(std::move(elements)) : Value::list(std::move(elements));
}
std::vector<Value> many(std::string_view& text, TensorList tensors, std::size_t& next) {
    std::vector<Value> r;
    while (!text.empty() && text.front() != ')' && text.front() != ']') r.push_back(one(text, tensors, next));
    return r;
}
std::vector<Value> put_together(std::string_view text, TensorList tensors) {
    std::size_t next = 0;
    return many(text, tensors, next);
}

/// What a recording calls: forward, with its arguments in one shape.
class Callee {
public:
    virtual ~Callee() = default;
    virtual std::vector<Tensor> run(TensorList tensors) = 0;
    static std::vector<Tensor> invoke(void* self, TensorList tensors) {
        return static_cast<Callee*>(self)->run(tensors);
    }
};

/// The module, for as long as it lives: for backward passes that call it again.
class LivingModule final : public Callee {
public:
    LivingModule(nn::Module& m, std::weak_ptr<bool> lives, std::string arguments)
        : module_(m), lives_(std::move(lives)), arguments_(std::move(arguments)) {}
    std::vector<Tensor> run(TensorList tensors) override {
        REEL_CHECK(!lives_.expired(),
                   "CompiledFunctionBackward: gradients that can be differentiated again, or of some "
                   "results only, call the compiled module once more, but it is gone; keep it");
        std::vector<Tensor> r;
        takes_apart(module_.forward_values(put_together(arguments_, tensors), {}), r);
        return r;
    }

private:
    nn::Module& module_;
    std::weak_ptr<bool> lives_;
    std::string arguments_;
};

/// One call, whose result stays what forward made it.
class OneCall final : public Callee {
public:
    OneCall(nn::detail::ForwardRef forward, const Args& args) : forward_(forward), args_(args) {}
    std::vector<Tensor> run(TensorList) override {
        result = forward_(args_, {});
        ran = true;
        std::vector<Tensor> r;
        if (!takes_apart(result, r)) r.clear();
        return r;
    }
    Value result;
    bool ran = false;

private:
    nn::detail::ForwardRef forward_;
    const Args& args_;
};

/// The calls of one module whose arguments have one shape.
struct Shape final : CompileWatch {
    Shape(nn::Module& m, std::weak_ptr<bool> module_lives, std::string text)
        : module(m), module_lives(std::move(module_lives)), arguments(std::move(text)) {}
    const char* obstacle() const override {
        const std::lock_guard guard(lock);
        if (unfit) return "forward returns something other than tensors, or different things";
        return nn::forward_obstacle(module);
    }
    void state(std::vector<std::uintptr_t>& into) const override { nn::forward_state(module, into); }
    bool lives() const override { return !module_lives.expired(); }

    /// Learns what forward returns.
    void saw(const Value& result) {
        std::vector<Tensor> tensors;
        std::string text;
        const bool fits = takes_apart(result, tensors) && !tensors.empty();
        if (fits) describe(result, text);
        const std::lock_guard guard(lock);
        if (!fits || (!this->result.empty() && this->result != text)) unfit = true;
        this->result = std::move(text);
    }
    Value result_of(const std::vector<Tensor>& tensors) const {
        const std::lock_guard guard(lock);
        return put_together(result, tensors)[0];
    }

    nn::Module& module;
    const std::weak_ptr<bool> module_lives;
    const std::string arguments;
    mutable std::mutex lock; ///< of what follows
    std::string result;
    bool unfit = false;
};

class CompiledModule final : public nn::CompiledForward {
public:
    explicit CompiledModule(nn::Module& m) : module_(m) {}

    Value call(const Args& args, const Kwargs& kwargs, nn::detail::ForwardRef forward) override {
        std::vector<Tensor> tensors;
        if (!kwargs.empty() || !takes_apart_all(args, tensors)) {
            note("an argument is given by keyword, or is no tensor");
            return forward(args, kwargs);
        }
        Known& known = shape_of(args);
        OneCall here(forward, args);
        const std::vector<Tensor> r = known.calls->call(&Callee::invoke, tensors, static_cast<Callee*>(&here));
        if (!here.ran) return known.shape->result_of(r);
        known.shape->saw(here.result);
        return std::move(here.result);
    }
    CompileReport explain() const {
        const std::lock_guard guard(lock_);
        CompileReport all;
        all.eager = eager_;
        all.calls = eager_calls_;
        for (const Known& k : shapes_) {
            CompileReport r = k.calls->explain();
            all.calls += r.calls;
            all.replays += r.replays;
            std::move(r.graphs.begin(), r.graphs.end(), std::back_inserter(all.graphs));
            std::move(r.eager.begin(), r.eager.end(), std::back_inserter(all.eager));
        }
        return all;
    }

private:
    struct Known {
        std::shared_ptr<Shape> shape;
        std::unique_ptr<detail::CompiledCalls> calls;
    };
    static bool takes_apart_all(const Args& args, std::vector<Tensor>& tensors) {
        for (const Value& v : args)
            if (!takes_apart(v, tensors)) return false;
        return true;
    }
    void note(const char* why) {
        const std::lock_guard guard(lock_);
        ++eager_calls_;
        if (eager_.empty()) eager_.emplace_back(why);
    }
    /// It stays where it is.
    Known& shape_of(const Args& args) {
        std::string text;
        for (const Value& v : args) describe(v, text);
        const std::lock_guard guard(lock_);
        for (Known& k : shapes_)
            if (k.shape->arguments == text) return k;
        auto shape = std::make_shared<Shape>(module_, lives_, text);
        const std::shared_ptr<Callee> target = std::make_shared<LivingModule>(module_, lives_, text);
        auto calls = std::make_unique<detail::CompiledCalls>(std::shared_ptr<void>(target, target.get()), shape);
        return shapes_.emplace_back(Known{std::move(shape), std::move(calls)});
    }

    nn::Module& module_;
    std::shared_ptr<bool> lives_ = std::make_shared<bool>(true);
    mutable std::mutex lock_; ///< of what follows
    std::deque<Known> shapes_;
    std::vector<std::string> eager_;
    std::uint64_t eager_calls_ = 0;
};

/// As a device's library does: when this one is loaded.
const bool compiler_is_set = [] {
    nn::set_forward_compiler(
        [](nn::Module& m) -> std::shared_ptr<nn::CompiledForward> { return std::make_shared<CompiledModule>(m); });
    return true;
}();

} // namespace

bool detail::modules_can_be_compiled() { return compiler_is_set; }

CompileReport explain(const nn::Module& module) {
    const auto* const compiled = dynamic_cast<const CompiledModule*>(nn::compiled_forward(module));
    REEL_CHECK(compiled, "explain: ", module.name(), " is not compiled; call compile() on it first");
    return compiled->explain();
}

} // namespace reel::jit
