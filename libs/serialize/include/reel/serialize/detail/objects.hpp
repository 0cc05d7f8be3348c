// What objects are saved by: their archive, their state dict, their value.
#pragma once

#include <type_traits>
#include <vector>

#include <reel/autograd/archive.hpp>
#include <reel/autograd/value.hpp>

namespace reel::serialize::detail {

/// A state dict as a value: an ordered dict with `_metadata` where there are any, as Python's.
inline Value state_value(Value v) { return v; }
template <class StateDict>
requires requires(const StateDict& d) { d.to_value(); }
Value state_value(const StateDict& dict) { return dict.to_value(); }

template <class T>
concept HasStateDict = requires(T& t) {
    t.state_dict();
};
/// Objects that are saved by what they hold: modules, optimizers, schedulers, samplers, state dicts.
template <class T>
concept Saveable = HasArchiveSave<T> || HasStateDict<T> || requires(const T& t) {
    t.to_value();
};
template <class T>
concept Loadable = HasArchiveLoad<T> || HasStateDict<T> || requires(const Value& v) {
    T::from_value(v);
};
/// Holders of such objects and pointers to them.
template <class P>
concept SaveablePointer = !Saveable<P> && requires(const P& p) {
    *p;
    requires Saveable<std::remove_cvref_t<decltype(*p)>>;
};
template <class P>
concept LoadablePointer = !Loadable<P> && requires(const P& p) {
    *p;
    requires Loadable<std::remove_reference_t<decltype(*p)>>;
};
template <class P> void check_pointer(const P& p, const char* what) {
    if constexpr (requires { p == nullptr; }) REEL_CHECK(p != nullptr, what, ": the pointer is empty");
}

template <Saveable T> Value saved_value(const T& object) {
    if constexpr (HasArchiveSave<T>) {
        OutputArchive archive;
        object.save(archive);
        // what is no more than a state dict is written as one, which Python's modules and optimizers load
        if constexpr (HasStateDict<T>)
            if (archive.is_standard()) return state_value(const_cast<T&>(object).state_dict());
        return archive.value();
    } else if constexpr (HasStateDict<T>) return state_value(const_cast<T&>(object).state_dict());
    else return object.to_value();
}
template <Loadable T> void load_object(T& object, InputArchive& archive) {
    if constexpr (HasArchiveLoad<T>) object.load(archive);
    else if constexpr (HasStateDict<T>) {
        using State = std::decay_t<decltype(object.state_dict())>;
        if constexpr (std::is_convertible_v<State, Value>) object.load_state_dict(archive.value());
        else object.load_state_dict(State::from_value(archive.value()));
    } else object = T::from_value(archive.value());
}
void load_object(Tensor& tensor, const InputArchive& archive);
void load_object(std::vector<Tensor>& tensors, const InputArchive& archive);

} // namespace reel::serialize::detail
