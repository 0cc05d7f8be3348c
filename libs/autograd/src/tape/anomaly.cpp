// Call stacks of forward ops.
#define BOOST_STACKTRACE_USE_ADDR2LINE
#include "tape/anomaly.hpp"

#include <dlfcn.h>

#include <boost/stacktrace.hpp>

#include <string_view>

#include <reel/autograd/error.hpp>

#include "tape/node_extras.hpp"

namespace reel::autograd {

namespace {

/// The file (program or shared library) that holds the code at `address`.
std::string_view module_of(const void* address) {
    Dl_info info;
    return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}
bool belongs_to_reel(const void* address) {
    std::string_view file = module_of(address);
    if (const std::size_t slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
    return file.starts_with("libreel");
}

} // namespace

std::vector<const void*> current_frames(std::size_t skip) {
    std::vector<const void*> r;
    for (const auto& frame : boost::stacktrace::stacktrace(skip, 48)) r.push_back(frame.address());
    return r;
}

std::string trace_text(const std::vector<const void*>& frames) {
    std::string r;
    for (const void* address : frames) {
        if (belongs_to_reel(address)) continue;
        const boost::stacktrace::frame f(address);
        const std::string file = f.source_file();
        r = str("  called by ", f.name().empty() ? std::string("?") : f.name(),
                file.empty() ? std::string() : str(" at ", file, ':', f.source_line()), '\n');
        break;
    }
    std::size_t i = 0;
    for (const void* address : frames)
        r += str("  ", i++, "# ", boost::stacktrace::to_string(boost::stacktrace::frame(address)), '\n');
    return r;
}

void explain_failure(const Node& node, const std::function<void(const std::string&)>& line) {
    const auto made_at = [](const Node& n) { return n.extras() && !n.extras()->frames.empty(); };
    if (!made_at(node)) return;
    line(node.name() + ": the forward operation was\n" + node.creation_trace());
    for (const Node* n = node.extras()->parent.get(); n && made_at(*n); n = n->extras()->parent.get())
        line("it was made while evaluating " + n->name() + ", whose forward operation was\n" + n->creation_trace());
}

} // namespace reel::autograd
