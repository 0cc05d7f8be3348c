// Which optimizer owns which parameter, and what its last step changed.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include <reel/nn/module.hpp>
#include <reel/optim/optimizer.hpp>

namespace reel::inspect {

/// An optimizer under the name that reports shall use.
struct NamedOptimizer {
    std::string name;
    optim::Optimizer* optimizer;
};

/// One owner of one parameter.
struct LedgerEntry {
    std::string parameter; ///< "" for a tensor that the model does not know
    std::string stranger;  ///< of such a tensor the shape, and the path that it had before another took its place
    std::string optimizer; ///< "" when nobody owns the parameter
    std::size_t group = 0;
    double lr = 0;
    bool requires_grad = true, shared = false;    ///< shared: it has several owners
    std::int64_t step = 0;                        ///< of the last step that was seen; 0: none
    bool stepped = false;                         ///< did that step change it?
    double grad_norm = 0, change = 0, weight = 0; ///< norms: of the gradient, of the change, of the value after it
};

/// Watches the steps of some optimizers while it lives; each step costs a copy of what they own. An optimizer may end
/// first: then what was last seen of it stays, marked as gone. One that moves is found again at its next step.
class LeafLedger {
public:
    /// Throws ValueError for a null optimizer, and for a name that is empty or comes twice.
    LeafLedger(const nn::Module& model, std::vector<NamedOptimizer> optimizers);
    ~LeafLedger();
    LeafLedger(const LeafLedger&) = delete;

    /// Every parameter of the model with its owners, in the model's order; then what the optimizers own besides.
    std::vector<LedgerEntry> entries() const;
    std::string text() const;
    std::string json() const;

private:
    struct Book;
    std::unique_ptr<Book> book_;
};
std::ostream& operator<<(std::ostream& os, const LeafLedger& ledger);

} // namespace reel::inspect
