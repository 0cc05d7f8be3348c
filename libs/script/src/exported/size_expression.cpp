#include "exported/size_expression.hpp"

#include <algorithm>
#include <charconv>

#include <reel/autograd/error.hpp>

namespace reel::jit {

class SizeExpression::Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}
    SizeExpression whole() {
        SizeExpression e = disjunction();
        skip();
        if (at_ != text_.size()) fail("surplus text");
        return e;
    }

private:
    [[noreturn]] void fail(const char* what) const {
        REEL_THROW(ValueError, "cannot read '", text_.substr(0, 200), "' at ", at_, ": ", what);
    }
    void skip() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    bool take(std::string_view token) {
        skip();
        if (text_.substr(at_, token.size()) != token) return false;
        at_ += token.size();
        return true;
    }
    void expect(std::string_view token) {
        if (!take(token)) fail(("expected " + std::string(token)).c_str());
    }
    bool take_word(std::string_view word) {
        skip();
        const std::size_t end = at_ + word.size();
        if (text_.substr(at_, word.size()) != word || (end < text_.size() && is_name(text_[end]))) return false;
        at_ = end;
        return true;
    }
    static bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
    static SizeExpression make(Op op, std::vector<SizeExpression> operands) {
        SizeExpression e;
        e.op_ = op;
        e.operands_ = std::move(operands);
        return e;
    }
    static SizeExpression name(std::string n) {
        SizeExpression e;
        e.op_ = Op::Name;
        e.name_ = std::move(n);
        return e;
    }
    struct Deeper {
        explicit Deeper(Parser& p) : parser(p) {
            if (++p.depth_ > 100) p.fail("nesting is deeper than 100");
        }
        ~Deeper() { --parser.depth_; }
        Parser& parser;
    };

    SizeExpression disjunction() {
        const Deeper deeper(*this);
        SizeExpression e = conjunction();
        while (take_word("or")) e = make(Op::Or, {std::move(e), conjunction()});
        return e;
    }
    SizeExpression conjunction() {
        SizeExpression e = comparison();
        while (take_word("and")) e = make(Op::And, {std::move(e), comparison()});
        return e;
    }
    SizeExpression comparison() {
        if (take_word("not")) {
            const Deeper deeper(*this);
            return make(Op::Not, {comparison()});
        }
        SizeExpression e = sum();
        static constexpr std::pair<const char*, Op> tokens[] = {{"==", Op::Eq}, {"!=", Op::Ne}, {"<=", Op::Le},
                                                                {">=", Op::Ge}, {"<", Op::Lt},  {">", Op::Gt}};
        for (const auto& [token, op] : tokens)
            if (take(token)) return make(op, {std::move(e), sum()});
        return e;
    }
    SizeExpression sum() {
        SizeExpression e = product();
        for (;;) {
            if (take("+")) e = make(Op::Add, {std::move(e), product()});
            else if (take("-")) e = make(Op::Sub, {std::move(e), product()});
            else return e;
        }
    }
    SizeExpression product() {
        SizeExpression e = factor();
        for (;;) {
            if (take("**")) e = make(Op::Pow, {std::move(e), factor()});
            else if (take("*")) e = make(Op::Mul, {std::move(e), factor()});
            else if (take("//")) e = make(Op::FloorDiv, {std::move(e), factor()});
            else if (take("%")) e = make(Op::Mod, {std::move(e), factor()});
            else return e;
        }
    }
    SizeExpression factor() {
        const Deeper deeper(*this);
        if (take("-")) return make(Op::Neg, {factor()});
        if (take("(")) {
            SizeExpression e = disjunction();
            expect(")");
            return e;
        }
        skip();
        if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
            SizeExpression e;
            e.number_ = number();
            return e;
        }
        const std::string n = identifier();
        if (n == "L") return input_size();
        if (take("(")) return call(n);
        return name(n);
    }
    std::int64_t number() {
        skip();
        std::int64_t v = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), v);
        if (error != std::errc()) fail("expected an integer");
        at_ = std::size_t(end - text_.data());
        return v;
    }
    std::string identifier() {
        skip();
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_name(text_[at_])) ++at_;
        if (begin == at_) fail("expected a name");
        return std::string(text_.substr(begin, at_ - begin));
    }
    std::string quoted() {
        skip();
        if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) fail("expected a string");
        const std::size_t end = text_.find(text_[at_], at_ + 1);
        if (end == std::string_view::npos) fail("a string does not end");
        std::string s(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return s;
    }
    SizeExpression call(const std::string& function) {
        if (function == "Symbol") { // what follows the name are assumptions
            SizeExpression e = name(quoted());
            while (take(",")) identifier(), expect("="), identifier();
            expect(")");
            return e;
        }
        std::vector<SizeExpression> a;
        if (!take(")")) {
            do a.push_back(disjunction());
            while (take(","));
            expect(")");
        }
        if (function == "Integer" && a.size() == 1) return std::move(a[0]);
        struct Known {
            const char* name;
            Op op;
            bool many;
        };
        static constexpr Known known[] = {{"Add", Op::Add, true},
                                          {"Mul", Op::Mul, true},
                                          {"Max", Op::Max, true},
                                          {"Min", Op::Min, true},
                                          {"And", Op::And, true},
                                          {"Or", Op::Or, true},
                                          {"FloorDiv", Op::FloorDiv, false},
                                          {"CleanDiv", Op::FloorDiv, false},
                                          {"Mod", Op::Mod, false},
                                          {"PythonMod", Op::Mod, false},
                                          {"Pow", Op::Pow, false},
                                          {"PowByNatural", Op::Pow, false},
                                          {"Eq", Op::Eq, false},
                                          {"Equality", Op::Eq, false},
                                          {"Ne", Op::Ne, false},
                                          {"Unequality", Op::Ne, false},
                                          {"StrictLessThan", Op::Lt, false},
                                          {"LessThan", Op::Le, false},
                                          {"StrictGreaterThan", Op::Gt, false},
                                          {"GreaterThan", Op::Ge, false}};
        for (const Known& k : known) {
            if (function != k.name || a.empty() || (!k.many && a.size() != 2)) continue;
            SizeExpression e = std::move(a[0]);
            for (std::size_t i = 1; i < a.size(); ++i) e = make(k.op, {std::move(e), std::move(a[i])});
            return e;
        }
        fail(("the function " + function + " is not known").c_str());
    }
    /// `L['a'][0].size()[1]`, of which the program calls the tensor `a_0`.
    SizeExpression input_size() {
        std::string path;
        while (take("[")) {
            skip();
            const bool text = at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"');
            const std::string step = text ? quoted() : std::to_string(number());
            path += (path.empty() ? "" : "_") + step;
            expect("]");
        }
        if (!take(".")) return name(path);
        if (identifier() != "size") fail("expected size()");
        expect("(");
        expect(")");
        expect("[");
        path += "." + std::to_string(number());
        expect("]");
        return name(path);
    }
    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

SizeExpression SizeExpression::parse(std::string_view text) {
    REEL_CHECK_VALUE(text.size() < 4000, "an expression of ", text.size(), " characters");
    SizeExpression e = Parser(text).whole();
    e.text_ = text;
    return e;
}

std::optional<std::int64_t> SizeExpression::evaluate(const Lookup& lookup) const {
    if (op_ == Op::Number) return number_;
    if (op_ == Op::Name) return lookup(name_);
    std::int64_t v[2] = {0, 0};
    for (std::size_t i = 0; i < operands_.size(); ++i) {
        const auto known = operands_[i].evaluate(lookup);
        if (!known) return std::nullopt;
        v[i] = *known;
    }
    const auto [a, b] = v;
    std::int64_t r = 0;
    const auto checked = [&](bool overflow) { return overflow ? std::nullopt : std::optional<std::int64_t>(r); };
    const bool divisible = b != 0 && !(b == -1 && a == INT64_MIN);
    switch (op_) {
    case Op::Add:
        return checked(__builtin_add_overflow(a, b, &r));
    case Op::Sub:
        return checked(__builtin_sub_overflow(a, b, &r));
    case Op::Neg:
        return checked(__builtin_sub_overflow(0, a, &r));
    case Op::Mul:
        return checked(__builtin_mul_overflow(a, b, &r));
    case Op::FloorDiv:
        if (!divisible) return std::nullopt;
        return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
    case Op::Mod:
        if (!divisible) return std::nullopt;
        return a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0);
    case Op::Pow:
        if (b < 0 || b > 64) return std::nullopt;
        r = 1;
        for (std::int64_t i = 0; i < b; ++i)
            if (__builtin_mul_overflow(r, a, &r)) return std::nullopt;
        return r;
    case Op::Max:
        return std::max(a, b);
    case Op::Min:
        return std::min(a, b);
    case Op::Not:
        return a == 0;
    case Op::And:
        return a != 0 && b != 0;
    case Op::Or:
        return a != 0 || b != 0;
    case Op::Eq:
        return a == b;
    case Op::Ne:
        return a != b;
    case Op::Lt:
        return a < b;
    case Op::Le:
        return a <= b;
    case Op::Gt:
        return a > b;
    case Op::Ge:
        return a >= b;
    default:
        return std::nullopt;
    }
}

} // namespace reel::jit
