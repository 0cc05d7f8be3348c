#include "run/tensor_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <ostream>
#include <vector>

#include <reel/autograd/grad_mode.hpp>

namespace reel::jit {

namespace {

constexpr std::size_t line_width = 80;

/// How all numbers of one tensor are written: width, and a factor in front of all where they are large.
struct Layout {
    const char* pattern; ///< of printf, with the width as an argument
    int width;
    double scale = 1;
};

/// Digits before the point, or minus the zeros behind it.
int exponent_of(double magnitude) { return magnitude == 0 ? 1 : int(std::floor(std::log10(magnitude))) + 1; }

Layout layout_of(const std::vector<double>& numbers) {
    bool whole = true;
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const double d : numbers) {
        if (!std::isfinite(d)) continue;
        whole = whole && d == std::ceil(d);
        least = std::min(least, std::abs(d));
        most = std::max(most, std::abs(d));
    }
    const bool any = std::isfinite(least);
    const int low = any ? exponent_of(least) : 1, high = any ? exponent_of(most) : 1;
    if (numbers.empty()) return {"%*g", 0};
    if (whole) return high > 9 ? Layout{"%*.4e", 11} : Layout{"%*g", high + 1};
    if (high - low > 4) return {"%*.4e", std::abs(high) > 99 || std::abs(low) > 99 ? 12 : 11};
    if (high > 5 || high < 0) return {"%*.4f", 7, std::pow(10., high - 1)};
    return {"%*.4f", high == 0 ? 7 : high + 6};
}

void write_number(std::ostream& os, const Layout& layout, double d) {
    char text[400];
    std::snprintf(text, sizeof text, std::isfinite(d) ? layout.pattern : "%*g", layout.width, d / layout.scale);
    os << text;
}
void write_scale(std::ostream& os, const Layout& layout) {
    char text[64];
    std::snprintf(text, sizeof text, "%g *\n", layout.scale);
    os << text;
}

/// Rows of as many columns as fit on a line; what is left follows below.
void write_matrix(std::ostream& os, const double* numbers, std::size_t rows, std::size_t columns, std::size_t indent) {
    const Layout layout = layout_of(std::vector<double>(numbers, numbers + rows * columns));
    const std::string margin(indent, ' ');
    const std::size_t fit = std::max<std::size_t>(1, (line_width - indent) / std::size_t(layout.width + 1));
    for (std::size_t first = 0; first < columns; first += fit) {
        const std::size_t end = std::min(columns, first + fit);
        if (fit < columns) {
            if (first) os << '\n';
            os << "Columns " << first + 1 << " to " << end << margin; // the first row follows on the line
        }
        if (layout.scale != 1) {
            write_scale(os, layout);
            os << margin;
        }
        for (std::size_t r = 0; r < rows; ++r) {
            if (r) os << margin << (layout.scale != 1 && columns > 1 ? " " : "");
            for (std::size_t c = first; c < end; ++c) {
                write_number(os, layout, numbers[r * columns + c]);
                os << (c + 1 < end ? " " : "\n");
            }
        }
    }
}

const char* word_of(ScalarType dtype) {
    switch (dtype) {
    case kUInt8:
        return "Byte";
    case kChar:
        return "Char";
    case kShort:
        return "Short";
    case kInt:
        return "Int";
    case kLong:
        return "Long";
    case kHalf:
        return "Half";
    case kFloat:
        return "Float";
    case kDouble:
        return "Double";
    case kComplexFloat:
        return "ComplexFloat";
    case kComplexDouble:
        return "ComplexDouble";
    case kBool:
        return "Bool";
    default:
        return "BFloat16";
    }
}

void write_footer(std::ostream& os, const Tensor& t) {
    os << "[ " << (t.is_cuda() ? "CUDA" : t.is_meta() ? "Meta" : "CPU") << word_of(t.scalar_type()) << "Type{";
    for (std::int64_t d = 0; d < t.dim(); ++d) os << (d ? "," : "") << t.size(d);
    os << "} ]";
}

/// `(2,1,.,.) = ` and the matrix, for every place in the leading dimensions.
void write_slices(std::ostream& os, const Tensor& t, const std::vector<double>& numbers) {
    const std::size_t rows = std::size_t(t.size(-2)), columns = std::size_t(t.size(-1)), slice = rows * columns;
    if (slice == 0) return;
    std::vector<std::int64_t> at(std::size_t(t.dim() - 2));
    for (std::size_t done = 0; done < numbers.size(); done += slice) {
        os << (done ? "\n(" : "(");
        for (const std::int64_t i : at) os << i + 1 << ',';
        os << ".,.) = \n";
        write_matrix(os, numbers.data() + done, rows, columns, 1);
        for (std::size_t d = at.size(); d-- > 0;) {
            if (++at[d] < t.size(std::int64_t(d))) break;
            at[d] = 0;
        }
    }
}

} // namespace

void write_tensor(std::ostream& os, const Tensor& tensor) {
    if (!tensor.defined()) {
        os << "[ Tensor (undefined) ]";
        return;
    }
    if (tensor.is_meta() || tensor.is_complex()) { // no numbers of one line each
        if (tensor.is_complex()) os << tensor << '\n';
        write_footer(os, tensor);
        return;
    }
    const NoGradGuard no_grad;
    const Tensor plain = tensor.detach().to(kCPU).to(kDouble).contiguous();
    const double* const p = plain.data_ptr<double>();
    const std::vector<double> numbers(p, p + plain.numel());
    if (plain.dim() == 0) {
        char text[64];
        std::snprintf(text, sizeof text, "%.17g\n", numbers[0]);
        os << text;
    } else if (plain.dim() == 1) write_matrix(os, numbers.data(), numbers.size(), numbers.empty() ? 0 : 1, 0);
    else if (plain.dim() == 2)
        write_matrix(os, numbers.data(), std::size_t(plain.size(0)), std::size_t(plain.size(1)), 0);
    else write_slices(os, plain, numbers);
    write_footer(os, tensor);
}

} // namespace reel::jit
