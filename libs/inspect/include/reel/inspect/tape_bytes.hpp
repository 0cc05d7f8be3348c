// What the tape keeps in memory, by node, module and source line.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <reel/nn/module.hpp>

namespace reel::inspect {

/// Memory kept for backward. A storage that several nodes save is counted once, for the one that saved it first; memory
/// of the model's own parameters and buffers would be there anyway and is told apart.
struct TapeBytes {
    struct NodeBytes {
        std::string node, module_path, place;
        std::size_t bytes = 0;  ///< that it alone, or first, keeps alive
        std::size_t shared = 0; ///< of what others keep alive, too
    };
    struct Group {
        std::string name;
        std::size_t bytes = 0, nodes = 0;
    };
    struct Holder {
        std::size_t bytes = 0;
        std::string shape;
        std::vector<std::string> nodes; ///< that save it, the first first
    };
    std::vector<NodeBytes> nodes; ///< in the order of forward, those that save something
    std::vector<Group> by_module; ///< largest first
    std::vector<Group> by_place;  ///< largest first; places are known under a Recorder or in anomaly mode
    std::vector<Holder> largest;  ///< storages that hold the peak, largest first
    std::size_t total = 0;        ///< when backward starts, which is when the tape holds most
    std::size_t of_model = 0;     ///< saved, but the model's own; not part of `total`
    std::string text() const;
    std::string json() const;
};
std::ostream& operator<<(std::ostream& os, const TapeBytes& bytes);

/// Looks at the tape behind `loss`, before backward releases it. `top`: how many of the largest storages to name.
/// Throws Error when `loss` does not require grad.
TapeBytes tape_bytes(const Tensor& loss, const nn::Module& model, std::size_t top = 10);

} // namespace reel::inspect
