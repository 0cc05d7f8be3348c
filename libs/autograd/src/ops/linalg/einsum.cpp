// Sums of products in Einstein's notation.
#include <array>
#include <string>
#include <string_view>

#include <reel/autograd/ops/linalg/einsum.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/diagonals.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>

#include "ops/reduce/reduction.hpp"

namespace reel {

using namespace reduction;

namespace {

/// Labels are numbers: 0..51 for A-Z and a-z; the dims of an ellipsis follow from 52.
constexpr int letters = 52;
int label_of(char c) {
    REEL_CHECK((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), "einsum: equation has '", std::string(1, c),
               "'; subscripts are letters, '...' stands for further dimensions");
    return c >= 'a' ? 26 + (c - 'a') : c - 'A';
}
constexpr int ellipsis = -1;
using Labels = std::vector<int>;
Labels parse(std::string_view text) {
    Labels r;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ' ') continue;
        if (text[i] == '.') {
            REEL_CHECK(text.substr(i, 3) == "...", "einsum: equation has a '.' outside of '...'");
            REEL_CHECK(std::find(r.begin(), r.end(), ellipsis) == r.end(),
                       "einsum: equation has '...' twice for one operand");
            r.push_back(ellipsis);
            i += 2;
        } else r.push_back(label_of(text[i]));
    }
    return r;
}
bool has(const Labels& l, int x) { return std::find(l.begin(), l.end(), x) != l.end(); }

/// One operand with one dim per label, in `labels` order.
struct Term {
    Tensor t;
    Labels labels;
    std::int64_t size(int label) const {
        const auto at = std::find(labels.begin(), labels.end(), label);
        return at == labels.end() ? 1 : t.size(at - labels.begin());
    }
};

Term term_of(const Tensor& operand, const Labels& subscripts, int ellipsis_rank, std::size_t number) {
    const std::int64_t named = std::int64_t(subscripts.size()) - has(subscripts, ellipsis);
    const std::int64_t rest = operand.dim() - named;
    REEL_CHECK(has(subscripts, ellipsis) ? rest >= 0 : rest == 0, "einsum: operand ", number, " has shape ",
               operand.sizes(), " and the equation names ", named, " dimensions");
    Term term{operand, {}};
    for (const int s : subscripts)
        if (s == ellipsis)
            for (std::int64_t i = 0; i < rest; ++i) term.labels.push_back(letters + ellipsis_rank - int(rest - i));
        else term.labels.push_back(s);
    // A label that occurs twice is a diagonal.
    for (std::size_t i = 0; i < term.labels.size(); ++i)
        for (std::size_t j = i + 1; j < term.labels.size();) {
            if (term.labels[j] != term.labels[i]) {
                ++j;
                continue;
            }
            REEL_CHECK(term.t.size(std::int64_t(i)) == term.t.size(std::int64_t(j)),
                       "einsum: a repeated subscript of operand ", number, " has sizes ", term.t.size(std::int64_t(i)),
                       " and ", term.t.size(std::int64_t(j)));
            const int label = term.labels[i];
            term.t = diagonal(term.t, 0, std::int64_t(i), std::int64_t(j));
            term.labels.erase(term.labels.begin() + std::ptrdiff_t(j));
            term.labels.erase(term.labels.begin() + std::ptrdiff_t(i));
            term.labels.push_back(label);
            i = 0;
            j = 1;
        }
    return term;
}
void sum_away(Term& x, const Labels& gone) {
    Dims dims;
    Labels left;
    for (std::size_t i = 0; i < x.labels.size(); ++i)
        if (has(gone, x.labels[i])) dims.push_back(std::int64_t(i));
        else left.push_back(x.labels[i]);
    if (dims.empty()) return;
    x.t = sum(x.t, IntArrayRef(dims), false, x.t.scalar_type());
    x.labels = left;
}
/// The dims of `x` in the order of `labels`; absent ones have size one.
Tensor arranged(const Term& x, const Labels& labels) {
    Dims order;
    for (const int l : labels)
        if (const auto at = std::find(x.labels.begin(), x.labels.end(), l); at != x.labels.end())
            order.push_back(at - x.labels.begin());
    Tensor t = permute(x.t, order);
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (!has(x.labels, labels[i])) t = unsqueeze(t, std::int64_t(i));
    return t;
}
std::int64_t extent(const Term& x, const Labels& labels) {
    std::int64_t n = 1;
    for (const int l : labels) n *= x.size(l);
    return n;
}
/// Product of two terms; labels outside of `keep` are summed over.
Term pair(Term a, Term b, const Labels& keep) {
    // A summed label that only one side really has needs no product.
    Labels only_a, only_b;
    for (const int l : a.labels)
        if (!has(keep, l) && b.size(l) == 1 && a.size(l) != 1) only_a.push_back(l);
    for (const int l : b.labels)
        if (!has(keep, l) && a.size(l) == 1 && b.size(l) != 1) only_b.push_back(l);
    sum_away(a, only_a);
    sum_away(b, only_b);
    Labels batch, left, right, summed;
    const auto place = [&](int l) {
        if (has(batch, l) || has(left, l) || has(right, l) || has(summed, l)) return;
        if (!has(keep, l)) summed.push_back(l);
        else if (a.size(l) == b.size(l)) batch.push_back(l);
        else if (b.size(l) == 1) left.push_back(l);
        else right.push_back(l);
    };
    for (const int l : a.labels) place(l);
    for (const int l : b.labels) place(l);
    const auto joined = [](std::initializer_list<const Labels*> lists) {
        Labels r;
        for (const Labels* l : lists) r.insert(r.end(), l->begin(), l->end());
        return r;
    };
    const std::int64_t n = extent(a, batch), rows = extent(a, left), inner = extent(a, summed),
                       columns = extent(b, right);
    // Labels of the other side have size one here; they are dropped by the reshape.
    const Tensor x = reshape(arranged(a, joined({&batch, &left, &summed, &right})), {n, rows, inner});
    const Tensor y = reshape(arranged(b, joined({&batch, &summed, &right, &left})), {n, inner, columns});
    Term r{{}, joined({&batch, &left, &right})};
    Dims sizes;
    for (const int l : batch) sizes.push_back(a.size(l));
    for (const int l : left) sizes.push_back(a.size(l));
    for (const int l : right) sizes.push_back(b.size(l));
    r.t = reshape(bmm(x, y), sizes);
    return r;
}
/// The subscripts of each operand.
std::vector<Labels> subscripts_of(std::string_view inputs) {
    std::vector<Labels> subscripts;
    for (std::size_t begin = 0;;) {
        const std::size_t comma = inputs.find(',', begin);
        subscripts.push_back(parse(inputs.substr(begin, comma == inputs.npos ? inputs.npos : comma - begin)));
        if (comma == inputs.npos) return subscripts;
        begin = comma + 1;
    }
}
/// The result's labels in order. `uses` counts each letter; `dots` stand for the ellipsis.
Labels output_of(std::string_view equation, const std::array<int, letters>& uses, const Labels& dots) {
    const std::size_t arrow = equation.find("->");
    Labels output;
    if (arrow == equation.npos) {
        output = dots; // implicit: the dots, then every letter that occurs once, in alphabetical order
        for (int l = 0; l < letters; ++l)
            if (uses[std::size_t(l)] == 1) output.push_back(l);
        return output;
    }
    for (const int s : parse(equation.substr(arrow + 2))) {
        if (s == ellipsis) {
            output.insert(output.end(), dots.begin(), dots.end());
            continue;
        }
        REEL_CHECK(!has(output, s), "einsum: equation '", equation, "' repeats a subscript in its output");
        REEL_CHECK(uses[std::size_t(s)] > 0, "einsum: equation '", equation,
                   "' has an output subscript that no operand has");
        output.push_back(s);
    }
    return output;
}
Tensor evaluate(std::string_view equation, TensorList operands) {
    REEL_CHECK(!operands.empty(), "einsum: expected at least one operand");
    const std::vector<Labels> subscripts = subscripts_of(equation.substr(0, equation.find("->")));
    REEL_CHECK(subscripts.size() == operands.size(), "einsum: equation '", equation, "' describes ", subscripts.size(),
               " operands, got ", operands.size());
    std::int64_t rank = 0;
    for (std::size_t i = 0; i < operands.size(); ++i)
        if (has(subscripts[i], ellipsis))
            rank = std::max(rank, operands[i].dim() - std::int64_t(subscripts[i].size()) + 1);
    Labels dots;
    for (int i = 0; i < int(rank); ++i) dots.push_back(letters + i);
    std::vector<Term> terms;
    std::vector<std::int64_t> sizes(std::size_t(letters + rank), 1);
    std::array<int, letters> uses{};
    for (std::size_t i = 0; i < operands.size(); ++i) {
        for (const int s : subscripts[i])
            if (s >= 0) ++uses[std::size_t(s)];
        terms.push_back(term_of(operands[i], subscripts[i], int(rank), i));
        for (std::size_t d = 0; d < terms[i].labels.size(); ++d) {
            std::int64_t& size = sizes[std::size_t(terms[i].labels[d])];
            const std::int64_t mine = terms[i].t.size(std::int64_t(d));
            REEL_CHECK(size == 1 || mine == 1 || size == mine, "einsum: operand ", i, " has shape ",
                       operands[i].sizes(), "; a subscript has size ", mine, " there and ", size, " before");
            if (mine != 1) size = mine;
        }
    }
    const Labels output = output_of(equation, uses, dots);
    Term result = terms[0];
    const auto keep_after = [&](std::size_t next) {
        Labels keep = output;
        for (std::size_t i = next; i < terms.size(); ++i)
            keep.insert(keep.end(), terms[i].labels.begin(), terms[i].labels.end());
        return keep;
    };
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const Labels keep = keep_after(i + 1);
        if (i > 0) result = pair(result, terms[i], keep);
        else {
            Labels gone;
            for (const int l : result.labels)
                if (!has(keep, l)) gone.push_back(l);
            sum_away(result, gone);
        }
    }
    return arranged(result, output);
}

} // namespace

/// Sums of products named by subscripts: `einsum("ij,jk->ik", {a, b})`. Repeated subscripts of one operand take its
/// diagonal, `...` broadcasts, without `->` the subscripts that occur once are kept in alphabetical order.
REEL_OP("einsum(Tensor[] tensors, str equation) -> Tensor", composite)
Tensor einsum(TensorList tensors, std::string_view equation) { return evaluate(equation, tensors); }
REEL_OP("einsum(str equation, Tensor[] tensors) -> Tensor", composite,
        samples(call("ij,jk->ik", tensors({numbers({4, 3}), numbers({3, 2})}))))
Tensor einsum(std::string_view equation, TensorList tensors) { return evaluate(equation, tensors); }

} // namespace reel
