// Buckets: gradients that travel together, in one buffer.
#include "data_parallel/buckets.hpp"

#include <map>
#include <utility>

#include <reel/autograd/grad_mode.hpp>

namespace reel::distributed::detail {

std::vector<std::vector<std::size_t>> assign_buckets(const std::vector<Tensor>& parameters,
                                                     const std::vector<std::size_t>& order, std::size_t first_limit,
                                                     std::size_t limit) {
    struct Open {
        std::vector<std::size_t> members;
        std::size_t bytes = 0, limit = 0;
    };
    std::vector<std::pair<std::pair<ScalarType, Device>, Open>> kinds; // few
    std::vector<std::vector<std::size_t>> closed;
    for (const std::size_t i : order) {
        const Tensor& p = parameters[i];
        const std::pair key(p.scalar_type(), p.device());
        auto at = kinds.begin();
        while (at != kinds.end() && !(at->first == key)) ++at;
        if (at == kinds.end()) at = kinds.insert(at, {key, Open{{}, 0, first_limit}});
        Open& open = at->second;
        open.members.push_back(i);
        open.bytes += std::size_t(p.numel()) * std::size_t(p.element_size());
        if (open.bytes >= open.limit) {
            closed.push_back(std::move(open.members));
            open = Open{{}, 0, limit};
        }
    }
    for (auto& [key, open] : kinds)
        if (!open.members.empty()) closed.push_back(std::move(open.members));
    return closed;
}

Bucket::Bucket(const std::vector<Tensor>& parameters, std::vector<std::size_t> of) : members(std::move(of)) {
    const NoGradGuard no_grad;
    std::int64_t elements = 0;
    for (const std::size_t i : members) elements += parameters[i].numel();
    const Tensor& first = parameters[members.front()];
    buffer = first.new_zeros({elements});
    std::int64_t at = 0;
    for (const std::size_t i : members) {
        const Tensor& p = parameters[i];
        slots.push_back(buffer.narrow(0, at, p.numel()).view(p.sizes()));
        at += p.numel();
    }
}

bool Bucket::fits(const std::vector<Tensor>& parameters) const {
    for (std::size_t k = 0; k < members.size(); ++k) {
        const Tensor& p = parameters[members[k]];
        if (p.scalar_type() != slots[k].scalar_type() || !(p.device() == slots[k].device()) ||
            !p.sizes().equals(slots[k].sizes()))
            return false;
    }
    return true;
}

} // namespace reel::distributed::detail
