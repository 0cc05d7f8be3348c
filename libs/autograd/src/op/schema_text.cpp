// From a schema's text to its arguments, types and defaults.
#include "op/schema_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include <reel/autograd/error.hpp>

namespace reel::ops {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    Schema schema() {
        Schema s;
        s.text = text_;
        s.name = name();
        expect('(', "'(' behind the name");
        bool keywords = false;
        for (bool first = true; !take(')'); first = false) {
            if (!first) expect(',', "',' or ')' behind an argument");
            if (take('*')) {
                if (keywords) fail("one '*' at most");
                keywords = true;
                continue;
            }
            s.arguments.push_back(argument(keywords));
            check_order(s.arguments);
        }
        expect('-', "'-> TYPE' behind the arguments");
        if (!at(0, '>')) fail("'-> TYPE' behind the arguments");
        ++place_;
        s.returns = returns();
        skip();
        if (place_ < text_.size()) fail("nothing behind the result's type");
        return s;
    }

    Value constant() {
        skip();
        if (at(0, '[')) return list();
        if (at(0, '\'') || at(0, '"')) return text();
        if (place_ < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[place_])))) {
            const std::size_t begin = place_;
            const std::string w = word("a default");
            if (w == "None") return Value();
            if (w == "True" || w == "False") return Value(w == "True");
            if (w == "inf") return Value(std::numeric_limits<double>::infinity());
            place_ = begin;
            fail("a default: a number, None, True, False, 'text' or [numbers]");
        }
        return number();
    }

private:
    [[noreturn]] void fail(std::string_view expected) const {
        REEL_THROW(ValueError, "schema '", text_, "': at character ", place_ + 1, ", ",
                   place_ < text_.size() ? str("'", text_.substr(place_, 12), "'") : std::string("the end"),
                   ": expected ", expected,
                   ", as in 'my.swish(Tensor x, float beta=1.0, *, bool exact=False) -> Tensor'");
    }
    void skip() {
        while (place_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[place_]))) ++place_;
    }
    bool at(std::size_t ahead, char c) const { return place_ + ahead < text_.size() && text_[place_ + ahead] == c; }
    bool take(char c) {
        skip();
        if (!at(0, c)) return false;
        ++place_;
        return true;
    }
    void expect(char c, std::string_view what) {
        if (!take(c)) fail(what);
    }
    std::string word(std::string_view what) {
        skip();
        const std::size_t begin = place_;
        while (place_ < text_.size() && is_word(text_[place_])) ++place_;
        if (begin == place_ || std::isdigit(static_cast<unsigned char>(text_[begin]))) {
            place_ = begin;
            fail(what);
        }
        return std::string(text_.substr(begin, place_ - begin));
    }
    std::string name() {
        std::string r = word("the op's name, 'prefix.name'");
        while (at(0, '.') || (at(0, ':') && at(1, ':'))) {
            place_ += at(0, '.') ? 1 : 2;
            r += "." + word("a name behind the prefix");
        }
        return r;
    }
    std::string type() {
        static const std::string_view known[] = {"Tensor", "int", "float", "bool", "str", "Scalar", "Dtype", "Device"};
        skip();
        const std::size_t begin = place_;
        std::string r = word("a type");
        if (r == "ScalarType") r = "Dtype";
        if (std::find(std::begin(known), std::end(known), r) == std::end(known)) {
            place_ = begin;
            fail("a type: Tensor, int, float, bool, str, Scalar, Dtype or Device");
        }
        if (at(0, '[')) {
            if (r != "Tensor" && r != "int" && r != "float")
                fail("no list of that type: of Tensor, int and float alone");
            do r += text_[place_++];
            while (place_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[place_])));
            if (!at(0, ']')) fail("']'");
            ++place_;
            r += ']';
        } else if (at(0, '?')) {
            ++place_;
            r += '?';
        }
        return r;
    }
    std::string returns() {
        if (!take('(')) return type();
        std::string r = "(";
        for (bool first = true; !take(')'); first = false) {
            if (!first) expect(',', "',' or ')' behind a result's type");
            r += (first ? "" : ", ") + type();
            skip();
            if (place_ < text_.size() && is_word(text_[place_])) r += " " + word("the result's name");
        }
        return r + ")";
    }
    Argument argument(bool keyword) {
        Argument a;
        a.type = type();
        a.name = word("the argument's name");
        a.kwarg_only = keyword;
        a.differentiable = a.type.starts_with("Tensor");
        if (take('=')) {
            a.has_default = true;
            const std::size_t begin = place_;
            a.default_value = constant();
            check_default(a, begin);
            if (a.type.ends_with(']') && a.default_value.isInt()) a.default_value = Value::list({a.default_value});
        } else if (a.type.ends_with('?') && keyword) a.has_default = true;
        return a;
    }
    void check_order(const std::vector<Argument>& all) const {
        const Argument& last = all.back();
        for (std::size_t i = 0; i + 1 < all.size(); ++i) {
            if (all[i].name == last.name) fail(str("another name: there are two arguments '", last.name, "'"));
            if (!last.kwarg_only && !last.has_default && all[i].has_default)
                fail(str("a default for '", last.name, "', since '", all[i].name, "' in front of it has one"));
        }
    }
    void check_default(const Argument& a, std::size_t begin) {
        const Value& v = a.default_value;
        const std::string_view t = a.type;
        const bool number = v.isInt() || v.isDouble();
        bool fits = t.ends_with('?') && v.isNone();
        if (t.starts_with("Tensor")) fits = fits || (!t.ends_with(']') ? number : v.isList() && v.elements().empty());
        else if (t.ends_with(']')) fits = v.isList() || v.isInt();
        else if (t.starts_with("int")) fits = fits || v.isInt();
        else if (t.starts_with("float")) fits = fits || number;
        else if (t.starts_with("bool")) fits = fits || v.isBool();
        else if (t.starts_with("str") || t.starts_with("Device")) fits = fits || v.isString();
        else if (t.starts_with("Scalar")) fits = fits || number || v.isBool();
        if (fits) return;
        place_ = begin;
        fail(str("a default that a '", t, "' can be"));
    }
    Value list() {
        ++place_;
        std::vector<Value> elements;
        for (bool first = true; !take(']'); first = false) {
            if (!first) expect(',', "',' or ']' in a list");
            skip();
            elements.push_back(number());
        }
        return Value::list(std::move(elements));
    }
    Value text() {
        const char quote = text_[place_++];
        const std::size_t end = text_.find(quote, place_);
        if (end == std::string_view::npos) fail("the end of the text");
        Value v(std::string(text_.substr(place_, end - place_)));
        place_ = end + 1;
        return v;
    }
    Value number() {
        const std::size_t begin = place_;
        while (place_ < text_.size() && (is_word(text_[place_]) || text_[place_] == '.' || text_[place_] == '-' ||
                                         (text_[place_] == '+' && place_ > begin)))
            ++place_;
        const char* const first = text_.data() + begin;
        const char* const last = text_.data() + place_;
        std::int64_t i = 0;
        double d = 0;
        if (const auto r = std::from_chars(first, last, i); r.ec == std::errc() && r.ptr == last && first != last)
            return i;
        if (const auto r = std::from_chars(first, last, d); r.ec == std::errc() && r.ptr == last && first != last)
            return d;
        place_ = begin;
        fail("a number");
    }

    std::string_view text_;
    std::size_t place_ = 0;
};

} // namespace

Schema read_schema(std::string_view text) { return Reader(text).schema(); }
Value read_default(std::string_view text) { return text == "{}" ? Value() : Reader(text).constant(); }

} // namespace reel::ops
