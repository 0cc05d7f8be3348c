// Reading differences.json and finding entries in it.
#include "oracle/differences.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>

#include <reel/autograd/error.hpp>

namespace replay {

using namespace reel;

namespace {

constexpr std::string_view aspects[] = {"forward", "in place", "backward", "double-backward", "jvp", "refused"};

/// FNV-1a, 64 bits.
struct Hash {
    std::uint64_t value = 14695981039346656037ull;
    void add(const void* data, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i)
            value = (value ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211ull;
    }
    void add(const std::string& text) { add(text.data(), text.size()); }
};
void add_tensors(Hash& hash, const CaseFile& file, const json::value& v) {
    if (const auto* text = v.if_string()) {
        const std::string key(*text);
        if (!file.has(key)) return;
        const Tensor t = file.tensor(key);
        hash.add(str(dtype_name(t.scalar_type()), t.sizes()));
        if (t.numel() > 0) hash.add(t.data_ptr(), std::size_t(t.numel() * t.element_size()));
    } else if (const auto* list = v.if_array()) {
        for (const json::value& e : *list) add_tensors(hash, file, e);
    } else if (const auto* object = v.if_object()) {
        for (const auto& [key, e] : *object) add_tensors(hash, file, e);
    }
}
std::string text_of(const json::object& entry, const char* field, const std::string& where) {
    const json::value* v = entry.if_contains(field);
    REEL_CHECK_VALUE(v && v->is_string() && !v->as_string().empty(), where, ": '", field,
                     "' is missing or no text; an entry has op, case, aspect, reason and evidence");
    return std::string(v->as_string());
}

} // namespace

std::string digest(const CaseFile& file, const json::object& data) {
    Hash hash;
    for (const char* field : {"args", "kwargs", "cotangents", "grad_cotangents", "tangents"})
        if (const json::value* v = data.if_contains(field)) {
            hash.add(json::serialize(*v));
            add_tensors(hash, file, *v);
        }
    std::ostringstream os;
    os << std::hex;
    os.width(16);
    os.fill('0');
    os << hash.value;
    return os.str();
}

std::string Difference::text() const {
    return "ops/" + op + " case " + std::to_string(number) +
           (every ? " (for every" + (dtype.empty() ? "" : " " + dtype) + " case)" : "") + ", " + aspect;
}

Differences::Differences(const std::filesystem::path& file, const std::string& device) {
    std::ifstream in(file);
    REEL_CHECK_VALUE(in, file.string(), ": cannot be read");
    std::stringstream text;
    text << in.rdbuf();
    boost::system::error_code wrong;
    const json::value list = json::parse(text.str(), wrong);
    REEL_CHECK_VALUE(!wrong && list.is_array(), file.string(), ": is not a JSON list: ", wrong.message());
    for (const json::value& v : list.get_array()) {
        const std::string where = str(file.string(), ": entry ", entries_.size());
        REEL_CHECK_VALUE(v.is_object(), where, " is no object");
        const json::object& o = v.get_object();
        Difference d;
        d.op = text_of(o, "op", where);
        d.aspect = text_of(o, "aspect", where);
        d.reason = text_of(o, "reason", where);
        d.evidence = text_of(o, "evidence", where);
        REEL_CHECK_VALUE(std::find(std::begin(aspects), std::end(aspects), d.aspect) != std::end(aspects), where,
                         ": aspect is '", d.aspect,
                         "'; expected forward, in place, backward, double-backward, jvp or refused");
        const json::value* number = o.if_contains("case");
        REEL_CHECK_VALUE(number && number->is_int64() && number->as_int64() >= 0, where,
                         ": 'case' is missing or no case's number");
        d.number = std::size_t(number->as_int64());
        d.inputs = text_of(o, "inputs", where);
        if (const json::value* every = o.if_contains("every")) {
            REEL_CHECK_VALUE(every->is_string(), where, ": 'every' is no text; expected a dtype, or \"case\" for all");
            d.every = true;
            if (every->as_string() != "case") d.dtype = std::string(every->as_string());
        }
        if (const json::value* only = o.if_contains("device")) {
            REEL_CHECK_VALUE(only->is_string() && only->as_string() == "cuda", where,
                             ": 'device' is no \"cuda\"; leave it out where the difference is every device's");
            if (device != "cuda") continue;
        }
        for (const Difference& e : entries_)
            REEL_CHECK_VALUE(e.op != d.op || e.aspect != d.aspect || e.number != d.number, where, ": ", d.text(),
                             " is listed twice");
        entries_.push_back(std::move(d));
    }
}

bool Differences::lists(const CaseFile& file, std::size_t index, const json::object& data, const std::string& aspect,
                        bool differs) {
    bool listed = false;
    for (Difference& d : entries_) {
        if (d.op != file.stem()) continue;
        const bool named = d.number == index && (d.met || d.inputs == digest(file, data));
        d.met |= named;
        if (d.aspect != aspect) continue;
        if (named) {
            d.compared = true;
            d.differed = differs;
        }
        listed |= named || (d.every && (d.dtype.empty() || data.at("dtype").as_string() == d.dtype));
    }
    return listed;
}

std::vector<std::string> Differences::stale(const CaseFile& file, bool partial) const {
    std::vector<std::string> wrong;
    for (const Difference& d : entries_) {
        if (d.op != file.stem()) continue;
        if (d.number >= file.cases().size() && !d.every)
            wrong.push_back(str(d.text(), ": listed, but the file has ", file.cases().size(), " cases"));
        else if (d.met && !d.compared && !partial)
            wrong.push_back(d.text() + ": listed, but the case does not have that aspect");
        else if (d.compared && !d.differed)
            wrong.push_back(d.text() + ": equals the reference, though listed as different (" + d.reason +
                            "); take the entry out of the list");
    }
    return wrong;
}

std::size_t Differences::for_other_inputs(const CaseFile& file) const {
    return std::size_t(std::count_if(entries_.begin(), entries_.end(),
                                     [&](const Difference& d) { return d.op == file.stem() && !d.met; }));
}

} // namespace replay
