#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/serialize/npz.hpp>

#include <algorithm>
#include <cstring>

#include <reel/autograd/grad_mode.hpp>
#include <reel/serialize/safetensors.hpp>

#include "atomic_file.hpp"
#include "npz_reader.hpp"
#include "zip_writer.hpp"

namespace reel::serialize {

namespace {
Tensor empty_for(const NpyHeader& h, const std::string& where) {
    const ScalarType type = info(h.dtype).type;
    REEL_CHECK_VALUE(type != ScalarType::Undefined, where, ": tensors do not have the dtype ", info(h.dtype).name);
    return reel::empty(h.shape, TensorOptions(type));
}
void check_bools(const Tensor& t, const std::string& where) {
    if (t.scalar_type() != kBool) return;
    const char* p = static_cast<const char*>(t.data_ptr());
    REEL_CHECK_VALUE(std::all_of(p, p + t.nbytes(), [](char c) { return c == 0 || c == 1; }), where,
                     ": a bool byte is neither 0 nor 1");
}
/// The array's header, and the dense tensor that holds its elements.
std::pair<std::string, Tensor> encode(const Tensor& tensor, const std::string& name) {
    REEL_CHECK_VALUE(tensor.defined(), name, " is undefined");
    const FileDtype d = file_dtype_of(tensor.scalar_type());
    REEL_CHECK_TYPE(info(d).numpy, name, " has dtype ", tensor.scalar_type(),
                    ", which NumPy does not have; convert it, for example to float32");
    const NoGradGuard no_grad;
    return {npy_header(d, tensor.sizes().vec()), tensor.detach().cpu().contiguous()};
}
std::string_view bytes(const Tensor& t) {
    return t.nbytes() ? std::string_view(static_cast<const char*>(t.data_ptr()), t.nbytes()) : std::string_view();
}
} // namespace

Tensor load_npy(const std::string& path) {
    const MappedFile file(path);
    const NpyHeader h = parse_npy_header(file.bytes(), path);
    REEL_CHECK_VALUE(file.size() - h.data == h.bytes, path, ": its shape needs ", h.bytes, " bytes, ",
                     file.size() - h.data, " are there");
    Tensor t = empty_for(h, path);
    if (h.bytes) npy_elements(h, file.data() + h.data, static_cast<char*>(t.data_ptr()));
    check_bools(t, path);
    return t;
}
OrderedDict<std::string, Tensor> load_npz(const std::string& path) {
    const NpzReader file(path);
    OrderedDict<std::string, Tensor> out("Tensor");
    for (const NpzReader::Array& a : file.arrays()) {
        const std::string where = path + ": array '" + a.name + "'";
        Tensor t = empty_for(a.header, where);
        if (a.header.bytes) file.read(a, static_cast<char*>(t.data_ptr()));
        check_bools(t, where);
        out.insert(a.name, std::move(t));
    }
    return out;
}
void save_npy(const Tensor& tensor, const std::string& path) {
    const auto [header, dense] = encode(tensor, "save_npy: the tensor");
    write_file_atomically(path, {header, bytes(dense)});
}
void save_npz(const OrderedDict<std::string, Tensor>& tensors, const std::string& path) {
    ZipWriter zip;
    std::vector<Tensor> kept;
    for (const auto& item : tensors) {
        const std::string& name = item.key();
        REEL_CHECK_VALUE(is_utf8(name) && name.find_first_of(std::string_view("\0\\", 2)) == std::string::npos &&
                             (name.empty() || name[0] != '/') && ("/" + name + "/").find("/../") == std::string::npos,
                         "save_npz: '", name, "' cannot be the name of a member");
        const auto [header, dense] = encode(item.value(), "save_npz: '" + name + "'");
        zip.add(name + ".npy", header, bytes(dense));
        kept.push_back(dense);
    }
    AtomicFile file(path);
    zip.write([&](std::string_view bytes) { file.write(bytes); });
    file.commit();
}

} // namespace reel::serialize
