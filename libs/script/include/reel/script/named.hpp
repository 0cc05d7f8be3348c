// Lists of what a script module has, by name, as libtorch's scripts give them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <reel/autograd/error.hpp>

namespace reel::jit {

/// An entry: `p.name`, `p.value`, or `auto& [name, value]`.
template <class T> struct Named {
    std::string name;
    T value;
};

/// Entries in order; `list["fc.weight"]` finds one by its name. KeyError quoting a name that is not there.
template <class T> class NamedList : public std::vector<Named<T>> {
public:
    using std::vector<Named<T>>::vector;
    using std::vector<Named<T>>::operator[];
    const T& operator[](std::string_view name) const {
        for (const Named<T>& entry : *this)
            if (entry.name == name) return entry.value;
        REEL_THROW(KeyError, "there is no entry '", name, "'");
    }
};

} // namespace reel::jit
