// JSON objects whose keys must differ: the library keeps the last of two silently.
#pragma once

#include <string>
#include <string_view>

namespace reel::serialize {

/// Does a key occur twice in one object of `text`, compared after unescaping? Then `key` is the first such one.
/// Malformed JSON is left to the parser proper.
bool has_duplicate_key(std::string_view text, std::string& key);

} // namespace reel::serialize
