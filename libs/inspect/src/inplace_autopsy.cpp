// Comparing versions, and finding the writes between them.
#include <reel/inspect/inplace_autopsy.hpp>

#include <ostream>
#include <unordered_map>

#include <boost/json.hpp>

#include "recorder_data.hpp"

namespace reel::inspect {

namespace {

/// What the model calls its memory.
struct Names {
    explicit Names(const nn::Module& model) {
        for (const auto& [name, p] : model.parameter_items("", true, true))
            if (p.defined()) parameters.emplace(p.storage().get(), name);
        for (const auto& [name, b] : model.buffer_items("", true, true))
            if (b.defined()) buffers.emplace(b.storage().get(), name);
    }
    std::string of(const Tensor& t) const {
        if (const auto p = parameters.find(t.storage().get()); p != parameters.end()) return p->second;
        const auto b = buffers.find(t.storage().get());
        return b == buffers.end() ? shape_text(t) : b->second;
    }
    bool is_parameter(const Tensor& t) const { return parameters.count(t.storage().get()) > 0; }
    bool is_buffer(const Tensor& t) const { return buffers.count(t.storage().get()) > 0; }
    std::unordered_map<const void*, std::string> parameters, buffers;
};
std::string quoted_place(const std::string& place) { return place.empty() ? std::string() : " at " + place; }

/// The smallest change that helps.
std::string advice_for(const InplaceAutopsy::Case& c, bool parameter, bool buffer) {
    if (c.writes.empty()) return "clone() the tensor before it is changed; no write was seen, so it happened elsewhere";
    const InplaceAutopsy::Write& w = c.writes.front();
    if (parameter)
        return "the parameter was changed between forward and backward" + quoted_place(w.place) +
               ": call backward() before step(), or run forward again after it";
    if (buffer)
        return "the buffer was changed between forward and backward by " + w.op + quoted_place(w.place) +
               ": call backward() before its module runs again, or keep that module in evaluation mode";
    if (!w.op.empty() && w.op.back() == '_' && w.op != "copy_" && w.op != "fill_" && w.op != "zero_") {
        std::string out = w.op;
        out.pop_back();
        return "write x = x." + out + "(...) in place of x." + w.op + "(...)" + quoted_place(w.place) +
               ": the result gets memory of its own";
    }
    return "clone() the tensor before " + w.op + quoted_place(w.place) + ", and write into the clone";
}

} // namespace

InplaceAutopsy inplace_autopsy(const Recorder& recorder) {
    const RecorderData& data = recorder.data();
    InplaceAutopsy r;
    const Names names(*data.model);
    std::unordered_map<const void*, std::vector<const RecorderData::WriteEvent*>> writes;
    for (const RecorderData::WriteEvent& w : data.writes) writes[w.storage].push_back(&w);
    for (const RecorderData::SavedEvent& s : data.saved) {
        const std::vector<Tensor> now = s.node->saved_tensors();
        for (std::size_t i = 0; i < now.size() && i < s.versions.size(); ++i) {
            const Tensor& t = now[i];
            if (!t.defined() || t.impl()->version() == s.versions[i]) continue;
            InplaceAutopsy::Case c;
            c.saver = s.node->name();
            c.saver_module = s.node->module_path();
            c.saver_place = autograd::creation_site(*s.node).text();
            c.tensor = names.of(t);
            c.saved_version = s.versions[i];
            c.version = t.impl()->version();
            if (const auto seen = writes.find(t.storage().get()); seen != writes.end())
                for (const RecorderData::WriteEvent* w : seen->second)
                    if (w->at > s.at) c.writes.push_back({w->op, w->module_path, w->site.text()});
            c.advice = advice_for(c, names.is_parameter(t), names.is_buffer(t));
            r.cases.push_back(std::move(c));
        }
    }
    return r;
}

std::string InplaceAutopsy::text() const {
    if (cases.empty()) return "no saved tensor was written since\n";
    std::string r;
    for (const Case& c : cases) {
        r += str(c.tensor, " is at version ", c.version, ", saved at ", c.saved_version, " by ", c.saver,
                 c.saver_module.empty() ? "" : " in " + c.saver_module, quoted_place(c.saver_place), '\n');
        for (const Write& w : c.writes)
            r += "  written by " + w.op + (w.module_path.empty() ? "" : " in " + w.module_path) +
                 quoted_place(w.place) + '\n';
        r += "  help: " + c.advice + '\n';
    }
    return r;
}
std::string InplaceAutopsy::json() const {
    boost::json::array list;
    for (const Case& c : cases) {
        boost::json::array writes;
        for (const Write& w : c.writes)
            writes.push_back(boost::json::object{{"op", w.op}, {"module", w.module_path}, {"place", w.place}});
        list.push_back(boost::json::object{{"tensor", c.tensor},
                                           {"saver", c.saver},
                                           {"module", c.saver_module},
                                           {"place", c.saver_place},
                                           {"saved_version", c.saved_version},
                                           {"version", c.version},
                                           {"writes", writes},
                                           {"advice", c.advice}});
    }
    return boost::json::serialize(list);
}
std::ostream& operator<<(std::ostream& os, const InplaceAutopsy& autopsy) { return os << autopsy.text(); }

} // namespace reel::inspect
