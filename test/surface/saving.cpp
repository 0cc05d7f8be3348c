// Saving and loading. Compiled, not run.
#include <reel/reel.hpp>
#include <sstream>

using namespace reel;

void saving() {
    Tensor t = ones(2);
    std::vector<Tensor> v{t};
    nn::Linear m(2, 3);
    auto sp = m.ptr();
    optim::SGD o(m->parameters(), 0.1);
    data::samplers::RandomSampler rs(3);
    std::stringstream ss;
    save(t, "x");
    save(v, "x");
    save(m, "x");
    save(sp, "x");
    save(o, "x");
    save(rs, "x");
    save(t, ss);
    save(m, ss);
    save(o, ss);
    save(v, ss);
    save(t, [](const void*, size_t n) { return n; });
    load(t, "x");
    load(v, "x");
    load(m, "x");
    load(sp, "x");
    load(o, "x");
    load(rs, "x");
    load(t, ss);
    load(m, ss);
    load(o, ss);
    load(v, ss);
    load(t, "x", kCPU);
    load(m, ss, kCPU);
    const char* p = "";
    load(t, p, size_t(0));
    load(
        t, [](uint64_t, void*, size_t n) { return n; }, [] { return size_t(0); });
    pickle_save(IValue(t));
    pickle_load(pickle_save(IValue(t)));
}
