// Inside one training step: its memory, its backward node by node, its picture, and what the optimizer did with it.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <reel/reel.hpp>

using namespace reel;

int main() {
    manual_seed(0);
    nn::Sequential net{nn::Linear(8, 16), nn::Tanh(), nn::Linear(16, 2)};
    const Tensor x = randn({32, 8}), y = randint(0, 2, {32});
    optim::SGD sgd(net->parameters(), 0.1);
    const inspect::LeafLedger ledger(*net, {{"sgd", &sgd}});
    {
        const inspect::Recorder recorder(*net);
        cross_entropy(net(x), y).backward();
        std::ofstream(std::getenv("REEL_FLOW_PAGE") ? std::getenv("REEL_FLOW_PAGE") : "/dev/null")
            << inspect::flow_view(recorder).html(); // a page to open in a browser
    }
    sgd.step();
    std::printf("%s\n", ledger.text().c_str());

    // What the tape keeps until backward.
    sgd.zero_grad();
    const Tensor loss = cross_entropy(net(x), y);
    std::printf("%s\n", inspect::tape_bytes(loss, *net).text().c_str());

    // Is there a NaN, and who makes it?
    if (const auto bad = inspect::find_non_finite(loss)) std::printf("%s\n", bad->text.c_str());

    // Backward, one node at a time.
    inspect::BackwardSteps steps(loss);
    while (inspect::BackwardStep* step = steps.next())
        std::printf("%zu %s %s\n", step->number, step->name.c_str(), step->module_path.c_str());

    // A result is saved, then written: who did it, and what helps?
    const inspect::Recorder recorder(*net);
    const Tensor h = sigmoid(net(x));
    h.mul_(2);
    std::printf("\n%s", inspect::inplace_autopsy(recorder).text().c_str());
    return inspect::inplace_autopsy(recorder).cases.size() == 1 ? 0 : 1;
}
