// What holds with and without a device: availability never throws, and asking for a device that is absent names the
// reason.
#include <reel/cuda/device.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd.hpp>
#include <reel/cuda.hpp>

namespace {
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
} // namespace

BOOST_AUTO_TEST_SUITE(cuda_device)

BOOST_AUTO_TEST_CASE(availability_and_reason_agree) {
    BOOST_TEST(reel::cuda::is_available() == (reel::cuda::device_count() > 0));
    BOOST_TEST(reel::cuda::is_available() == reel::cuda::unavailable_reason().empty());
    BOOST_TEST(!reel::cuda::versions().empty());
}

BOOST_AUTO_TEST_CASE(asking_for_an_absent_device_names_the_reason) {
    if (reel::cuda::is_available()) {
        const auto too_many = reel::Device(reel::kCUDA, reel::DeviceIndex(reel::cuda::device_count()));
        BOOST_CHECK_THROW((void)reel::empty({2}, reel::TensorOptions().device(too_many)), reel::Error);
        return;
    }
    const auto names_it = [](const reel::Error& e) { return contains(e.what(), reel::cuda::unavailable_reason()); };
    BOOST_CHECK_EXCEPTION((void)reel::empty({2}, reel::TensorOptions().device(reel::kCUDA)), reel::Error, names_it);
    BOOST_CHECK_EXCEPTION((void)reel::ones({2}).to(reel::Device("cuda:0")), reel::Error, names_it);
    BOOST_CHECK_EXCEPTION((void)reel::cuda::get_device_properties(), reel::Error, names_it);
    BOOST_CHECK_EXCEPTION(reel::cuda::synchronize(), reel::Error, names_it);
    BOOST_CHECK_EXCEPTION((void)reel::cuda::current_stream(), reel::Error, names_it);
    BOOST_TEST(reel::cuda::memory_stats().allocated_bytes == 0u);
    reel::cuda::empty_cache();
}

BOOST_AUTO_TEST_SUITE_END()
