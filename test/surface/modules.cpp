// Members of Module. Compiled, not run.
#include <iostream>
#include <reel/reel.hpp>

using namespace reel;

struct MImpl : nn::Module {
    Tensor forward(Tensor x) { return x; }
};
REEL_MODULE(M);
void registered() {
    nn::Linear l(2, 3);
    nn::Module& m = *l;
    m.name();
    m.register_parameter("w", ones(2));
    m.register_buffer("b", ones(2), false);
    m.replace_module("x", l);
    m.unregister_module("x");
    m.parameters();
    m.named_parameters();
    m.buffers();
    m.named_buffers();
    m.modules();
    m.named_modules();
    m.named_modules("p", false);
    m.children();
    m.named_children();
}
void walks_and_names() {
    nn::Linear l(2, 3);
    nn::Module& m = *l;
    std::shared_ptr<nn::Module> sp = l.ptr();
    m.apply([](nn::Module&) {});
    m.apply([](const std::string&, nn::Module&) {}, "p");
    m.apply([](const std::shared_ptr<nn::Module>&) {});
    m.apply([](const nn::Module&) {});
    m.apply([](const std::string&, const nn::Module&) {});
    m.apply([](const std::string&, const std::shared_ptr<nn::Module>&) {});
    m.get_submodule("a");
    m.get_parameter("a");
    m.get_buffer("a");
    m.set_submodule("a", sp);
    m.has_parameter("w");
    m.named_parameters("p");
    m.named_parameters("p", true, false);
}
void modes_and_conversions() {
    nn::Linear l(2, 3);
    nn::Module& m = *l;
    m.train();
    m.eval();
    m.is_training();
    m.zero_grad();
    m.to(kCPU);
    m.to(kDouble);
    m.to(kCPU, kDouble, true);
    m.clone();
    m.clone(kCPU, false);
    m.as<nn::Linear>();
    m.as<nn::LinearImpl>();
    m.is_serializable();
    m.pretty_print(std::cout);
    std::cout << m << l;
    m.requires_grad_(false);
    m.half();
    m.bfloat16();
    m.float_();
    m.double_();
    m.type(kFloat);
    m.cpu();
    m.cuda();
    m.to_empty(kCPU);
    m.share_memory();
    m.unregister_parameter("w");
    m.unregister_buffer("b");
    m.extra_repr();
}
void archives() {
    nn::Linear l(2, 3);
    nn::Module& m = *l;
    serialize::OutputArchive oa;
    m.save(oa);
    serialize::InputArchive ia;
    m.load(ia);
}
