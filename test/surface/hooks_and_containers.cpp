// Hooks, state dicts, containers. Compiled, not run.
#include <reel/reel.hpp>

using namespace reel;
namespace A = autograd;

void hooks() {
    nn::Linear l(2, 3);
    nn::Module& m = *l;
    m.register_forward_pre_hook(
        [](nn::Module&, const nn::ModuleArgs&) -> std::optional<nn::ModuleArgs> { return nullopt; });
    m.register_forward_pre_hook([](nn::Module&, Tensor x) { return x; });
    m.register_forward_hook(
        [](nn::Module&, const nn::ModuleArgs&, const nn::AnyValue&) -> std::optional<nn::AnyValue> { return nullopt; });
    m.register_forward_hook([](nn::Module&, Tensor, Tensor o) { return o; });
    m.register_forward_hook([](nn::Module&, Tensor, Tensor o) { return o; }, true);
    m.register_forward_hook([](nn::Module&, Tensor, Tensor o) { return o; }, true, true);
    m.register_full_backward_pre_hook(
        [](nn::Module&, const A::variable_list&) -> std::optional<A::variable_list> { return nullopt; }, true);
    m.register_full_backward_hook([](nn::Module&, const A::variable_list&,
                                     const A::variable_list&) -> std::optional<A::variable_list> { return nullopt; },
                                  true);
    nn::register_module_forward_pre_hook([](nn::Module&, const nn::ModuleArgs&) {});
    nn::register_module_forward_hook([](nn::Module&, const nn::ModuleArgs&, const nn::AnyValue&) {});
    nn::register_module_full_backward_pre_hook([](nn::Module&, const A::variable_list&) {});
    nn::register_module_full_backward_hook([](nn::Module&, const A::variable_list&, const A::variable_list&) {});
    RemovableHandle rh;
    rh.remove();
}
void state_dicts() {
    nn::Linear l(2, 3);
    nn::Module& m = *l;
    nn::StateDict sd = m.state_dict("p", true);
    auto res = m.load_state_dict(sd, true, false);
    res.missing_keys;
    res.unexpected_keys;
}
void sequences() {
    nn::Linear l(2, 3);
    nn::Sequential s(nn::Linear(2, 3), nn::ReLU(), nn::AnyModule(nn::Linear(3, 4)), l.ptr());
    nn::Sequential s2({{"a", nn::Linear(2, 3)}, {"b", nn::ReLU()}});
    s->push_back(nn::Linear(2, 3));
    s->push_back("x", nn::Linear(2, 3));
    s->extend(*s2);
    s->size();
    s->is_empty();
    s->begin();
    s->at<nn::LinearImpl>(0);
    s->ptr(0);
    s->ptr<nn::LinearImpl>(0);
    s[0];
    s->forward<Tensor>(ones({1, 2}));
    s->forward(ones({1, 2}));
    nn::Sequential n(s, nn::ReLU());
    OrderedDict<std::string, nn::AnyModule> od;
    nn::Sequential s3(od);
}
void lists_and_dicts() {
    nn::ModuleList ml(nn::Linear(2, 3), nn::ReLU());
    ml->insert(0, nn::ReLU());
    ml->extend(*ml);
    ml->at<nn::LinearImpl>(0);
    ml->ptr(0);
    ml->ptr<nn::LinearImpl>(0);
    ml->is_empty();
    for (auto& q : *ml) (void)q;
    OrderedDict<std::string, std::shared_ptr<nn::Module>> ods;
    nn::ModuleDict md(ods);
    md->update(ods);
    md->pop("a");
    md->contains("a");
    md->at<nn::LinearImpl>("a");
    md["a"];
    md->keys();
    md->values();
    md->items();
    md->size();
    md->empty();
    md->clear();
    md->begin();
}
void modules_of_any_class() {
    nn::AnyModule am(nn::Linear(2, 3));
    am.forward(ones({1, 2}));
    am.any_forward(ones({1, 2}));
    am.get<nn::LinearImpl>();
    am.ptr();
    am.ptr<nn::LinearImpl>();
    am.type_info();
    am.is_empty();
    am.clone(kCPU);
    am = nn::ReLU();
    nn::NamedAnyModule na("x", nn::ReLU());
    na.name();
    na.module();
    nn::AnyValue av(ones(2));
    av.get<Tensor>();
    av.try_get<Tensor>();
    av.type_info();
}
struct DefImpl : nn::Module {
    Tensor forward(Tensor x, int64_t k = 3) { return x + k; }

protected:
    REEL_FORWARD_HAS_DEFAULT_ARGS({1, nn::AnyValue(int64_t(3))})
};
