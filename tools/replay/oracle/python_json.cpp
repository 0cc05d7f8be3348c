// Values that Python has written as JSON.
#include <limits>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/serialize/detail/json.hpp>

#include "oracle/ranks.hpp"

namespace replay {

using namespace reel;

json::value parse_python_json(const std::string& text) {
    std::string clean;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '\\') {
            clean.append(text, i++, 2);
            continue;
        }
        if (c == '"') quoted = !quoted;
        bool taken = false;
        for (const char* word : {"NaN", "-Infinity", "Infinity"}) {
            const std::string w(word);
            if (quoted || taken || text.compare(i, w.size(), w) != 0) continue;
            clean += '"' + w + '"';
            i += w.size() - 1;
            taken = true;
        }
        if (!taken) clean += c;
    }
    return serialize::parse_json(clean);
}

namespace {
double number(const json::value& v) {
    if (v.is_bool()) return v.as_bool();
    if (!v.is_string()) return v.to_number<double>();
    const double inf = std::numeric_limits<double>::infinity();
    return v.as_string() == "Infinity"    ? inf
           : v.as_string() == "-Infinity" ? -inf
                                          : std::numeric_limits<double>::quiet_NaN();
}

/// The leaves of nested lists, in order; `depth` lists deep.
void collect(const json::value& v, std::size_t depth, std::vector<const json::value*>& leaves) {
    if (depth == 0) return leaves.push_back(&v);
    for (const json::value& e : v.as_array()) collect(e, depth - 1, leaves);
}
} // namespace

Tensor tensor_of(const json::value& v) {
    if (v.is_null()) return {};
    const json::object& o = v.as_object();
    std::vector<std::int64_t> shape;
    for (const json::value& s : o.at("shape").as_array()) shape.push_back(s.to_number<std::int64_t>());
    const ScalarType dtype = dtype_from_name(std::string(o.at("dtype").as_string()).c_str());
    std::vector<const json::value*> leaves;
    collect(o.at("data"), shape.size(), leaves);
    if (isIntegralType(dtype, true)) {
        std::vector<std::int64_t> values;
        for (const json::value* e : leaves)
            values.push_back(e->is_bool() ? e->as_bool() : e->to_number<std::int64_t>());
        return tensor(values, kLong).reshape(shape).to(dtype);
    }
    if (!isComplexType(dtype)) {
        std::vector<double> values;
        for (const json::value* e : leaves) values.push_back(number(*e));
        return tensor(values, kDouble).reshape(shape).to(dtype);
    }
    std::vector<double> parts;
    for (const json::value* e : leaves)
        for (const json::value& part : e->as_array()) parts.push_back(number(part));
    std::vector<std::int64_t> with_parts = shape;
    with_parts.push_back(2);
    return view_as_complex(tensor(parts, kDouble).reshape(with_parts)).to(dtype);
}

} // namespace replay
