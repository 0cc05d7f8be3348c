#include "tree.hpp"

namespace reel::jit::syntax {

Stmt::Stmt(StmtKind k, std::size_t b) : kind(k), begin(b), end(b) {}
Stmt::~Stmt() = default;

} // namespace reel::jit::syntax
