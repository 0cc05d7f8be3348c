// libFuzzer target: the input is an archive of torch.jit.save, which is read, printed, run and written again.
#include <reel/autograd/ops/factory/factories.hpp>

#include "archive_mutator.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace reel;
    const jit::Function::LimitScope limits(fuzz::small_limits());
    fuzz::accepted([&] {
        const jit::Module m = jit::load_from_buffer(std::string(reinterpret_cast<const char*>(data), size));
        for (const jit::Method& method : m.get_methods())
            fuzz::accepted([&] {
                method.code();
                method.graph()->verify();
            });
        fuzz::accepted([&] { m.forward({}); });
        fuzz::accepted([&] { m.forward({IValue(reel::ones({2, 4}))}); });
        std::string bytes;
        if (!fuzz::accepted([&] { bytes = m.save_to_buffer(); })) return; // a method that does not compile
        if (!fuzz::accepted([&] { jit::load_from_buffer(bytes); })) fuzz::broken("what save wrote, load refuses");
    });
    return 0;
}
