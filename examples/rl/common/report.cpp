#include "report.hpp"

#include <reel/inspect/html.hpp>
#include <reel/serialize/safetensors.hpp>

namespace agents {

using reel::inspect::escaped_html;

namespace {
constexpr const char* style = R"(
:root{color-scheme:light dark;--ink:#1d2430;--soft:#5c6675;--rule:#dfe4ea;--card:#fff;--page:#f4f6f9}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#9aa5b5;--rule:#323a46;--card:#1b2129;--page:#12161c}}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1180px;margin:0 auto;padding:28px 20px 60px}
h1{font-size:26px;margin:0 0 4px}h2{font-size:18px;margin:34px 0 10px}p{margin:6px 0;color:var(--soft)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(340px,1fr));gap:16px}
.card{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:14px;margin-bottom:16px}
.cards .card{margin:0}
.facts{display:flex;flex-wrap:wrap;gap:28px;margin-top:16px}.facts div{font-size:13px;color:var(--soft)}.facts b{display:block;font-size:24px;color:var(--ink);font-weight:600}
svg{width:100%;height:auto;display:block}svg text{font:12px system-ui,sans-serif;fill:var(--ink)}
svg .title{font-weight:600;font-size:14px}svg .tick{fill:var(--soft);font-size:11px}svg .key{font-size:11px}
.grid{stroke:var(--rule)}.mark{stroke:var(--soft);stroke-dasharray:3 4}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;width:100%}th,td{text-align:right;padding:3px 8px;border-bottom:1px solid var(--rule)}th:first-child,td:first-child{text-align:left}th{font-weight:600;color:var(--soft);font-size:13px}
.film{display:flex;gap:8px;overflow-x:auto;background:#14181f;padding:10px;border-radius:8px}.film figure{margin:0;flex:0 0 auto}.film img{width:180px;display:block;border-radius:3px}.film figcaption{font-size:12px;color:#c8d0da;text-align:center;margin-top:4px}
pre{margin:0;white-space:pre-wrap;font:12px/1.5 ui-monospace,monospace}
)";
} // namespace

Report::Report(std::string title, const std::string& lead) : title_(std::move(title)) {
    body_ = "<h1>" + escaped_html(title_) + "</h1><p>" + escaped_html(lead) + "</p>";
}
void Report::facts(const std::vector<std::pair<std::string, std::string>>& value_and_meaning) {
    body_ += "<div class=\"card facts\">";
    for (const auto& [value, meaning] : value_and_meaning)
        body_ += "<div><b>" + escaped_html(value) + "</b>" + escaped_html(meaning) + "</div>";
    body_ += "</div>";
}
void Report::section(const std::string& heading, const std::string& text) {
    body_ += "<h2>" + escaped_html(heading) + "</h2>";
    if (!text.empty()) body_ += "<p>" + escaped_html(text) + "</p>";
}
void Report::cards(const std::vector<std::string>& drawings) {
    body_ += "<div class=\"cards\">";
    for (const std::string& d : drawings) body_ += "<div class=\"card\">" + d + "</div>";
    body_ += "</div>";
}
void Report::wide_card(const std::string& drawing) { body_ += "<div class=\"card\">" + drawing + "</div>"; }
void Report::table(const std::vector<std::vector<std::string>>& rows) {
    body_ += "<div class=\"card\"><table>";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string cell = i == 0 ? "th" : "td";
        body_ += "<tr>";
        for (const std::string& c : rows[i]) body_ += "<" + cell + ">" + escaped_html(c) + "</" + cell + ">";
        body_ += "</tr>";
    }
    body_ += "</table></div>";
}
void Report::text(const std::string& preformatted) {
    body_ += "<div class=\"card\"><pre>" + escaped_html(preformatted) + "</pre></div>";
}
std::string Report::html() const {
    return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
           "content=\"width=device-width,initial-scale=1\"><title>" +
           escaped_html(title_) + "</title><style>" + style + "</style></head><body><main>" + body_ +
           "</main></body></html>\n";
}
void Report::write(const std::string& path) const {
    const std::string page = html();
    reel::serialize::write_file_atomically(path, {page});
}

} // namespace agents
