#include "history.hpp"

namespace digits {

using reel::Value;
using reel::ValueDict;

Value to_value(const History& history) {
    std::vector<Value> list;
    for (const EpochRecord& r : history) {
        ValueDict norms;
        for (const auto& [path, norm] : r.norms) norms.set(path, norm);
        list.emplace_back(ValueDict{{"stage", r.stage},
                                    {"epoch", r.epoch},
                                    {"rate", r.rate},
                                    {"loss", r.loss},
                                    {"train_accuracy", r.train_accuracy},
                                    {"test_accuracy", r.test_accuracy},
                                    {"norms", norms}});
    }
    return Value::list(std::move(list));
}
History history_from(const Value& value) {
    History history;
    for (const Value& v : value.elements()) {
        const ValueDict& d = v.toGenericDict();
        EpochRecord r{d.at("stage").toInt(),
                      d.at("epoch").toInt(),
                      d.at("rate").toDouble(),
                      d.at("loss").toDouble(),
                      d.at("train_accuracy").toDouble(),
                      d.at("test_accuracy").toDouble(),
                      {}};
        for (const auto& [path, norm] : d.at("norms").toGenericDict())
            r.norms.emplace_back(path.toStringRef(), norm.toDouble());
        history.push_back(std::move(r));
    }
    return history;
}

} // namespace digits
