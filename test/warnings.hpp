// The warnings that are given while this lives.
#pragma once

#include <string>
#include <vector>

#include <reel/autograd/error.hpp>

namespace reel::testing {

class Warnings : public WarningHandler {
public:
    Warnings() : guard_(this) {}
    void process(const Warning& warning) override { texts.push_back(warning.msg()); }
    std::vector<std::string> texts;

private:
    WarningUtils::WarningHandlerGuard guard_;
};

} // namespace reel::testing
