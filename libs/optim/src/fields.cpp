// What option and state structs get from their list of fields.
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/optim/optimizer.hpp>

#include <algorithm>
#include <typeinfo>

namespace reel::optim {

Value FieldCodec<StepCount>::get(const StepCount& v) { return reel::full({}, double(v.value), kFloat); }
namespace {
bool wide() { return get_default_dtype() == kDouble; }
} // namespace
StepNumber::StepNumber(double v) : value(wide() ? v : double(float(v))) {}
Value FieldCodec<StepNumber>::get(const StepNumber& v) { return reel::full({}, v.value, wide() ? kDouble : kFloat); }

Tensor FieldCodec<std::vector<Tensor>>::copy_of(const Tensor& t) { return t.detach().clone(); }

std::vector<double> PerGroup::expand(std::size_t n, const char* what) const {
    if (values.size() == 1) return std::vector<double>(n, values[0]);
    REEL_CHECK_VALUE(values.size() == n, what, ": ", values.size(), " values for ", n,
                     " parameter groups; give one, or one for each group");
    return values;
}

namespace {
struct List final : FieldVisitor {
    void visit(const FieldRef& f) override {
        fields.push_back(f);
        if (positional_open) ++positional;
    }
    void keyword_only() override { positional_open = false; }
    void constant(const char* name, const Value& value) override { constants.emplace_back(name, value); }
    const FieldRef* find(std::string_view name) const {
        for (const FieldRef& f : fields)
            if (name == f.name) return &f;
        return nullptr;
    }
    std::vector<FieldRef> fields;
    std::vector<std::pair<std::string, Value>> constants;
    std::size_t positional = 0;
    bool positional_open = true;
};
List list(const Fields& o) {
    List v;
    const_cast<Fields&>(o).fields(v); // fields only lists; callers with a const object only read
    return v;
}
bool same(const Value& a, const Value& b) {
    if (a.isSequence() && b.isSequence())
        return std::equal(a.elements().begin(), a.elements().end(), b.elements().begin(), b.elements().end(), same);
    if (!a.isTensor() || !b.isTensor()) return a.is(b);
    const Tensor &x = a.toTensor(), &y = b.toTensor();
    return x.is_same(y) || (x.scalar_type() == y.scalar_type() && x.device() == y.device() && x.equal(y));
}
FieldRef required_field(const Fields& o, std::string_view name) {
    const List all = list(o);
    const FieldRef* f = all.find(name);
    if (!f) {
        std::string known;
        for (const FieldRef& k : all.fields) known += (known.empty() ? "" : ", ") + std::string(k.name);
        REEL_THROW(KeyError, "there is no field '", name, "' (there are ", known, ")");
    }
    return *f;
}
} // namespace

Value Fields::get(std::string_view name) const { return required_field(*this, name).get(); }
void Fields::set(std::string_view name, const Value& value) { required_field(*this, name).set(value); }
bool Fields::has(std::string_view name) const { return list(*this).find(name) != nullptr; }
ValueDict Fields::to_dict() const {
    const List all = list(*this);
    ValueDict dict;
    for (const FieldRef& f : all.fields) dict.set(f.name, f.get());
    for (const auto& [name, value] : all.constants) dict.set(name, value);
    return dict;
}
void Fields::load_dict(const ValueDict& dict) {
    for (const FieldRef& f : list(*this).fields)
        if (const Value* v = dict.find(std::string_view(f.name))) f.set(*v);
}
bool Fields::equals(const Fields& o) const {
    if (typeid(*this) != typeid(o)) return false;
    const List a = list(*this), b = list(o);
    return std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                      [](const FieldRef& x, const FieldRef& y) { return same(x.get(), y.get()); });
}
void Fields::bind(const char* what, const Args& args, const Kwargs& kwargs) {
    const List all = list(*this);
    REEL_CHECK_TYPE(args.size() <= all.positional, what, ": takes at most ", all.positional,
                    " arguments by position, got ", args.size());
    std::vector<char> seen(all.fields.size());
    const auto set_field = [&](std::size_t i, const Value& value) {
        REEL_CHECK_TYPE(!seen[i], what, ": argument '", all.fields[i].name, "' is given twice");
        seen[i] = 1;
        try {
            all.fields[i].set(value);
        } catch (const Error& e) {
            REEL_THROW(TypeError, what, ": argument '", all.fields[i].name, "': ", e.msg());
        }
    };
    for (std::size_t i = 0; i < args.size(); ++i) set_field(i, args[i]);
    for (const auto& [key, value] : kwargs) {
        const std::string& name = key.toStringRef();
        if (const FieldRef* f = all.find(name)) {
            set_field(std::size_t(f - all.fields.data()), value);
            continue;
        }
        const bool ignored =
            std::any_of(all.constants.begin(), all.constants.end(), [&](const auto& c) { return c.first == name; });
        if (ignored) continue;
        std::string known;
        for (const FieldRef& f : all.fields) known += (known.empty() ? "" : ", ") + std::string(f.name);
        REEL_THROW(TypeError, what, ": there is no argument '", name, "' (it has ", known, ")");
    }
    for (std::size_t i = 0; i < seen.size(); ++i)
        REEL_CHECK_TYPE(seen[i] || !all.fields[i].required, what, ": argument '", all.fields[i].name, "' is missing");
}

double OptimizerOptions::get_lr() const { return get("lr").toDouble(); }
void OptimizerOptions::set_lr(double lr) {
    const Value now = get("lr");
    if (!now.isTensor()) return set("lr", lr);
    Rate(now.toTensor()).set(lr);
}
void OptimizerOptions::inherit(const OptimizerOptions& defaults) {
    const List mine = list(*this), theirs = list(defaults);
    REEL_CHECK_TYPE(typeid(*this) == typeid(defaults),
                    "parameter group: its options are of another class than the optimizer's");
    for (std::size_t i = 0; i < mine.fields.size(); ++i)
        if (mine.fields[i].given && !*mine.fields[i].given) {
            mine.fields[i].set(theirs.fields[i].get());
            *mine.fields[i].given = false;
        }
}

} // namespace reel::optim
