// Modules in libtorch's form, where it differs from Python's by more than its words.
#include "module/libtorch_form.hpp"

#include <algorithm>
#include <cctype>
#include <ostream>

#include <reel/nn/type_name.hpp>

namespace reel::nn::detail {

thread_local const LibtorchForm* LibtorchForm::current_ = nullptr;

namespace {

/// What libtorch lists for a layer, in its order: `name` with its value, `name!` the value alone, `name?` only where it
/// is not the default, `name|other` the other's value while there is none, `name{}` in braces. No list at all: the name
/// without parentheses. Layers that are not here list what they do in Python.
struct Form {
    std::string_view layer; ///< without the number of dimensions
    const char* options;
    std::string_view printed_as = {};
};
constexpr const char* embedding = "num_embeddings embedding_dim max_norm? norm_type? scale_grad_by_freq? sparse? mode? "
                                  "include_last_offset? padding_idx?";
constexpr const char* rnn = "input_size hidden_size num_layers bias batch_first dropout bidirectional proj_size?";
constexpr const char* batch_norm = "num_features! eps momentum affine track_running_stats";
constexpr Form forms[] = {
    {"AdaptiveLogSoftmaxWithLoss", nullptr},
    {"BatchNorm", batch_norm},
    {"CircularPad", "padding"},
    {"CosineEmbeddingLoss", "margin"},
    {"CosineSimilarity", "dim eps"},
    {"Embedding", "num_embeddings embedding_dim padding_idx? max_norm? norm_type? scale_grad_by_freq? sparse?"},
    {"EmbeddingBag", embedding},
    {"GELU", ""},
    {"GRU", rnn},
    {"GroupNorm", "num_groups! num_channels! eps affine"},
    {"HingeEmbeddingLoss", "margin"},
    {"HuberLoss", nullptr},
    {"InstanceNorm", batch_norm},
    {"LPPool", "norm_type kernel_size stride|kernel_size ceil_mode"},
    {"LSTM", rnn},
    {"LayerNorm", "normalized_shape! eps elementwise_affine"},
    {"ModuleDict", nullptr},
    {"ModuleList", nullptr},
    {"MultiMarginLoss", "p margin weight reduction"},
    {"NonDynamicallyQuantizableLinear", "in_features out_features bias", "Linear"},
    {"PairwiseDistance", "p eps keepdim"},
    {"RNN", rnn},
    {"ReflectionPad", "padding"},
    {"ReplicationPad", "padding"},
    {"Sequential", nullptr},
    {"SmoothL1Loss", nullptr},
    {"Transformer", nullptr, "TransformerImpl"},
    {"TransformerDecoder", nullptr, "TransformerDecoderImpl"},
    {"TransformerDecoderLayer", nullptr, "TransformerDecoderLayerImpl"},
    {"TransformerEncoder", nullptr, "TransformerEncoderImpl"},
    {"TransformerEncoderLayer", nullptr, "TransformerEncoderLayerImpl"},
    {"TripletMarginLoss", "margin p eps swap"},
    {"TripletMarginWithDistanceLoss", "margin swap"},
    {"Unflatten", "dim unflattened_size{}"},
    {"Upsample", "scale_factor? size? mode"},
    {"ZeroPad", "padding"},
};

const Form* form_of(std::string_view layer) {
    if (layer.size() > 2 && layer.back() == 'd' && std::isdigit(static_cast<unsigned char>(layer[layer.size() - 2])))
        layer.remove_suffix(2);
    const auto* form = std::lower_bound(std::begin(forms), std::end(forms), layer,
                                        [](const Form& f, std::string_view name) { return f.layer < name; });
    return form != std::end(forms) && form->layer == layer ? form : nullptr;
}
/// The option itself, which comes behind what Python prints in its stead.
const PrintedOption* find(const std::vector<PrintedOption>& options, std::string_view name) {
    const auto it = std::find_if(options.rbegin(), options.rend(), [&](const auto& o) { return o.name == name; });
    return it == options.rend() ? nullptr : &*it;
}
std::string in_braces(std::string list) {
    if (list.starts_with('[')) list.front() = '{', list.back() = '}';
    return list;
}

/// One word of a form; empty where nothing is printed.
std::string printed_word(std::string_view word, const std::vector<PrintedOption>& options,
                         const std::vector<PrintedOption>& defaults) {
    const std::string_view name = word.substr(0, word.find_first_of("!?|{"));
    const std::string_view mark = word.substr(name.size());
    const PrintedOption* option = find(options, name);
    if (!option) return {};
    const PrintedOption* plain = find(defaults, name);
    if (mark == "?" && plain && plain->text == option->text) return {};
    std::string text = option->text;
    if (mark.starts_with('|') && text == "None") text = find(options, mark.substr(1))->text;
    if (mark == "{}") text = in_braces(text);
    return mark == "!" ? text : str(name, "=", text);
}
std::string listed_as_in_python(const std::vector<PrintedOption>& options, const std::vector<PrintedOption>& defaults) {
    std::string s;
    for (const PrintedOption& o : options) {
        if (o.shown & Shown::never) continue;
        const auto same = [&](const PrintedOption& d) { return d.name == o.name && d.text == o.text; };
        if (o.shown & Shown::unless_default && std::any_of(defaults.begin(), defaults.end(), same)) continue;
        s += (s.empty() ? "" : ", ") + (o.shown & Shown::value ? o.text : o.name + "=" + o.text);
    }
    return s;
}

constexpr std::string_view library = "reel::nn::";

} // namespace

std::string libtorch_options(std::string_view layer, const std::vector<PrintedOption>& options,
                             const std::vector<PrintedOption>& defaults) {
    const Form* form = form_of(layer);
    if (!form) return listed_as_in_python(options, defaults);
    std::string s;
    std::string_view rest = form->options ? form->options : "";
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
        const std::string text = printed_word(word, options, defaults);
        if (!text.empty()) s += (s.empty() ? "" : ", ") + text;
    }
    return s;
}

std::string libtorch_line(const Module& module) {
    if (!module.name().starts_with(library)) { // a user's own, by the name that it has
        const LibtorchForm words(module.name());
        const std::string extra = module.extra_repr();
        return extra.empty() ? module.name() : module.name() + "(" + extra + ")";
    }
    const std::string layer = type_name(module.name());
    const Form* form = form_of(layer);
    const std::string name =
        std::string(library) + (form && !form->printed_as.empty() ? std::string(form->printed_as) : layer);
    const LibtorchForm words(layer);
    const std::string extra = module.extra_repr();
    const bool bare = (form && !form->options) || !module.own_children().is_empty();
    return extra.empty() && bare ? name : name + "(" + extra + ")";
}

void print_as_libtorch(std::ostream& os, const Module& module, const std::string& indentation) {
    module.pretty_print(os);
    if (module.own_children().is_empty()) return;
    os << "(\n";
    for (const auto& child : module.own_children()) {
        os << indentation << "  (" << child.key() << "): ";
        if (*child) print_as_libtorch(os, **child, indentation + "  ");
        else os << "None";
        os << "\n";
    }
    os << indentation << ")";
}

} // namespace reel::nn::detail
