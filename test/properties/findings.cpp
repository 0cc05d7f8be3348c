#include "findings.hpp"

#include <algorithm>

#include <boost/test/unit_test.hpp>

namespace properties {

namespace {

/// An op that does not have a property, and why that stands.
struct Exception {
    const char *op, *aspect, *reason;
    bool long_form = false; ///< no sample of the short form shows it
};
const Exception exceptions[] = {
    {"detach", "reverse", "cuts the tape: that is what it is for"},
    {"detach_copy", "reverse", "cuts the tape: that is what it is for"},
    {"native_layer_norm", "reverse",
     "mean and rstd are by-products for the backward and carry no gradient, as PyTorch's"},
    {"native_batch_norm", "reverse",
     "the batch's moments are by-products for the backward and carry no gradient, as PyTorch's"},
    {"nextafter", "reverse",
     "where the operands are equal the result is `other`, which takes the gradient by definition"},
    {"fake_quantize_per_tensor_affine", "reverse",
     "the gradient passes straight through the steps: that is what it is for"},
    {"nn.functional.prelu", "second", "at zero the slope counts as a constant, as PyTorch's"},
    {"_pack_padded_sequence", "host operand", "the lengths are numbers of the host's, as PyTorch's"},
    {"_pad_packed_sequence", "host operand", "the batch sizes are numbers of the host's, as PyTorch's"},
    {"gru", "host operand", "the batch sizes are numbers of the host's, as PyTorch's"},
    {"lstm", "host operand", "the batch sizes are numbers of the host's, as PyTorch's"},
    {"rnn_relu", "host operand", "the batch sizes are numbers of the host's, as PyTorch's"},
    {"rnn_tanh", "host operand", "the batch sizes are numbers of the host's, as PyTorch's"},
    {"linspace", "meta", "a tensor stands for a number there, which meta does not have"},
    {"logspace", "meta", "a tensor stands for a number there, which meta does not have"},
    {"argwhere", "alone", "an element without dimensions has no place"},
    {"nonzero", "alone", "an element without dimensions has no place"},
    {"nonzero_static", "alone", "an element without dimensions has no place"},
    {"as_strided", "layout", "shows the operand's memory, however it is laid out"},
    {"as_strided", "layout's gradient", "shows the operand's memory, however it is laid out"},
    {"as_strided_copy", "layout", "shows the operand's memory, however it is laid out"},
    {"as_strided_copy", "layout's gradient", "shows the operand's memory, however it is laid out"},
    {"as_strided_scatter", "layout", "writes to places in memory, however it is laid out"},
    {"as_strided_scatter", "layout's gradient", "writes to places in memory, however it is laid out"},
    {"batch_norm", "layout", "writes its running statistics, which must not share memory"},
    {"batch_norm", "layout's gradient", "writes its running statistics, which must not share memory"},
    {"instance_norm", "layout", "writes its running statistics, which must not share memory"},
    {"instance_norm", "layout's gradient", "writes its running statistics, which must not share memory"},
    {"nn.functional.instance_norm", "layout", "writes its running statistics, which must not share memory"},
    {"nn.functional.instance_norm", "layout's gradient", "writes its running statistics, which must not share memory"},
    {"view", "layout", "shows the operand's memory, which not every layout allows"},
    {"view_copy", "layout", "a copy of what `view` shows, as PyTorch's"},
    {"view_as", "layout", "shows the operand's memory, which not every layout allows"},
    {"view_as", "layout's gradient", "shows the operand's memory, which not every layout allows"},
    {"view_as_complex", "layout", "shows the operand's memory, which not every layout allows"},
    {"view_as_complex", "layout's gradient", "shows the operand's memory, which not every layout allows"},
    {"view_as_complex_copy", "layout", "a copy of what `view_as_complex` shows, as PyTorch's"},
    {"view_as_complex_copy", "layout's gradient", "a copy of what `view_as_complex` shows, as PyTorch's"},
    {"set_", "view", "the tensor takes over the source's memory and is no view of it, as PyTorch's"},
    {"unsafe_split", "view", "its results share memory that by its contract nobody writes in place, as PyTorch's"},
    {"unsafe_chunk", "view", "its results share memory that by its contract nobody writes in place, as PyTorch's"},
    {"nn.functional.batch_norm", "layout", "writes its running statistics, which must not share memory", true},
    {"nn.functional.batch_norm", "layout's gradient", "writes its running statistics, which must not share memory",
     true},
    {"view", "layout's gradient", "shows the operand's memory, which not every layout allows", true},
    {"view_copy", "layout's gradient", "a copy of what `view` shows, as PyTorch's", true},
    {"histc", "float16", "bins are found in the input's precision: a number at an edge may fall beside it", true},
    {"nn.functional.interpolate", "float32", "places are computed in the input's precision, as PyTorch's", true},
    {"normal", "reverse", "a drawn number is a constant; it is not reparametrised"},
};

} // namespace

void Findings::add(const Sample& sample, const std::string& aspect, const std::string& what) {
    first_.try_emplace({sample.op, aspect}, sample.origin + ": " + what);
}

void Findings::add_refusal(const Sample& sample, const std::string& aspect, const std::string& error) {
    add(sample, error.find(" CPU ") == std::string::npos ? aspect : "host operand", "refused: " + error);
}

void Findings::judge(std::initializer_list<const char*> aspects) const {
    for (const auto& [key, what] : first_) {
        const bool known = std::any_of(std::begin(exceptions), std::end(exceptions),
                                       [&](const Exception& e) { return e.op == key.first && e.aspect == key.second; });
        if (!known) BOOST_ERROR(key.first << ", " << key.second << ": " << what);
    }
    for (const Exception& e : exceptions)
        if (e.long_form <= long_form() &&
            std::find(aspects.begin(), aspects.end(), std::string(e.aspect)) != aspects.end())
            BOOST_TEST(first_.contains({e.op, e.aspect}),
                       "the exception of " << e.op << ", " << e.aspect << " (" << e.reason
                                           << ") is not needed any more: remove it from findings.cpp");
}

} // namespace properties
