// Where each value of a graph is needed for the last time.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <reel/script/graph.hpp>

namespace reel::jit {

/// Values may be taken out of their registers at their last use. Inside a loop, what comes from outside is kept until
/// the loop ends.
class Liveness {
public:
    explicit Liveness(const Graph& graph);
    bool is_last(const Node* node, std::size_t operand) const { return last_.contains({node, operand}); }
    /// Values that the other branch of an `if` needs, and this one does not.
    const std::vector<const Value*>& dead_at_start(const Block* block) const { return look_up(at_start_, block); }
    /// Values that were kept for a loop.
    const std::vector<const Value*>& dead_behind(const Node* node) const { return look_up(behind_, node); }

private:
    using Set = std::unordered_set<const Value*>;
    struct Hash {
        std::size_t operator()(const std::pair<const Node*, std::size_t>& p) const {
            return std::hash<const void*>()(p.first) * 31 + p.second;
        }
    };
    template <class Key>
    static const std::vector<const Value*>& look_up(const std::unordered_map<Key, std::vector<const Value*>>& map,
                                                    Key key) {
        static const std::vector<const Value*> none;
        const auto at = map.find(key);
        return at == map.end() ? none : at->second;
    }
    void use(const Node* node, Set& live);
    void visit_block(const Block* block, Set& live);
    void visit_if(const Node* node, Set& live);
    void visit_loop(const Node* node, Set& live);

    std::unordered_set<std::pair<const Node*, std::size_t>, Hash> last_;
    std::unordered_map<const Block*, std::vector<const Value*>> at_start_;
    std::unordered_map<const Node*, std::vector<const Value*>> behind_;
};

} // namespace reel::jit
