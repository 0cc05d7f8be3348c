// The programs that cases of traces give as steps.
#pragma once

#include <map>
#include <string>

#include <reel/nn/module.hpp>
#include <reel/script/trace.hpp>

#include "script/notation.hpp"

namespace replay::script {

/// `steps` and `return` of a case, run on arguments; variables are told to the trace by their names.
class TraceProgram {
public:
    /// Both must outlive it.
    TraceProgram(const json::object& o, const Values& values) : case_(o), values_(values) {}
    /// `modules`: whose children the steps call.
    reel::IValue run(reel::nn::Module& modules, const reel::Args& inputs);

private:
    void assign(const std::string& name, reel::IValue value);
    const reel::IValue& variable(const std::string& name) const;
    /// A literal, a variable, or a list, tuple or dict of them.
    reel::IValue value(const json::value& v) const;
    reel::Args values(const json::value& v) const;
    void run_steps(reel::nn::Module& modules, const json::array& steps);
    void run_step(reel::nn::Module& modules, const json::array& step);
    std::vector<reel::indexing::TensorIndex> subscript(const std::string& text) const;

    const json::object& case_;
    const Values& values_;
    std::map<std::string, reel::IValue> variables_;
};

} // namespace replay::script
