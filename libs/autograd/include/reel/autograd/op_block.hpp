// The word above every op, which the build reads.
#pragma once

/// Marks what stands below it as an op: a function, or a pointwise rule (`reel/autograd/pointwise`), whose function the
/// build writes. The text is the schema, the single source of names, types and defaults; the build reads it and
/// generates declaration, method, named binding and registration.
///
/// Exactly one word says where its gradient comes from; the build stops at a block that says none or another than its
/// body does:
/// - `rule`: the function records what it does, itself or in a helper; a pointwise rule has derivatives.
/// - `composite`: it calls differentiable ops and records nothing.
/// - `not_differentiable`: its result carries no gradient.
///
/// Beside `rule` and `composite`, `not_differentiable("weight, target")` names inputs that no gradient reaches although
/// they may require one. Other flags: `method`, `inplace` (an `op_` form exists), `inplace_native` (the file defines
/// it), `out` (an `op_out` form exists), `out_exact` (its dtype must be the result's), `view`, `random`,
/// `alias("other.name")`, `alias("other.name(Tensor input, ...)")`, `cpp("name")` (the function's name in C++),
/// `explicit("argument")` (no default up to it in C++, where another overload has one). `any_device("other")`
/// names arguments that may live elsewhere than the others. Above a pointwise rule `domain(low, high)`, two bounds for
/// each operand, says where the op is defined when that is not everywhere; the tests call it with numbers from all of
/// it.
#define REEL_OP(schema, ...)
