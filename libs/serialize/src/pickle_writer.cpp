#include "pickle_writer.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_impl.hpp>

#include "file_dtype.hpp"
#include "zip_reader.hpp"

namespace reel::serialize {

namespace {
constexpr std::size_t batch = 1000, deepest = 1000;

class Writer {
public:
    explicit Writer(const SaveOptions& options) : options_(options) {}
    Pickled run(const Value& v) {
        out_ = "\x80\x02";
        value(v);
        out_ += '.';
        return {std::move(out_), std::move(storages_)};
    }

private:
    [[noreturn]] void refuse(const std::string& what) const {
        std::string path;
        for (const std::string& step : path_) path += step;
        REEL_THROW(TypeError, "save: ", path.empty() ? "the value" : path, ": ", what);
    }
    void little(std::uint64_t v, int bytes) {
        for (int i = 0; i < bytes; ++i) out_ += char(v >> 8 * i);
    }
    // --- the memo
    std::uint32_t memoize() {
        const std::uint32_t index = memo_++;
        if (index < 256) out_ += 'q', little(index, 1);
        else out_ += 'r', little(index, 4);
        return index;
    }
    void recall(std::uint32_t index) {
        if (index < 256) out_ += 'h', little(index, 1);
        else out_ += 'j', little(index, 4);
    }
    void string(const std::string& s) {
        if (const auto it = strings_.find(s); it != strings_.end()) return recall(it->second);
        if (!is_utf8(s)) refuse("a string that is not UTF-8; use serialize::Bytes");
        out_ += 'X';
        little(s.size(), 4);
        out_ += s;
        strings_[s] = memoize();
    }
    /// Storage keys are objects of their own, never one with an equal string.
    void storage_key(std::size_t k) {
        if (k < key_memo_.size()) return recall(key_memo_[k]);
        const std::string s = std::to_string(k);
        out_ += 'X';
        little(s.size(), 4);
        out_ += s;
        key_memo_.push_back(memoize());
    }
    void global(const std::string& module, const std::string& name) {
        const std::string text = 'c' + module + '\n' + name + '\n';
        if (const auto it = globals_.find(text); it != globals_.end()) return recall(it->second);
        out_ += text;
        globals_[text] = memoize();
    }
    void close_tuple(std::size_t n) {
        out_ += n == 1 ? '\x85' : n == 2 ? '\x86' : n == 3 ? '\x87' : 't';
        memoize();
    }
    // --- plain values
    void integer(std::int64_t v) {
        if (v >= 0 && v < 256) out_ += 'K', little(std::uint64_t(v), 1);
        else if (v >= 0 && v < 65536) out_ += 'M', little(std::uint64_t(v), 2);
        else if (v == std::int32_t(v)) out_ += 'J', little(std::uint64_t(v), 4);
        else {
            int bytes = 8;
            while (bytes > 1 && v >> (8 * bytes - 9) == (v < 0 ? -1 : 0)) --bytes; // the top byte only repeats the sign
            out_ += '\x8a';
            little(std::uint64_t(bytes), 1);
            little(std::uint64_t(v), bytes);
        }
    }
    void floating(double d) {
        std::uint64_t bits;
        std::memcpy(&bits, &d, 8);
        out_ += 'G';
        for (int shift = 56; shift >= 0; shift -= 8) out_ += char(bits >> shift);
    }
    void ints(IntArrayRef v) {
        if (v.size() == 0) {
            out_ += ')';
            return;
        }
        if (v.size() > 3) out_ += '(';
        for (const std::int64_t i : v) integer(i);
        close_tuple(v.size());
    }
    void bytes(const Bytes& b) {
        if (b.is_bytearray) {
            global("__builtin__", "bytearray");
            if (b.data.empty()) out_ += ')';
            else {
                bytes({b.data, false});
                close_tuple(1);
            }
        } else {
            // also where there are none: the restricted loader refuses the `bytes()` that Python writes then
            global("_codecs", "encode");
            std::string text;
            for (const char c : b.data) {
                const auto u = std::uint8_t(c);
                if (u < 0x80) text += c;
                else text += char(0xC0 | u >> 6), text += char(0x80 | (u & 0x3F));
            }
            string(text);
            string("latin1");
            close_tuple(2);
        }
        out_ += 'R';
        memoize();
    }
    // --- containers
    /// False when the object was written before and only had to be recalled.
    bool begin(const void* identity) {
        if (const auto it = objects_.find(identity); it != objects_.end()) {
            if (std::find(open_.begin(), open_.end(), identity) != open_.end()) refuse("contains itself");
            recall(it->second);
            return false;
        }
        if (open_.size() >= deepest) refuse("nesting is deeper than 1000");
        open_.push_back(identity);
        return true;
    }
    void end() { open_.pop_back(); }
    void below(const std::string& step, const Value& v) {
        path_.push_back(step);
        value(v);
        path_.pop_back();
    }
    void items(const std::vector<Value>& elements) {
        for (std::size_t i = 0; i < elements.size();) {
            const std::size_t n = std::min(batch, elements.size() - i);
            if (n > 1) out_ += '(';
            for (std::size_t k = 0; k < n; ++k, ++i) below("[" + std::to_string(i) + "]", elements[i]);
            out_ += n > 1 ? 'e' : 'a';
        }
    }
    /// Among `attributes`, `_metadata` is written as the ordered dict that it is in Python.
    void entries(const ValueDict& dict, bool attributes = false) {
        std::size_t left = dict.size();
        auto it = dict.begin();
        while (left) {
            const std::size_t n = std::min(batch, left);
            if (n > 1) out_ += '(';
            for (std::size_t k = 0; k < n; ++k, ++it) {
                key(it->first);
                const std::string step =
                    it->first.isString() ? "['" + it->first.toStringRef() + "']" : "[" + it->first.repr() + "]";
                const Value& v = it->second;
                if (attributes && v.isGenericDict() && it->first.isString() && it->first.toStringRef() == "_metadata") {
                    path_.push_back(step);
                    ordered_dict(&v.toGenericDict(), v.toGenericDict(), v.toGenericDict().attributes());
                    path_.pop_back();
                } else below(step, v);
            }
            out_ += n > 1 ? 'u' : 's';
            left -= n;
        }
    }
    void key(const Value& k) {
        if (k.isTensor() || k.isList() || k.isGenericDict() || k.isBoxed())
            refuse("a key is " + k.repr() + "; expected a string or a number");
        if (k.isString() && k.toStringRef().find('\0') != std::string::npos) refuse("a key has a NUL");
        value(k);
    }
    /// `identity` is where the dict lives: what refers to it again finds it there.
    void ordered_dict(const void* identity, const ValueDict& items, const ValueDict& attributes) {
        if (!begin(identity)) return;
        global("collections", "OrderedDict");
        out_ += ")R";
        objects_[identity] = memoize();
        entries(items);
        if (attributes.size()) {
            out_ += '}';
            memoize();
            entries(attributes, true);
            out_ += 'b';
        }
        end();
    }
    void boxed(const Value& v) {
        if (const auto* b = v.try_get<Bytes>()) return bytes(*b);
        if (const auto* i = v.try_get<BigInt>()) refuse("the integer " + i->digits + " does not fit 64 bits");
        if (const auto* d = v.try_get<OrderedDictValue>()) return ordered_dict(d, d->items, d->attributes);
        if (const auto* s = v.try_get<ValueSet>()) {
            global("__builtin__", "set");
            out_ += ']';
            memoize();
            items(s->elements);
            close_tuple(1);
            out_ += 'R';
            memoize();
            return;
        }
        if (const auto* l = v.try_get<Layout>()) {
            global("torch.serialization", "_get_layout");
            string("torch." + l->name);
            close_tuple(1);
            out_ += 'R';
            memoize();
            return;
        }
        refuse("is " + v.repr() + ", which a .pt file cannot hold");
    }
    // --- tensors
    void tensor(const Tensor& t) {
        if (!t.defined()) refuse("the tensor is undefined");
        if (t.is_sparse()) refuse("a sparse tensor has no memory of its elements; use .to_dense()");
        if (!t.has_storage()) refuse("a meta tensor has no data");
        const void* identity = t.unsafeGetTensorImpl();
        if (const auto it = objects_.find(identity); it != objects_.end()) return recall(it->second);
        kept_.push_back(t);
        const FileDtype d = file_dtype_of(t.scalar_type());
        Tensor stored = t.detach();
        // what shows only a part of its memory may be written as that part
        const std::uint64_t item = info(d).size;
        if (options_.clone_views && std::uint64_t(t.numel()) * item < t.storage()->nbytes()) {
            const NoGradGuard no_grad;
            stored = stored.clone().contiguous();
            kept_.push_back(stored);
        }
        global("torch._utils", "_rebuild_tensor_v2");
        out_ += "((";
        string("storage");
        global("torch", info(d).storage);
        const std::size_t k = storage(stored);
        storage_key(k);
        string("cpu");
        integer(std::int64_t(storages_[k].bytes.size() / item));
        out_ += 't';
        memoize();
        out_ += 'Q';
        integer(stored.storage_offset());
        ints(stored.sizes());
        ints(stored.strides());
        out_ += t.requires_grad() ? '\x88' : '\x89';
        global("collections", "OrderedDict");
        out_ += ")R";
        memoize();
        out_ += 't';
        memoize();
        out_ += 'R';
        objects_[identity] = memoize();
    }
    std::size_t storage(const Tensor& t) {
        const Storage* s = t.storage().get();
        const std::size_t item = t.itemsize();
        if (const auto it = storage_numbers_.find(s); it != storage_numbers_.end()) {
            if (storage_types_[it->second] != t.scalar_type())
                refuse("two tensors share memory, but have different dtypes");
            return it->second;
        }
        const NoGradGuard no_grad;
        // the whole storage as one row, brought to the CPU
        auto* impl = new TensorImpl(t.storage(), t.scalar_type(), t.device());
        Tensor row{TensorImplPtr(impl)};
        impl->set_contiguous({std::int64_t(s->nbytes() / item)});
        row = row.cpu();
        const std::size_t n = s->nbytes() / item * item;
        storages_.push_back(
            {row, n ? std::string_view(static_cast<const char*>(row.data_ptr()), n) : std::string_view()});
        storage_types_.push_back(t.scalar_type());
        return storage_numbers_[s] = storages_.size() - 1;
    }

    void complex(std::complex<double> z) {
        global("__builtin__", "complex");
        floating(z.real());
        floating(z.imag());
        close_tuple(2);
        out_ += 'R';
        memoize();
    }
    void device(reel::Device d) {
        global("torch", "device");
        string(d.is_cuda() ? "cuda" : d.is_meta() ? "meta" : "cpu");
        if (d.has_index()) integer(d.index());
        close_tuple(d.has_index() ? 2 : 1);
        out_ += 'R';
        memoize();
    }
    void list(const std::vector<Value>& e) {
        if (!begin(&e)) return;
        out_ += ']';
        objects_[&e] = memoize();
        items(e);
        end();
    }
    void tuple(const std::vector<Value>& e) {
        if (e.empty()) {
            out_ += ')';
            return;
        }
        if (!begin(&e)) return;
        if (e.size() > 3) out_ += '(';
        for (std::size_t i = 0; i < e.size(); ++i) below("[" + std::to_string(i) + "]", e[i]);
        objects_[&e] = memo_;
        close_tuple(e.size());
        end();
    }
    void dict(const ValueDict& d) {
        if (!d.attributes().empty()) return ordered_dict(&d, d, d.attributes());
        if (!begin(&d)) return;
        out_ += '}';
        objects_[&d] = memoize();
        entries(d);
        end();
    }
    void value(const Value& v) {
        switch (v.kind()) {
        case Value::Kind::None:
            out_ += 'N';
            break;
        case Value::Kind::Bool:
            out_ += v.toBool() ? '\x88' : '\x89';
            break;
        case Value::Kind::Int:
            return integer(v.toInt());
        case Value::Kind::Double:
            return floating(v.toDouble());
        case Value::Kind::Complex:
            return complex(v.toComplexDouble());
        case Value::Kind::String:
            return string(v.toStringRef());
        case Value::Kind::Dtype:
            return global("torch", info(file_dtype_of(v.toDtype())).name);
        case Value::Kind::Device:
            return device(v.toDevice());
        case Value::Kind::Tensor:
            return tensor(v.toTensor());
        case Value::Kind::List:
            return list(v.elements());
        case Value::Kind::Tuple:
            return tuple(v.elements());
        case Value::Kind::Dict:
            return dict(v.toGenericDict());
        case Value::Kind::Boxed:
            return boxed(v);
        }
    }

    const SaveOptions& options_;
    std::string out_;
    std::uint32_t memo_ = 0;
    std::unordered_map<std::string, std::uint32_t> strings_, globals_;
    std::unordered_map<const void*, std::uint32_t> objects_;
    std::vector<std::uint32_t> key_memo_; ///< of storage K
    std::vector<const void*> open_;
    std::vector<std::string> path_;
    std::vector<Tensor> kept_; ///< so that no address is used twice
    std::vector<PickledStorage> storages_;
    std::vector<ScalarType> storage_types_;
    std::unordered_map<const Storage*, std::size_t> storage_numbers_;
};
} // namespace

Pickled pickle_value(const Value& value, const SaveOptions& options) { return Writer(options).run(value); }

} // namespace reel::serialize
