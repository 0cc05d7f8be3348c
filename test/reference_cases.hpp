// Cases that PyTorch or torchrl computed, in files of tensors named CASE:PART.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/serialize/safetensors.hpp>

namespace reel::testing {

using Case = std::map<std::string, Tensor>;

/// The cases of a file below test/, by name.
inline const std::map<std::string, Case>& reference_cases(const std::string& file) {
    static std::map<std::string, std::map<std::string, Case>> read;
    auto& cases = read[file];
    if (!cases.empty()) return cases;
    namespace fs = std::filesystem;
    fs::path folder = fs::canonical("/proc/self/exe").parent_path();
    while (!fs::exists(folder / "test" / file) && folder.has_relative_path()) folder = folder.parent_path();
    for (const auto& item : serialize::load_file((folder / "test" / file).string())) {
        const std::size_t cut = item.key().find(':');
        cases[item.key().substr(0, cut)][item.key().substr(cut + 1)] = *item;
    }
    BOOST_REQUIRE_MESSAGE(!cases.empty(), "no cases in " << file);
    return cases;
}

/// |got - wanted| <= atol + rtol |wanted| everywhere, in `wanted`'s dtype; infinities must be the same.
inline void check_close(const Tensor& got, const Tensor& wanted, double rtol, double atol, const std::string& what) {
    BOOST_REQUIRE_MESSAGE(got.defined() && got.sizes().equals(wanted.sizes()),
                          what << ": shape " << (got.defined() ? str(got.sizes()) : "none") << " instead of "
                               << str(wanted.sizes()));
    const Tensor close = isclose(got.detach().to(wanted.scalar_type()), wanted, rtol, atol, true);
    BOOST_CHECK_MESSAGE(close.all().item<bool>(), what << ": got\n" << str(got) << "\ninstead of\n" << str(wanted));
}

} // namespace reel::testing
