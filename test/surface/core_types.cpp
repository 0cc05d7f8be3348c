// Dtypes, devices, options, dicts and values. Compiled, not run.
#include <iostream>
#include <reel/reel.hpp>

using namespace reel;

void dtypes() {
    (void)kF32;
    (void)kF64;
    (void)kI64;
    (void)kI32;
    (void)kI16;
    (void)kI8;
    (void)kU8;
    (void)kChar;
    (void)kByte;
    (void)kShort;
    (void)kInt;
    (void)kBool;
    Dtype dt = kFloat;
    promote_types(kFloat, kInt);
    result_type(ones(2), 1.0);
    can_cast(kFloat, kInt);
    toString(dt);
    elementSize(dt);
    isFloatingType(dt);
    isIntegralType(dt, false);
    isComplexType(dt);
    auto t = ones(2);
    bool b = t.dtype() == kFloat && t.scalar_type() == kFloat;
    (void)b;
    std::cout << t.dtype() << t.scalar_type();
    get_default_dtype();
    set_default_dtype(kFloat);
    set_default_dtype(t.dtype());
}
void devices() {
    auto t = ones(2);
    Device d(kCPU);
    d.type();
    d.index();
    d.set_index(0);
    d.has_index();
    d.is_cpu();
    d.is_cuda();
    d.is_meta();
    d.str();
    std::hash<Device>()(d);
    (void)kMeta;
}
void options() {
    auto o = TensorOptions()
                 .dtype(kFloat)
                 .device(kCPU)
                 .device_index(0)
                 .layout(kStrided)
                 .requires_grad(false)
                 .pinned_memory(false)
                 .memory_format(MemoryFormat::Contiguous);
    o.dtype<double>();
    o.dtype();
    o.device();
    o.layout();
    o.requires_grad();
    o.pinned_memory();
    o.has_dtype();
    o.dtype_opt();
    o.device_opt();
    o.has_device();
    o.merge_in(o);
    dtype(kFloat);
    dtype<float>();
    device(kCPU);
    requires_grad();
    layout(kStrided);
    device_index(0);
    memory_format(MemoryFormat::Contiguous);
    std::cout << o;
}
void ordered_dicts() {
    OrderedDict<std::string, int> od{{"a", 1}};
    OrderedDict<std::string, int> od2("Key");
    od.insert("b", 2);
    od.update(od2);
    od.find("a");
    od.contains("a");
    od.erase("a");
    od.clear();
    od.front();
    od.back();
    od.size();
    od.is_empty();
    od.reserve(3);
    od.keys();
    od.values();
    od.items();
    od.pairs();
    od.key_description();
    od["a"];
    od[0];
    for (auto& i : od) {
        i.key();
        i.value();
        *i;
    }
}
void values() {
    auto t = ones(2);
    IValue iv;
    iv = IValue(3);
    iv = ones(2).sizes();
    std::cout << iv;
    for (const auto& entry : iv.toGenericDict()) std::cout << entry.key() << entry.value();
    iv = 2.0;
    iv = "s";
    iv = t;
    iv = std::vector<int64_t>{1};
    iv = std::make_tuple(1, 2.0);
    iv = std::optional<int64_t>(3);
    iv.isNone();
    iv.isBool();
    iv.isInt();
    iv.isDouble();
    iv.isString();
    iv.isDevice();
    iv.isTensor();
    iv.isTuple();
    iv.isList();
    iv.isGenericDict();
    iv.toInt();
    iv.toDouble();
    iv.toBool();
    iv.toStringRef();
    iv.toTensor();
    iv.toTensorVector();
    iv.toIntVector();
    iv.toDoubleVector();
    iv.toListRef();
    iv.toTuple();
    iv.toGenericDict();
    iv.toOptional<int64_t>();
    iv.to<int64_t>();
    iv.tagKind();
    iv = ivalue::Tuple::create({iv, iv});
}
void lists_and_dicts() {
    List<int64_t> li;
    li.push_back(1);
    Dict<std::string, int64_t> di;
    di.insert("a", 1);
}
