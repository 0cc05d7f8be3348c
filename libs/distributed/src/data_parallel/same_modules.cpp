// Do the ranks wrap the same module? They exchange a line of text for each tensor.
#include "data_parallel/same_modules.hpp"

#include <sstream>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/distributed/collectives.hpp>

#include "agreement/texts.hpp"

namespace reel::distributed::detail {

namespace {

/// As text: `name` on one line, what it is on the next.
std::string describe(const NamedTensorList& tensors, bool parameters) {
    std::ostringstream text;
    for (const auto& [name, t] : tensors) {
        text << name << '\n' << dtype_name(t.scalar_type()) << " of shape " << t.sizes();
        if (parameters && !t.requires_grad()) text << " without requires_grad";
        text << '\n';
    }
    return text.str();
}
std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

void compare(const char* who, const char* kind, const std::vector<std::string>& texts, const ProcessGroup& group) {
    const std::int64_t here = group.rank();
    const std::vector<std::string> mine = lines_of(texts[std::size_t(here)]);
    // Every rank tells of the same one, the first that differs from the first rank, and that one of the first.
    std::int64_t other = 0;
    while (other < group.size() && texts[std::size_t(other)] == texts[0]) ++other;
    if (other == group.size()) return;
    if (here == other || texts[std::size_t(here)] != texts[0]) other = 0;
    const std::vector<std::string> theirs = lines_of(texts[std::size_t(other)]);
    REEL_CHECK(mine.size() == theirs.size(), who, ": rank ", here, " of ", group.size(), " has ", mine.size() / 2, ' ',
               kind, "s, rank ", other, " has ", theirs.size() / 2, "; all ranks must wrap the same module");
    for (std::size_t i = 1; i < mine.size(); i += 2)
        REEL_CHECK(mine[i] == theirs[i], who, ": ", kind, " '", mine[i - 1], "' is ", mine[i], " on rank ", here,
                   " of ", group.size(), ", and ",
                   theirs[i - 1] == mine[i - 1] ? std::string() : "'" + theirs[i - 1] + "' in its place ", "is ",
                   theirs[i], " on rank ", other, "; all ranks must wrap the same module");
}

} // namespace

void check_same_modules(const char* who, const NamedTensorList& parameters, const NamedTensorList& buffers,
                        const ProcessGroup& group) {
    compare(who, "parameter", gather_texts(describe(parameters, true), group), group);
    compare(who, "buffer", gather_texts(describe(buffers, false), group), group);
}

void send_tensors(const std::vector<Tensor>& tensors, std::int64_t from, const ProcessGroup& group) {
    const NoGradGuard no_grad;
    std::vector<bool> sent(tensors.size());
    const std::int64_t root = group.ranks()[std::size_t(from)];
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (sent[i]) continue;
        std::vector<Tensor> alike;
        std::int64_t elements = 0;
        for (std::size_t k = i; k < tensors.size(); ++k) {
            const Tensor& t = tensors[k];
            if (sent[k] || t.scalar_type() != tensors[i].scalar_type() || !(t.device() == tensors[i].device()))
                continue;
            sent[k] = true;
            alike.push_back(t.detach());
            elements += t.numel();
        }
        if (alike.size() == 1) {
            broadcast(alike[0], root, group);
            continue;
        }
        const Tensor together = alike[0].new_empty({elements});
        const auto each = [&](auto fn) {
            std::int64_t at = 0;
            for (const Tensor& t : alike) {
                fn(t, together.narrow(0, at, t.numel()).view(t.sizes()));
                at += t.numel();
            }
        };
        const bool sends = group.rank() == from;
        if (sends) each([](const Tensor& t, const Tensor& part) { part.copy_(t); });
        broadcast(together, root, group);
        if (!sends) each([](const Tensor& t, const Tensor& part) { t.copy_(part); });
    }
}

} // namespace reel::distributed::detail
