// Hooks over the gradients of several tensors (rules T-29 to T-32).
#include <reel/autograd/hooks.hpp>

#include <map>
#include <mutex>
#include <set>

#include <reel/autograd/error.hpp>

#include "tape/autograd_meta.hpp"
#include "tape/graph_task.hpp"

namespace reel::autograd {

namespace {

/// The parts share this; it is also the table that the one handle removes them through.
struct Parts : HookTableBase {
    std::vector<RemovableHandle> handles;
    std::mutex mutex;
    void remove(std::uint64_t) noexcept override {
        for (RemovableHandle& h : handles) h.remove();
    }
};

struct All : Parts {
    struct Progress {
        variable_list grads;
        std::size_t expected = 0, seen = 0;
    };
    std::function<void(const variable_list&)> fn;
    /// Not owned: a node holds its hooks, and those hold this. A target lives as long as the table of its hook.
    struct Target {
        TensorImpl* leaf;
        Node* node;
    };
    std::vector<Target> targets;
    std::map<std::int64_t, Progress> passes; // keyed by pass: nested passes do not disturb each other (T-32)

    bool participates(GraphTask& task, std::size_t i) const {
        if (!handles[i].owner_alive()) return false;
        if (!targets[i].leaf) return task.wants(targets[i].node);
        const NodePtr accumulator = targets[i].leaf->ensure_meta().accumulator.get();
        return accumulator && task.wants(accumulator.get());
    }

    static void arrived(const std::shared_ptr<All>& self, std::size_t index, const Tensor& g) {
        GraphTask* task = GraphTask::current();
        if (!task) return;
        const std::int64_t id = std::int64_t(task->id());
        variable_list complete;
        {
            std::lock_guard lock(self->mutex);
            const auto [it, fresh] = self->passes.try_emplace(id);
            Progress& p = it->second;
            if (fresh) {
                p.grads.resize(self->targets.size());
                for (std::size_t i = 0; i < self->targets.size(); ++i) p.expected += self->participates(*task, i);
                task->at_end([weak = std::weak_ptr<All>(self), id] {
                    if (const auto all = weak.lock()) {
                        std::lock_guard inner(all->mutex);
                        all->passes.erase(id);
                    }
                });
            }
            p.grads[index] = g;
            if (++p.seen != p.expected) return;
            complete = p.grads;
        }
        self->fn(complete);
    }
};

struct Any : Parts {
    std::function<void(const Tensor&)> fn;
    std::set<std::int64_t> ran;

    static void arrived(const std::shared_ptr<Any>& self, const Tensor& g) {
        GraphTask* task = GraphTask::current();
        if (!task) return;
        const std::int64_t id = std::int64_t(task->id());
        {
            std::lock_guard lock(self->mutex);
            if (!self->ran.insert(id).second) return;
            task->at_end([weak = std::weak_ptr<Any>(self), id] {
                if (const auto any = weak.lock()) {
                    std::lock_guard inner(any->mutex);
                    any->ran.erase(id);
                }
            });
        }
        self->fn(g);
    }
};

} // namespace

RemovableHandle register_multi_grad_hook(const variable_list& tensors, std::function<void(const variable_list&)> fn,
                                         std::string_view mode) {
    REEL_CHECK_VALUE(mode == "all" || mode == "any", "register_multi_grad_hook: mode is '", mode,
                     "'; expected 'all' or 'any'");
    if (mode == "any") return register_multi_grad_hook_any(tensors, [fn = std::move(fn)](const Tensor& g) { fn({g}); });
    for (std::size_t i = 0; i < tensors.size(); ++i)
        REEL_CHECK(tensors[i].defined() && tensors[i].requires_grad(), "register_multi_grad_hook: tensor ", i,
                   " does not require grad");
    auto all = std::make_shared<All>();
    all->fn = std::move(fn);
    for (const Tensor& t : tensors) {
        const NodePtr node = t.grad_fn();
        all->targets.push_back({node ? nullptr : t.unsafeGetTensorImpl(), node.get()});
    }
    for (std::size_t i = 0; i < tensors.size(); ++i)
        all->handles.push_back(tensors[i].register_hook([all, i](const Tensor& g) { All::arrived(all, i, g); }));
    return RemovableHandle(next_hook_id(), all);
}

RemovableHandle register_multi_grad_hook_any(const variable_list& tensors, std::function<void(const Tensor&)> fn) {
    auto any = std::make_shared<Any>();
    any->fn = std::move(fn);
    for (const Tensor& t : tensors)
        if (t.defined() && t.requires_grad())
            any->handles.push_back(t.register_hook([any](const Tensor& g) { Any::arrived(any, g); }));
    return RemovableHandle(next_hook_id(), any);
}

} // namespace reel::autograd
