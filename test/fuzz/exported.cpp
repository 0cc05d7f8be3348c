// libFuzzer target: the input is a `.pt2` file of torch.export, which is read, printed, run and written again.
#include <reel/autograd/ops/factory/factories.hpp>
#include <reel/script/exported_program.hpp>

#include "archive_mutator.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace reel;
    const jit::Function::LimitScope limits(fuzz::small_limits());
    fuzz::accepted([&] {
        const jit::ExportedProgram p =
            jit::load_exported_from_buffer(std::string(reinterpret_cast<const char*>(data), size));
        const std::string text = p->str();
        for (const std::initializer_list<std::int64_t> sizes : {std::initializer_list<std::int64_t>{2, 3}, {4}})
            fuzz::accepted([&] { p({IValue(reel::ones(sizes))}); });
        std::string bytes;
        if (!fuzz::accepted([&] { bytes = jit::save_exported_to_buffer(p); })) return; // it ran and changed its state
        jit::ExportedProgram again;
        if (!fuzz::accepted([&] { again = jit::load_exported_from_buffer(bytes); }))
            fuzz::broken("what save_exported wrote, load_exported refuses");
        if (again->str() != text) fuzz::broken("a program is another one when it is written and read");
    });
    return 0;
}
