// The store of lists that every thread has.

#include "module/backward/recycled_list.hpp"

namespace reel::nn::detail {

namespace {
struct Store {
    static constexpr int size = 8;
    variable_list lists[size];
    int count = 0;
    ~Store();
};
constinit thread_local Store* store = nullptr; // of a plain type: looking there costs one load
constinit thread_local bool closed = false;    // lists that outlive their thread's store go as others do
Store::~Store() {
    store = nullptr;
    closed = true;
}
[[gnu::noinline, gnu::cold]] void open_store() {
    if (closed) return;
    thread_local Store own;
    store = &own;
}
} // namespace

void RecycledList::take() {
    Store* const s = store;
    if (s && s->count > 0) list.swap(s->lists[--s->count]);
}
void RecycledList::give_back() noexcept {
    list.clear(); // may run code of any kind, which takes from the store
    if (!store) [[unlikely]]
        open_store();
    Store* const s = store;
    if (s && s->count < Store::size) s->lists[s->count++].swap(list);
}

RecycledList::RecycledList(std::size_t n) {
    take();
    list.resize(n);
}
RecycledList::RecycledList(const autograd::GradList& grads) {
    take();
    for (const Tensor& g : grads) list.push_back(g);
}
RecycledList::RecycledList(autograd::GradList&& grads) {
    take();
    for (Tensor& g : grads) list.push_back(std::move(g));
}
RecycledList::RecycledList(const RecycledList& o) {
    take();
    list = o.list;
}

} // namespace reel::nn::detail
