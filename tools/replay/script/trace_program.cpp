#include "script/trace_program.hpp"

#include <reel/autograd/op_calls.hpp>
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/nn/call.hpp>

namespace replay::script {

using namespace reel;
using jit::tracing::call;

namespace {
std::string text(const json::value& v) { return std::string(v.as_string()); }

/// `n * (h // 2) + 1`: sums, products and quotients of sizes, which are tensors, and numbers.
class Arithmetic {
public:
    Arithmetic(const std::string& text, const std::map<std::string, IValue>& variables)
        : text_(text), variables_(variables) {}
    IValue run() {
        const IValue v = sum();
        if (skip() < text_.size()) throw std::runtime_error("cannot read the expression '" + text_ + "'");
        return v;
    }

private:
    std::size_t skip() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
        return at_;
    }
    bool take(std::string_view word) {
        if (text_.compare(skip(), word.size(), word) != 0) return false;
        at_ += word.size();
        return true;
    }
    IValue apply(const char* op, const IValue& a, const IValue& b) const {
        if (a.isTensor()) return call(op, {a, b});
        if (b.isTensor()) { // the operand on the left is a number: Python asks the tensor on the right
            const std::string name = op;
            if (name == "add" || name == "mul") return call(op, {b, a});
            if (name == "sub") return call("rsub", {b, a});
            return call(op, {IValue(scalar_tensor(a.toInt(), kLong)), b});
        }
        const std::string name = op;
        const std::int64_t x = a.toInt(), y = b.toInt();
        return name == "add"         ? x + y
               : name == "sub"       ? x - y
               : name == "mul"       ? x * y
               : name == "remainder" ? x % y
                                     : x / y;
    }
    IValue sum() {
        IValue v = product();
        for (;;) {
            if (take("+")) v = apply("add", v, product());
            else if (take("-")) v = apply("sub", v, product());
            else return v;
        }
    }
    IValue product() {
        IValue v = factor();
        for (;;) {
            if (take("//")) v = apply("floor_divide", v, factor());
            else if (take("*")) v = apply("mul", v, factor());
            else if (take("%")) v = apply("remainder", v, factor());
            else return v;
        }
    }
    IValue factor() {
        if (take("(")) {
            const IValue v = sum();
            if (!take(")")) throw std::runtime_error("no ')' in '" + text_ + "'");
            return v;
        }
        const std::size_t first = skip();
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
        const std::string word = text_.substr(first, at_ - first);
        if (word.empty()) throw std::runtime_error("cannot read the expression '" + text_ + "'");
        if (std::isdigit(static_cast<unsigned char>(word[0]))) return std::int64_t(std::stoll(word));
        return variables_.at(word);
    }

    const std::string& text_;
    const std::map<std::string, IValue>& variables_;
    std::size_t at_ = 0;
};

std::vector<std::string> split(const std::string& s, char at) {
    std::vector<std::string> out{""};
    for (const char c : s) {
        if (c == at) out.emplace_back();
        else if (c != ' ') out.back() += c;
    }
    return out;
}
} // namespace

void TraceProgram::assign(const std::string& name, IValue v) {
    if (v.isTensor()) jit::tracing::set_name(v.toTensor(), name);
    variables_[name] = std::move(v);
}
const IValue& TraceProgram::variable(const std::string& name) const {
    const auto it = variables_.find(name);
    if (it == variables_.end()) throw std::runtime_error("the steps know no '" + name + "'");
    return it->second;
}
IValue TraceProgram::value(const json::value& v) const {
    if (v.is_object()) {
        const json::object& o = v.as_object();
        if (const auto* name = o.if_contains("value")) return variable(text(*name));
        if (const auto* list = o.if_contains("list")) return IValue::list(values(*list));
        if (const auto* tuple = o.if_contains("tuple")) return IValue::tuple(values(*tuple));
        if (const auto* dict = o.if_contains("dict")) {
            ValueDict out;
            for (const json::value& item : dict->as_array())
                out.set(value(item.as_array()[0]), value(item.as_array()[1]));
            return out;
        }
        if (const auto* dtype = o.if_contains("dtype"); dtype && o.size() == 1) return dtype_named(text(*dtype));
    }
    const ops::OpCallScope literal(nullptr);
    return read_value(v, values_, jit::CompilationUnit());
}
Args TraceProgram::values(const json::value& v) const {
    Args out;
    for (const json::value& e : v.as_array()) out.push_back(value(e));
    return out;
}

std::vector<indexing::TensorIndex> TraceProgram::subscript(const std::string& s) const {
    std::vector<indexing::TensorIndex> out;
    for (const std::string& part : split(s, ',')) {
        if (part == "...") out.emplace_back(indexing::Ellipsis);
        else if (part == "None") out.emplace_back(indexing::None);
        else if (part.find(':') != part.npos) {
            std::vector<indexing::Slice::Arg> bounds;
            for (const std::string& b : split(part, ':')) {
                if (b.empty()) bounds.emplace_back(std::nullopt);
                else bounds.emplace_back(std::int64_t(std::stoll(b)));
            }
            bounds.resize(3, std::nullopt);
            out.emplace_back(indexing::Slice(bounds[0], bounds[1], bounds[2]));
        } else if (part[0] == '-' || std::isdigit(static_cast<unsigned char>(part[0])))
            out.emplace_back(std::int64_t(std::stoll(part)));
        else out.emplace_back(variable(part).toTensor());
    }
    return out;
}

void TraceProgram::run_step(nn::Module& modules, const json::array& s) {
    const std::string kind = text(s[0]), to = text(s[1]);
    if (kind == "op" || kind == "module") {
        const Args args = values(s[3]);
        Kwargs kwargs;
        if (s.size() > 4)
            for (const auto& item : s[4].as_object()) kwargs.set(std::string(item.key()), value(item.value()));
        assign(to, kind == "op" ? call(text(s[2]), args, kwargs)
                                : nn::call(*modules.get_submodule(text(s[2])), args, kwargs));
    } else if (kind == "item") {
        const IValue from = variable(text(s[2]));
        assign(to, from.isTensor() ? IValue(jit::tracing::index(from.toTensor(), {s[3].as_int64()}))
                                   : from.elements().at(std::size_t(s[3].as_int64())));
    } else if (kind == "size") assign(to, jit::tracing::size(variable(text(s[2])).toTensor(), s[3].as_int64()));
    else if (kind == "int") assign(to, Arithmetic(text(s[2]), variables_).run());
    else if (kind == "index") assign(to, jit::tracing::index(variable(text(s[2])).toTensor(), subscript(text(s[3]))));
    else if (kind == "setindex") jit::tracing::index_put(variable(to).toTensor(), subscript(text(s[2])), value(s[3]));
    else if (kind == "tensor") assign(to, jit::tracing::constant(value(s[2]).toTensor()));
    else if (kind == "float") assign(to, variable(text(s[2])).toTensor().item<double>());
    else if (kind == "if_positive")
        run_steps(modules, s[variable(to).toTensor().item<double>() > 0 ? 2 : 3].as_array());
    else if (kind == "for_rows")
        for (const Tensor& row : jit::tracing::rows(variable(text(s[2])).toTensor())) {
            assign(to, row);
            run_steps(modules, s[3].as_array());
        }
    else throw std::runtime_error("unknown step '" + kind + "'");
}
void TraceProgram::run_steps(nn::Module& modules, const json::array& steps) {
    for (const json::value& step : steps) run_step(modules, step.as_array());
}
IValue TraceProgram::run(nn::Module& modules, const Args& inputs) {
    variables_.clear();
    const json::array& names = case_.at("inputs").as_array();
    for (std::size_t i = 0; i < inputs.size(); ++i) assign(text(names.at(i)), inputs[i]);
    run_steps(modules, case_.at("steps").as_array());
    return value(case_.at("return"));
}

} // namespace replay::script
