// Interned qualified names: `aten::add`, `prim::If`.
#pragma once

#include <string>
#include <string_view>

namespace reel::jit {

/// Two symbols of one text are the same address.
class Symbol {
public:
    Symbol() = default;
    Symbol(std::string_view qualified); ///< interned; lives as long as the process
    Symbol(const char* qualified) : Symbol(std::string_view(qualified)) {}
    const std::string& str() const { return *text_; }
    std::string_view ns() const;   ///< `aten`
    std::string_view name() const; ///< `add`
    bool is(std::string_view qualified) const { return *text_ == qualified; }
    friend bool operator==(Symbol a, Symbol b) { return a.text_ == b.text_; }
    const void* address() const { return text_; }

private:
    const std::string* text_ = nullptr;
};

/// The kinds that passes and the interpreter ask for.
namespace prim {
#define REEL_SCRIPT_PRIM(X)                                                                                            \
    X(Constant)                                                                                                        \
    X(If)                                                                                                              \
    X(Loop)                                                                                                            \
    X(Return)                                                                                                          \
    X(Param)                                                                                                           \
    X(GetAttr)                                                                                                         \
    X(SetAttr)                                                                                                         \
    X(CallMethod)                                                                                                      \
    X(CallFunction) X(CreateObject) X(ListConstruct) X(TupleConstruct) X(DictConstruct) X(ListUnpack) X(TupleUnpack)   \
        X(TupleIndex) X(RaiseException) X(Print) X(unchecked_cast) X(Uninitialized) X(isinstance) X(Enter) X(Exit)     \
            X(fork) X(EnumName) X(EnumValue) X(NumToTensor) X(ModuleContainerIndex) X(tolist) X(dtype) X(device)       \
                X(requires_grad)
#define REEL_SCRIPT_DECLARE(name) extern const Symbol name;
REEL_SCRIPT_PRIM(REEL_SCRIPT_DECLARE)
#undef REEL_SCRIPT_DECLARE
} // namespace prim

} // namespace reel::jit
