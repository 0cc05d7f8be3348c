// Tests that run where there is a GPU, and say why they do not elsewhere.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

#include <reel/cuda.hpp>

namespace needs {

/// `BOOST_AUTO_TEST_SUITE(name, *boost::unit_test::precondition(needs::device))`: skipped, counted, with the reason.
inline boost::test_tools::assertion_result device(boost::unit_test::test_unit_id) {
    if (reel::cuda::is_available()) return true;
    static const bool said = std::printf("skipped: %s\n", reel::cuda::unavailable_reason().c_str()) > 0;
    boost::test_tools::assertion_result no(!said);
    no.message() << reel::cuda::unavailable_reason();
    return no;
}

/// Is the library that the environment's variable stands for out of reach, so that the host computes in its place?
inline bool lacks(const char* variable) {
    const char* const file = std::getenv(variable);
    return file && !dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

} // namespace needs
