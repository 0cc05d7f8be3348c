// Sizes that cannot be: too large to count, negative, too many dimensions. They are refused before memory is asked for.
#include "bad_input_helpers.hpp"

#include <reel/autograd/memory.hpp>
#include <reel/autograd/parallel.hpp>

#include <mutex>

using namespace bad_input;

BOOST_AUTO_TEST_SUITE(bad_input_sizes)

BOOST_AUTO_TEST_CASE(factories_refuse_more_bytes_than_can_be_counted) {
    BOOST_TEST(message<ValueError>([] { zeros({p61}, kDouble); }) ==
               "zeros: the shape [2305843009213693952] of float64 takes more than 2^63 bytes");
    BOOST_TEST(message<ValueError>([] {
                   ones({p32, p32}, kDouble);
               }) == "ones: the shape [4294967296, 4294967296] of float64 takes more than 2^63 bytes");
    BOOST_TEST(refuses<ValueError>([] { empty({max64}); }, "empty: ", "2^63 bytes"));
    BOOST_TEST(refuses<ValueError>([] { full({p62}, 1.5); }, "full: "));
    BOOST_TEST(refuses<ValueError>([] { zeros({2}).new_ones({p32, p32}); }, "new_ones: "));
    BOOST_TEST(refuses<ValueError>([] { rand({p62}); }, "rand: "));
    BOOST_TEST(refuses<ValueError>([] { randn({p62}); }, "randn: "));
    BOOST_TEST(refuses<ValueError>([] { randint(3, {p61}); }, "randint: "));
    BOOST_TEST(refuses<ValueError>([] { randperm(p62); }, "randperm: "));
    BOOST_TEST(refuses<ValueError>([] { eye(p32); }, "eye: "));
    BOOST_TEST(refuses<ValueError>([] { arange(Scalar(p61)); }, "arange: "));
    BOOST_TEST(
        refuses<ValueError>([] { arange(Scalar(min64), Scalar(max64), Scalar(std::int64_t(1))); }, "arange: ", "2^63"));
    BOOST_TEST(refuses<ValueError>([] { arange(Scalar(0.), Scalar(1e300)); }, "arange: the number of elements"));
    BOOST_TEST(refuses<ValueError>([] { linspace(0, 1, p61); }, "linspace: "));
    BOOST_TEST(refuses<ValueError>([] { logspace(0, 1, max64); }, "logspace: "));
    for (const char* window : {"bartlett", "blackman", "hann", "hamming", "nuttall", "cosine", "exponential",
                               "gaussian", "general_hamming", "kaiser"}) {
        const std::string name = std::string("signal.windows.") + window;
        BOOST_TEST(refuses<ValueError>([&] { call(name.c_str(), {Value(p61)}); }, name + ": "));
    }
    BOOST_TEST(refuses<ValueError>(
        [] {
            call("tril_indices", {Value(p40), Value(p40)});
        },
        "tril_indices: the triangle"));
}

BOOST_AUTO_TEST_CASE(numbers_that_fit_are_counted_right) {
    BOOST_TEST(arange(Scalar(max64 - 2), Scalar(max64), Scalar(std::int64_t(1))).numel() == 2);
    BOOST_TEST(arange(Scalar(std::int64_t(5)), Scalar(std::int64_t(-6)), Scalar(std::int64_t(-4))).numel() == 3);
    REEL_TEST_LIST(triu_indices(p40, 2), 0, 0, 1, 0, 1, 1); // as many rows again without an element
    REEL_TEST_LIST(tril_indices(3, 2, -1), 1, 2, 2, 0, 0, 1);
    REEL_TEST_SIZES(triu_indices(2, 3, -max64), 2, 6);
    REEL_TEST_SIZES(tril_indices(2, 3, min64), 2, 0);
    REEL_TEST_SIZES(tril_indices(2, 3, max64), 2, 6);
    REEL_TEST_SIZES(triu_indices(4, 3, 1), 2, 3);
}

BOOST_AUTO_TEST_CASE(strides_of_which_no_step_is_made_may_be_too_long_for_bytes) {
    const Tensor x = zeros({1000}, kDouble).requires_grad_(), one_window = x.detach().unfold(0, 1000, p62);
    BOOST_TEST(where(one_window == 0, 1, one_window).sum().item<double>() == 1000);
    unfold_copy(x, 0, 1000, p62).sum().backward();
    BOOST_TEST(x.grad().equal(ones({1000}, kDouble)));
    std::vector<std::int64_t> sizes(31, 5);
    sizes[0] = 0;
    BOOST_TEST(refuses<ValueError>([&] { zeros({0}).view(sizes); }, "view: the shape"));
    BOOST_TEST(refuses<ValueError>([&] { zeros({0}).reshape(sizes); }, "reshape: the shape"));
    BOOST_TEST(refuses<Error>(
        [] {
            conv1d(zeros({1, 3, 4}), zeros({3, 3, 3}), {}, 1, 0, 1, p62);
        },
        "conv1d: weight has shape [3, 3, 3], whose first size must be a multiple of groups"));
    BOOST_TEST(round(full({}, 2.5, kDouble), min64).numel() == 1);
    BOOST_TEST(refuses<ValueError>([] { view_as_real(zeros({1, max64, 0}, kComplexFloat)); }, "2^63 bytes"));
    BOOST_TEST(refuses<ValueError>([] { imag(zeros({1, max64, 0}, kComplexFloat)); }, "2^63 bytes"));
    REEL_TEST_SIZES(imag(zeros({1, p61, 0}, kComplexFloat)), 1, p61, 0);
    const Tensor image = ones({2, 3, 5, 5});
    BOOST_TEST(im2col(image, 2, 1, 0, max64).equal(ones({2, 12, 1})));
    BOOST_TEST(im2col(image, 1, max64, 0, 5).equal(ones({2, 3, 1})));
}

BOOST_AUTO_TEST_CASE(many_lines_of_no_elements) {
    for (const char* op : {"cummax", "cummin", "cumsum", "cumprod", "logcumsumexp"}) BOOST_TEST_CONTEXT(op) {
            call(op, {zeros({p62, 0}, kHalf), 1});
        }
    for (const char* op : {"softmax", "log_softmax", "sort"}) BOOST_TEST_CONTEXT(op) {
            call(op, {zeros({p61, 0}), 1});
        }
    BOOST_TEST(refuses<OutOfMemoryError>([] { call("tolist", {zeros({p32 * 64, 0})}); }, "tolist: "));
    BOOST_TEST(refuses<OutOfMemoryError>([] { call("tolist", {zeros({max64, 1, 1, 0})}); }, "tolist: "));
}

BOOST_AUTO_TEST_CASE(a_hop_that_is_never_made_may_be_as_long_as_can_be) {
    const Tensor x = ones({2, 100}, kComplexDouble);
    const Kwargs how{{"center", false}, {"return_complex", true}};
    REEL_TEST_SIZES(call("stft", {x, 16, max64 - 1}, how).toTensor(), 2, 16, 1);
}

BOOST_AUTO_TEST_CASE(an_identity_without_rows_may_be_as_wide_as_can_be_counted) {
    REEL_TEST_SIZES(eye(0, max64), 0, max64);
}

BOOST_AUTO_TEST_CASE(set_checks_sizes_before_it_counts_strides) {
    const Tensor x = zeros({2});
    BOOST_TEST(refuses<ValueError>([&] { x.set_(zeros({6}), 0, {2, -1, 3}); }, "set_: size must not be negative"));
    BOOST_TEST(refuses<ValueError>([&] { x.set_(zeros({6}), 0, std::vector<std::int64_t>(72, 2)); }, "set_: "));
    BOOST_TEST(refuses<ValueError>([&] { x.set_(zeros({6}), 0, {p62, p62}); }, "set_: ", "2^63 bytes"));
    REEL_TEST_SIZES(x, 2);
}

BOOST_AUTO_TEST_CASE(as_many_pieces_as_can_be_counted_are_each_met_once) {
    std::mutex mutex;
    std::uint64_t covered = 0;
    parallel_for(0, max64, 100000, [&](std::int64_t begin, std::int64_t end) {
        const std::lock_guard lock(mutex);
        covered += std::uint64_t(end - begin);
    });
    BOOST_TEST(covered == std::uint64_t(max64));
}

BOOST_AUTO_TEST_CASE(more_pairs_than_rows) {
    BOOST_TEST(refuses<ValueError>([] { lobpcg(eye(3, 3, TensorOptions(kDouble)), max64); }, "lobpcg: A has 3 rows"));
}

BOOST_AUTO_TEST_CASE(a_window_beyond_counting) {
    BOOST_TEST(refuses<ValueError>([] { lp_pool2d(ones({2, 1, 1}), 3, p62, {}, true); }, "lp_pool2d: "));
}

BOOST_AUTO_TEST_CASE(batch_sizes_that_rise_or_are_negative) {
    for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{1, -1}, {1, 2}, {0, 0}, {2, 0}})
        BOOST_TEST(refuses<Error>([&] { _pad_packed_sequence(ones({2}), tensor(IntArrayRef(sizes)), false, 2, 3); },
                                  "_pad_packed_sequence: batch_sizes must be positive and must not rise"));
}

BOOST_AUTO_TEST_CASE(layers_beyond_counting) {
    const Tensor x = zeros({3, 3, 4}), h = zeros({3, 3, 4});
    BOOST_TEST(refuses<ValueError>(
        [&] {
            gru(x, h, std::vector<Tensor>{zeros({3, 4})}, false, max64, 0., false, true, true);
        },
        "gru: the number of states"));
}

BOOST_AUTO_TEST_CASE(negative_sizes_are_refused_also_in_pairs) {
    BOOST_TEST(message<ValueError>([] { zeros({-1, -1}); }) == "zeros: negative dimension -1 in the shape [-1, -1]");
    BOOST_TEST(message<ValueError>([] { empty({0, -2}); }) == "empty: negative dimension -2 in the shape [0, -2]");
    BOOST_TEST(refuses<ValueError>([] { zeros({2}).new_full({-2, -3}, 1); }, "new_full: negative dimension -2"));
    BOOST_TEST(message<ValueError>([] { empty_strided({2}, {-1}); }) ==
               "empty_strided: negative stride -1 in [-1]; strides must not be negative");
    BOOST_TEST(refuses<ValueError>([] { empty_strided({5, 5, 5}, {4, 3, -1}); }, "empty_strided: negative stride"));
    BOOST_TEST(refuses<ValueError>([] { randn({-2, -2, 4}); }, "randn: negative dimension"));
    BOOST_TEST(refuses<ValueError>([] { zeros({4}).resize_({-2, -2}); }, "resize_: negative dimension -2"));
}

BOOST_AUTO_TEST_CASE(there_are_at_most_64_dimensions) {
    const std::vector<std::int64_t> most(64, 1), more(65, 1), many(70, 1);
    BOOST_TEST(zeros(most).dim() == 64);
    BOOST_TEST(message<ValueError>([&] { zeros(more); }) ==
               "zeros: 65 dimensions are too many; a tensor has at most 64");
    const Tensor x = zeros({1});
    for (const auto& fn : std::vector<std::function<void()>>{[&] { x.expand(many); }, [&] { x.reshape(many); },
                                                             [&] { x.view(many); }, [&] { x.repeat(many); },
                                                             [&] { x.tile(many); }, [&] { zeros(most).unsqueeze(0); },
                                                             [&] { randn(many); }, [&] { x.as_strided(many, many); }})
        BOOST_TEST(refuses<ValueError>(fn, "dimensions are too many", "64"));
    BOOST_TEST(refuses<ValueError>([&] { meshgrid(std::vector<Tensor>(70, x)); }, "meshgrid: 70 dimensions"));
    // what makes room for dimensions of its own does not need it for those of size one
    std::vector<std::int64_t> repeats(64, 1);
    repeats[3] = 2;
    BOOST_TEST(zeros(most).repeat(repeats).sizes() == IntArrayRef(repeats));
    BOOST_TEST((zeros(most) + zeros(most)).clone().sum().item<float>() == 0);
}

BOOST_AUTO_TEST_CASE(results_that_cannot_be_counted_are_refused_by_name) {
    const Tensor x = zeros({2}), image = zeros({1, 3, 3, 3}), l = zeros({3}, kLong);
    BOOST_TEST(refuses<ValueError>([&] { x.repeat({p62}); }, "repeat: "));
    BOOST_TEST(refuses<ValueError>([&] { x.tile({max64}); }, "repeat: ", "9223372036854775807 * 2"));
    BOOST_TEST(refuses<ValueError>([&] { x.repeat_interleave(p62); }, "repeat_interleave: "));
    BOOST_TEST(refuses<ValueError>([&] { bincount(l, {}, p62); }, "bincount: "));
    BOOST_TEST(refuses<ValueError>([&] { bincount(full({1}, Scalar(max64))); }, "bincount: the number of bins"));
    BOOST_TEST(refuses<ValueError>([&] { one_hot(l, p62); }, "one_hot: "));
    BOOST_TEST(refuses<ValueError>([&] { histc(x, p61); }, "histc: "));
    BOOST_TEST(refuses<ValueError>([&] { histogram(x, p61); }, "histogram: "));
    BOOST_TEST(refuses<ValueError>([&] { nonzero_static(x, p61); }, "nonzero_static: "));
    BOOST_TEST(refuses<ValueError>([&] { diag_embed(x, max64); }, "diag_embed: "));
    BOOST_TEST(refuses<ValueError>([&] { diag_embed(x, min64); }, "diag_embed: "));
    BOOST_TEST(refuses<ValueError>([&] { diagflat(x, p31 * 2); }, "diag_embed: "));
    BOOST_TEST(refuses<ValueError>([&] { pad(image, {1, p61, 1, 1}, "replicate"); }, "pad: "));
    BOOST_TEST(refuses<ValueError>([&] { pad(image, {1, max64}); }, "constant_pad_nd: the padded size"));
    BOOST_TEST(refuses<ValueError>([&] { pad(image, {min64, 0}); }, "constant_pad_nd: "));
    BOOST_TEST(refuses<ValueError>(
        [&] {
            pixel_shuffle(zeros({1, 9, 2, 2}), p40);
        },
        "pixel_shuffle: the square of upscale_factor", "1099511627776"));
    BOOST_TEST(refuses<ValueError>([&] { unravel_index(l, {p32, p32}); }, "unravel_index: "));
    BOOST_TEST(refuses<ValueError>([&] { im2col(image, {2, 3}, {1, 2}, {p61, p62}); }, "unfold: "));
    BOOST_TEST(refuses<ValueError>([&] { interpolate(image, std::nullopt, ArrayRef<double>(1e18), "bicubic"); },
                                   "interpolate: "));
    BOOST_TEST(refuses<ValueError>([&] { vander(x, p61); }, "vander: "));
    BOOST_TEST(refuses<ValueError>([&] { combinations(x, p31, true); }, "combinations: "));
    BOOST_TEST(refuses<ValueError>([&] { combinations(arange(Scalar(100)), 50); }, "combinations: the number of rows"));
    BOOST_TEST(combinations(x, p61).numel() == 0); // more than there are: no way to take them
    REEL_TEST_LIST(combinations(tensor({1., 2., 3.}, kDouble), 2, true), 1, 1, 1, 2, 1, 3, 2, 2, 2, 3, 3, 3);
}

BOOST_AUTO_TEST_CASE(transforms_of_impossible_lengths) {
    const Tensor x = zeros({4}), plane = zeros({5, 6});
    BOOST_TEST(refuses<ValueError>([&] { fft::fft(x, p62); }, "fft.fft: "));
    BOOST_TEST(refuses<ValueError>([&] { fft::fft(x, max64); }, "fft.fft: "));
    BOOST_TEST(refuses<ValueError>([&] { fft::irfft(x, p62); }, "fft.irfft: "));
    BOOST_TEST(refuses<ValueError>([&] { fft::hfft(x, max64); }, "fft.hfft: "));
    BOOST_TEST(refuses<ValueError>([&] { fft::rfft(x, p61); }, "fft.rfft: "));
    BOOST_TEST(refuses<ValueError>([&] { fft::fft2(plane, {6, max64}); }, "fft.fft2: "));
    BOOST_TEST(refuses<ValueError>([&] { fft::irfftn(plane, {p62, p62}); }, "fft.irfftn: "));
}

BOOST_AUTO_TEST_CASE(windows_and_kernels_beyond_counting) {
    const Tensor line = zeros({1, 1, 4}), image = zeros({1, 1, 4, 4}), w = zeros({1, 1, 2, 2});
    BOOST_TEST(refuses<ValueError>([&] { conv2d(image, w, {}, 1, p62); }, "conv2d: twice the padding"));
    BOOST_TEST(refuses<ValueError>(
        [&] {
            conv2d(image, zeros({1, 1, 4, 4}), {}, 1, 0, p62);
        },
        "conv2d: the kernel with its dilation"));
    BOOST_TEST(refuses<ValueError>([&] { conv_transpose2d(image, w, {}, max64); }, "conv_transpose2d: the output"));
    BOOST_TEST(refuses<ValueError>([&] { conv_transpose2d(image, w, {}, p40); }, "conv_transpose2d: the shape"));
    BOOST_TEST(refuses<ValueError>([&] { max_pool2d(image, {max64, 2}, 1, {p62, 0}, 2); }, "max_pool2d: the window"));
    BOOST_TEST(refuses<ValueError>([&] { adaptive_avg_pool2d(image, {p62, 2}); }, "adaptive_avg_pool2d: "));
    const Tensor places = zeros({1, 1, 4}, kLong);
    BOOST_TEST(refuses<ValueError>([&] { max_unpool1d(line, places, max64, max64); }, "max_unpool1d: the output"));
    // a kernel whose taps lie far apart reads what there is
    const Tensor one = ones({1, 1, 4, 4}, kDouble), k = ones({1, 1, 3, 3}, kDouble);
    REEL_TEST_LIST(conv2d_padded(one, k, {}, 1, "same", p61).sum(), 16);
}

BOOST_AUTO_TEST_CASE(views_stay_within_the_storage) {
    const Tensor x = zeros({16}, kDouble);
    BOOST_TEST(refuses<ValueError>([&] { x.as_strided({2, 2}, {1, 1}, max64); }, "as_strided: ", "reach past 2^63"));
    BOOST_TEST(refuses<ValueError>([&] { x.as_strided({3}, {p62}); }, "as_strided: "));
    BOOST_TEST(refuses<ValueError>([&] { x.as_strided({2, p62}, {1, 2}); }, "as_strided: "));
    BOOST_TEST(refuses<ValueError>([&] { as_strided_copy(x, {2, 2}, {1, 1}, max64); }, "as_strided: "));
    BOOST_TEST(refuses<Error>([&] { x.as_strided({3}, {8}); }, "as_strided: ", "reach element 16"));
    BOOST_TEST(refuses<ValueError>([&] { x.as_strided({2}, {-1}, 1); }, "as_strided: negative stride -1"));
    // more elements than can be counted, all the same one
    const Tensor same = zeros({1});
    BOOST_TEST(refuses<ValueError>([&] { same.expand({p32, p62}); }, "2^63 bytes"));
    BOOST_TEST(refuses<OutOfMemoryError>([&] { same.expand({p61 / 8}).exp(); }, "could not get"));
    BOOST_TEST(refuses<ValueError>([&] { zeros({}).resize_({p31, p32}); }, "resize_: ", "2^63 bytes"));
    BOOST_TEST(refuses<ValueError>([&] { zeros({2, 0}).reshape({p40, p40, 0}); }, "too large"));
    // a step past the end takes the first element
    REEL_TEST_LIST(tensor({1., 2., 3.}, kDouble).slice(0, 0, max64, max64), 1);
    REEL_TEST_LIST(tensor({1., 2., 3.}, kDouble).unfold(0, 2, max64), 1, 2);
    const Tensor leaf = ones({3}, kDouble).requires_grad_();
    leaf.slice(0, 1, max64, max64).sum().backward();
    REEL_TEST_LIST(leaf.grad(), 0, 1, 0);
}

BOOST_AUTO_TEST_CASE(more_pieces_than_memory_has_room_for) {
    const Tensor x = zeros({3, 7});
    BOOST_TEST(x.chunk(max64).size() == 3); // as many as there are rows
    BOOST_TEST(refuses<OutOfMemoryError>([&] { x.tensor_split(max64); }, "tensor_split: ", "9223372036854775807"));
    BOOST_TEST(refuses<OutOfMemoryError>([&] { zeros({0}).chunk(max64); }, "chunk: "));
    BOOST_TEST(refuses<OutOfMemoryError>([&] { zeros({1}).expand({p40}).unbind(); }, "unbind: "));
    BOOST_TEST(refuses<OutOfMemoryError>([&] { adaptive_avg_pool1d(zeros({1, 1, 4}), p40); }, "adaptive_avg_pool1d: "));
    BOOST_TEST(refuses<OutOfMemoryError>(
        [&] {
            call("nn.functional.interpolate", {Value(zeros({1, 1, 4})), Value(p40)});
        },
        "interpolate: "));
}

BOOST_AUTO_TEST_CASE(a_refused_allocation_counts_for_nothing) {
    const std::size_t before = memory_stats().allocated_bytes;
    BOOST_TEST(refuses<OutOfMemoryError>([] { cpu_alloc(std::size_t(p62)); }, "4611686018427387904 bytes"));
    BOOST_TEST(memory_stats().allocated_bytes == before);
    BOOST_TEST(memory_stats().peak_allocated_bytes < std::size_t(p62));
}

BOOST_AUTO_TEST_SUITE_END()
