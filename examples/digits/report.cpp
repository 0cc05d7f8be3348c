#include "report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include <reel/autograd/ops.hpp>
#include <reel/version.hpp>

#include "svg.hpp"

namespace digits {

using namespace reel;

namespace {
constexpr const char* style = R"(
:root{color-scheme:light dark;--ink:#1d2430;--soft:#5c6675;--rule:#dfe4ea;--card:#fff;--page:#f4f6f9;--node:#e8f0fe;--leaf:#e7f6ec;--accent:#3b73f0}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#9aa5b5;--rule:#323a46;--card:#1b2129;--page:#12161c;--node:#22304a;--leaf:#1d3a2a;--accent:#7aa2ff}}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1180px;margin:0 auto;padding:28px 20px 60px}
h1{font-size:26px;margin:0 0 4px}h2{font-size:18px;margin:34px 0 10px}p{margin:6px 0;color:var(--soft)}
.grid2{display:grid;grid-template-columns:repeat(auto-fit,minmax(440px,1fr));gap:16px}
.card{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:14px}
.facts{display:flex;flex-wrap:wrap;gap:28px;margin-top:16px}.facts div{font-size:13px;color:var(--soft)}.facts b{display:block;font-size:24px;color:var(--ink);font-weight:600}
svg{width:100%;height:auto;display:block}svg text{font:12px system-ui,sans-serif;fill:var(--ink)}
svg .title{font-weight:600;font-size:14px}svg .tick,svg .shape{fill:var(--soft);font-size:11px}svg .key{font-size:11px}svg .name{font-size:12px}
.grid{stroke:var(--rule)}.mark{stroke:var(--soft);stroke-dasharray:3 4}.edge{fill:none;stroke:var(--soft);stroke-width:1.3;opacity:.75}
.node{fill:var(--node);stroke:var(--accent);stroke-opacity:.35}.leaf{fill:var(--leaf);stroke:#3a9d5d;stroke-opacity:.5}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;width:100%}th,td{text-align:right;padding:3px 8px;border-bottom:1px solid var(--rule)}th:first-child,td:first-child{text-align:left}th{font-weight:600;color:var(--soft);font-size:13px}
.wrong{display:grid;grid-template-columns:repeat(auto-fill,minmax(96px,1fr));gap:14px}.wrong figure{margin:0}.wrong figcaption{font-size:12px;color:var(--soft);text-align:center;margin-top:4px}
.scroll{overflow-x:auto}
)";
constexpr const char* colors[] = {"#3b73f0", "#d9480f", "#2f9e44", "#9c36b5", "#c2255c", "#0c8599", "#b08900",
                                  "#5f3dc4", "#087f5b", "#868e96", "#e8590c", "#1864ab", "#a61e4d", "#66a80f"};

std::string fixed(double v, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, v);
    return text;
}
std::string curves(const History& history) {
    std::vector<double> marks;
    Curve loss{"loss", {}, colors[0]}, train{"training", {}, colors[0]}, test{"held out", {}, colors[1]},
        rate{"rate", {}, colors[2]};
    std::vector<Curve> norms;
    for (std::size_t i = 0; i < history.size(); ++i) {
        const EpochRecord& r = history[i];
        const double x = double(i + 1);
        if (i > 0 && history[i - 1].stage != r.stage) marks.push_back(x - 0.5);
        loss.points.emplace_back(x, r.loss);
        rate.points.emplace_back(x, r.rate);
        train.points.emplace_back(x, r.train_accuracy);
        test.points.emplace_back(x, r.test_accuracy);
        for (const auto& [path, norm] : r.norms) {
            auto at = std::find_if(norms.begin(), norms.end(), [&](const Curve& c) { return c.name == path; });
            if (at == norms.end())
                at = norms.insert(norms.end(), Curve{path, {}, colors[norms.size() % std::size(colors)]});
            at->points.emplace_back(x, norm);
        }
    }
    // Pooling, flattening and activations say little beside the layers with weights.
    const auto plain = [](const Curve& c) {
        return c.name.find("conv") == std::string::npos && c.name.find("norm") == std::string::npos && c.name != "head";
    };
    norms.erase(std::remove_if(norms.begin(), norms.end(), plain), norms.end());
    return "<div class=\"grid2\"><div class=\"card\">" + chart("Loss", {loss}, marks, true) +
           "</div><div class=\"card\">" + chart("Accuracy", {train, test}, marks, false) +
           "</div><div class=\"card\">" + chart("Norm of the gradient arriving at each module", norms, marks, true) +
           "</div><div class=\"card\">" + chart("Learning rate", {rate}, marks, false) + "</div></div>";
}
std::string stage_table(const History& history) {
    std::string rows;
    for (int s = 0; s < Trainer::stages; ++s) {
        const EpochRecord* last = nullptr;
        int epochs = 0;
        for (const EpochRecord& r : history)
            if (r.stage == s) last = &r, ++epochs;
        if (last)
            rows += "<tr><td>" + std::to_string(s + 1) + ". " + Trainer::stage_title(s) + "</td><td>" +
                    std::to_string(epochs) + "</td><td>" + fixed(last->loss, 4) + "</td><td>" +
                    fixed(last->train_accuracy, 4) + "</td><td>" + fixed(last->test_accuracy, 4) + "</td></tr>";
    }
    return "<div class=\"card\"><table><tr><th>stage</th><th>epochs</th><th>loss</th><th>training "
           "accuracy</th><th>held-out accuracy</th></tr>" +
           rows + "</table></div>";
}
std::string confusion(const std::vector<std::int64_t>& truth, const std::vector<std::int64_t>& guess) {
    std::array<std::array<int, 10>, 10> count{};
    int most = 1;
    for (std::size_t i = 0; i < truth.size(); ++i)
        most = std::max(most, ++count[std::size_t(truth[i])][std::size_t(guess[i])]);
    constexpr double cell = 38, left = 64, top = 48;
    Svg svg(left + 10 * cell + 8, top + 10 * cell + 8, "Confusion matrix");
    svg.text(left + 5 * cell, 16, "predicted", "class=\"tick\" text-anchor=\"middle\"");
    svg.text(10, top + 5 * cell, "label", "class=\"tick\"");
    for (int a = 0; a < 10; ++a) {
        svg.text(left + (a + 0.5) * cell, top - 10, std::to_string(a), "text-anchor=\"middle\"");
        svg.text(left - 12, top + (a + 0.5) * cell + 4, std::to_string(a), "text-anchor=\"end\"");
        for (int b = 0; b < 10; ++b) {
            const int n = count[std::size_t(a)][std::size_t(b)];
            const std::string color = a == b ? "#3b73f0" : "#d9480f";
            const double strength = n == 0 ? 0.04 : a == b ? 0.15 + 0.7 * n / most : 0.35 + 0.4 * std::min(n, 4) / 4;
            svg.rect(left + b * cell + 1, top + a * cell + 1, cell - 2, cell - 2,
                     "rx=\"4\" fill=\"" + color + "\" fill-opacity=\"" + fixed(strength, 2) + "\"",
                     std::to_string(n) + " images of " + std::to_string(a) + " were taken for " + std::to_string(b));
            if (n > 0)
                svg.text(left + (b + 0.5) * cell, top + (a + 0.5) * cell + 4, std::to_string(n),
                         "text-anchor=\"middle\"");
        }
    }
    return svg.str();
}
std::string picture(const float* pixels, std::int64_t truth, std::int64_t guess) {
    constexpr double cell = 10;
    Svg svg(8 * cell, 8 * cell, "A misread " + std::to_string(truth));
    svg.rect(0, 0, 8 * cell, 8 * cell, "fill=\"#fff\"");
    for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x)
            if (const float v = pixels[y * 8 + x]; v > 0)
                svg.rect(x * cell, y * cell, cell, cell, "fill=\"#10151c\" fill-opacity=\"" + fixed(v, 2) + "\"");
    return "<figure>" + svg.str() + "<figcaption>" + std::to_string(truth) + ", read as " + std::to_string(guess) +
           "</figcaption></figure>";
}
std::vector<std::int64_t> list(const Tensor& t) {
    return {t.data_ptr<std::int64_t>(), t.data_ptr<std::int64_t>() + t.numel()};
}
} // namespace

std::string report_html(Trainer& trainer, const Results& results) {
    const auto& test = trainer.data().test;
    const auto truth = list(test.target()), guess = list(results.predicted);
    std::string wrong;
    int errors = 0;
    for (std::size_t i = 0; i < truth.size(); ++i)
        if (truth[i] != guess[i]) {
            ++errors;
            wrong += picture(test.data().data_ptr<float>() + 64 * i, truth[i], guess[i]);
        }
    DigitNet& net = trainer.net();
    net->train();
    trainer.stop_watching(); // the tape is drawn without the hooks' nodes
    const Tensor images = test.data().narrow(0, 0, 32), labels = test.target().narrow(0, 0, 32);
    const std::string tape = tape_drawing(reel::cross_entropy(net(images), labels), *net);
    std::int64_t weights = 0;
    for (const Tensor& p : net->parameters()) weights += p.numel();

    std::string html = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                       "content=\"width=device-width,initial-scale=1\">"
                       "<title>Reel: handwritten digits</title><style>";
    html += style;
    html += "</style></head><body><main><h1>Handwritten digits</h1><p>A small network learns the digits 0 to 4, keeps "
            "its features frozen while a new head "
            "learns all ten, and is then trained as a whole.</p><div class=\"card facts\"><div><b>" +
            fixed(results.accuracy * 100, 1) + " %</b>of " + std::to_string(truth.size()) +
            " held-out images right</div><div><b>" + std::to_string(errors) + "</b>misread</div><div><b>" +
            std::to_string(trainer.data().train.target().numel()) + "</b>images to train on</div><div><b>" +
            std::to_string(weights) + "</b>weights</div><div><b>" + std::to_string(trainer.history().size()) +
            "</b>epochs</div></div>";
    html += "<h2>Stages</h2>" + stage_table(trainer.history());
    html += "<h2>Curves</h2><p>Dashed lines: a new stage begins.</p>" + curves(trainer.history());
    html += "<h2>What it takes for what</h2><div class=\"grid2\"><div class=\"card\">" + confusion(truth, guess) +
            "</div><div class=\"card\"><div class=\"wrong\">" +
            (wrong.empty() ? "<p>Nothing was misread.</p>" : wrong) + "</div></div></div>";
    html += "<h2>The tape of one step</h2><p>What backward walks through, from the loss down to the parameters "
            "(green); each box names what the forward made.</p>"
            "<div class=\"card scroll tape\">" +
            tape + "</div>";
    html += "<p>Data: Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, 1998, UCI Machine Learning "
            "Repository, CC BY 4.0.</p></main></body></html>\n";
    return html;
}

} // namespace digits
