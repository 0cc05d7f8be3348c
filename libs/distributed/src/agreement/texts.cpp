#include "agreement/texts.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

#include <reel/autograd/error.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/distributed/collectives.hpp>

namespace reel::distributed {

namespace {
std::vector<std::int64_t> lengths_of(const std::string& own, const ProcessGroup& group) {
    const Tensor all = reel::zeros({group.size()}, kLong), mine = reel::zeros({1}, kLong);
    *mine.mutable_data_ptr<std::int64_t>() = std::int64_t(own.size());
    all_gather_into(all, mine, group);
    const std::int64_t* at = all.const_data_ptr<std::int64_t>();
    return {at, at + group.size()};
}
Tensor as_bytes(const std::string& text, std::int64_t length) {
    const Tensor bytes = reel::zeros({length}, kByte);
    if (!text.empty()) std::memcpy(bytes.mutable_data_ptr<std::uint8_t>(), text.data(), text.size());
    return bytes;
}
std::string as_text(const Tensor& bytes, std::int64_t length) {
    return {reinterpret_cast<const char*>(bytes.const_data_ptr<std::uint8_t>()), std::size_t(length)};
}
} // namespace

std::vector<std::string> gather_texts(const std::string& own, const ProcessGroup& group) {
    const std::vector<std::int64_t> lengths = lengths_of(own, group);
    const std::int64_t longest = *std::max_element(lengths.begin(), lengths.end());
    if (longest == 0) return std::vector<std::string>(lengths.size());
    const Tensor all = reel::empty({group.size(), longest}, kByte);
    all_gather_into(all.view({-1}), as_bytes(own, longest), group);
    std::vector<std::string> texts;
    for (std::size_t r = 0; r < lengths.size(); ++r)
        texts.push_back(as_text(all.select(0, std::int64_t(r)), lengths[r]));
    return texts;
}
std::vector<std::string> gather_texts_on(std::int64_t member, const std::string& own, const ProcessGroup& group) {
    const std::vector<std::int64_t> lengths = lengths_of(own, group);
    const std::int64_t root = group.ranks()[std::size_t(member)];
    std::vector<std::string> texts;
    for (std::size_t r = 0; r < lengths.size(); ++r) {
        const bool mine = group.rank() == std::int64_t(r), here = group.rank() == member;
        if (here && mine) texts.push_back(own);
        else if (here) {
            const Tensor bytes = reel::empty({lengths[r]}, kByte);
            if (lengths[r] > 0) recv(bytes, group.ranks()[r], 0, group);
            texts.push_back(as_text(bytes, lengths[r]));
        } else if (mine && lengths[r] > 0) send(as_bytes(own, lengths[r]), root, 0, group);
    }
    return texts;
}
void together(const ProcessGroup& group, const char* doing, const std::function<void()>& fn) {
    if (!group || group.size() == 1) return fn();
    std::exception_ptr own;
    std::string failure;
    try {
        fn();
    } catch (const DistError&) {
        throw; // the group is of no use any more, and the others know
    } catch (const std::exception& e) {
        own = std::current_exception();
        failure = *e.what() ? e.what() : "an error without a message";
    }
    const std::vector<std::string> failures = gather_texts(failure, group);
    if (own) std::rethrow_exception(own);
    for (std::size_t r = 0; r < failures.size(); ++r)
        REEL_CHECK(failures[r].empty(), doing, ": rank ", group.ranks()[r], " of ", group.size(),
                   " failed: ", failures[r]);
}

} // namespace reel::distributed
