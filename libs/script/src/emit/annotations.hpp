// Annotations to types.
#pragma once

#include <reel/script/type.hpp>

#include "context.hpp"

namespace reel::jit::emit {

/// The type that an annotation names: `List[int]`, `Optional[__torch__.m.C]`, `Tuple[()]`, `None`.
TypePtr annotated_type(const Context& context, const syntax::Expr& annotation);
/// The type of a plain word (`int`, `Tensor`, `NoneType`); null when it is none.
TypePtr word_type(std::string_view word);
/// N of `BroadcastingListN[int]`, also behind Optional: one number stands for N equal ones.
std::optional<std::int64_t> annotated_broadcast(const syntax::Expr& annotation);
/// `a.b.c` as text; empty when the expression is no such path.
std::string dotted_path(const syntax::Expr& e);

} // namespace reel::jit::emit
