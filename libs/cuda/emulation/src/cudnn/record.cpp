#include "cudnn/record.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace reel::cuda::emulation::dnn {

namespace {

std::int64_t word(const Value& v, std::int64_t i) {
    const std::byte* const at = v.bytes.data() + std::size_t(i) * size_of(v.type);
    std::int64_t wide = 0;
    std::int32_t narrow = 0;
    switch (size_of(v.type)) {
    case 1:
        return std::int64_t(*at);
    case 4:
        std::memcpy(&narrow, at, sizeof(narrow));
        return narrow;
    default:
        std::memcpy(&wide, at, sizeof(wide));
        return wide;
    }
}

std::string text_of(const Program& program) {
    std::map<std::int64_t, std::int64_t> place;
    std::ostringstream s;
    s << "graph\n";
    for (const Descriptor& d : program.parts) {
        const std::int64_t here = std::int64_t(place.size());
        place[std::int64_t(reinterpret_cast<std::intptr_t>(&d))] = here;
        s << int(d.type) << ' '
          << (std::find(program.operations.begin(), program.operations.end(), &d) != program.operations.end());
        for (const auto& [name, value] : d.values) {
            s << ' ' << int(name) << ':' << int(value.type) << ':';
            for (std::int64_t i = 0; i < value.count; ++i) {
                const std::int64_t w = word(value, i);
                s << (i ? "," : "") << (value.type == CUDNN_TYPE_BACKEND_DESCRIPTOR ? place.at(w) : w);
            }
        }
        s << '\n';
    }
    s << "end\n";
    return s.str();
}

} // namespace

void record(const Program& program) {
    static const char* const path = std::getenv("REEL_CUDNN_RECORD");
    if (!path) return;
    static auto& written = *new std::set<std::string>();
    const std::string text = text_of(program);
    if (written.insert(text).second) std::ofstream(path, std::ios::app) << text;
}

} // namespace reel::cuda::emulation::dnn
