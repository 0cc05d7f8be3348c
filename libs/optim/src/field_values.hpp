// What a state's fields held, to be put back.
#pragma once

#include <vector>

#include <reel/optim/fields.hpp>

namespace reel::optim::detail {

/// Reads the fields of a state, or sets them to what was read; tensors stay the same ones.
class FieldValues : public FieldVisitor {
public:
    explicit FieldValues(Fields& of) : of_(of) { of_.fields(*this); }
    void put_back() {
        reading_ = false;
        next_ = 0;
        of_.fields(*this);
    }

private:
    void visit(const FieldRef& field) override {
        if (reading_) values_.push_back(field.get());
        else field.set(values_[next_++]);
    }
    Fields& of_;
    std::vector<Value> values_;
    bool reading_ = true;
    std::size_t next_ = 0;
};

} // namespace reel::optim::detail
