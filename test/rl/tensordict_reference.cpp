// TD-1 to TD-3 over chains of operations on random dictionaries; data/make_tensordict_cases.py had the tensordict
// package do the same.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <boost/json.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/rl/tensordict.hpp>

#include <message.hpp>

using namespace reel;
using namespace reel::rl;
using indexing::TensorIndex;
namespace json = boost::json;

namespace {

using Sizes = std::vector<std::int64_t>;

std::string text_of(const json::value& v) { return std::string(v.as_string()); }
Sizes ints(const json::value& v) { return json::value_to<Sizes>(v); }
NestedKey key_of(const json::value& v) { return NestedKey(json::value_to<std::vector<std::string>>(v)); }
std::vector<NestedKey> keys_of(const json::value& v) {
    std::vector<NestedKey> keys;
    for (const json::value& k : v.as_array()) keys.push_back(key_of(k));
    return keys;
}

Tensor leaf(const json::object& spec) {
    const Sizes sizes = ints(spec.at("shape"));
    std::int64_t n = 1;
    for (const std::int64_t size : sizes) n *= size;
    const ScalarType dtype = dtype_from_name(text_of(spec.at("dtype")).c_str());
    const Tensor values = arange(n) * spec.at("step").as_int64() + spec.at("start").as_int64();
    return values.remainder(dtype == kBool ? 2 : 199).to(dtype).reshape(sizes);
}
TensorDict build(const json::object& spec) {
    TensorDict td(ints(spec.at("batch_size")));
    for (const json::value& item : spec.at("entries").as_array()) {
        const json::object& entry = item.as_array()[1].as_object();
        const NestedKey name = text_of(item.as_array()[0]);
        if (entry.contains("entries")) td.set(name, build(entry));
        else td.set(name, leaf(entry));
    }
    return td;
}

Tensor integers(const json::value& v, const Sizes& sizes) {
    return tensor(v.is_array() ? ints(v) : Sizes{v.as_int64()}).reshape(sizes);
}
std::vector<TensorIndex> index_of(const json::array& items) {
    std::vector<TensorIndex> list;
    const auto part = [](const json::value& v) {
        return v.is_null() ? indexing::Slice::Arg(indexing::None) : indexing::Slice::Arg(v.as_int64());
    };
    for (const json::value& v : items) {
        const json::object& i = v.as_object();
        if (i.contains("int")) list.emplace_back(i.at("int").as_int64());
        else if (i.contains("none")) list.emplace_back(indexing::None);
        else if (i.contains("ellipsis")) list.emplace_back(indexing::Ellipsis);
        else if (i.contains("tensor")) list.emplace_back(integers(i.at("tensor"), ints(i.at("shape"))));
        else if (i.contains("slice")) {
            const json::array& s = i.at("slice").as_array();
            list.emplace_back(indexing::Slice(part(s[0]), part(s[1]), part(s[2])));
        } else {
            Sizes on;
            for (const json::value& b : i.at("mask").as_array()) on.push_back(b.as_bool());
            list.emplace_back(tensor(on).to(kBool).reshape(ints(i.at("shape"))));
        }
    }
    return list;
}

TensorDict run(const TensorDict& td, const json::object& op) {
    const std::string name = text_of(op.at("op"));
    const auto integer = [&](const char* what) { return op.at(what).as_int64(); };
    const auto repeated = [&] { return std::vector<TensorDict>(std::size_t(integer("count")), td); };
    if (name == "index") return td.index(index_of(op.at("index").as_array()));
    if (name == "reshape") return td.reshape(ints(op.at("to")));
    if (name == "transpose") return td.transpose(ints(op.at("dims"))[0], ints(op.at("dims"))[1]);
    if (name == "permute") return td.permute(ints(op.at("dims")));
    if (name == "unsqueeze") return td.unsqueeze(integer("dim"));
    if (name == "squeeze") return td.squeeze(integer("dim"));
    if (name == "expand") return td.expand(ints(op.at("to")));
    if (name == "flatten") return td.flatten(ints(op.at("dims"))[0], ints(op.at("dims"))[1]);
    if (name == "gather") return td.gather(integer("dim"), integers(op.at("index"), ints(op.at("shape"))));
    if (name == "stack") return stack(repeated(), integer("dim"));
    if (name == "cat") return cat(repeated(), integer("dim"));
    if (name == "split") return td.split(integer("size"), integer("dim")).at(std::size_t(integer("part")));
    if (name == "unbind") return td.unbind(integer("dim")).at(std::size_t(integer("part")));
    if (name == "select") return td.select(keys_of(op.at("keys")));
    if (name == "exclude") return td.exclude(keys_of(op.at("keys")));
    if (name == "rename") return td.clone().rename_key_(key_of(op.at("from")), key_of(op.at("to")));
    if (name == "update") return td.clone().update(build(op.at("other").as_object()));
    if (name == "flatten_keys") return td.flatten_keys(text_of(op.at("separator")));
    if (name == "unflatten_keys") return td.unflatten_keys(text_of(op.at("separator")));
    if (name == "without_empty") return td.without_empty();
    if (name == "index_put") return td.clone().index_put_({integer("at")}, td[integer("of")].clone());
    if (name == "batch_size") {
        TensorDict shorter = td.clone(false);
        shorter.set_batch_size(ints(op.at("to")));
        return shorter;
    }
    BOOST_REQUIRE_EQUAL(name, "clone");
    return td.clone();
}

/// As `digest` in the script: order of the names, sizes, and a sum that notices misplaced elements.
json::array digest(const TensorDict& td) {
    json::array out;
    for (const auto& [key, entry] : td.items(true)) {
        json::array path;
        for (const std::string& name : key.path()) path.emplace_back(name);
        if (entry.is_dict()) {
            const Sizes& sizes = entry.dict().batch_size();
            out.push_back(json::array{path, json::array(sizes.begin(), sizes.end())});
            continue;
        }
        const Tensor& t = entry.tensor();
        const Tensor flat = t.reshape({-1}).to(kLong);
        const Tensor weights = arange(flat.numel()).remainder(101) + 1;
        out.push_back(json::array{path, json::array(t.sizes().begin(), t.sizes().end()), dtype_name(t.scalar_type()),
                                  (flat * weights).sum().item<std::int64_t>()});
    }
    return out;
}

json::object load_cases() {
    std::filesystem::path checkout = std::filesystem::current_path();
    while (checkout.has_relative_path() && !std::filesystem::exists(checkout / "Jamroot"))
        checkout = checkout.parent_path();
    const auto file = checkout / "test/rl/data/tensordict_cases.json";
    std::ifstream in(file);
    BOOST_REQUIRE_MESSAGE(in, "cannot open " << file);
    std::ostringstream text;
    text << in.rdbuf();
    return json::parse(text.str()).as_object();
}

} // namespace

BOOST_AUTO_TEST_SUITE(tensordict_reference)

BOOST_AUTO_TEST_CASE(chains_of_operations_give_what_the_package_gives) {
    const json::object file = load_cases();
    std::size_t cases = 0, texts = 0;
    for (const json::value& v : file.at("cases").as_array()) {
        const json::object& c = v.as_object();
        const std::string what = "case " + std::to_string(cases++) + ": " + json::serialize(c.at("ops"));
        TensorDict td = build(c.at("dict").as_object());
        try {
            for (const json::value& op : c.at("ops").as_array()) td = run(td, op.as_object());
        } catch (const Error& e) {
            BOOST_ERROR(what << ": " << e.what());
            continue;
        }
        BOOST_TEST(td.batch_size() == ints(c.at("batch_size")), what);
        const std::string got = json::serialize(digest(td)), expected = json::serialize(c.at("result"));
        BOOST_TEST(got == expected, what << "\n  expected " << expected << "\n  got      " << got);
        if (const json::value* text = c.if_contains("text")) {
            BOOST_TEST(td.str() == text_of(*text), what);
            ++texts;
        }
    }
    BOOST_TEST(cases == 240u);
    BOOST_TEST(texts == 30u);
}

BOOST_AUTO_TEST_SUITE_END()
