#include "npy_format.hpp"

#include <cstring>
#include <optional>

#include <reel/autograd/error.hpp>

#include "zip_reader.hpp"

namespace reel::serialize {

namespace {
constexpr std::string_view magic("\x93NUMPY", 6);

/// The literals that NumPy writes into a header, nothing else.
class Literal {
public:
    Literal(std::string_view text, const std::string& where) : text_(text), where_(where) {}
    [[noreturn]] void fail(const std::string& what) const {
        REEL_THROW(ValueError, where_, ": the npy header must be a dict of descr, fortran_order and shape: ", what);
    }
    void parse(NpyHeader& h) {
        bool descr = false, order = false, shape = false;
        expect('{');
        while (!accept('}')) {
            const std::string key = string("a key");
            expect(':');
            const auto once = [&](bool& seen) {
                if (seen) fail("the key '" + key + "' occurs twice");
                seen = true;
            };
            if (key == "descr") once(descr), read_descr(h);
            else if (key == "fortran_order") once(order), h.fortran = boolean();
            else if (key == "shape") once(shape), read_shape(h);
            else fail("unknown key '" + key + "'");
            if (accept(',')) continue;
            expect('}');
            break;
        }
        space();
        if (at_ != text_.size()) fail("text after the dict");
        if (!descr || !order || !shape) fail("a key is missing");
    }

private:
    void space() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    }
    char peek() {
        space();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool accept(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) fail(str("expected '", c, "' at character ", at_));
    }
    bool word(std::string_view w) {
        space();
        if (text_.substr(at_, w.size()) != w) return false;
        at_ += w.size();
        return true;
    }
    std::string string(const char* what) {
        const char quote = peek();
        if (quote != '\'' && quote != '"') fail(str("expected ", what, " in quotes at character ", at_));
        const std::size_t end = text_.find(quote, ++at_);
        if (end == std::string_view::npos) fail("a string does not end");
        const std::string s(text_.substr(at_, end - at_));
        if (s.find('\\') != std::string::npos) fail("a string with escapes");
        at_ = end + 1;
        return s;
    }
    bool boolean() {
        if (word("True")) return true;
        if (word("False")) return false;
        fail("fortran_order must be True or False");
    }
    void read_descr(NpyHeader& h) {
        if (peek() == '[') REEL_THROW(ValueError, where_, ": structured arrays are not supported");
        const std::string d = string("the dtype");
        const auto bad = [&](const char* why) { REEL_THROW(ValueError, where_, ": the dtype '", d, "' ", why); };
        if (d.size() < 2) bad("is not known");
        const bool order = d[0] == '<' || d[0] == '>' || d[0] == '|' || d[0] == '=';
        const std::string body = d.substr(order ? 1 : 0);
        if (body[0] == 'O') bad("means Python objects: object arrays are pickles and are never read");
        if (body == "f16" || body == "c32" || (body[0] && std::strchr("SUVMmag", body[0]))) bad("is not supported");
        for (std::size_t i = 0; i < std::size_t(FileDtype::None); ++i)
            if (info(FileDtype(i)).numpy && body == info(FileDtype(i)).numpy) h.dtype = FileDtype(i);
        if (h.dtype == FileDtype::None || (d[0] == '|' && info(h.dtype).size > 1)) bad("is not known");
        h.swapped = d[0] == '>';
    }
    void read_shape(NpyHeader& h) {
        expect('(');
        while (!accept(')')) {
            space();
            std::uint64_t v = 0;
            std::size_t digits = 0;
            for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_, ++digits)
                if (__builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, unsigned(text_[at_] - '0'), &v))
                    fail("a size overflows");
            if (!digits) fail(str("expected a size at character ", at_));
            if (at_ < text_.size() && text_[at_] == 'L') ++at_; // Python 2's long
            if (v >> 63) fail("a size overflows");
            h.shape.push_back(std::int64_t(v));
            if (h.shape.size() > 64) fail("more than 64 dimensions");
            if (accept(',')) continue;
            if (h.shape.size() == 1) fail("the shape is a number, not a tuple");
            expect(')');
            break;
        }
    }
    std::string_view text_;
    const std::string& where_;
    std::size_t at_ = 0;
};
} // namespace

NpyHeader parse_npy_header(std::string_view head, const std::string& where) {
    const auto fail = [&](const std::string& what) { REEL_THROW(ValueError, where, ": ", what); };
    if (head.substr(0, 6) != magic.substr(0, std::min<std::size_t>(head.size(), 6)))
        fail("not an npy file: the magic is wrong");
    if (head.size() < 10) fail("the npy file is cut off in its header");
    const int major = head[6], minor = head[7];
    if (major < 1 || major > 3 || minor != 0) fail(str("npy version ", major, ".", minor, " is not supported"));
    std::uint64_t length = 0, begin = 10;
    if (major == 1) {
        std::uint16_t n;
        std::memcpy(&n, head.data() + 8, 2);
        length = n;
    } else {
        if (head.size() < 12) fail("the npy file is cut off in its header");
        std::uint32_t n;
        std::memcpy(&n, head.data() + 8, 4);
        length = n;
        begin = 12;
    }
    if (length > head.size() - begin)
        fail(str("the npy header states ", length, " bytes, ", head.size() - begin,
                 " are there: cut off, or a false length"));
    NpyHeader h;
    const std::string_view text = head.substr(begin, length);
    if (text.find('\0') != std::string_view::npos || (major == 3 && !is_utf8(text))) fail("the npy header is not text");
    Literal(text, where).parse(h);
    h.data = begin + length;
    std::uint64_t n = 1;
    bool empty = false, fits = true;
    for (const std::int64_t size : h.shape) {
        empty |= size == 0;
        fits &= !__builtin_mul_overflow(n, std::uint64_t(std::max<std::int64_t>(size, 1)), &n);
    }
    fits &= !__builtin_mul_overflow(n, std::uint64_t(info(h.dtype).size), &n) && !(n >> 62);
    if (!fits) fail("the shape's byte count overflows");
    h.bytes = empty ? 0 : n;
    return h;
}

std::string npy_header(FileDtype dtype, const std::vector<std::int64_t>& shape) {
    std::string text = "{'descr': '";
    text += info(dtype).size > 1 ? '<' : '|';
    text += std::string(info(dtype).numpy) + "', 'fortran_order': False, 'shape': (";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
    text += shape.size() == 1 ? ",), }" : "), }";
    text.append((64 - (10 + text.size() + 1) % 64) % 64, ' ');
    text += '\n';
    const auto length = std::uint16_t(text.size()); // 64 sizes of 20 digits need less
    std::string out(magic);
    out += std::string("\1\0", 2);
    out.append(reinterpret_cast<const char*>(&length), 2);
    return out + text;
}

void npy_elements(const NpyHeader& h, const char* in, char* out) {
    if (!h.bytes) return;
    const std::size_t item = info(h.dtype).size, dims = h.shape.size();
    if (!h.fortran || dims < 2) std::memcpy(out, in, h.bytes);
    else {
        // counts through C order; the first index moves fastest in the file
        std::vector<std::int64_t> at(dims, 0), stride(dims, 1);
        for (std::size_t d = 1; d < dims; ++d) stride[d] = stride[d - 1] * h.shape[d - 1];
        std::int64_t offset = 0;
        for (std::uint64_t k = 0; k < h.bytes; k += item) {
            std::memcpy(out + k, in + std::size_t(offset) * item, item);
            for (std::size_t d = dims; d-- > 0;) {
                offset += stride[d];
                if (++at[d] < h.shape[d]) break;
                offset -= stride[d] * h.shape[d];
                at[d] = 0;
            }
        }
    }
    if (h.swapped) swap_elements(out, h.bytes, h.dtype);
}

} // namespace reel::serialize
