// Reading and printing the options of layers by their lists.
#include <reel/nn/option_visitor.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>

#include <reel/nn/factory.hpp>

#include "module/libtorch_form.hpp"
#include "modules/python_text.hpp"

namespace reel::nn {

namespace {
/// As a stream has it.
std::string cpp_number(double v) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%g", v);
    return digits;
}
template <class T> std::vector<std::string> cpp_entries(const std::vector<T>& list) {
    std::vector<std::string> entries;
    for (const T& e : list) entries.push_back(OptionCodec<T>::cpp_text(e));
    return entries;
}
} // namespace

void OptionCodec<bool>::read(bool& option, const Value& v) { option = v.to<bool>(); }
std::string OptionCodec<bool>::text(const bool& option) { return text::boolean(option); }
std::string OptionCodec<bool>::cpp_text(const bool& option) { return option ? "true" : "false"; }
void OptionCodec<std::int64_t>::read(std::int64_t& option, const Value& v) { option = v.to<std::int64_t>(); }
std::string OptionCodec<std::int64_t>::text(const std::int64_t& option) { return text::number(option); }
std::string OptionCodec<std::int64_t>::cpp_text(const std::int64_t& option) { return text::number(option); }
void OptionCodec<double>::read(double& option, const Value& v) { option = v.to<double>(); }
std::string OptionCodec<double>::text(const double& option) { return text::number(option); }
std::string OptionCodec<double>::cpp_text(const double& option) { return cpp_number(option); }
void OptionCodec<Number>::read(Number& option, const Value& v) {
    option = v.isInt() ? Number(v.toInt()) : Number(v.toDouble());
}
std::string OptionCodec<Number>::text(const Number& option) { return text::number(option); }
std::string OptionCodec<Number>::cpp_text(const Number& option) { return cpp_number(double(option)); }
void OptionCodec<std::string>::read(std::string& option, const Value& v) { option = v.toStringRef(); }
std::string OptionCodec<std::string>::text(const std::string& option) { return "'" + option + "'"; }
std::string OptionCodec<std::string>::cpp_text(const std::string& option) { return "\"" + option + "\""; }
void OptionCodec<Tensor>::read(Tensor& option, const Value& v) { option = v.toTensor(); }
std::string OptionCodec<Tensor>::text(const Tensor& option) { return option.defined() ? "Tensor" : "None"; }
std::string OptionCodec<Tensor>::cpp_text(const Tensor& option) {
    return option.defined() ? str(option) : "[ Tensor (undefined) ]";
}
void OptionCodec<std::vector<std::int64_t>>::read(std::vector<std::int64_t>& option, const Value& v) {
    option = v.isSequence() ? v.toIntVector() : std::vector<std::int64_t>{v.toInt()};
}
std::string OptionCodec<std::vector<std::int64_t>>::text(const std::vector<std::int64_t>& option) {
    return text::tuple(option);
}
std::string OptionCodec<std::vector<std::int64_t>>::cpp_text(const std::vector<std::int64_t>& option) {
    return detail::cpp_list_text(cpp_entries(option));
}
void OptionCodec<std::vector<double>>::read(std::vector<double>& option, const Value& v) {
    option = v.isSequence() ? v.toDoubleVector() : std::vector<double>{v.toDouble()};
}
std::string OptionCodec<std::vector<double>>::text(const std::vector<double>& option) {
    std::vector<std::string> entries;
    for (const double e : option) entries.push_back(text::number(e));
    return detail::tuple_text(entries);
}
std::string OptionCodec<std::vector<double>>::cpp_text(const std::vector<double>& option) {
    return detail::cpp_list_text(cpp_entries(option));
}

namespace detail {

std::string tuple_text(const std::vector<std::string>& entries) {
    std::string s = "(";
    for (std::size_t i = 0; i < entries.size(); ++i) s += (i ? ", " : "") + entries[i];
    return s + (entries.size() == 1 ? ",)" : ")");
}
std::string cpp_list_text(const std::vector<std::string>& entries) {
    std::string s = "[";
    for (std::size_t i = 0; i < entries.size(); ++i) s += (i ? ", " : "") + entries[i];
    return s + "]";
}
std::string choice_text(const char* constant) {
    if (std::strcmp(constant, "kNearestExact") == 0) return "nearest-exact";
    std::string s = constant + 1;
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return s;
}
void throw_choice(const std::string& got, std::initializer_list<const char*> constants) {
    std::string expected;
    for (const char* const* c = constants.begin(); c != constants.end(); ++c)
        expected += str(c == constants.begin()     ? "'"
                        : c + 1 == constants.end() ? " or '"
                                                   : ", '",
                        choice_text(*c), "'");
    REEL_THROW(ValueError, "is '", got, "'; expected ", expected);
}
void throw_entries(std::size_t got, std::size_t expected) {
    REEL_THROW(ValueError, "has ", got, " entries, expected ", expected);
}

namespace {

/// Reads the names of all arguments off a list.
class Names final : public OptionVisitor {
public:
    std::vector<const char*> names;
    std::optional<std::size_t> positional; ///< how many can be given by position, unless all
    void keyword_only() override { positional = names.size(); }
    const Value* argument(const char* name) override {
        const auto same = [name](const char* other) { return std::strcmp(name, other) == 0; };
        if (std::none_of(names.begin(), names.end(), same)) names.push_back(name);
        return nullptr;
    }

private:
    void visit(const OptionRef& option) override { argument(option.name); }
};

/// Sets options from arguments.
class Binder final : public OptionVisitor {
public:
    explicit Binder(const ConstructorArgs& arguments) : arguments_(arguments) {}
    const Value* argument(const char* name) override { return arguments_.has(name) ? &arguments_.at(name) : nullptr; }

private:
    void visit(const OptionRef& option) override {
        // None stands for the default, unless the option itself can be none
        const bool wanted = option.optional ? arguments_.given(option.name) : arguments_.has(option.name);
        if (!wanted && !option.required) return;
        const Value& v = arguments_.at(option.name);
        try {
            option.read(option.option, v);
        } catch (const TypeError& e) {
            REEL_THROW(TypeError, arguments_.module(), ": argument '", option.name, "': ", e.msg());
        } catch (const ValueError& e) {
            REEL_THROW(ValueError, arguments_.module(), ": ", option.name, " ", e.msg());
        }
    }
    bool binds() const override { return true; }
    const ConstructorArgs& arguments_;
};

/// Collects the parts of the printed form.
class Printer final : public OptionVisitor {
public:
    explicit Printer(bool in_cpp) : in_cpp_(in_cpp) {}
    std::vector<PrintedOption> parts;
    bool has(const PrintedOption& p) const {
        return std::any_of(parts.begin(), parts.end(),
                           [&](const PrintedOption& q) { return q.name == p.name && q.text == p.text; });
    }

private:
    void visit(const OptionRef& option) override { print(option); }
    void print(const OptionRef& option) override {
        if (!in_cpp_ && option.shown & Shown::never) return;
        parts.push_back({option.name, (in_cpp_ ? option.cpp_text : option.text)(option.option), option.shown});
    }
    bool in_cpp_;
};

} // namespace

ConstructorArgs bind_options(std::string module, const OptionList& options, const Args& args, const Kwargs& kwargs) {
    Names all;
    options.list(options.options, all);
    ConstructorArgs arguments(std::move(module), all.names, args, kwargs, all.positional);
    Binder binder(arguments);
    options.list(options.options, binder);
    return arguments;
}
std::string print_options(const OptionList& options, const OptionList& defaults) {
    const LibtorchForm* libtorch = LibtorchForm::current();
    Printer now(libtorch), plain(libtorch);
    options.list(options.options, now);
    defaults.list(defaults.options, plain);
    if (libtorch) return libtorch_options(libtorch->layer(), now.parts, plain.parts);
    std::string s;
    for (const PrintedOption& p : now.parts) {
        if (p.shown & Shown::unless_default && plain.has(p)) continue;
        const bool quoted = p.shown & Shown::bare && p.text.starts_with('\'');
        const std::string text = quoted ? p.text.substr(1, p.text.size() - 2) : p.text;
        s += (s.empty() ? "" : ", ") + (p.shown & Shown::value ? text : p.name + "=" + text);
    }
    return s;
}

} // namespace detail

} // namespace reel::nn
