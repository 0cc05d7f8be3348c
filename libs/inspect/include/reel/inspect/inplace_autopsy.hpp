// After "modified by an in-place operation": who saved the tensor, who wrote it, what helps.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <reel/inspect/recorder.hpp>

namespace reel::inspect {

/// Tensors that were saved for backward and written since.
struct InplaceAutopsy {
    struct Write {
        std::string op, module_path, place;
    };
    struct Case {
        std::string saver, saver_module, saver_place; ///< the node that needs the tensor
        std::string tensor;                           ///< name of a parameter or buffer, else its shape
        std::uint32_t saved_version = 0, version = 0;
        std::vector<Write> writes; ///< since it was saved, in order
        std::string advice;        ///< the smallest change that helps
    };
    std::vector<Case> cases; ///< in the order of forward
    std::string text() const;
    std::string json() const;
};
std::ostream& operator<<(std::ostream& os, const InplaceAutopsy& autopsy);

/// Looks at every node that `recorder` saw made and whose saved tensors are still there: after the error, or before a
/// backward that would fail. Views count for what they view.
InplaceAutopsy inplace_autopsy(const Recorder& recorder);

} // namespace reel::inspect
