// Reading differences.json and finding entries in it.
#include "oracle/differences.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>

#include <reel/autograd/error.hpp>

#include "common/difference_entries.hpp"

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

/// What an entry says about cases of ops; nothing where it is about another device.
std::optional<Difference> read_entry(const json::object& o, const std::string& where, const std::string& device) {
    const auto text = [&](const char* field) {
        return text_of(o, field, where, "op, case, aspect, reason and evidence");
    };
    Difference d;
    d.op = text("op");
    d.aspect = text("aspect");
    d.reason = text("reason");
    d.evidence = text("evidence");
    REEL_CHECK_VALUE(std::find(std::begin(aspects), std::end(aspects), d.aspect) != std::end(aspects), where,
                     ": aspect is '", d.aspect,
                     "'; expected forward, in place, backward, double-backward, jvp or refused");
    const json::value* number = o.if_contains("case");
    REEL_CHECK_VALUE(number && number->is_int64() && number->as_int64() >= 0, where,
                     ": 'case' is missing or no case's number");
    d.number = std::size_t(number->as_int64());
    d.inputs = text("inputs");
    if (const json::value* every = o.if_contains("every")) {
        REEL_CHECK_VALUE(every->is_string(), where, ": 'every' is no text; expected a dtype, or \"case\" for all");
        d.every = true;
        if (every->as_string() != "case") d.dtype = std::string(every->as_string());
    }
    if (const json::value* only = o.if_contains("device")) {
        REEL_CHECK_VALUE(only->is_string() && only->as_string() == "cuda", where,
                         ": 'device' is no \"cuda\"; leave it out where the difference is every device's");
        if (device != "cuda") return std::nullopt;
    }
    return d;
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
    for_each_entry(file, [&](const json::object& o, const std::string& where) {
        if (o.contains("kind")) return; // about several ranks
        std::optional<Difference> d = read_entry(o, where, device);
        if (!d) return;
        for (const Difference& e : entries_)
            REEL_CHECK_VALUE(e.op != d->op || e.aspect != d->aspect || e.number != d->number, where, ": ", d->text(),
                             " is listed twice");
        entries_.push_back(std::move(*d));
    });
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
