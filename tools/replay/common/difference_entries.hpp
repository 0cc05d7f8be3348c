// The entries of a differences.json, one after the other.
#pragma once

#include <filesystem>
#include <functional>
#include <regex>
#include <string>

#include <boost/json.hpp>

namespace replay {

namespace json = boost::json;

/// Calls `f` with each entry and with what errors call it. ValueError when the file cannot be read or is no list of
/// objects.
void for_each_entry(const std::filesystem::path& file,
                    const std::function<void(const json::object& entry, const std::string& where)>& f);
/// A field that is a text and not empty; else ValueError, which says what `fields` an entry has.
std::string text_of(const json::object& entry, const char* field, const std::string& where, const char* fields);
/// The regular expression (ECMAScript) that `text` is; else ValueError.
std::regex pattern_of(const std::string& text, const std::string& where);

} // namespace replay
