// The text of a dictionary, as the Python package writes it.
#include <algorithm>
#include <ostream>

#include <reel/rl/tensordict.hpp>

#include "tensordict/dict_impl.hpp"

namespace reel::rl {

using namespace detail;

namespace {

std::string size_text(IntArrayRef sizes) {
    std::string text = "torch.Size([";
    for (std::size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
    return text + "])";
}
std::string text_of(const TensorDict& dict, const std::string& indent);

std::string text_of(const Entry& entry, const std::string& indent) {
    if (entry.is_dict()) return text_of(entry.dict(), indent);
    const Tensor& t = entry.tensor();
    const char* shared = t.device().is_cuda() ? "True" : "False"; // memory of a device can be passed on
    return "Tensor(shape=" + size_text(t.sizes()) + ", device=" + t.device().str() + ", dtype=torch." +
           dtype_name(t.scalar_type()) + ", is_shared=" + shared + ")";
}
std::string text_of(const TensorDict& dict, const std::string& indent) {
    const DictImpl& impl = DictImpl::of(dict);
    std::vector<const DictImpl::Slot*> sorted;
    for (const DictImpl::Slot& slot : impl.slots) sorted.push_back(&slot);
    std::sort(sorted.begin(), sorted.end(),
              [](const DictImpl::Slot* a, const DictImpl::Slot* b) { return a->name < b->name; });
    const std::string inner = indent + "    ";
    std::string text = "TensorDict(\n" + inner + "fields={";
    for (std::size_t i = 0; i < sorted.size(); ++i)
        text +=
            (i ? ",\n" : "\n") + inner + "    " + sorted[i]->name + ": " + text_of(sorted[i]->entry, inner + "    ");
    if (sorted.empty()) text += "\n" + inner;
    const bool shared = impl.device && impl.device->is_cuda();
    return text + "},\n" + inner + "batch_size=" + size_text(impl.batch_size) + ",\n" + inner +
           "device=" + (impl.device ? impl.device->str() : "None") + ",\n" + inner +
           "is_shared=" + (shared ? "True" : "False") + ")";
}

} // namespace

std::string TensorDict::str() const { return text_of(*this, ""); }
std::ostream& operator<<(std::ostream& os, const TensorDict& dict) { return os << dict.str(); }

} // namespace reel::rl
