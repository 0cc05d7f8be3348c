// Datasets and loaders. Compiled, not run.
#include <reel/reel.hpp>

using namespace reel;

void datasets_and_loaders() {
    using namespace data;
    Example<> e(ones(2), ones(2));
    TensorExample te(ones(2));
    Tensor t = te;
    datasets::TensorDataset td(ones({3, 2}));
    datasets::TensorDataset td2(std::vector<Tensor>{ones(2)});
    auto mp = td.map(transforms::Stack<TensorExample>());
    samplers::SequentialSampler s(3);
    s.index();
    auto dl = make_data_loader(std::move(mp), DataLoaderOptions(2)
                                                  .workers(2)
                                                  .max_jobs(4)
                                                  .timeout(std::chrono::milliseconds(100))
                                                  .enforce_ordering(false)
                                                  .drop_last(true));
    for (auto& b : *dl) (void)b;
    dl->options();
    dl->join();
    try {
    } catch (const WorkerException& w) {
        w.original_exception;
    }
}
