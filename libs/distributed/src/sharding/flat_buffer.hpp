// Rows of several parameters in one buffer, so that one call moves them all.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/autograd/tensor.hpp>
#include <reel/distributed/process_group.hpp>
#include <reel/distributed/work.hpp>

namespace reel::distributed {

/// One parameter in the buffers: its whole sizes, and where its part begins in every rank's segment.
struct FlatPlace {
    std::size_t parameter;
    std::vector<std::int64_t> sizes;
    std::int64_t offset;
};
/// All ranks' segments, once `work` is done.
struct Gathering {
    Tensor all;
    Work work;
};
/// Parameters of one dtype and device. The buffer has a segment for each rank, all of one length.
class FlatBuffer {
public:
    FlatBuffer(ScalarType dtype, Device device, std::int64_t rank, std::int64_t ranks)
        : dtype_(dtype), device_(device), rank_(rank), ranks_(ranks) {}
    bool takes(const Tensor& t) const { return t.scalar_type() == dtype_ && t.device() == device_; }
    void add(std::size_t parameter, const std::vector<std::int64_t>& sizes);
    const std::vector<FlatPlace>& places() const { return places_; }

    /// Gathers `locals[place]`, the ranks' rows; `beside`: while the caller goes on.
    Gathering begin_gather(const ProcessGroup& group, const std::vector<Tensor>& locals, bool beside) const;
    /// Into `whole[place.parameter]`.
    void end_gather(const Gathering& gathering, std::vector<Tensor>& whole) const;
    /// Adds the ranks' `gradients[place]`, divided by their number, and writes this rank's rows into
    /// `rows[place.parameter]`; what no rank has stays undefined.
    void reduce(const ProcessGroup& group, const std::vector<Tensor>& gradients, std::vector<Tensor>& rows) const;

private:
    ScalarType dtype_;
    Device device_;
    std::int64_t rank_, ranks_, length_ = 0; ///< of a segment
    std::vector<FlatPlace> places_;
};

} // namespace reel::distributed
