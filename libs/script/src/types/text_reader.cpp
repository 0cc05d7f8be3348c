#include "text_reader.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace reel::jit {

namespace {
constexpr int max_depth = 200;
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
// An octal digit; also the characters that the reference puts for bytes above 127, whose digits it takes for negative.
bool is_digit(char c) { return c >= '0' - 7 && c <= '7'; }
} // namespace

TextReader::Level::Level(TextReader& reader) : reader_(reader) {
    if (++reader_.depth_ > max_depth) {
        --reader_.depth_;
        reader_.fail("at most " + std::to_string(max_depth) + " levels of nesting");
    }
}

bool TextReader::at_end() { return peek() == '\0' && at_ >= text_.size(); }

char TextReader::peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
}

bool TextReader::accept(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
}

bool TextReader::accept(std::string_view word) {
    peek();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
}

void TextReader::expect(char c) {
    if (!accept(c)) fail(std::string("'") + c + "'");
}

void TextReader::expect(std::string_view word) {
    if (!accept(word)) fail("'" + std::string(word) + "'");
}

std::string TextReader::word() {
    peek();
    std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return std::string(between(begin, at_));
}

std::string TextReader::qualified() {
    peek();
    std::size_t begin = at_;
    while (at_ < text_.size()) {
        if (is_word(text_[at_])) ++at_;
        else if (text_[at_] == '.' && at_ + 1 < text_.size() && is_word(text_[at_ + 1])) ++at_;
        else if (text_.substr(at_, 2) == "::") at_ += 2;
        else break;
    }
    return std::string(between(begin, at_));
}

IValue TextReader::number() {
    peek();
    const std::size_t begin = at_;
    const auto real = [&]() -> double {
        double x = 0;
        const char* first = text_.data() + at_;
        if (at_ < text_.size() && *first == '+') ++first; // from_chars takes a minus only
        auto [end, error] = std::from_chars(first, text_.data() + text_.size(), x);
        if (error == std::errc::invalid_argument) fail("a number");
        if (error == std::errc::result_out_of_range) x = *first == '-' ? -HUGE_VAL : HUGE_VAL;
        at_ = std::size_t(end - text_.data());
        return x;
    };
    double x = real();
    std::string_view spelled = between(begin, at_);
    if (at_ < text_.size() && text_[at_] == 'j') {
        ++at_;
        return std::complex<double>(0, x);
    }
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) {
        double y = real();
        if (!accept('j')) fail("'j' behind an imaginary part");
        return std::complex<double>(x, y);
    }
    if (spelled.find_first_not_of("-0123456789") == spelled.npos) {
        std::int64_t i = 0;
        auto [end, error] = std::from_chars(spelled.data(), spelled.data() + spelled.size(), i);
        if (error != std::errc()) fail("an integer of 64 bits");
        return i;
    }
    return x;
}

std::string TextReader::quoted() {
    expect('"');
    std::string out;
    while (true) {
        if (at_ >= text_.size()) fail("'\"' at the end of a string");
        char c = text_[at_++];
        if (c == '"') return out;
        if (c != '\\') {
            out += c;
            continue;
        }
        if (at_ >= text_.size()) fail("a character behind '\\'");
        c = text_[at_];
        if (at_ + 2 < text_.size() && is_digit(c) && is_digit(text_[at_ + 1]) && is_digit(text_[at_ + 2])) {
            out += char((c - '0') * 64 + (text_[at_ + 1] - '0') * 8 + (text_[at_ + 2] - '0'));
            at_ += 3;
            continue;
        }
        static constexpr std::string_view letters = "ntabfv\\\"'", meant = "\n\t\a\b\f\v\\\"'";
        std::size_t which = letters.find(c);
        if (which == letters.npos) fail("an escape of the IR (\\n, \\t, \\\\, \\\", three octal digits)");
        out += meant[which];
        ++at_;
    }
}

void TextReader::fail(const std::string& expected) {
    std::size_t line = 1, column = 1;
    for (std::size_t i = 0; i < at_ && i < text_.size(); ++i) {
        if (text_[i] == '\n') ++line, column = 1;
        else ++column;
    }
    std::string_view rest = text_.substr(std::min(at_, text_.size()), 30);
    REEL_THROW(ValueError, what_, ", line ", line, ", column ", column, ": expected ", expected, ", got ",
               rest.empty() ? std::string("the end") : quote(rest));
}

std::string quote(std::string_view text) {
    static constexpr std::string_view meant = "\n\t\a\b\f\v\\\"'", letters = "ntabfv\\\"'";
    std::string out = "\"";
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::size_t which = meant.find(c); which != meant.npos) {
            out += '\\';
            out += letters[which];
        } else if (byte >= 0x20 && byte < 0x7f) {
            out += c;
        } else {
            char octal[5];
            std::snprintf(octal, sizeof octal, "\\%03o", unsigned(byte));
            out += octal;
        }
    }
    return out + "\"";
}

std::string float_text(double x) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", x);
    std::string out = std::isnan(x) ? "nan" : buffer;
    if (out.find_first_not_of("-0123456789") == out.npos) out += '.';
    return out;
}

std::string complex_text(std::complex<double> x) {
    std::string imaginary = float_text(x.imag());
    return float_text(x.real()) + (imaginary[0] == '-' ? "" : "+") + imaginary + "j";
}

} // namespace reel::jit
