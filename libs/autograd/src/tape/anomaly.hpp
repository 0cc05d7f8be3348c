// Where nodes were made: taking and printing call stacks (rule E-52).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <reel/autograd/node.hpp>

namespace reel::autograd {

/// Return addresses of the callers, innermost first; cheap. `skip` leaves out the nearest ones.
std::vector<const void*> current_frames(std::size_t skip);
/// The program's own frames, innermost first, without Reel's and the system's; the whole stack where all are Reel's.
/// Looks up source lines where debug information is there; slow.
std::string trace_text(const std::vector<const void*>& frames);
/// The first frame outside of Reel's libraries alone; empty when there is none. Slow.
std::string user_place(const std::vector<const void*>& frames);
/// Sends one line for the node's forward op and one per node that was being evaluated when it was made. Nothing when
/// the node was not made in anomaly mode.
void explain_failure(const Node& node, const std::function<void(const std::string&)>& line);
/// Runs the node's rule, or for `nothing` to hand on only looks at what it saved. Failures are explained: errors of
/// Reel's by context lines, others by a warning. Memory that ran out becomes an OutOfMemoryError naming the node.
GradList apply_explained(Node& node, GradList&& grads, bool nothing);

} // namespace reel::autograd
