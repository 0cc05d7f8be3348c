// Calls to start from: the reference cases of an op, else arguments made from its schemas.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <reel/autograd/op.hpp>

#include "common/case_file.hpp"
#include "op_fuzz/call.hpp"
#include "op_fuzz/dice.hpp"

namespace op_fuzz {

/// Where the reference cases are: REEL_REFERENCE, else ../shared/oracle beside the checkout, else the vendored subset;
/// empty where there is none of them.
std::filesystem::path reference_folder();

/// A value of the schema type `type` (`Tensor`, `int[]`, `str?`, ...); tensors of shape `sizes`.
reel::Value value_of_type(const std::string& type, const std::vector<std::int64_t>& sizes, Dice& dice);
/// A tensor with small values.
reel::Tensor drawn_tensor(const std::vector<std::int64_t>& sizes, reel::ScalarType dtype, Dice& dice);

/// Files are read when an op is first asked for.
class Samples {
public:
    /// `folder` holds `ops/*.safetensors`; empty: every call is made from schemas.
    explicit Samples(const std::filesystem::path& folder);
    /// A call of `op` with tensors of its own.
    Call draw(const reel::ops::Op& op, Dice& dice);
    /// The calls of the reference cases alone, `limit` at most.
    std::vector<Call> reference_calls(const reel::ops::Op& op, std::size_t limit);

private:
    struct Case {
        const replay::CaseFile* file;
        const replay::json::object* data;
    };
    const std::vector<Case>& cases_of(const std::string& op);
    Call read(const reel::ops::Op& op, const Case& c) const;
    std::map<std::string, std::vector<std::filesystem::path>> files_; ///< by op
    std::vector<std::unique_ptr<replay::CaseFile>> open_;
    std::map<std::string, std::vector<Case>> cases_;
};

} // namespace op_fuzz
