// Writing a checkpoint: everybody's file, then the index.
#include <reel/distributed/checkpoint.hpp>

#include <algorithm>
#include <filesystem>

#include <reel/autograd/error.hpp>
#include <reel/distributed/session.hpp>
#include <reel/serialize/save_load.hpp>

#include "agreement/texts.hpp"
#include "checkpoint/collector.hpp"
#include "checkpoint/world.hpp"

namespace reel::distributed::checkpoint {

namespace fs = std::filesystem;

World::World(const Options& options)
    : group(options.group      ? options.group
            : is_initialized() ? default_group()
                               : ProcessGroup()),
      rank(group ? group.rank() : 0), size(group ? group.size() : 1) {}

namespace {
/// The number of the checkpoint to come; makes the folder.
std::int64_t next_number(const World& world, const std::string& directory) {
    std::int64_t number = 0;
    together(world.group, "checkpoint::save", [&] {
        if (world.rank != 0) return;
        std::error_code error;
        fs::create_directories(directory, error);
        REEL_CHECK(fs::is_directory(directory), "checkpoint::save: cannot make the folder '", directory,
                   "': ", error ? error.message() : std::string("there is a file of that name"));
        number = exists(directory) ? read_index(directory).number + 1 : 1;
    });
    return world.size == 1 ? number : std::stoll(gather_texts(std::to_string(number), world.group)[0]);
}

/// What a rank tells the first one: states that are wanted of all, and its tensors.
std::string told(const std::vector<Value>& values, const State& state, const Collector& own) {
    std::vector<Value> wanted;
    for (std::size_t i = 0; i < values.size(); ++i)
        wanted.push_back(state.items()[i]->is_spread() ? values[i] : Value());
    ValueDict tensors;
    for (const auto& item : own.tensors()) tensors.set(item.key(), to_value(*item));
    const std::vector<char> bytes =
        pickle_save(ValueDict{{"values", Value::list(std::move(wanted))}, {"tensors", Value(std::move(tensors))}});
    return {bytes.begin(), bytes.end()};
}

void merge_tensors(Index& index, const ValueDict& tensors, std::int64_t rank) {
    for (const auto& [key, value] : tensors) {
        const StoredTensor given = stored_tensor(value);
        StoredTensor* known = index.tensors.find(key.toStringRef());
        if (!known) known = &index.tensors.insert(key.toStringRef(), StoredTensor{given.dtype, given.sizes, {}});
        REEL_CHECK(known->sizes == given.sizes && known->dtype == given.dtype, "checkpoint::save: '", key.toStringRef(),
                   "' is ", dtype_name(given.dtype), " ", IntArrayRef(given.sizes), " on rank ", rank, " and ",
                   dtype_name(known->dtype), " ", IntArrayRef(known->sizes), " on a rank before it");
        for (const Piece& p : given.pieces)
            if (std::none_of(known->pieces.begin(), known->pieces.end(),
                             [&](const Piece& o) { return o.begin == p.begin; }))
                known->pieces.push_back(p);
    }
}
/// Every row of every tensor must lie in a file that this rank sees.
void check_complete(Index& index, const std::string& directory) {
    for (auto& item : index.tensors) {
        std::vector<Piece>& pieces = item->pieces;
        std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
        std::int64_t next = 0, rows = item->sizes.empty() ? 1 : item->sizes[0];
        for (const std::int64_t size : item->sizes)
            if (size == 0) rows = 0;
        for (const Piece& p : pieces) {
            REEL_CHECK(p.begin == next, "checkpoint::save: of '", item.key(), "' no rank has rows ", next, " to ",
                       p.begin - 1, ", or two have the same: the ranks' states do not make a whole");
            next += p.rows;
            REEL_CHECK(fs::exists(fs::path(directory) / p.file), "checkpoint::save: ", p.file,
                       " was written by its rank, but the first rank does not see it in '", directory,
                       "': expected a folder that all ranks share");
        }
        REEL_CHECK(next == rows, "checkpoint::save: of '", item.key(), "' no rank has rows ", next, " to ", rows - 1,
                   ": the ranks' states do not make a whole");
    }
}
Index index_of(const State& state, const std::vector<Value>& own, const std::vector<std::string>& texts,
               std::int64_t number) {
    Index index;
    index.number = number;
    index.world = std::int64_t(texts.size());
    std::vector<std::vector<Value>> values; // [rank][item]
    for (std::size_t r = 0; r < texts.size(); ++r) {
        const Value dict = pickle_load(std::vector<char>(texts[r].begin(), texts[r].end()));
        values.push_back(dict.toGenericDict().at("values").elements());
        merge_tensors(index, dict.toGenericDict().at("tensors").toGenericDict(), std::int64_t(r));
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
        const detail::Item& item = *state.items()[i];
        StoredObject object{item.is_local(), {}};
        if (item.is_local())
            for (const auto& of_rank : values) object.values.push_back(of_rank.at(i));
        else {
            Value merged = own[i];
            for (std::size_t r = 1; item.is_spread() && r < values.size(); ++r)
                merged = item.merged(std::move(merged), values[r].at(i));
            object.values.push_back(std::move(merged));
        }
        index.objects.insert(item.name(), std::move(object));
    }
    return index;
}
/// Files of other checkpoints than `index`, and what was not completed.
void delete_others(const Index& index, const std::string& directory) {
    std::vector<std::string> wanted;
    for (const auto& item : index.tensors)
        for (const Piece& p : item->pieces) wanted.push_back(p.file);
    std::sort(wanted.begin(), wanted.end());
    std::error_code ignored; // what stays costs its place, and goes with the next
    for (const auto& entry : fs::directory_iterator(directory, ignored)) {
        const std::string file = entry.path().filename().string();
        if (is_shard_name(file) && !std::binary_search(wanted.begin(), wanted.end(), file))
            fs::remove(entry.path(), ignored);
    }
}
} // namespace

void save(const State& state, const std::string& directory, const Options& options) {
    const World world(options);
    const std::int64_t number = next_number(world, directory);
    Collector own(number, world.rank, world.size);
    std::vector<Value> values;
    std::string text;
    Index index;
    try {
        together(world.group, "checkpoint::save", [&] {
            for (const auto& item : state.items()) values.push_back(own.collect(*item));
            own.write(directory);
            text = told(values, state, own);
        });
        const std::vector<std::string> texts =
            world.size == 1 ? std::vector<std::string>{text} : gather_texts_on(0, text, world.group);
        together(world.group, "checkpoint::save", [&] {
            if (world.rank != 0) return;
            index = index_of(state, values, texts, number);
            check_complete(index, directory);
            write_index(index, directory);
        });
    } catch (const DistError&) {
        throw; // perhaps the index was written: what belongs to none is deleted by the next save
    } catch (...) {
        std::error_code ignored;
        fs::remove(fs::path(directory) / own.file(), ignored);
        throw;
    }
    if (world.rank == 0) delete_others(index, directory);
}

} // namespace reel::distributed::checkpoint
