// Two nets against each other: while one learns, the other is frozen, and says nothing to the optimizer.
#include <cstdio>

#include <reel/reel.hpp>

#include "device.hpp"

using namespace reel;

namespace {
/// Points near a circle of radius 2.
Tensor real_points(std::int64_t n, Device device) {
    const TensorOptions there(device);
    const Tensor angle = rand({n}, there) * 6.2831853, radius = 2 + 0.05 * randn({n}, there);
    return stack({radius * cos(angle), radius * sin(angle)}, 1);
}
/// How far from the circle the points are, on average.
double distance(const Tensor& points) { return (points.square().sum(1).sqrt() - 2).abs().mean().item<double>(); }
} // namespace

int main(int argc, char** argv) {
    const Device device = device_of(argc, argv);
    manual_seed(0);
    nn::Sequential generator{nn::Linear(2, 64), nn::ReLU(), nn::Linear(64, 64), nn::ReLU(), nn::Linear(64, 2)};
    const auto leaky = nn::LeakyReLUOptions().negative_slope(0.2);
    nn::Sequential critic{nn::Linear(2, 64), nn::LeakyReLU(leaky), nn::Linear(64, 64), nn::LeakyReLU(leaky),
                          nn::Linear(64, 1)};
    for (nn::Sequential* net : {&generator, &critic}) (*net)->to(device);
    const auto options = optim::AdamOptions(1e-3).betas({0.5, 0.999});
    optim::Adam generator_step(generator->parameters(), options), critic_step(critic->parameters(), options);
    const TensorOptions there(device);
    const Tensor is_real = ones({128, 1}, there), is_made = zeros({128, 1}, there);

    const double at_first = distance(generator(randn({512, 2}, there)));
    std::int64_t leaked = 0; // gradients that reached the frozen side
    for (int step = 0; step < 600; ++step) {
        // The critic's turn. The generator is frozen: no tape is kept for its points.
        generator->requires_grad_(false);
        critic->requires_grad_(true);
        critic_step.zero_grad();
        const Tensor made = generator(randn({128, 2}, there));
        (binary_cross_entropy_with_logits(critic(real_points(128, device)), is_real) +
         binary_cross_entropy_with_logits(critic(made), is_made))
            .backward();
        critic_step.step();
        leaked += made.requires_grad();

        // The generator's turn. Gradients flow through the frozen critic, and none stays there.
        generator->requires_grad_(true);
        critic->requires_grad_(false);
        critic->zero_grad();
        generator_step.zero_grad();
        binary_cross_entropy_with_logits(critic(generator(randn({128, 2}, there))), is_real).backward();
        generator_step.step();
        for (const Tensor& p : critic->parameters()) leaked += p.grad().defined();

        if ((step + 1) % 200 == 0)
            std::printf("step %3d  distance from the circle %.3f\n", step + 1,
                        distance(generator(randn({512, 2}, there))));
    }
    const Tensor points = generator(randn({512, 2}, there)).detach();
    std::printf("distance from the circle: %.3f -> %.3f; gradients on the frozen side: %lld\n", at_first,
                distance(points), (long long)leaked);
    return leaked == 0 && distance(points) < at_first / 3 ? 0 : 1;
}
