// What the pickles of script archives name beside plain values (rules SC-9 to SC-12).
#include <reel/autograd/error.hpp>

#include "pickle_reader.hpp"

namespace reel::serialize {

namespace {
struct ListBuilder {
    const char *name, *type;
};
constexpr ListBuilder list_builders[] = {{"build_intlist", "List[int]"},
                                         {"build_doublelist", "List[float]"},
                                         {"build_boollist", "List[bool]"},
                                         {"build_tensorlist", "List[Tensor]"}};
} // namespace

Node* PickleReader::script_global(std::string_view module, std::string_view name) {
    const auto found = [&](Tag tag, std::string text) {
        Node* n = make(NodeKind::Global);
        n->tag = std::uint8_t(tag);
        n->text = std::move(text);
        return n;
    };
    const std::string qualified = std::string(module) + "." + std::string(name);
    if (module == "__torch__" || module.substr(0, 10) == "__torch__.") {
        // objects of C++ classes, such as the packed weights of quantized layers, have no code in the archive
        if (qualified.rfind("__torch__.torch.classes.", 0) == 0)
            fail("objects of the built-in class '" + qualified + "' are not supported");
        return found(Tag::ScriptClass, qualified);
    }
    if (module != "torch.jit._pickle") return nullptr;
    if (name == "restore_type_tag") return found(Tag::RestoreTypeTag, qualified);
    for (std::size_t i = 0; i < std::size(list_builders); ++i)
        if (name == list_builders[i].name) {
            Node* n = found(Tag::BuildList, qualified);
            n->i = std::int64_t(i);
            return n;
        }
    return nullptr;
}

Node* PickleReader::typed_list(const Node* function, const std::vector<Node*>& a) {
    if (a.size() != 1 || a[0]->kind != NodeKind::List)
        fail(str("'", function->text, "' called with ",
                 a.size() == 1 ? kind_name(a[0]->kind) : "other than one argument", "; expected a list"));
    Node* n = make(NodeKind::Tagged);
    n->text = list_builders[function->i].type;
    n->items = a;
    return n;
}
Node* PickleReader::tagged(const std::vector<Node*>& a) {
    if (a[1]->kind != NodeKind::String)
        fail(str("the type of a list or dict is ", kind_name(a[1]->kind), "; expected its text"));
    if (a[0]->kind != NodeKind::List && a[0]->kind != NodeKind::Dict)
        fail(str("a type tag on ", kind_name(a[0]->kind), "; only lists and dicts have one"));
    Node* n = make(NodeKind::Tagged);
    n->text = copied(a[1])->text;
    n->items = {a[0]};
    return n;
}
Node* PickleReader::enum_member(const Node* cls, Node* value) {
    Node* n = make(NodeKind::EnumMember);
    n->text = copied(cls)->text;
    n->items = {value};
    return n;
}
Node* PickleReader::script_object(const Node* cls, const Node* arguments) {
    if (arguments->kind != NodeKind::Tuple || !arguments->items.empty())
        fail("NEWOBJ on the class '" + cls->text + "' expects an empty tuple");
    Node* n = make(NodeKind::Object);
    n->text = copied(cls)->text;
    return n;
}

} // namespace reel::serialize
