// A page with everything in it.
#pragma once

#include <string>
#include <vector>

namespace agents {

/// Put together from top to bottom; `write` makes one HTML file that needs nothing else.
class Report {
public:
    Report(std::string title, const std::string& lead);
    /// Large figures in a row, each with what it is.
    void facts(const std::vector<std::pair<std::string, std::string>>& value_and_meaning);
    /// A heading, and a paragraph unless `text` is empty.
    void section(const std::string& heading, const std::string& text = {});
    /// Drawings (SVG or HTML) side by side.
    void cards(const std::vector<std::string>& drawings);
    void wide_card(const std::string& drawing);
    /// The first row is the head.
    void table(const std::vector<std::vector<std::string>>& rows);
    /// Text as it is, in columns of equal width.
    void text(const std::string& preformatted);
    std::string html() const;
    /// Replaces the file at once.
    void write(const std::string& path) const;

private:
    std::string title_, body_;
};

} // namespace agents
