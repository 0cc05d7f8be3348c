// Values and objects as the pickle of a script archive, opcode by opcode as the reference writes it (rules SC-8 to
// SC-12).
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <reel/script/object.hpp>

#include "pickle_writer.hpp"

namespace reel::jit {

class ObjectWriter {
public:
    /// The pickle of one value. TypeError naming the path of attributes to what an archive cannot hold.
    serialize::Pickled write(const IValue& value, const TypePtr& type);
    /// The classes whose objects were written, each once, in the order in which they were met.
    const std::vector<ClassTypePtr>& classes() const { return classes_; }

private:
    void count(const IValue& value);
    void value(const IValue& value, const TypePtr& type);
    void list(const IValue& value, const TypePtr& type);
    void dict(const IValue& value, const TypePtr& type);
    void tuple(const IValue& value, const TypePtr& type);
    void boxed(const IValue& value);
    void object(const ObjectPtr& object);
    void tensor(const Tensor& t);
    std::size_t storage(const Tensor& t);
    void integer(std::int64_t i);
    void floating(double d);
    void string(const std::string& s);
    void global(const std::string& module, const std::string& name);
    void global(const std::string& qualified);
    void device(reel::Device d);
    void little(std::uint64_t v, int bytes);
    void op(std::uint8_t code) { out_ += char(code); }
    std::uint32_t put();
    void get(std::uint32_t index);
    [[noreturn]] void refuse(const std::string& what) const;

    std::string out_;
    std::uint32_t next_ = 0; ///< memo
    std::unordered_map<std::string, std::uint32_t> strings_, globals_, devices_;
    std::unordered_map<const void*, std::uint32_t> objects_;
    std::unordered_map<const void*, std::uint32_t> occurrences_; ///< of lists, dicts and tuples
    std::unordered_map<const Storage*, std::uint32_t> storage_memo_;
    std::vector<Tensor> kept_; ///< so that no address is used twice
    std::vector<IValue> states_;
    std::vector<std::string> path_;
    std::vector<serialize::PickledStorage> storages_;
    std::vector<ClassTypePtr> classes_;
    std::vector<const Object*> open_;
};

} // namespace reel::jit
