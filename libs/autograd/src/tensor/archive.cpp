// Archives in memory.
#include <reel/autograd/archive.hpp>

#include <reel/autograd/grad_mode.hpp>

namespace reel::serialize {

struct OutputArchive::State {
    Value entries{ValueDict()};
    std::vector<std::shared_ptr<State>> nested;
    std::size_t standard = 0;
    bool marked = false;
    ValueDict& dict() const { return entries.toGenericDict(); }
    bool holds(const State& other) const {
        if (this == &other) return true;
        for (const auto& n : nested)
            if (n->holds(other)) return true;
        return false;
    }
    bool is_standard() const {
        if (!marked || standard != dict().size()) return false;
        for (const auto& n : nested)
            if (!n->is_standard()) return false;
        return true;
    }
};

OutputArchive::OutputArchive() : state_(std::make_shared<State>()) {}
OutputArchive::OutputArchive(OutputArchive&&) noexcept = default;
OutputArchive& OutputArchive::operator=(OutputArchive&&) noexcept = default;
OutputArchive::~OutputArchive() = default;

void OutputArchive::write(const std::string& key, const Tensor& tensor, bool) {
    write(key, tensor.defined() ? Value(tensor) : Value());
}
void OutputArchive::write(const std::string& key, const Value& value) {
    REEL_CHECK_VALUE(!state_->dict().contains(key), "OutputArchive::write: there is an entry '", key, "' already");
    state_->dict().set(key, value);
}
void OutputArchive::write(const std::string& key, OutputArchive& nested) {
    REEL_CHECK_VALUE(!nested.state_->holds(*state_), "OutputArchive::write: an archive cannot be its own entry '", key,
                     "'");
    write(key, nested.state_->entries);
    state_->nested.push_back(nested.state_);
}
const Value& OutputArchive::value() const { return state_->entries; }
void OutputArchive::mark_standard() {
    state_->standard = state_->dict().size();
    state_->marked = true;
}
bool OutputArchive::is_standard() const { return state_->is_standard(); }

struct InputArchive::Undo {
    std::vector<std::function<void()>> steps;
    int guards = 0;
};

namespace {
Value as_dict(const Value& v) {
    if (v.isGenericDict()) return v;
    ValueDict d;
    if (v.isSequence())
        for (std::size_t i = 0; i < v.elements().size(); ++i) d.set(std::to_string(i), v.elements()[i]);
    else if (!v.isNone()) d.set("0", v);
    return Value(std::move(d));
}
} // namespace

InputArchive::InputArchive() : InputArchive(Value(ValueDict())) {}
InputArchive::InputArchive(Value value, std::string origin)
    : value_(std::move(value)), entries_(as_dict(value_)), origin_(std::move(origin)), undo_(std::make_shared<Undo>()) {
}
InputArchive::InputArchive(InputArchive&&) noexcept = default;
InputArchive& InputArchive::operator=(InputArchive&&) noexcept = default;
InputArchive::~InputArchive() = default;

const Value* InputArchive::find(const std::string& key) const {
    return entries_.toGenericDict().find(std::string_view(key));
}
void InputArchive::missing(const char* what, const std::string& key) const {
    const std::string from = origin_.empty() ? std::string() : " in " + origin_;
    if (const Value* v = find(key))
        REEL_THROW(Error, "No such serialized ", what, " '", path_of(key), "'", from, ": the entry is ", v->repr());
    std::string known;
    std::size_t n = 0;
    for (const std::string& k : keys())
        if (++n <= 10) known += (n > 1 ? ", " : "") + k;
    if (n > 10) known += ", ...";
    const std::string where = path_.empty() ? "the archive" : "'" + path_ + "'";
    REEL_THROW(Error, "No such serialized ", what, " '", path_of(key), "'", from, ": ", where,
               n ? " has " + known : " is empty");
}

bool InputArchive::try_read(const std::string& key, Tensor& tensor, bool) const {
    const Value* v = find(key);
    if (!v || !(v->isTensor() || v->isNone())) return false;
    const NoGradGuard no_grad;
    const Tensor stored = v->isNone() ? Tensor() : v->toTensor();
    if (tensor.defined() && stored.defined())
        tensor.set_data(tensor.device() == stored.device() ? stored : stored.to(tensor.device()));
    else tensor = stored;
    return true;
}
bool InputArchive::try_read(const std::string& key, Value& value) const {
    const Value* v = find(key);
    if (!v) return false;
    value = *v;
    return true;
}
/// What a state dict holds below `path`, which its keys name with dots.
static ValueDict entries_below(const ValueDict& state_dict, const std::string& path) {
    const std::string prefix = path + ".";
    ValueDict part;
    for (const auto& [key, value] : state_dict)
        if (key.isString() && key.toStringRef().starts_with(prefix))
            part.set(Value(key.toStringRef().substr(prefix.size())), value);
    return part;
}
bool InputArchive::try_read(const std::string& key, InputArchive& nested) const {
    const Value* v = find(key);
    Value below;
    if (!v)
        if (ValueDict part = entries_below(entries_.toGenericDict(), key); !part.empty())
            v = &(below = std::move(part));
    if (!v || !v->isGenericDict()) return false;
    InputArchive part(*v, origin_);
    part.path_ = path_of(key);
    part.undo_ = undo_;
    nested = std::move(part);
    return true;
}
void InputArchive::read(const std::string& key, Tensor& tensor, bool is_buffer) const {
    if (!try_read(key, tensor, is_buffer)) missing("tensor", key);
}
void InputArchive::read(const std::string& key, Value& value) const {
    if (!try_read(key, value)) missing("value", key);
}
void InputArchive::read(const std::string& key, InputArchive& nested) const {
    if (!try_read(key, nested)) missing("submodule", key);
}
std::vector<std::string> InputArchive::keys() const {
    std::vector<std::string> r;
    for (const auto& [key, value] : entries_.toGenericDict())
        r.push_back(key.isString() ? key.toStringRef() : key.repr());
    return r;
}

LoadGuard::LoadGuard(InputArchive& archive) : undo_(archive.undo_), begin_(undo_->steps.size()) { ++undo_->guards; }
LoadGuard::~LoadGuard() {
    if (!done_)
        for (std::size_t i = undo_->steps.size(); i > begin_; --i) try {
                undo_->steps[i - 1]();
            } catch (...) { // one that fails must not keep the others from it
            }
    // what an inner guard has completed may still have to be undone by the one around it
    if (--undo_->guards == 0 || !done_) undo_->steps.resize(begin_);
}
void LoadGuard::on_failure(std::function<void()> undo) { undo_->steps.push_back(std::move(undo)); }
void LoadGuard::keep(const Tensor& tensor) {
    const NoGradGuard no_grad;
    on_failure([tensor, before = tensor.detach().clone()] {
        const NoGradGuard no_grad;
        tensor.copy_(before);
    });
}
void LoadGuard::commit() { done_ = true; }

} // namespace reel::serialize
