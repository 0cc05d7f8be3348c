// Trains on handwritten digits: five classes, then a new head on frozen features, then everything.
#include <cstdio>
#include <filesystem>
#include <iostream>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/serialize/safetensors.hpp>

#include "report.hpp"

namespace {

void run(const digits::Options& options) {
    namespace fs = std::filesystem;
    if (options.threads > 0) reel::set_num_threads(options.threads);
    // Everything that is given is read before anything is written.
    digits::Trainer trainer(options, digits::load_digits(options.data));
    if (options.resume) trainer.resume(options.checkpoint());
    std::error_code error;
    fs::create_directories(options.out, error);
    if (error) throw std::runtime_error(options.out + ": cannot be made: " + error.message());

    trainer.run();

    digits::Results results;
    const auto& test = trainer.data().test;
    results.predicted = trainer.predict(test.data());
    results.accuracy = reel::eq(results.predicted, test.target()).to(reel::kDouble).mean().item<double>();
    trainer.net()->to(reel::Device(reel::kCPU)); // what is written and drawn
    reel::OrderedDict<std::string, reel::Tensor> weights;
    for (const auto& item : trainer.net()->state_dict()) weights.insert(item.key(), item.value().toTensor());
    reel::serialize::save_file(weights, options.out + "/model.safetensors");
    const std::string report = digits::report_html(trainer, results);
    reel::serialize::write_file_atomically(options.out + "/report.html", {report});
    std::printf("wrote %s/model.safetensors, checkpoint.safetensors and report.html\n", options.out.c_str());
    std::printf("test accuracy %.4f\n", results.accuracy);
}

} // namespace

int main(int argc, char** argv) {
    try {
        const digits::Options options = digits::parse_options(argc, argv);
        if (options.help) {
            std::cout << options.help_text;
            return 0;
        }
        run(options);
        return 0;
    } catch (const std::exception& e) {
        const std::string text = e.what();
        std::cerr << "digits: " << text.substr(0, text.find('\n')) << std::endl;
        return 2;
    }
}
