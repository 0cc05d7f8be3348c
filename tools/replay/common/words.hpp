// Words in a message.
#pragma once

#include <cctype>
#include <string>

namespace replay {

/// Does `text` hold `word`, and not as a part of a longer one?
inline bool has_word(const std::string& text, const std::string& word) {
    const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return true;
    }
    return false;
}

} // namespace replay
