// How the members of a group come to a common result, over messages between two of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/operand.hpp"
#include "group/exchange.hpp"

namespace reel::distributed::detail {

/// Each member's elements become the reduction of all, in the order of the ranks.
void all_reduce(Exchange& x, const Operand& data, ScalarType dtype, ReduceOp op);
/// The same at `root`, a place in the group; the others' elements stay.
void reduce(Exchange& x, const Operand& data, ScalarType dtype, ReduceOp op, std::int64_t root);
void broadcast(Exchange& x, const Operand& data, std::int64_t root);
/// Where a member's elements go, this one's too.
using Place = std::function<std::byte*(std::int64_t member)>;
void all_gather(Exchange& x, const Operand& own, const Place& place);
void gather(Exchange& x, const Operand& own, std::int64_t root, const Place& place);
/// `parts` are what the root has for each member.
void scatter(Exchange& x, const Operand& out, const std::vector<const std::byte*>& parts, std::int64_t root);
/// `parts` are what this member has for each.
void reduce_scatter(Exchange& x, const Operand& out, const std::vector<const std::byte*>& parts, ScalarType dtype,
                    ReduceOp op);
/// One tensor from each to each; `shapes_in` and `shapes_out` speak of them.
void all_to_all(Exchange& x, const std::vector<Operand>& outputs, const std::vector<Envelope>& expected,
                const std::vector<Operand>& inputs, const std::vector<Envelope>& sent);
/// Comes back when all have entered.
void barrier(Exchange& x);

} // namespace reel::distributed::detail
