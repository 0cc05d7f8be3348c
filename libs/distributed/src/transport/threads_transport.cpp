#include "transport/threads_transport.hpp"

namespace reel::distributed::detail {

namespace {
using Boxes = std::vector<std::shared_ptr<Mailbox>>;

class ThreadsTransport final : public Transport {
public:
    ThreadsTransport(std::int64_t rank, std::shared_ptr<const Boxes> boxes) : rank_(rank), boxes_(std::move(boxes)) {}
    std::int64_t rank() const override { return rank_; }
    std::int64_t size() const override { return std::int64_t(boxes_->size()); }
    Mailbox& mailbox() override { return *(*boxes_)[std::size_t(rank_)]; }
    bool send(std::int64_t peer, const Envelope& envelope, const void* bytes, Deadline) override {
        if (!mailbox().loss(peer).empty()) return false;
        (*boxes_)[std::size_t(peer)]->deliver(rank_, {envelope, Payload(bytes, envelope.payload)});
        return true;
    }
    void leave(const std::string& reason, bool) override {
        Envelope envelope;
        envelope.kind = Envelope::Kind::kLeave;
        for (std::size_t peer = 0; peer < boxes_->size(); ++peer)
            if (std::int64_t(peer) != rank_)
                (*boxes_)[peer]->deliver(rank_, {envelope, Payload(reason.data(), reason.size())});
    }

private:
    std::int64_t rank_;
    std::shared_ptr<const Boxes> boxes_;
};
} // namespace

std::vector<std::unique_ptr<Transport>> threads_world(std::int64_t n) {
    const auto boxes = std::make_shared<Boxes>();
    for (std::int64_t r = 0; r < n; ++r) boxes->push_back(std::make_shared<Mailbox>(n));
    std::vector<std::unique_ptr<Transport>> world;
    for (std::int64_t r = 0; r < n; ++r) world.push_back(std::make_unique<ThreadsTransport>(r, boxes));
    return world;
}

} // namespace reel::distributed::detail
