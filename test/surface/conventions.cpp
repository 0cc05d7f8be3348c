// Handles, conversions, options, enumerators, errors. Compiled, not run.
#include <iostream>
#include <reel/reel.hpp>

using namespace reel;
namespace A = autograd;

void handles_and_conversions() {
    Tensor x = ones({2, 3});
    x[0] = zeros({3});
    x[0][1] = 3.0;
    A::Variable v = x;
    A::variable_list vl{v};
    TensorList tl(vl);
    (void)tl;
    TensorBase tb = x;
    (void)tb;
    optional<int> oi = nullopt;
    (void)oi;
    x.unsafeGetTensorImpl();
    x.reset();
    IntArrayRef r{2, 3};
    std::vector<int64_t> vi{2, 3};
    bool eq = r == vi;
    (void)eq;
    std::array<int64_t, 2> ar{1, 2};
    IntArrayRef r2 = ar;
    std::cout << r2;
    r.slice(0, 1);
    r.vec();
    r.equals(r2);
    r.front();
    r.back();
    r.at(0);
    r.rbegin();
    ArrayRef arr(vi);
    (void)arr;
    OptionalIntArrayRef oir;
    (void)oir;
    ones(5);
    full(1, 2.0);
    Scalar s = true;
    s = 3;
    s = 3u;
    s = int8_t(1);
    s = 2.f;
    s = std::complex<double>(1, 2);
}
void scalars() {
    Scalar s = 3;
    s.to<int>();
    s.toInt();
    s.toLong();
    s.toFloat();
    s.toDouble();
    s.toBool();
    s.toComplexDouble();
    s.isIntegral(true);
    s.isFloatingPoint();
    s.isComplex();
    s.isBoolean();
    s.type();
    s.equal(3);
}
void options_by_one_word() {
    zeros({2}, kDouble);
    zeros({2}, kCUDA);
    zeros({2}, "cpu");
    zeros({2}, Device("cpu"));
    zeros({2}, kStrided);
    zeros({2}, MemoryFormat::Contiguous);
    Device d{kCUDA, 0};
    Device e("cuda:1");
}
void operators() {
    auto x = ones({2}), y = x;
    x + y - x* y / x % y;
    x.to(kLong) & x.to(kLong);
    1 - x;
    x > 1;
    1 > x;
    -x;
    ~x.to(kBool);
    x += y;
    x -= 1;
    x *= y;
    x /= 2;
    auto z = x.to(kLong);
    z &= z;
    z |= z;
    z ^= z;
    2 / x;
    2 % x;
    z ^ z;
}
void options_of_layers() {
    auto x = ones({2, 2});
    nn::Softmax(1);
    softmax(x, 0);
    nn::MaxPool2d(3);
    nn::Dropout(0.5);
    nn::MSELoss loss(kSum);
    nn::L1Loss l1(kNone);
    auto o = nn::Conv2dOptions(1, 2, 3);
    nn::Conv2d m(o.stride(2));
    o.stride();
}
void enumerators() {
    (void)kMax;
    (void)kBatchMean;
    (void)kZeros;
    (void)kReflect;
    (void)kReplicate;
    (void)kCircular;
    (void)kConstant;
    (void)kBorder;
    (void)kReflection;
    (void)kValid;
    (void)kSame;
    (void)kNearest;
    (void)kNearestExact;
    (void)kLinear;
    (void)kBilinear;
    (void)kBicubic;
    (void)kTrilinear;
    (void)kArea;
    (void)kTanh;
    (void)kReLU;
    (void)kGELU;
    (void)kSigmoid;
    (void)kSiLU;
    (void)kMish;
    (void)kLeakyReLU;
    (void)kConv1D;
    (void)kConvTranspose3D;
    (void)kFanIn;
    (void)kFanOut;
    (void)kRNN_TANH;
    (void)kRNN_RELU;
    (void)kLSTM;
    (void)kGRU;
    Choice<enumtype::kMean, enumtype::kSum> var = kMean;
    enumtype::get_enum_name(var);
    Choice<enumtype::kNone, enumtype::kMean, enumtype::kSum> var2 = kMean;
    enumtype::reduction_get_enum(var2);
    Reduction::Mean;
}
void expanding_arrays() {
    ExpandingArray<2> ea(1);
    ExpandingArray<2> eb({1, 2});
    *ea;
    ea.size();
    ea[0];
    std::cout << ea;
    ExpandingArray<2> ec(std::vector<int64_t>{1, 2});
    ExpandingArrayWithOptionalElem<2> eo({nullopt, 3});
    (void)eo;
}
void holders() {
    nn::Linear lin(2, 3);
    lin.is_empty();
    lin.ptr();
    lin.get();
    bool b = bool(lin);
    (void)b;
    nn::Linear em(nullptr);
    nn::LSTM(8, 16);
    nn::Embedding(10, 4);
    using C = nn::Linear::ContainedType;
    nn::Linear fromp(std::make_shared<C>(2, 3));
    nn::Functional f1(relu);
    nn::Functional f2(leaky_relu, 0.2);
    nn::Functional f3(sigmoid), f4(reel::tanh), f5(reel::exp);
}
void errors() {
    try {
    } catch (const Error& er) {
        er.what();
        er.what_without_backtrace();
        er.msg();
        er.context();
    }
    Error er2("x");
    er2.add_context("y");
    (void)sizeof(IndexError);
    (void)sizeof(ValueError);
    (void)sizeof(TypeError);
    (void)sizeof(KeyError);
    (void)sizeof(AttributeError);
    (void)sizeof(NotImplementedError);
    (void)sizeof(LinAlgError);
    (void)sizeof(OutOfMemoryError);
    (void)sizeof(DistError);
}
void checks() {
    REEL_CHECK(true, "a", 1);
    REEL_CHECK_INDEX(true, "a");
    REEL_CHECK_VALUE(true, "a");
    REEL_CHECK_TYPE(true, "a");
    REEL_CHECK_NOT_IMPLEMENTED(true, "a");
    REEL_CHECK_LINALG(true, "x");
    REEL_CHECK_EQ(1, 1);
    REEL_CHECK_NE(1, 2);
    REEL_CHECK_LT(1, 2);
    REEL_CHECK_LE(1, 2);
    REEL_CHECK_GT(2, 1);
    REEL_CHECK_GE(2, 1);
    REEL_INTERNAL_ASSERT(true);
}
void warnings() {
    REEL_WARN("x");
    REEL_WARN_ONCE("x");
    REEL_WARN_DEPRECATION("x");
    struct H : WarningHandler {
        void process(const Warning& w) override {
            w.msg();
            w.type();
            w.source_location();
        }
    } h;
    WarningUtils::set_warning_handler(&h);
    WarningUtils::get_warning_handler();
    WarningUtils::WarningHandlerGuard g(&h);
    WarningUtils::WarnAlways wa;
}
struct MyOptions {
    REEL_ARG(int, a) = 3;
};
