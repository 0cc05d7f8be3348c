#include "adopt.hpp"

namespace reel::distributions::detail {

const Condition a_number = {"a number", [](const Tensor& t) { return t.isnan().logical_not(); }};
const Condition positive = {"greater than 0", [](const Tensor& t) { return t > 0; }};
const Condition not_negative = {"at least 0", [](const Tensor& t) { return t >= 0; }};
const Condition a_probability = {"within [0, 1]", [](const Tensor& t) { return (t >= 0) & (t <= 1); }};

std::vector<std::int64_t> adopt(const char* distribution, bool validate, std::initializer_list<Adopted> parameters) {
    const Adopted& first = *parameters.begin();
    Tensor like; // the first floating tensor that is no count
    for (const Adopted& p : parameters)
        if (const Tensor t = p.given.is_number() || p.counts ? Tensor() : p.given.tensor();
            !like.defined() && t.defined() && t.is_floating_point())
            like = t;
    for (const Adopted& p : parameters) {
        p.kept = p.given.tensor(like);
        if (p.counts && p.kept.defined() && like.defined()) p.kept = p.kept.to(like.scalar_type());
        else if (p.counts && p.kept.defined() && !p.kept.is_floating_point()) p.kept = p.kept.to(kFloat);
        check_floating(distribution, p.name, p.kept);
    }
    if (validate) {
        const NoGradGuard no_grad;
        for (const Adopted& p : parameters)
            check_parameter(distribution, p.name, p.kept, p.condition.holds(p.kept), p.condition.expected);
    }
    std::vector<std::int64_t> sizes = first.kept.sizes().vec();
    for (const Adopted& p : parameters)
        sizes = broadcast_sizes(str(distribution, ": ", first.name, " and ", p.name).c_str(), sizes, p.kept.sizes());
    for (const Adopted& p : parameters) p.kept = expanded(p.kept, sizes);
    return sizes;
}

bool takes_logits(const char* distribution, const Parameter& probs, const Parameter& logits) {
    REEL_CHECK_VALUE(probs.defined() != logits.defined(), distribution, ": expected either probs or logits, got ",
                     probs.defined() ? "both" : "neither");
    return logits.defined();
}

Tensor rows_of_chances(const char* distribution, bool logits, const Parameter& probs, const Parameter& logits_given) {
    const char* const name = logits ? "logits" : "probs";
    const Tensor given = (logits ? logits_given : probs).tensor();
    check_floating(distribution, name, given);
    REEL_CHECK_VALUE(given.dim() > 0 && given.size(-1) > 0, distribution, ": ", name,
                     " needs a last dimension that counts the categories, got shape ", given.sizes());
    return given;
}

} // namespace reel::distributions::detail
