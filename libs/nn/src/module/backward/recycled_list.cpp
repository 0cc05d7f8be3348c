// The store of lists that every thread has.
#include "module/backward/recycled_list.hpp"

namespace reel::nn::detail {

namespace {
struct Store {
    static constexpr int size = 8;
    variable_list lists[size];
    int count = 0;
    bool closed = false; // lists that outlive their thread's store go as others do
    ~Store() { count = 0, closed = true; }
};
thread_local Store store;
} // namespace

RecycledList::RecycledList() {
    if (store.count > 0) list.swap(store.lists[--store.count]);
}
RecycledList::RecycledList(const RecycledList& o) : RecycledList() { list = o.list; }
RecycledList::~RecycledList() {
    list.clear(); // may run code of any kind, which takes from the store
    if (list.capacity() > 0 && store.count < Store::size && !store.closed) store.lists[store.count++].swap(list);
}

} // namespace reel::nn::detail
