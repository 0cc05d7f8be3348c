// Switches for the whole process, and CUDA as a program without the device library sees it.
#include "tape_helpers.hpp"

#include <boost/test/unit_test.hpp>

#include <sstream>

#include <reel/autograd/context.hpp>
#include <reel/autograd/cuda.hpp>
#include <reel/autograd/printing.hpp>

using namespace reel;
using namespace tape_test;

BOOST_AUTO_TEST_SUITE(process_switches)

BOOST_AUTO_TEST_CASE(deterministic_algorithms) {
    BOOST_TEST(!are_deterministic_algorithms_enabled());
    globalContext().alertNotDeterministic("some_op");
    use_deterministic_algorithms(true);
    BOOST_TEST(globalContext().deterministicAlgorithms());
    BOOST_CHECK_EXCEPTION(globalContext().alertNotDeterministic("some_op"), Error,
                          says("some_op has no deterministic implementation", "warn_only"));
    globalContext().setDeterministicAlgorithms(true, true);
    BOOST_TEST(globalContext().deterministicAlgorithmsWarnOnly());
    {
        const Warnings warnings;
        globalContext().alertNotDeterministic("some_op");
        BOOST_TEST(warnings.mention("some_op"));
    }
    use_deterministic_algorithms(false);
    BOOST_TEST(!are_deterministic_algorithms_enabled());
}

BOOST_AUTO_TEST_CASE(switches_of_libraries_and_algorithms) {
    using Get = bool (Context::*)() const;
    using Set = void (Context::*)(bool);
    const auto holds = [](Get get, Set set, bool otherwise) {
        Context& c = globalContext();
        BOOST_TEST((c.*get)() == otherwise);
        (c.*set)(!otherwise);
        BOOST_TEST((c.*get)() != otherwise);
        (c.*set)(otherwise);
    };
    holds(&Context::userEnabledWinograd, &Context::setUserEnabledWinograd, true);
    holds(&Context::userEnabledCuDNN, &Context::setUserEnabledCuDNN, true);
    holds(&Context::deterministicCuDNN, &Context::setDeterministicCuDNN, false);
    holds(&Context::benchmarkCuDNN, &Context::setBenchmarkCuDNN, false);
    holds(&Context::allowTF32CuDNN, &Context::setAllowTF32CuDNN, true);
    holds(&Context::allowTF32CuBLAS, &Context::setAllowTF32CuBLAS, false);
}

BOOST_AUTO_TEST_CASE(cuda_without_the_device_library) {
    BOOST_TEST(!cuda::is_available());
    BOOST_TEST(!hasCUDA());
    BOOST_TEST(cuda::device_count() == 0);
    BOOST_TEST(!cuda::cudnn_is_available());
    BOOST_TEST(cuda::unavailable_reason().find("libreel_cuda") != std::string::npos);
    cuda::manual_seed(1);
    cuda::manual_seed_all(1);
    BOOST_CHECK_EXCEPTION(cuda::synchronize(), Error, says("no device can be used", "libreel_cuda"));
}

BOOST_AUTO_TEST_CASE(scientific_notation) {
    const auto text = [](const Tensor& t) {
        std::ostringstream out;
        out << t;
        return out.str();
    };
    const Tensor t = tensor({1.5, 2.25}), wide = tensor({1.0, 1e6});
    set_printoption_sci_mode(true);
    BOOST_TEST(text(t).find("1.5000e+00, 2.2500e+00") != std::string::npos);
    set_printoption_sci_mode(false);
    BOOST_TEST(text(wide).find("e+") == std::string::npos);
    set_printoption_sci_mode(std::nullopt);
    BOOST_TEST(text(t).find("1.5000, 2.2500") != std::string::npos);
    BOOST_TEST(text(wide).find("1.0000e+06") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(options_as_text) {
    std::ostringstream out;
    out << TensorOptions().dtype(kDouble).requires_grad(true);
    BOOST_TEST(out.str() == "TensorOptions(dtype=double, device=cpu (default), layout=Strided (default), "
                            "requires_grad=true, pinned_memory=false (default), memory_format=(nullopt))");
}

BOOST_AUTO_TEST_SUITE_END()
