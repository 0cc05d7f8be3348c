"""The arguments of schemas: their types in C++, their defaults there and as values, and how a bound value becomes one."""
import re
import sys

from exact_arguments import EXACT

# schema type -> (C++ parameter, expression that converts the bound value `{v}`)
TYPES = {
    "Tensor": ("const Tensor& {n}", "{v}.toTensor()"),
    "Tensor?": ("const Tensor& {n}", "opt_tensor({v})"),
    "Tensor[]": ("TensorList {n}", "{v}.toTensorVector()"),
    "Tensor?[]": ("TensorList {n}", "opt_tensors({v})"),
    "int": ("std::int64_t {n}", "{v}.toInt()"),
    "int?": ("std::optional<std::int64_t> {n}", "opt_int({v})"),
    "int[]": ("IntArrayRef {n}", "ints({v})"),
    "int?[]": ("IntArrayRef {n}", "ints_or_none({v})"),
    "int[]?": ("OptionalIntArrayRef {n}", "OptInts({v})"),
    "float": ("double {n}", "{v}.toDouble()"),
    "float?": ("std::optional<double> {n}", "opt_double({v})"),
    "float[]": ("ArrayRef<double> {n}", "doubles({v})"),
    "float[]?": ("std::optional<ArrayRef<double>> {n}", "OptDoubles({v})"),
    "bool": ("bool {n}", "{v}.toBool()"),
    "bool?": ("std::optional<bool> {n}", "opt_bool({v})"),
    "Scalar": ("const Scalar& {n}", "{v}.toScalar()"),
    "Scalar?": ("const std::optional<Scalar>& {n}", "opt_scalar({v})"),
    "str": ("std::string_view {n}", "{v}.toStringRef()"),
    "str?": ("std::optional<std::string_view> {n}", "opt_str({v})"),
    "Dtype": ("ScalarType {n}", "{v}.toDtype()"),
    "Dtype?": ("std::optional<ScalarType> {n}", "opt_dtype({v})"),
    "Device?": ("std::optional<Device> {n}", "opt_device({v})"),
    "Generator?": ("std::optional<Generator> {n}", "opt_generator({v})"),
    "MemoryFormat?": ("std::optional<MemoryFormat> {n}", "opt_memory_format({v})"),
    "TensorOptions": ("TensorOptions {n}", "options({v})"),
    "Value": ("const Value& {n}", "{v}"),
}
RETURNS = {
    "Value": "Value", "Tensor": "Tensor", "Tensor[]": "std::vector<Tensor>", "bool": "bool", "int": "std::int64_t", "float": "double",
    "Scalar": "Scalar", "Dtype": "ScalarType", "int[]": "std::vector<std::int64_t>",
}


def fail(where, text):
    sys.exit(f"opgen: {where}: {text}")


class Arg:
    def __init__(self, text, kwarg_only, where):
        m = re.fullmatch(r"([A-Za-z]+(?:\[\d*\])?\??(?:\[\])?) (\w+)(?:=(.*))?", text)
        if not m:
            fail(where, f"cannot read the argument '{text}'; expected 'Type name[=default]'")
        self.type, self.name, self.default = m.groups()
        self.base = re.sub(r"\[\d+\]", "[]", self.type)
        self.kwarg_only = kwarg_only
        if self.base not in TYPES:
            fail(where, f"unknown type '{self.type}' of argument '{self.name}'; known: {', '.join(TYPES)}")

    def cpp(self, exact=False):
        if exact and self.base in EXACT:
            return f"{EXACT[self.base][0]} {self.name}"
        return TYPES[self.base][0].format(n=self.name)

    def cpp_default(self):
        d = self.default
        if d is None:
            return ""
        if d == "None":
            return " = {}" if self.base in ("Tensor?", "TensorOptions") else " = std::nullopt"
        if d in ("True", "False"):
            return " = " + d.lower()
        if d == "{}" or d == "[]":
            return " = {}"
        if d.startswith("["):
            return " = {" + d[1:-1] + "}"
        if d.startswith("'"):
            return ' = "' + d[1:-1] + '"'
        if d in ("inf", "-inf"):
            return f" = {'-' if d[0] == '-' else ''}std::numeric_limits<double>::infinity()"
        return " = " + d

    def value_default(self):
        d = self.default
        if d in (None, "None", "{}"):
            return "Value()"
        if d in ("True", "False"):
            return f"Value({d.lower()})"
        if d.startswith("["):
            return "Value(std::vector<std::int64_t>{" + d[1:-1] + "})"
        if d.startswith("'"):
            return 'Value("' + d[1:-1] + '")'
        if d in ("inf", "-inf"):
            return f"Value({'-' if d[0] == '-' else ''}std::numeric_limits<double>::infinity())"
        if re.fullmatch(r"-?\d+", d) and self.base.startswith("int"):
            return f"Value(std::int64_t({d}))"
        return f"Value({d})"

    def bound(self, i):
        return TYPES[self.base][1].format(v=f"v[{i}]")
