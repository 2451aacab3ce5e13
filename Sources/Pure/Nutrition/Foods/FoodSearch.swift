/// Ranks the results of a food search: how well the name fits, how often and how recently the food
/// was eaten, and whether it is a favourite.
///
/// An index finds the candidates (``SearchText/prefixQuery``, or ``SpellCorrection`` if that finds
/// none); these numbers order them. They are whole numbers, the same on every replica.
package struct FoodSearch: Hashable, Sendable {
    /// How a person has used a food.
    public struct Use: Hashable, Sendable {
        /// How often it was logged.
        public let count: Int
        /// The last day it was logged; `nil` when never.
        public let last: Day?
        /// Whether it is a favourite.
        public let isFavourite: Bool

        /// How a food was used.
        public init(count: Int = 0, last: Day? = nil, isFavourite: Bool = false) {
            self.count = count
            self.last = last
            self.isFavourite = isFavourite
        }

        /// How present the food is, 0 to 1,000: how often, halved for every 30 days since the last
        /// time. The tenth time adds less than the second.
        public func frecency(today: Day) -> Int {
            guard let last, count > 0 else { return 0 }
            let age = max(last.distance(to: today), 0)
            let often = 1_000 * min(count, 1_000_000) / (min(count, 1_000_000) + 5)
            guard age < 300 else { return 0 }
            let halves = age / 30
            let rest = age % 30
            let now = often >> halves
            return now - now * rest / 60
        }
    }

    /// The search text, folded.
    public let query: SearchText

    /// A search for the typed text.
    public init(_ typed: String) {
        query = SearchText(typed)
    }

    /// How well a food answers, more is better; `nil` when it does not.
    ///
    /// Every word that was typed must be found, as a whole word, as the beginning of one, or with
    /// the few slips that its length forgives. An exact name goes before its beginning, a whole word
    /// before part of one, an early word before a late one, a short name before a long one; use adds
    /// up to as much as the difference between a whole word and a beginning, and a favourite twice
    /// that.
    public func score(name: String, brand: String? = nil, use: Use = Use(), today: Day) -> Int? {
        score(
            SearchText(name), brand: SearchText(brand ?? ""), use: use, today: today)
    }

    /// As ``score(name:brand:use:today:)``, for names that were folded before.
    public func score(
        _ name: SearchText, brand: SearchText = SearchText(""), use: Use, today: Day
    ) -> Int? {
        guard !query.words.isEmpty else {
            return use.frecency(today: today) + (use.isFavourite ? 2_000 : 0)
        }
        let words = name.words + brand.words
        var total = 0
        for typed in query.words {
            var best: Int?
            for (place, word) in words.enumerated() {
                guard var fit = FoodSearch.fit(typed, word) else { continue }
                fit -= 20 * min(place, 10)
                if place >= name.words.count { fit -= 300 }
                if fit > best ?? .min { best = fit }
            }
            guard let best else { return nil }
            total += best
        }
        // The mean, so that a longer search does not outweigh use.
        var score = total / query.words.count
        if name.words == query.words {
            score += 1_000
        } else if name.words.starts(with: query.words) {
            score += 500
        }
        score -= 15 * min(max(name.words.count - query.words.count, 0), 20)
        return score + use.frecency(today: today) + (use.isFavourite ? 2_000 : 0)
    }

    /// 3,000 for a whole word, 2,000 for its beginning, less 1,000 for each slip, and a plural in
    /// between; `nil` for another word.
    private static func fit(_ typed: [UInt8], _ word: [UInt8]) -> Int? {
        if typed == word { return 3_000 }
        if word.starts(with: typed) { return word.count - typed.count <= 2 ? 2_500 : 2_000 }
        if let slips = SpellCorrection.distance(
            typed, word, max: SpellCorrection.slipsMax(typed.count))
        {
            return 2_200 - 800 * slips
        }
        return SpellCorrection.prefixDistance(typed, word).map { 1_800 - 800 * $0 }
    }
}
