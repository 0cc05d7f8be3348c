// The means of a module's gradients over the ranks, made while backward goes on (doc/adr/0080).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <reel/autograd/hook_table.hpp>
#include <reel/distributed/process_group.hpp>

#include "data_parallel/buckets.hpp"

namespace reel::distributed::detail {

struct ReducerOptions {
    ProcessGroup group;
    std::size_t first_bucket_bytes, bucket_bytes;
    bool find_unused, static_graph, as_view;
};

/// What a pass is told by whoever knows more than this rank.
struct PassTerms {
    std::int64_t divisor;    ///< of gradients
    std::int64_t first_rank; ///< in the group: whose order the buckets get
};

/// Passes are made one at a time, on any thread.
class Reducer : public std::enable_shared_from_this<Reducer> {
public:
    using ReducedHook = std::function<void(const std::string&, const Tensor&)>;

    Reducer(std::vector<std::pair<std::string, Tensor>> parameters, ReducerOptions options);
    ~Reducer();
    /// Before its first pass.
    void listen();

    /// Before a forward whose passes are to be reduced. Errors: what a static graph has found out in its last pass.
    void before_forward();
    /// Passes that come through these results of the forward are reduced; with `others`, which cannot be seen, or
    /// without any, the next one that accumulates.
    void after_forward(const std::vector<Tensor>& outputs, bool others);
    /// Takes part in a pass of the others with zeros.
    void shadow(const PassTerms& terms);

    void set_comm_hook(CommHook hook);
    RemovableHandle add_reduced_hook(ReducedHook hook) { return add_hook(reduced_hooks_, std::move(hook)); }
    bool trains(const Tensor& parameter) const { return known_.contains(parameter.unsafeGetTensorImpl()); }
    const std::vector<Bucket>& buckets() const { return buckets_; }
    const std::string& name(std::size_t parameter) const { return names_[parameter]; }
    const ReductionTimes& times() const { return times_; }

    std::function<PassTerms()> terms; ///< asked when a pass begins; null where all ranks are there

private:
    // What the tape tells.
    void gradient_arrives();
    void accumulated(std::size_t parameter);
    void arrived(std::size_t parameter);
    void at_end_of_pass() noexcept;
    // The pass (reducer.cpp).
    void begin_on_tape();
    void begin(const PassTerms& terms, bool shadow);
    void settle();
    void mark_ready(std::size_t parameter);
    void launch_ready();
    void finish();
    void check_all_came();
    void compare_with_first_pass();
    void wait_for_all();
    void count(const WorkTimes& times, std::chrono::steady_clock::time_point backward_ended);
    // Gradients and buckets (reduced_gradients.cpp).
    void fill_slot(std::size_t parameter);
    Work add_means(const Bucket& bucket);
    void store(std::size_t parameter);
    void store_all();
    void cut_anew(const std::vector<std::size_t>& order);
    void cut_in_order_of(std::int64_t rank);
    // Parameters without gradient (reduced_gradients.cpp).
    void share_used();
    std::string name_list(const std::vector<std::size_t>& parameters) const;
    std::string here() const;

    struct Place {
        std::size_t bucket, slot;
    };
    std::vector<std::string> names_;
    std::vector<Tensor> parameters_;
    std::unordered_set<const void*> known_;
    ReducerOptions options_;
    std::int64_t size_;
    std::vector<RemovableHandle> handles_;
    CommHook comm_hook_;
    std::shared_ptr<HookTable<ReducedHook>> reduced_hooks_;
    std::vector<Bucket> buckets_;
    std::vector<Place> places_;

    // The pass under way.
    bool running_ = false, shadow_ = false;
    bool armed_ = false; ///< the next pass that accumulates is reduced, through whatever outputs it comes
    PassTerms terms_{};
    std::vector<char> ready_;
    std::vector<char> divided_;        ///< on the way into its slot
    std::vector<std::size_t> order_;   ///< in which gradients became ready
    std::vector<std::int64_t> counts_; ///< how often each accumulated
    std::vector<Tensor> kept_;         ///< gradients in buckets, of parameters that this rank did not use
    std::optional<std::size_t> last_;  ///< has accumulated; its hooks may still run
    std::size_t next_ = 0;             ///< the bucket to be launched
    std::string failure_;              ///< what this rank ended the pass with
    ReductionTimes times_;             ///< of the last pass that was reduced

    // From pass to pass.
    std::int64_t passes_ = 0;
    std::vector<std::int64_t> seen_in_; ///< the pass in which each accumulated last before reduction began
    std::vector<char> used_;            ///< since the last reduced pass
    Tensor used_anywhere_;              ///< by any rank in this pass
    Work used_work_;
    std::vector<std::int64_t> learned_; ///< counts of the first pass of a static graph
    std::vector<char> learned_anywhere_;
    std::string changed_; ///< how a later one differed
};

} // namespace reel::distributed::detail
