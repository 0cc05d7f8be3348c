// The entries of differences.json, one after the other.
#pragma once

#include <filesystem>
#include <functional>
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

} // namespace replay
