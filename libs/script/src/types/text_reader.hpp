// A cursor over the text of a schema, a type or a graph: words, numbers, quoted strings, and errors that say where.
#pragma once

#include <string>
#include <string_view>

#include <reel/autograd/value.hpp>

namespace reel::jit {

class TextReader {
public:
    /// `what` names the text in messages: "schema", "graph".
    TextReader(std::string_view text, const char* what) : text_(text), what_(what) {}

    std::size_t position() const { return at_; }
    void seek(std::size_t position) { at_ = position; }
    bool at_end();
    /// The next character behind spaces (not line ends); NUL at the end.
    char peek();
    bool accept(char c);
    bool accept(std::string_view word); ///< these characters, whatever follows them
    void expect(char c);
    void expect(std::string_view word);
    /// Letters, digits and `_`; empty when there are none.
    std::string word();
    /// A word with dots and colons in it: `__torch__.m.C`, `aten::add.Tensor`.
    std::string qualified();
    /// A number as schemas and graphs write it: int without point and exponent, else double; `inf`, `nan`, complex
    /// `1.+2.j`.
    IValue number();
    std::string quoted(); ///< `"a\n\001"`, with its marks
    std::string_view between(std::size_t begin, std::size_t end) const { return text_.substr(begin, end - begin); }
    std::string_view text() const { return text_; }
    [[noreturn]] void fail(const std::string& expected);
    /// Nested things count themselves, so that a hostile text cannot exhaust the stack.
    class Level {
    public:
        explicit Level(TextReader& reader);
        ~Level() { --reader_.depth_; }

    private:
        TextReader& reader_;
    };

private:
    std::string_view text_;
    const char* what_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

/// `"a\n\001"`: with marks; bytes other than printable ASCII in octal (rule SC-63).
std::string quote(std::string_view text);
/// `%.17g`, with a point where that looks like an integer: `1.`, `1e+17`, `inf`.
std::string float_text(double x);
/// `1.+2.j`.
std::string complex_text(std::complex<double> x);

} // namespace reel::jit
