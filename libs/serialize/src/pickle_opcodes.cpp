#include "pickle_opcodes.hpp"

namespace reel::serialize {

const char* refused_opcode_name(std::uint8_t op) {
    struct Name {
        std::uint8_t op;
        const char* name;
    };
    static constexpr Name names[] = {
        {'0', " (POP)"},
        {'1', " (POP_MARK)"},
        {'2', " (DUP)"},
        {'F', " (FLOAT)"},
        {'I', " (INT)"},
        {'L', " (LONG)"},
        {'P', " (PERSID)"},
        {'S', " (STRING)"},
        {'V', " (UNICODE)"},
        {'T', " (BINSTRING)"},
        {'g', " (GET)"},
        {'p', " (PUT)"},
        {'i', " (INST)"},
        {'o', " (OBJ)"},
        {'d', " (DICT)"},
        {'l', " (LIST)"},
        {0x82, " (EXT1)"},
        {0x83, " (EXT2)"},
        {0x84, " (EXT4)"},
        {0x8b, " (LONG4)"},
        {0x90, " (ADDITEMS)"},
        {0x91, " (FROZENSET)"},
        {0x92, " (NEWOBJ_EX)"},
        {0x97, " (NEXT_BUFFER)"},
        {0x98, " (READONLY_BUFFER)"},
    };
    for (const Name& n : names)
        if (n.op == op) return n.name;
    return "";
}

} // namespace reel::serialize
