// Collectives of values of any kind, as Python's objects are sent.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/autograd/value.hpp>
#include <reel/distributed/process_group.hpp>

namespace reel::distributed {

// An object is what `pickle_save` writes: numbers, strings, tensors, and lists, tuples and dicts of such. It arrives as
// a copy, its tensors on the CPU, strides and dtypes as they were. All members make the same call, and wait for each
// other. What cannot be written is an error of that call: the rank that has it throws what `pickle_save` throws, all
// others ValueError naming it, and the group goes on. Names are PyTorch's.

/// `objects` becomes every member's object, in the order of the group.
void all_gather_object(std::vector<Value>& objects, const Value& object, const ProcessGroup& group = {});
/// The same on `root`, a rank of the world, alone; elsewhere `objects` stays what it was.
void gather_object(const Value& object, std::vector<Value>& objects, std::int64_t root = 0,
                   const ProcessGroup& group = {});
/// `objects` becomes root's.
void broadcast_object_list(std::vector<Value>& objects, std::int64_t root = 0, const ProcessGroup& group = {});
/// `output` on member r becomes root's objects[r], of which it has one for each member; elsewhere `objects` is ignored.
void scatter_object_list(Value& output, const std::vector<Value>& objects, std::int64_t root = 0,
                         const ProcessGroup& group = {});
/// Between two ranks; `objects` of the receiver becomes the sender's. Tags are those of `send`. The sender alone hears
/// of what cannot be written, before anything is sent.
void send_object_list(const std::vector<Value>& objects, std::int64_t peer, std::int64_t tag = 0,
                      const ProcessGroup& group = {});
void recv_object_list(std::vector<Value>& objects, std::int64_t peer, std::int64_t tag = 0,
                      const ProcessGroup& group = {});

} // namespace reel::distributed
