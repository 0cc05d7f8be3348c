#include <reel/distributed/detail/envelope.hpp>

#include <sstream>

namespace reel::distributed::detail {

std::string_view name_of(Operation operation) noexcept {
    static constexpr std::string_view names[] = {"all_reduce",
                                                 "reduce",
                                                 "broadcast",
                                                 "all_gather",
                                                 "all_gather_into",
                                                 "gather",
                                                 "scatter",
                                                 "reduce_scatter",
                                                 "reduce_scatter_tensor",
                                                 "all_to_all",
                                                 "barrier",
                                                 "monitored_barrier",
                                                 "send",
                                                 "recv"};
    return names[std::size_t(operation)];
}

void Envelope::set_shape(IntArrayRef sizes) {
    dims = std::uint16_t(sizes.size());
    numel = 1;
    shape_digest = 1469598103934665603u; // FNV-1a over the sizes
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        numel *= sizes[i];
        shape_digest = (shape_digest ^ std::uint64_t(sizes[i])) * 1099511628211u;
        if (i < std::size_t(shown_dims)) shape[i] = sizes[i];
    }
}

bool Envelope::fits(const Envelope& o) const noexcept {
    const auto kind_of = [](Operation x) { return x == Operation::kRecv ? Operation::kSend : x; };
    return kind_of(operation) == kind_of(o.operation) && op == o.op && divisor == o.divisor && dtype == o.dtype &&
           phase == o.phase && members == o.members && devices == o.devices && root == o.root && dims == o.dims &&
           numel == o.numel && shape_digest == o.shape_digest && (tag != no_tag || call == o.call);
}

std::string Envelope::describe() const {
    std::ostringstream s;
    s << detail::name_of(operation);
    if (dtype == ScalarType::Undefined) return s.str();
    if (operation == Operation::kAllReduce || operation == Operation::kReduce ||
        operation == Operation::kReduceScatter || operation == Operation::kReduceScatterTensor)
        s << " " << distributed::name_of(op);
    s << " of " << dtype_name(dtype) << " [";
    for (int i = 0; i < dims && i < shown_dims; ++i) s << (i ? ", " : "") << shape[i];
    s << (dims > shown_dims ? ", ...]" : "]");
    if (divisor != 1) s << " each divided by " << divisor;
    if (devices) s << " between devices";
    if (root != no_root) s << ", root " << root;
    if (tag != no_tag) s << ", tag " << tag;
    return s.str();
}

} // namespace reel::distributed::detail
