// Reading a checkpoint: into objects, as tensors, for its sums.
#include <reel/distributed/checkpoint.hpp>

#include <filesystem>

#include <reel/autograd/error.hpp>
#include <reel/serialize/safetensors.hpp>

#include "agreement/texts.hpp"
#include "checkpoint/reader.hpp"
#include "checkpoint/world.hpp"

namespace reel::distributed::checkpoint {

namespace fs = std::filesystem;

namespace {
/// What changes the objects, once everything was read and checked.
std::vector<std::function<void()>> prepared(State& state, Reader& reader, const World& world) {
    std::vector<std::function<void()>> changes;
    std::string missing;
    for (const auto& item : state.items())
        if (!reader.index().objects.contains(item->name()))
            missing += (missing.empty() ? "'" : ", '") + item->name() + "'";
    std::string known;
    for (const auto& item : reader.index().objects) known += (known.empty() ? "'" : ", '") + item.key() + "'";
    REEL_CHECK_WITH(KeyError, missing.empty(), "checkpoint::load: there is no ", missing, "; there are ",
                    known.empty() ? std::string("none") : known);
    const Fetch fetch = [&](const Value& mark, const std::optional<Shard>& shard) { return reader.fetch(mark, shard); };
    for (const auto& item : state.items()) {
        const StoredObject& object = reader.index().objects[item->name()];
        REEL_CHECK_VALUE(object.local == item->is_local(), "checkpoint::load: '", item->name(), "' was saved ",
                         object.local ? "by each rank for itself" : "as one for all ranks", ", and is to be loaded ",
                         object.local ? "as one for all" : "by each for itself");
        const std::size_t place = object.local ? std::size_t(world.rank) : 0;
        if (place < object.values.size()) changes.push_back(item->prepare(object.values[place], fetch));
    }
    return changes;
}
} // namespace

void load(State& state, const std::string& directory, const Options& options) {
    const World world(options);
    std::vector<std::function<void()>> changes;
    together(world.group, "checkpoint::load", [&] {
        Reader reader(directory);
        changes = prepared(state, reader, world);
    });
    together(world.group, "checkpoint::load", [&] {
        for (const auto& change : changes) change();
    });
}

bool exists(const std::string& directory) {
    if (!fs::exists(fs::path(directory) / index_name)) return false;
    try {
        const Index index = read_index(directory);
        for (const auto& item : index.tensors)
            for (const Piece& p : item->pieces)
                if (!fs::exists(fs::path(directory) / p.file)) return false;
        return true;
    } catch (const Error&) {
        return false;
    }
}
std::string newest(const std::string& parent) {
    std::string found;
    fs::file_time_type when{};
    const auto look = [&](const fs::path& folder) {
        if (!exists(folder.string())) return;
        const auto written = fs::last_write_time(folder / index_name);
        if (!found.empty() && written <= when) return;
        found = folder.string();
        when = written;
    };
    std::error_code none;
    look(parent);
    for (const auto& entry : fs::directory_iterator(parent, none))
        if (entry.is_directory()) look(entry.path());
    return found;
}
void verify(const std::string& directory) {
    Reader reader(directory);
    for (const auto& item : reader.index().tensors) reader.whole(item.key());
}

namespace {
/// Small tensors, which stand among the values, under the names that they would have in files.
void add_small(const Value& value, const std::string& path, OrderedDict<std::string, Tensor>& tensors) {
    with_tensors_replaced(value, path, [&](const Tensor& t, const std::string& name) {
        tensors.insert(name, t);
        return Value(t);
    });
}
} // namespace

OrderedDict<std::string, Tensor> read_tensors(const std::string& directory) {
    Reader reader(directory);
    OrderedDict<std::string, Tensor> tensors("Tensor");
    for (const auto& item : reader.index().tensors) tensors.insert(item.key(), reader.whole(item.key()));
    for (const auto& item : reader.index().objects)
        for (std::size_t r = 0; r < item->values.size(); ++r)
            add_small(item->values[r], item->local ? str(item.key(), "@", r) : item.key(), tensors);
    return tensors;
}
void export_safetensors(const std::string& directory, const std::string& path, const std::string& object) {
    OrderedDict<std::string, Tensor> chosen("Tensor");
    const std::string prefix = object.empty() ? object : object + ".";
    for (const auto& item : read_tensors(directory))
        if (item.key().starts_with(prefix)) chosen.insert(item.key().substr(prefix.size()), *item);
    REEL_CHECK_WITH(KeyError, object.empty() || !chosen.is_empty(), "checkpoint::export_safetensors: '", directory,
                    "' has no tensors of an object '", object, "'");
    serialize::save_file(chosen, path);
}

} // namespace reel::distributed::checkpoint
