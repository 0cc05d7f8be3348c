// What a launch has noted of each word of memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace reel::cuda::emulation {

/// A Note for every word that was asked for since the last `forget`, made anew when it is first asked for. Notes lie in
/// pages, of which the recent ones are found at once; forgetting only counts on.
template <class Note> class WatchedWords {
public:
    Note& at(std::uintptr_t word) {
        const std::uintptr_t page = word / per_page;
        auto& [known, notes] = recent_[page % recent_.size()];
        if (known != page || !notes) known = page, notes = page_of(page);
        auto& [made, note] = notes[word % per_page];
        if (made != round_) made = round_, note = Note();
        return note;
    }
    void forget() {
        ++round_;
        for (auto& [page, notes] : pages_) spare_.push_back(std::move(notes));
        pages_.clear();
        recent_ = {};
    }

private:
    static constexpr std::uintptr_t per_page = 256;
    struct Dated {
        std::uint64_t round = 0;
        Note note;
    };
    Dated* page_of(std::uintptr_t page) {
        auto& notes = pages_[page];
        if (!notes && !spare_.empty()) {
            notes = std::move(spare_.back());
            spare_.pop_back();
        }
        if (!notes) notes = std::make_unique<Dated[]>(per_page);
        return notes.get();
    }

    std::uint64_t round_ = 1;
    std::array<std::pair<std::uintptr_t, Dated*>, 256> recent_{};
    std::unordered_map<std::uintptr_t, std::unique_ptr<Dated[]>> pages_;
    std::vector<std::unique_ptr<Dated[]>> spare_;
};

} // namespace reel::cuda::emulation
