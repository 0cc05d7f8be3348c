// Objects go as the bytes of a file: first how many, then they.
#include <reel/distributed/object_collectives.hpp>

#include <cstring>
#include <memory>
#include <string>

#include <reel/autograd/error.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/distributed/collectives.hpp>
#include <reel/serialize/save_load.hpp>

#include "agreement/texts.hpp"
#include "group/issue.hpp"

namespace reel::distributed {

namespace {
using namespace detail;

/// What `make` gives; where it fails the other members are told in the place of their next call.
template <class Make> auto or_refuse(Group& group, Operation operation, Make make) {
    try {
        return make();
    } catch (const std::exception& e) {
        group.refuse(operation, std::current_exception(), e.what());
    }
}
std::string packed(const Value& object) {
    const std::vector<char> bytes = pickle_save(object);
    return {bytes.begin(), bytes.end()};
}
Value unpacked(const std::string& bytes) { return pickle_load({bytes.begin(), bytes.end()}); }

Tensor as_tensor(const std::string& bytes) {
    const Tensor t = reel::empty({std::int64_t(bytes.size())}, kByte);
    if (!bytes.empty()) std::memcpy(t.mutable_data_ptr<std::uint8_t>(), bytes.data(), bytes.size());
    return t;
}
Value from_tensor(const Tensor& bytes) {
    const auto* const at = reinterpret_cast<const char*>(bytes.const_data_ptr<std::uint8_t>());
    return pickle_load({at, at + bytes.numel()});
}
Tensor number(std::int64_t n) { return reel::full({1}, Scalar(n), kLong); }

/// Bytes that the root has for each member; of this one's.
Tensor dealt_out(const std::vector<std::string>& of_all, std::int64_t root, const ProcessGroup& group) {
    std::vector<Tensor> lengths, sent, received;
    for (const std::string& one : of_all) lengths.push_back(number(std::int64_t(one.size())));
    const Tensor length = number(0);
    scatter(length, lengths, root, group);
    for (const std::int64_t rank : group.ranks()) {
        const bool mine = rank == group.ranks()[std::size_t(group.rank())];
        sent.push_back(of_all.empty() ? reel::empty({0}, kByte) : as_tensor(of_all[sent.size()]));
        received.push_back(rank == root             ? reel::empty({length.item<std::int64_t>()}, kByte)
                           : mine && of_all.empty() ? sent.back()
                                                    : reel::empty({0}, kByte));
    }
    all_to_all(received, sent, group);
    return received[std::size_t(group.get().place_of(root, "scatter_object_list: root"))];
}
} // namespace

void all_gather_object(std::vector<Value>& objects, const Value& object, const ProcessGroup& group) {
    const auto members = group_for(group, Operation::kAllGather);
    if (!members) return;
    const std::string own = or_refuse(*members, Operation::kAllGather, [&] { return packed(object); });
    std::vector<Value> all;
    for (const std::string& bytes : gather_texts(own, ProcessGroup(members))) all.push_back(unpacked(bytes));
    objects = std::move(all);
}

void gather_object(const Value& object, std::vector<Value>& objects, std::int64_t root, const ProcessGroup& group) {
    const auto members = group_for(group, Operation::kGather);
    if (!members) return;
    std::int64_t place = 0;
    const std::string own = or_refuse(*members, Operation::kGather, [&] {
        place = members->place_of(root, "gather_object: root");
        return packed(object);
    });
    const std::vector<std::string> gathered = gather_texts_on(place, own, ProcessGroup(members));
    if (members->me() != place) return;
    std::vector<Value> all;
    for (const std::string& bytes : gathered) all.push_back(unpacked(bytes));
    objects = std::move(all);
}

void broadcast_object_list(std::vector<Value>& objects, std::int64_t root, const ProcessGroup& group) {
    const auto members = group_for(group, Operation::kBroadcast);
    if (!members) return;
    bool sends = false;
    const Tensor own = or_refuse(*members, Operation::kBroadcast, [&] {
        sends = members->me() == members->place_of(root, "broadcast_object_list: root");
        return sends ? as_tensor(packed(Value::list(objects))) : Tensor();
    });
    const ProcessGroup in(members);
    const Tensor length = number(sends ? own.numel() : 0);
    broadcast(length, root, in);
    const Tensor bytes = sends ? own : reel::empty({length.item<std::int64_t>()}, kByte);
    broadcast(bytes, root, in);
    if (!sends) objects = from_tensor(bytes).elements();
}

void scatter_object_list(Value& output, const std::vector<Value>& objects, std::int64_t root,
                         const ProcessGroup& group) {
    const auto members = group_for(group, Operation::kScatter);
    if (!members) return;
    const std::vector<std::string> of_all = or_refuse(*members, Operation::kScatter, [&] {
        std::vector<std::string> list;
        if (members->me() != members->place_of(root, "scatter_object_list: root")) return list;
        REEL_CHECK_VALUE(std::int64_t(objects.size()) == members->size(), "scatter_object_list: objects has ",
                         objects.size(), " elements; expected one for each of the group's ", members->size(), " ranks");
        for (const Value& one : objects) list.push_back(packed(one));
        return list;
    });
    output = from_tensor(dealt_out(of_all, root, ProcessGroup(members)));
}

void send_object_list(const std::vector<Value>& objects, std::int64_t peer, std::int64_t tag,
                      const ProcessGroup& group) {
    const Tensor bytes = as_tensor(packed(Value::list(objects)));
    send(number(bytes.numel()), peer, tag, group);
    send(bytes, peer, tag, group);
}

void recv_object_list(std::vector<Value>& objects, std::int64_t peer, std::int64_t tag, const ProcessGroup& group) {
    if (!group_for(group, Operation::kRecv)) return;
    const Tensor length = number(0);
    recv(length, peer, tag, group);
    const Tensor bytes = reel::empty({length.item<std::int64_t>()}, kByte);
    recv(bytes, peer, tag, group);
    objects = from_tensor(bytes).elements();
}

} // namespace reel::distributed
