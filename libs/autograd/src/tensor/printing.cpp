// Printing tensors as Python does.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <ostream>

#include <reel/autograd/node.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/printing.hpp>

#include "tensor/raw.hpp"

namespace reel {

namespace {

constexpr std::int64_t summary_from = 1000, edge_items = 3;
constexpr int precision = 4, line_width = 80;

std::atomic<int> sci_mode{-1}; // -1: decided for each tensor

std::string format(const char* fmt, int prec, double v) {
    char buffer[64];
    std::snprintf(buffer, sizeof(buffer), fmt, prec, v);
    return buffer;
}

/// One text style for all elements: integers in floats as `1.`, fixed point, or scientific when the range asks for it.
class Formatter {
public:
    Formatter(const Tensor& shown, ScalarType type) : floating_(isFloatingType(type)), bool_(type == kBool) {
        const Tensor values = detail::contiguous_raw(detail::cast_raw(shown, floating_ ? kDouble : kLong));
        if (!floating_) {
            for (std::int64_t i = 0; i < values.numel(); ++i)
                width_ = std::max(width_, text(Scalar(values.data_ptr<std::int64_t>()[i])).size());
            return;
        }
        double low = std::numeric_limits<double>::infinity(), high = 0;
        bool any = false;
        for (std::int64_t i = 0; i < values.numel(); ++i) {
            const double v = std::abs(values.data_ptr<double>()[i]);
            if (!std::isfinite(v) || v == 0) continue;
            any = true;
            low = std::min(low, v);
            high = std::max(high, v);
            whole_ = whole_ && std::ceil(v) == v;
        }
        if (any)
            scientific_ = whole_ ? high / low > 1000. || high > 1e8 : high / low > 1000. || high > 1e8 || low < 1e-4;
        if (const int fixed = sci_mode.load(std::memory_order_relaxed); fixed >= 0) scientific_ = fixed;
        for (std::int64_t i = 0; i < values.numel(); ++i)
            width_ = std::max(width_, text(Scalar(values.data_ptr<double>()[i])).size());
    }
    std::string padded(const Scalar& element) const {
        const std::string t = text(element);
        return std::string(width_ > t.size() ? width_ - t.size() : 0, ' ') + t;
    }
    std::size_t width() const { return width_; }

private:
    std::string text(const Scalar& element) const {
        if (bool_) return element.toLong() != 0 ? "True" : "False";
        if (!floating_) return std::to_string(element.toLong());
        const double v = element.toDouble();
        if (std::isnan(v)) return "nan";
        if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
        if (scientific_) return format("%.*e", precision, v);
        if (whole_) return format("%.*f", 0, v) + ".";
        return format("%.*f", precision, v);
    }
    bool floating_, bool_, whole_ = true, scientific_ = false;
    std::size_t width_ = 1;
};

/// The elements that are shown: all, or the edges of each dimension.
Tensor edges(const Tensor& t, bool summarize) {
    if (!summarize || t.dim() == 0) return t;
    Tensor r = t;
    for (std::int64_t d = 0; d < t.dim(); ++d)
        if (r.size(d) > 2 * edge_items)
            r = reel::cat({reel::slice(r, d, 0, edge_items), reel::slice(r, d, -edge_items)}, d);
    return r;
}

void print_nested(std::string& out, const Tensor& t, const Formatter& f, int indent, bool summarize) {
    if (t.dim() == 0) {
        out += f.padded(t.item());
        return;
    }
    const std::int64_t n = t.size(0);
    const bool cut = summarize && n > 2 * edge_items;
    const auto shown = [&](std::int64_t i) { return !cut || i < edge_items || i >= n - edge_items; };
    out += '[';
    if (t.dim() == 1) {
        const int per_line = std::max(1, (line_width - indent) / (int(f.width()) + 2));
        int on_line = 0;
        bool first = true;
        for (std::int64_t i = 0; i < n; ++i) {
            if (!shown(i)) {
                if (i == edge_items) {
                    out += ", ...";
                    ++on_line;
                }
                continue;
            }
            if (!first) {
                out += ',';
                if (on_line % per_line == 0) out += "\n" + std::string(std::size_t(indent) + 1, ' ');
                else out += ' ';
            }
            out += f.padded(t.select(0, i).item());
            first = false;
            ++on_line;
        }
    } else {
        bool first = true;
        const std::string gap =
            "," + std::string(std::size_t(t.dim()) - 1, '\n') + std::string(std::size_t(indent) + 1, ' ');
        for (std::int64_t i = 0; i < n; ++i) {
            if (!shown(i)) {
                if (i == edge_items) out += gap + "...";
                continue;
            }
            if (!first) out += gap;
            print_nested(out, t.select(0, i), f, indent + 1, summarize);
            first = false;
        }
    }
    out += ']';
}

} // namespace

namespace {
/// Who made it, or that it requires grad.
std::string history(const Tensor& tensor) {
    std::string made_by;
    try {
        if (const autograd::NodePtr fn = tensor.grad_fn()) made_by = fn->name();
    } catch (const Error&) { // a view that may not be used any more (E-47) can still be looked at
        made_by = "Invalid";
    }
    if (!made_by.empty()) return ", grad_fn=<" + made_by + ">";
    return tensor.requires_grad() ? ", requires_grad=True" : "";
}
/// A part of a sparse tensor, its lines as far in as the first.
std::string part(const char* name, const Tensor& t) {
    std::string text = str(name, t);
    const std::string gap = "\n" + std::string(7 + std::strlen(name), ' ');
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += gap.size())
        text.replace(at, 1, gap);
    return text;
}
std::ostream& print_sparse(std::ostream& os, const Tensor& t) {
    os << "tensor(" << part("indices=", t._indices()) << ",\n       " << part("values=", t._values())
       << ",\n       size=" << t.sizes() << ", nnz=" << t._nnz();
    if (t.scalar_type() != get_default_dtype() && t.scalar_type() != kLong)
        os << ", dtype=reel." << dtype_name(t.scalar_type());
    return os << ", layout=reel.sparse_coo" << history(t) << ")";
}
} // namespace

std::ostream& operator<<(std::ostream& os, const Tensor& tensor) {
    if (!tensor.defined()) return os << "[ Tensor (undefined) ]";
    if (tensor.is_sparse()) return print_sparse(os, tensor);
    std::string suffix;
    const ScalarType type = tensor.scalar_type();
    NoGradGuard guard;
    std::string body;
    if (tensor.is_meta()) {
        body = "...";
        suffix += str(", device='meta', size=", tensor.sizes());
    } else {
        const Tensor t = tensor.detach().cpu();
        const bool summarize = t.numel() > summary_from;
        if (t.numel() == 0) {
            body = "[]";
            if (t.dim() != 1) suffix += str(", size=", t.sizes());
        } else if (isComplexType(type)) {
            const Tensor flat = detail::contiguous_raw(t);
            body = "[";
            for (std::int64_t i = 0; i < flat.numel(); ++i) {
                const auto c = reel::select(reel::reshape(flat, {-1}), 0, i).item().toComplexDouble();
                body += (i ? ", " : "") + format("%.*f", precision, c.real()) + format("%+.*fj", precision, c.imag());
            }
            body += "]";
        } else {
            const Formatter f(edges(t, summarize), type);
            print_nested(body, t, f, 7, summarize);
        }
    }
    const bool obvious =
        type == get_default_dtype() || type == kLong || type == kBool || type == toComplexType(get_default_dtype());
    if (!obvious || (tensor.numel() == 0 && type != get_default_dtype()))
        suffix += std::string(", dtype=reel.") + dtype_name(type);
    return os << "tensor(" << body << suffix << history(tensor) << ")";
}

void set_printoption_sci_mode(std::optional<bool> mode) { sci_mode.store(mode ? int(*mode) : -1); }

namespace {
std::atomic<Printing> form_of_modules{Printing::python};
} // namespace
void set_printing(Printing form) { form_of_modules.store(form, std::memory_order_relaxed); }
Printing printing() { return form_of_modules.load(std::memory_order_relaxed); }

std::ostream& operator<<(std::ostream& os, const TensorOptions& o) {
    const auto mark = [](bool given) { return given ? "" : " (default)"; };
    static constexpr const char* layouts[] = {"Strided", "Sparse", "SparseCsr", "Jagged"};
    static constexpr const char* formats[] = {"Contiguous", "Preserve", "ChannelsLast", "ChannelsLast3d"};
    os << "TensorOptions(dtype=" << o.dtype() << mark(o.has_dtype()) << ", device=" << o.device()
       << mark(o.has_device()) << ", layout=" << layouts[int(o.layout())] << mark(o.has_layout())
       << ", requires_grad=" << (o.requires_grad() ? "true" : "false") << mark(o.has_requires_grad())
       << ", pinned_memory=" << (o.pinned_memory() ? "true" : "false") << mark(o.has_pinned_memory())
       << ", memory_format=";
    if (o.has_memory_format()) return os << formats[int(*o.memory_format_opt())] << ')';
    return os << "(nullopt))";
}

} // namespace reel
