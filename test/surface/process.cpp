// Process-wide controls. Compiled, not run.
#include <iostream>
#include <reel/reel.hpp>

using namespace reel;

void process() {
    cuda::is_available();
    cuda::device_count();
    cuda::synchronize();
    cuda::cudnn_is_available();
    cuda::manual_seed(3);
    cuda::manual_seed_all(3);
    set_num_threads(1);
    get_num_threads();
    set_num_interop_threads(1);
    get_num_interop_threads();
    init_num_threads();
    parallel_for(0, 10, 1, [](int64_t, int64_t) {});
    parallel_reduce(
        0, 10, 1, 0.0, [](int64_t, int64_t, double a) { return a; }, std::plus<double>());
    get_parallel_info();
    globalContext().setDeterministicAlgorithms(true, false);
    globalContext().deterministicAlgorithms();
    use_deterministic_algorithms(true);
    set_printoption_sci_mode(true);
    equal_if_defined(ones(2), ones(2));
    std::cout << REEL_VERSION << REEL_VERSION_MAJOR << REEL_VERSION_MINOR << REEL_VERSION_PATCH;
}
