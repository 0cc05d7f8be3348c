#include "pickle_reader.hpp"

#include <algorithm>
#include <cstring>
#include <iomanip>
#include <sstream>

#include <reel/autograd/error.hpp>

#include "pickle_opcodes.hpp"
#include "zip_reader.hpp"

namespace reel::serialize {

PickleReader::PickleReader(FileTree& tree, std::string_view bytes, std::string where, const ReadLimits& limits,
                           StorageSource* storages, PickleDialect dialect)
    : tree_(tree), bytes_(bytes), where_(std::move(where)), limits_(limits), storages_(storages), dialect_(dialect) {}

void PickleReader::fail(const std::string& what) const {
    // an error after something unknown is most likely its consequence: name the cause
    if (!tree_.stranger.name.empty()) refuse_stranger(tree_.stranger, path());
    const std::string p = path();
    REEL_THROW(ValueError, where_, ", byte ", op_at_, p.empty() ? "" : ", at ", p, ": ", what);
}

// Where in the value under construction is the machine? Every MARK that follows a dict or list opens its contents; what
// stands behind the last complete pair is being built.
std::string PickleReader::path() const {
    std::string out;
    std::size_t begin = 0;
    const Node* container = nullptr;
    for (std::size_t k = 0; k <= marks_.size(); ++k) {
        const std::size_t end = k < marks_.size() ? marks_[k] : stack_.size();
        if (end > stack_.size()) break;
        const bool last = k == marks_.size();
        std::size_t i = begin;
        if (!container && i < end && (stack_[i]->is_dict() || stack_[i]->kind == NodeKind::List) && i + 1 < end)
            container = stack_[i++];
        if (container && container->is_dict()) {
            while (i < end) {
                const bool pending = i + 1 >= end || (!last && i + 2 >= end) ||
                                     stack_[i + 1]->kind == NodeKind::Global || stack_[i + 1]->kind == NodeKind::Opaque;
                if (pending) {
                    out += path_step(*stack_[i]);
                    // one-entry dicts come without MARK: dict, key, value
                    if (i + 2 < end && stack_[i + 1]->is_dict()) out += path_step(*stack_[i + 2]);
                    break;
                }
                i += 2;
            }
        } else if (container && container->kind == NodeKind::List) {
            out += "[" + std::to_string(container->items.size() / 1 + (end - i) - (!last && end > i ? 1 : 0)) + "]";
        }
        if (last) break;
        container = end > begin ? stack_[end - 1] : nullptr;
        if (container && !container->is_dict() && container->kind != NodeKind::List) container = nullptr;
        begin = end;
        if (out.size() > 400) return out + "...";
    }
    return out;
}

std::string_view PickleReader::take(std::uint64_t n) {
    if (n > bytes_.size() - at_)
        fail(str("needs ", n, " bytes, but only ", bytes_.size() - at_, " are left: cut off, or a false length"));
    const std::string_view s = bytes_.substr(at_, n);
    at_ += n;
    return s;
}
template <class T> T PickleReader::number() {
    T v;
    std::memcpy(&v, take(sizeof v).data(), sizeof v);
    return v;
}
std::string_view PickleReader::line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) fail("the name of a global does not end");
    const std::string_view s = take(end - at_);
    ++at_;
    if (s.size() > 4096) fail("the name of a global is longer than 4096 bytes");
    if (!is_utf8(s)) fail("the name of a global is not UTF-8");
    return s;
}
Node* PickleReader::make(NodeKind k) {
    if (tree_.nodes.size() >= limits_.objects)
        fail(str("more than ", limits_.objects, " objects, the limit for this file"));
    return tree_.make(k);
}
const Node* PickleReader::copied(const Node* from) {
    copied_ += from->text.size() + from->items.size() * sizeof(Node*);
    if (copied_ > limits_.copied)
        fail(str("calls copy more than ", limits_.copied, " bytes of other values, the limit for this file"));
    return from;
}
void PickleReader::push(Node* n) {
    if (stack_.size() >= limits_.stack) fail(str("more than ", limits_.stack, " values on the stack"));
    stack_.push_back(n);
}
Node*& PickleReader::top() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) fail("stack underflow: a value is missing");
    return stack_.back();
}
Node* PickleReader::pop() {
    Node* n = top();
    stack_.pop_back();
    return n;
}
std::vector<Node*> PickleReader::pop_mark() {
    if (marks_.empty()) fail("a MARK is missing");
    std::vector<Node*> items(stack_.begin() + std::ptrdiff_t(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
}
void PickleReader::put(std::uint64_t index) {
    Node* n = top();
    if (index > opcodes_) fail(str("memo index ", index, " is beyond the number of opcodes read"));
    if (index >= memo_.size()) memo_.resize(index + 1);
    memo_[index] = n;
}
void PickleReader::get(std::uint64_t index) {
    if (index >= memo_.size() || !memo_[index]) fail(str("memo entry ", index, " is read before it is written"));
    push(memo_[index]);
}
void PickleReader::push_text(NodeKind k, std::uint64_t length) {
    const std::string_view s = take(length);
    if (k == NodeKind::String && !is_utf8(s)) fail("a string is not valid UTF-8");
    Node* n = make(k);
    n->text = s;
    push(n);
}
void PickleReader::push_long(std::string_view bytes) {
    if (bytes.size() <= 8) {
        std::uint64_t v = 0;
        for (std::size_t i = bytes.size(); i-- > 0;) v = v << 8 | std::uint8_t(bytes[i]);
        if (!bytes.empty() && bytes.size() < 8 && bytes.back() < 0) v |= ~std::uint64_t(0) << 8 * bytes.size();
        Node* n = make(NodeKind::Int);
        n->i = std::int64_t(v);
        return push(n);
    }
    // two's complement to decimal, nine digits at a time
    std::vector<std::uint8_t> magnitude(bytes.begin(), bytes.end());
    const bool negative = bytes.back() < 0;
    if (negative) {
        unsigned carry = 1;
        for (std::uint8_t& b : magnitude) {
            carry += std::uint8_t(~b);
            b = std::uint8_t(carry);
            carry >>= 8;
        }
    }
    std::vector<std::uint32_t> groups;
    for (;;) {
        while (!magnitude.empty() && !magnitude.back()) magnitude.pop_back();
        if (magnitude.empty()) break;
        std::uint64_t rest = 0;
        for (std::size_t i = magnitude.size(); i-- > 0;) {
            rest = rest << 8 | magnitude[i];
            magnitude[i] = std::uint8_t(rest / 1'000'000'000);
            rest %= 1'000'000'000;
        }
        groups.push_back(std::uint32_t(rest));
    }
    std::ostringstream text;
    if (negative) text << '-';
    text << (groups.empty() ? 0 : groups.back());
    for (std::size_t i = groups.empty() ? 0 : groups.size() - 1; i-- > 0;)
        text << std::setw(9) << std::setfill('0') << groups[i];
    Node* n = make(NodeKind::BigInt);
    n->text = text.str();
    if (n->text.size() < 19) {
        n->kind = NodeKind::Int;
        n->i = std::stoll(n->text);
    }
    push(n);
}
void PickleReader::tuple(std::size_t n) {
    Node* t = make(NodeKind::Tuple);
    t->items.resize(n);
    while (n-- > 0) t->items[n] = pop();
    push(t);
}
void PickleReader::set_items(Node* dict, const std::vector<Node*>& items, const char* op) {
    if (!dict->is_dict() && dict->kind != NodeKind::Opaque)
        fail(str(op, " on ", kind_name(dict->kind), "; only dicts have items"));
    if (items.size() % 2) fail(str(op, " with an odd number of operands"));
    dict->items.insert(dict->items.end(), items.begin(), items.end());
}

Node* PickleReader::read() {
    stack_.clear();
    marks_.clear();
    memo_.clear();
    done_ = false;
    op_at_ = at_;
    if (bytes_.size() - at_ < 2 || std::uint8_t(bytes_[at_]) != PROTO)
        fail("expected a pickle, which begins with the opcode PROTO");
    const int protocol = std::uint8_t(bytes_[at_ + 1]);
    if (protocol < 2 || protocol > 5) fail(str("pickle protocol ", protocol, " is not supported (2 to 5)"));
    if (dialect_ == PickleDialect::Script && protocol != 2)
        fail(str("pickle protocol ", protocol, " is not supported in a script archive (only 2)"));
    at_ += 2;
    ++opcodes_;
    while (!done_) {
        op_at_ = at_;
        if (at_ == bytes_.size()) fail("the pickle ends without STOP: it is cut off");
        if (++opcodes_ > limits_.opcodes) fail(str("more than ", limits_.opcodes, " opcodes, the limit for this file"));
        step(std::uint8_t(bytes_[at_++]));
    }
    return stack_.front();
}

void PickleReader::step(std::uint8_t op) {
    switch (op) {
    case STOP:
        if (!marks_.empty()) fail("STOP with a MARK still open");
        if (stack_.size() != 1) fail(str("STOP with ", stack_.size(), " values on the stack instead of one"));
        done_ = true;
        return;
    case MARK:
        // each level of nesting opens one or two
        if (marks_.size() >= 2 * std::size_t(limits_.depth) + 16)
            fail(str("nesting is deeper than the limit of ", limits_.depth));
        marks_.push_back(stack_.size());
        return;
    case EMPTY_DICT:
        return push(make(NodeKind::Dict));
    case EMPTY_LIST:
        return push(make(NodeKind::List));
    case EMPTY_TUPLE:
        return push(make(NodeKind::Tuple));
    case EMPTY_SET:
        return push(make(NodeKind::Set));
    case TUPLE: {
        std::vector<Node*> items = pop_mark();
        Node* t = make(NodeKind::Tuple);
        t->items = std::move(items);
        return push(t);
    }
    case TUPLE1:
    case TUPLE2:
    case TUPLE3:
        return tuple(op - TUPLE1 + 1u);
    case NONE:
        return push(make(NodeKind::None));
    case NEWTRUE:
    case NEWFALSE: {
        Node* n = make(NodeKind::Bool);
        n->tag = op == NEWTRUE;
        return push(n);
    }
    case BININT:
    case BININT1:
    case BININT2: {
        const std::int64_t v = op == BININT    ? std::int64_t(number<std::int32_t>())
                               : op == BININT1 ? std::int64_t(number<std::uint8_t>())
                                               : std::int64_t(number<std::uint16_t>());
        Node* n = make(NodeKind::Int);
        n->i = v;
        return push(n);
    }
    case LONG1:
        return push_long(take(number<std::uint8_t>()));
    case BINFLOAT: {
        char bytes[8];
        const std::string_view s = take(8);
        std::reverse_copy(s.begin(), s.end(), bytes);
        Node* n = make(NodeKind::Float);
        std::memcpy(&n->d[0], bytes, 8);
        return push(n);
    }
    case BINUNICODE:
        return push_text(NodeKind::String, number<std::uint32_t>());
    case SHORT_BINUNICODE:
    case SHORT_BINSTRING:
        return push_text(NodeKind::String, number<std::uint8_t>());
    case BINUNICODE8:
        return push_text(NodeKind::String, number<std::uint64_t>());
    case BINBYTES:
        return push_text(NodeKind::Bytes, number<std::uint32_t>());
    case SHORT_BINBYTES:
        return push_text(NodeKind::Bytes, number<std::uint8_t>());
    case BINBYTES8:
        return push_text(NodeKind::Bytes, number<std::uint64_t>());
    case BYTEARRAY8:
        return push_text(NodeKind::Bytearray, number<std::uint64_t>());
    case BINGET:
        return get(number<std::uint8_t>());
    case LONG_BINGET:
        return get(number<std::uint32_t>());
    case BINPUT:
        return put(number<std::uint8_t>());
    case LONG_BINPUT:
        return put(number<std::uint32_t>());
    case MEMOIZE:
        return put(memo_.size());
    case FRAME: {
        const auto length = number<std::uint64_t>();
        if (length > bytes_.size() - at_) fail(str("a frame of ", length, " bytes exceeds what is left of the pickle"));
        return;
    }
    case APPEND: {
        Node* item = pop();
        if (top()->kind == NodeKind::Opaque) return;
        if (top()->kind != NodeKind::List)
            fail(str("APPEND on ", kind_name(top()->kind), "; only lists can be appended to"));
        top()->items.push_back(item);
        return;
    }
    case APPENDS: {
        const std::vector<Node*> items = pop_mark();
        if (top()->kind == NodeKind::Opaque) return;
        if (top()->kind != NodeKind::List)
            fail(str("APPENDS on ", kind_name(top()->kind), "; only lists can be appended to"));
        top()->items.insert(top()->items.end(), items.begin(), items.end());
        return;
    }
    case SETITEM: {
        Node* value = pop();
        Node* key = pop();
        return set_items(top(), {key, value}, "SETITEM");
    }
    case SETITEMS: {
        const std::vector<Node*> items = pop_mark();
        return set_items(top(), items, "SETITEMS");
    }
    case GLOBAL: {
        const std::string_view module = line(), name = line();
        return push(global(module, name));
    }
    case STACK_GLOBAL: {
        Node* name = pop();
        Node* module = pop();
        if (name->kind != NodeKind::String || module->kind != NodeKind::String) fail("STACK_GLOBAL needs two strings");
        return push(global(module->text, name->text));
    }
    case REDUCE: {
        Node* arguments = pop();
        Node* function = pop();
        return push(reduce(function, arguments));
    }
    case NEWOBJ: {
        Node* arguments = pop();
        Node* cls = pop();
        return push(new_object(cls, arguments));
    }
    case BUILD: {
        Node* state = pop();
        return build(top(), state);
    }
    case BINPERSID:
        return push(persistent(pop()));
    default:
        fail(str("opcode 0x", std::hex, std::uppercase, std::setw(2), std::setfill('0'), int(op),
                 refused_opcode_name(op), " is not accepted"));
    }
}

} // namespace reel::serialize
