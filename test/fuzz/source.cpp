// libFuzzer target: the input is source text, which is compiled, printed and run.
#include "script.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace reel;
    const jit::Function::LimitScope limits(fuzz::small_limits());
    const std::string text(reinterpret_cast<const char*>(data), size);
    fuzz::accepted([&] {
        const auto unit = std::make_shared<jit::CompilationUnit>();
        jit::compile_functions(*unit, text);
        for (jit::Function* f : unit->functions()) {
            fuzz::check_function(*f, *unit);
            fuzz::accepted([&] { (*f)({}); });
        }
    });
    fuzz::accepted([&] { // the same as methods
        const jit::Module m("M");
        m.define(text);
        for (const jit::Method& method : m.get_methods()) method.code();
    });
    return 0;
}
