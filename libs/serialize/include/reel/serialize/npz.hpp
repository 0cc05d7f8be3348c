// NumPy's files: npy arrays and npz archives of them.
#pragma once

#include <string>

#include <reel/autograd/ordered_dict.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::serialize {

/// Reads an npy array (versions 1.0 to 3.0, C or Fortran order, either byte order) into a dense tensor.
/// Errors: Error when it cannot be opened; ValueError naming the file when it is damaged, or holds objects, records or
/// a dtype that tensors do not have. Object arrays are pickles and are never read.
Tensor load_npy(const std::string& path);
/// Reads all arrays of an npz archive, stored or deflated, under their names without `.npy`, in file order.
OrderedDict<std::string, Tensor> load_npz(const std::string& path);
/// Writes dense copies in C order. Errors: TypeError for bfloat16, which NumPy does not have.
void save_npy(const Tensor& tensor, const std::string& path);
/// Writes an archive of stored arrays whose elements begin at multiples of 64. Replaces the file atomically.
/// Errors: as `save_npy`; ValueError for a name that cannot be a member's.
void save_npz(const OrderedDict<std::string, Tensor>& tensors, const std::string& path);

} // namespace reel::serialize
