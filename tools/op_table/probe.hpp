// What an op can do, found out by calling it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace op_table {

/// One op as the table shows it. Everything but the schemas and what they declare is what happened when its samples
/// were called.
struct Row {
    std::vector<std::string> schemas;
    std::string declared;    ///< where its gradient comes from, as its blocks say: rule, composite, none
    std::string node;        ///< what a result over operands with grad has as grad function; empty: none needs grad
    bool forward = false;    ///< a tangent comes out where dual tensors go in
    std::string dtypes;      ///< of the operands that hold values, not of indices and masks
    std::string devices;     ///< where the call works
    std::string not_on_cuda; ///< dtypes that the CPU takes and a CUDA device, where there is one, does not
    bool refused_on_cuda = false; ///< the same of the call as a whole
    bool sampled = false;         ///< is there a sample at all?
};

/// Looks at `op`. What may end the process (it must not, yet this is where one would learn of it) comes last; `said` is
/// called with the row as known so far before each such step.
template <class Said> Row probe(std::string_view op, const Said& said);

/// The parts of `probe`.
Row look_at_schemas(std::string_view op);
void look_at_gradient(Row& row, std::string_view op);
void look_at_dtypes(Row& row, std::string_view op);
void look_at_device(Row& row, std::string_view op, std::string_view device);

template <class Said> Row probe(std::string_view op, const Said& said) {
    Row row = look_at_schemas(op);
    if (!row.sampled) return row;
    look_at_gradient(row, op);
    look_at_dtypes(row, op);
    for (const char* device : {"cpu", "cuda", "meta"}) {
        said(row);
        look_at_device(row, op, device);
    }
    return row;
}

} // namespace op_table
