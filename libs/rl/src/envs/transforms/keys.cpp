#include "envs/transforms/keys.hpp"

#include <algorithm>

#include <reel/autograd/ops/pointwise/logical.hpp>

namespace reel::rl::detail {

std::vector<NestedKey> done_keys(const Composite& done) {
    std::vector<NestedKey> keys;
    for (const NestedKey& key : done.leaf_keys())
        if (const NestedKey flag = key.with_back("done"); std::find(keys.begin(), keys.end(), flag) == keys.end())
            keys.push_back(flag);
    return keys;
}
std::vector<NestedKey> out_keys_for(const std::string& who, const std::vector<NestedKey>& in_keys,
                                    std::vector<NestedKey> out_keys) {
    if (out_keys.empty()) return in_keys;
    REEL_CHECK_VALUE(out_keys.size() == in_keys.size(), who, ": expected as many out_keys as in_keys, got ",
                     out_keys.size(), " and ", in_keys.size());
    return out_keys;
}
const NestedKey& plain_key(const std::string& who, const char* what, const NestedKey& key) {
    REEL_CHECK_VALUE(key.size() == 1, who, ": expected ", what, " to be a single name, got ", key.str());
    return key;
}
void truncate(TensorDict& td, const NestedKey& done_key, const std::string& truncated_name, const Tensor& reached,
              bool update_done) {
    const NestedKey truncated_key = done_key.with_back(truncated_name);
    const std::optional<Tensor> before = td.get(truncated_key);
    td.set(truncated_key, before ? reel::logical_or(*before, reached) : reached);
    if (update_done) td.set(done_key, reel::logical_or(td[done_key], reached));
}

} // namespace reel::rl::detail
