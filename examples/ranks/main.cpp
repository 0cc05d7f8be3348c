// Training on several ranks, as threads or processes: `ranks --model gpt -n 3`, `reel-run -n 3 ranks --model gpt`,
// `mpirun -n 3 ranks --model gpt`.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <reel/autograd/ops.hpp>
#include <reel/distributed/collectives.hpp>
#include <reel/distributed/session.hpp>

#include "../device.hpp"
#include "options.hpp"
#include "records.hpp"
#include "task.hpp"

namespace {

using namespace reel;
using namespace ranks;

void train(const Options& options) {
    Device device = device_named(options.device);
    if (device.is_cuda()) device = Device(kCUDA, DeviceIndex(distributed::rank() % cuda::device_count()));
    const std::unique_ptr<Task> task = options.model == "gpt" ? gpt_task(device) : digits_task(options, device);
    std::int64_t step = 0;
    distributed::checkpoint::State state;
    state.add("model", task->module()).add("optimizer", task->optimizer()).add("step", step);
    task->add_to(state);
    if (!options.checkpoint.empty() && distributed::checkpoint::exists(options.checkpoint))
        distributed::checkpoint::load(state, options.checkpoint);
    const std::int64_t first = step;
    Record record;
    while (step < options.steps) {
        const auto begin = std::chrono::steady_clock::now();
        task->optimizer().zero_grad();
        const Tensor loss = task->loss(step);
        loss.backward();
        task->optimizer().step();
        record.losses.push_back(loss.item<double>());
        record.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        ++step;
        note_memory(record, *task);
        if (!options.checkpoint.empty() && (step % 10 == 0 || step == options.steps))
            distributed::checkpoint::save(state, options.checkpoint);
    }
    const auto verdict = task->verdict();
    const std::vector<Record> records = gathered(record);
    if (distributed::rank() != 0) return;
    write_report(options.out, *task, first, records, verdict);
    for (std::size_t r = 0; r < records.size(); ++r)
        std::printf("rank %zu: last loss %.4f, %.0f KiB of parameters, %.0f KiB of state\n", r,
                    records[r].losses.empty() ? 0 : records[r].losses.back(), records[r].parameter_bytes / 1024,
                    records[r].state_bytes / 1024);
    std::printf("%s %s\nreport: %s\n", verdict.first.c_str(), verdict.second.c_str(), options.out.c_str());
}
/// Has reel-run, srun or mpirun started this process as one of several?
bool is_started_as_rank() { return std::getenv("RANK") || std::getenv("OMPI_COMM_WORLD_RANK"); }

} // namespace

int main(int argc, char** argv) {
    try {
        const Options options = parse_options(argc, argv);
        if (options.help) return 0;
        if (is_started_as_rank()) {
            const distributed::Session session;
            train(options);
        } else distributed::spawn(options.ranks, [&](std::int64_t) { train(options); });
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "ranks: %s\n", e.what());
        return 2;
    }
}
