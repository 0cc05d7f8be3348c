// Opcodes of pickles.
#pragma once

#include <cstdint>

namespace reel::serialize {

/// What the reader takes (rule SR-1).
enum Op : std::uint8_t {
    PROTO = 0x80,
    STOP = '.',
    MARK = '(',
    EMPTY_DICT = '}',
    EMPTY_LIST = ']',
    EMPTY_TUPLE = ')',
    EMPTY_SET = 0x8f,
    TUPLE = 't',
    TUPLE1 = 0x85,
    TUPLE2 = 0x86,
    TUPLE3 = 0x87,
    NONE = 'N',
    NEWTRUE = 0x88,
    NEWFALSE = 0x89,
    BININT = 'J',
    BININT1 = 'K',
    BININT2 = 'M',
    LONG1 = 0x8a,
    BINFLOAT = 'G',
    BINUNICODE = 'X',
    SHORT_BINUNICODE = 0x8c,
    BINUNICODE8 = 0x8d,
    SHORT_BINSTRING = 'U',
    BINBYTES = 'B',
    SHORT_BINBYTES = 'C',
    BINBYTES8 = 0x8e,
    BYTEARRAY8 = 0x96,
    BINGET = 'h',
    LONG_BINGET = 'j',
    BINPUT = 'q',
    LONG_BINPUT = 'r',
    MEMOIZE = 0x94,
    FRAME = 0x95,
    APPEND = 'a',
    APPENDS = 'e',
    SETITEM = 's',
    SETITEMS = 'u',
    GLOBAL = 'c',
    STACK_GLOBAL = 0x93,
    REDUCE = 'R',
    NEWOBJ = 0x81,
    BUILD = 'b',
    BINPERSID = 'Q',
};

/// Opcodes that other programs write and the reader refuses: ` (POP)`; empty for what is none.
const char* refused_opcode_name(std::uint8_t op);

} // namespace reel::serialize
