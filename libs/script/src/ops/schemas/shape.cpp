// Schemas of operators: shapes, views and joining. One a line; overloads of a name in the order of registration.
#include "ops/schemas/schemas.hpp"

namespace reel::jit::schemas {

const std::string_view shape = R"(aten::column_stack(Tensor[] tensors) -> Tensor
aten::column_stack.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)
aten::vander(Tensor x, int? N=None, bool increasing=False) -> Tensor
aten::diagflat(Tensor self, int offset=0) -> Tensor
aten::split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]
aten::split_copy.Tensor_out(Tensor self, SymInt split_size, int dim=0, *, Tensor(a!)[] out) -> ()
aten::slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor
aten::slice_copy.Tensor_out(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1, *, Tensor(a!) out) -> Tensor(a!)
aten::detach_copy(Tensor self) -> Tensor
aten::detach_copy.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::select_copy.int(Tensor self, int dim, SymInt index) -> Tensor
aten::select_copy.int_out(Tensor self, int dim, SymInt index, *, Tensor(a!) out) -> Tensor(a!)
aten::view_as_complex_copy(Tensor self) -> Tensor
aten::view_as_complex_copy.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::view_as_real_copy(Tensor self) -> Tensor
aten::view_as_real_copy.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::triu_(Tensor(a!) self, SymInt diagonal=0) -> Tensor(a!)
aten::tril_(Tensor(a!) self, SymInt diagonal=0) -> Tensor(a!)
aten::triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::triu_indices.out(int row, int col, int offset=0, *, Tensor(a!) out) -> Tensor(a!)
aten::tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::tril_indices.out(int row, int col, int offset=0, *, Tensor(a!) out) -> Tensor(a!)
aten::kron(Tensor self, Tensor other) -> Tensor
aten::kron.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::concatenate(Tensor[] tensors, int dim=0) -> Tensor
aten::concatenate.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)
aten::hstack(Tensor[] tensors) -> Tensor
aten::hstack.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)
aten::fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor
aten::fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor
aten::dstack(Tensor[] tensors) -> Tensor
aten::dstack.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)
aten::combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor
aten::cartesian_prod(Tensor[] tensors) -> Tensor
aten::broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)
aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]
aten::atleast_3d(Tensor self) -> Tensor
aten::atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]
aten::atleast_2d(Tensor self) -> Tensor
aten::atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]
aten::atleast_1d(Tensor self) -> Tensor
aten::atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]
aten::adjoint(Tensor(a) self) -> Tensor(a)
aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)
aten::select.t(t[](a) list, int idx) -> t(*)
aten::unsqueeze_copy(Tensor self, int dim) -> Tensor
aten::unsqueeze_copy.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)
aten::linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor
aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)
aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)
aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)
aten::view_as_real(Tensor(a) self) -> Tensor(a)
aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)
aten::mH(Tensor(a) self) -> Tensor(a)
aten::mH.a(Tensor(a) self) -> Tensor(a)
aten::mT(Tensor(a) self) -> Tensor(a)
aten::mT.a(Tensor(a) self) -> Tensor(a)
aten::view_as_complex(Tensor(a) self) -> Tensor(a)
aten::trace(Tensor self) -> Tensor
aten::trace.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::t_(Tensor(a!) self) -> Tensor(a!)
aten::t(Tensor(a) self) -> Tensor(a)
aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)
aten::narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor
aten::narrow_copy.out(Tensor self, int dim, SymInt start, SymInt length, *, Tensor(a!) out) -> Tensor(a!)
aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)
aten::hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]
aten::hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]
aten::alias(Tensor(a) self) -> Tensor(a)
aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)
aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]
aten::swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)
aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)
aten::detach_(Tensor(a!) self) -> Tensor(a!)
aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]
aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]
aten::split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]
aten::split.str(str self, str? separator=None, int max=-1) -> str[]
aten::split(Tensor(a -> *) self, int[] split_sizes, int dim=0) -> Tensor(a)[]
aten::unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)
aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)
aten::squeeze_(Tensor(a!) self) -> Tensor(a!)
aten::squeeze_.dim(Tensor(a!) self, int dim) -> Tensor(a!)
aten::squeeze_.dims(Tensor(a!) self, int[] dim) -> Tensor(a!)
aten::unsqueeze_(Tensor(a!) self, int dim) -> Tensor(a!)
aten::squeeze(Tensor(a) self) -> Tensor(a)
aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)
aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)
aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)
aten::slice.t(t[] l, int? start=None, int? end=None, int step=1) -> t[]
aten::slice.str(str string, int? start=None, int? end=None, int step=1) -> str
aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)
aten::detach(Tensor(a) self) -> Tensor(a)
aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)
aten::concat(Tensor[] tensors, int dim=0) -> Tensor
aten::concat.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)
aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]
aten::flipud(Tensor self) -> Tensor
aten::fliplr(Tensor self) -> Tensor
aten::repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor
aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor
aten::repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor
aten::repeat_interleave.Tensor_out(Tensor repeats, *, SymInt? output_size=None, Tensor(a!) out) -> Tensor(a!)
aten::tensor_split.sections(Tensor(a -> *) self, SymInt sections, int dim=0) -> Tensor(a)[]
aten::tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) -> Tensor(a)[]
aten::tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]
aten::dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]
aten::dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]
aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)
aten::vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]
aten::vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]
aten::as_strided_(Tensor(a!) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a!)
aten::transpose_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)
aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)
aten::movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)
aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)
aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)
aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)
aten::narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)
aten::cat(Tensor[] tensors, int dim=0) -> Tensor
aten::cat.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)
aten::stack(Tensor[] tensors, int dim=0) -> Tensor
aten::stack.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)
aten::triu(Tensor self, SymInt diagonal=0) -> Tensor
aten::triu.out(Tensor self, SymInt diagonal=0, *, Tensor(a!) out) -> Tensor(a!)
aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)
aten::diag(Tensor self, int diagonal=0) -> Tensor
aten::diag.out(Tensor self, int diagonal=0, *, Tensor(a!) out) -> Tensor(a!)
aten::meshgrid(Tensor[] tensors) -> Tensor[]
aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]
aten::moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)
aten::moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)
aten::ravel(Tensor(a) self) -> Tensor(a)
aten::row_stack(Tensor[] tensors) -> Tensor
aten::row_stack.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)
aten::tile(Tensor self, SymInt[] dims) -> Tensor
aten::unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]
aten::vstack(Tensor[] tensors) -> Tensor
aten::vstack.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)
aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)
aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor
aten::diagonal_copy.out(Tensor self, int offset=0, int dim1=0, int dim2=1, *, Tensor(a!) out) -> Tensor(a!)
aten::alias_copy(Tensor self) -> Tensor
aten::alias_copy.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor
aten::as_strided_copy.out(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None, *, Tensor(a!) out) -> Tensor(a!)
aten::pad(Tensor self, SymInt[] pad, str mode="constant", float? value=None) -> Tensor
aten::swapdims_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)
aten::swapaxes_(Tensor(a!) self, int axis0, int axis1) -> Tensor(a!)
aten::unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor
aten::unfold_copy.out(Tensor self, int dimension, int size, int step, *, Tensor(a!) out) -> Tensor(a!)
aten::unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]
aten::unsafe_split.Tensor_out(Tensor self, SymInt split_size, int dim=0, *, Tensor(a!)[] out) -> ()
aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor
aten::pixel_shuffle.out(Tensor self, int upscale_factor, *, Tensor(a!) out) -> Tensor(a!)
aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor
aten::pixel_unshuffle.out(Tensor self, int downscale_factor, *, Tensor(a!) out) -> Tensor(a!)
aten::channel_shuffle(Tensor self, SymInt groups) -> Tensor
aten::channel_shuffle.out(Tensor self, SymInt groups, *, Tensor(a!) out) -> Tensor(a!)
aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor
aten::constant_pad_nd.out(Tensor self, SymInt[] pad, Scalar value=0, *, Tensor(a!) out) -> Tensor(a!)
aten::permute_copy(Tensor self, int[] dims) -> Tensor
aten::permute_copy.out(Tensor self, int[] dims, *, Tensor(a!) out) -> Tensor(a!)
aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor
aten::rot90.out(Tensor self, int k=1, int[] dims=[0, 1], *, Tensor(a!) out) -> Tensor(a!)
aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor
aten::as_strided_scatter.out(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None, *, Tensor(a!) out) -> Tensor(a!)
aten::flip(Tensor self, int[] dims) -> Tensor
aten::flip.out(Tensor self, int[] dims, *, Tensor(a!) out) -> Tensor(a!)
aten::tril(Tensor self, SymInt diagonal=0) -> Tensor
aten::tril.out(Tensor self, SymInt diagonal=0, *, Tensor(a!) out) -> Tensor(a!)
aten::repeat(Tensor self, SymInt[] repeats) -> Tensor
aten::repeat.out(Tensor self, SymInt[] repeats, *, Tensor(a!) out) -> Tensor(a!)
aten::squeeze_copy(Tensor self) -> Tensor
aten::squeeze_copy.dim(Tensor self, int dim) -> Tensor
aten::squeeze_copy.dims(Tensor self, int[] dim) -> Tensor
aten::squeeze_copy.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::squeeze_copy.dim_out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)
aten::squeeze_copy.dims_out(Tensor self, int[] dim, *, Tensor(a!) out) -> Tensor(a!)
aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor
aten::roll.out(Tensor self, SymInt[1] shifts, int[1] dims=[], *, Tensor(a!) out) -> Tensor(a!)
aten::unbind_copy.int(Tensor self, int dim=0) -> Tensor[]
aten::unbind_copy.int_out(Tensor self, int dim=0, *, Tensor(a!)[] out) -> ()
aten::view_copy(Tensor self, SymInt[] size) -> Tensor
aten::view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor
aten::view_copy.out(Tensor self, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)
aten::view_copy.dtype_out(Tensor self, ScalarType dtype, *, Tensor(a!) out) -> Tensor(a!)
aten::expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor
aten::expand_copy.out(Tensor self, SymInt[] size, *, bool implicit=False, Tensor(a!) out) -> Tensor(a!)
aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor
aten::transpose_copy.int_out(Tensor self, int dim0, int dim1, *, Tensor(a!) out) -> Tensor(a!)
aten::t_copy(Tensor self) -> Tensor
aten::t_copy.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor
aten::diag_embed.out(Tensor self, int offset=0, int dim1=-2, int dim2=-1, *, Tensor(a!) out) -> Tensor(a!)
aten::split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]
aten::split_with_sizes_copy.out(Tensor self, SymInt[] split_sizes, int dim=0, *, Tensor(a!)[] out) -> ()
aten::block_diag(Tensor[] tensors) -> Tensor
aten::block_diag.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)
)";

} // namespace reel::jit::schemas
