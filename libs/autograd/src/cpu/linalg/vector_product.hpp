// Products in which an extent is one: dot products, a matrix with a vector, outer products.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// The operands of `gemm`, rows of which are dense: c [m, n] = alpha a b + beta c.
template <class T> struct Product {
    bool ta, tb;
    std::int64_t m, n, k;
    T alpha;
    const T* a;
    std::int64_t lda;
    const T* b;
    std::int64_t ldb;
    T beta;
    T* c;
    std::int64_t ldc;
};

/// Does the product if m, n or k is one: no tile of a matrix is worth copying then. Work is cut by shape alone, so the
/// bits do not depend on threads.
template <class T> bool vector_product(const Product<T>& p);

} // namespace reel::cpu
