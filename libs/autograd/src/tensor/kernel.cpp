// What kernels and host loops say of operands that they cannot take.
#include <reel/autograd/kernel.hpp>

#include <reel/autograd/error.hpp>
#include <reel/autograd/host_data.hpp>

namespace reel::detail {

void throw_no_kernel(const char* op, const Tensor& t, const bool (&has)[device_types]) {
    std::string have;
    for (int d = 0; d < device_types; ++d)
        if (has[d]) have += (have.empty() ? "" : ", ") + std::string(device_type_name(DeviceType(d)));
    REEL_THROW(NotImplementedError, op, ": no kernel for device ", t.device(), " and dtype ",
               dtype_name(t.scalar_type()), "; available: ", have.empty() ? "none" : have);
}

void throw_not_on_host(const char* op, const Tensor& t) { throw_no_kernel(op, t, {true}); }

void check_one_device(const char* op, const Tensor& where, std::initializer_list<const Tensor*> all) {
    for (const Tensor* t : all)
        REEL_CHECK(!t || !t->defined() || t->device() == where.device(), op, ": operands live on ", where.device(),
                   " and ", t->device(), "; move one of them with to()");
}

} // namespace reel::detail
