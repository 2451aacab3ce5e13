/// Words near a mistyped one: `brocoli` finds `broccoli`.
///
/// Distance counts letters inserted, left out, exchanged or swapped with their neighbour; a swapped
/// pair is not edited again (optimal string alignment).
///
/// Source: F. Damerau, Communications of the ACM 7 (1964) 171.
package enum SpellCorrection {
    /// The maximum edit distance for a word of `length` bytes: 0 up to three, 1 up to six, else 2.
    public static func slipsMax(_ length: Int) -> Int {
        length < 4 ? 0 : length < 7 ? 1 : 2
    }

    /// How many slips lie between two words; `nil` when there are more than allowed.
    public static func distance(_ left: [UInt8], _ right: [UInt8], max most: Int) -> Int? {
        guard abs(left.count - right.count) <= most else { return nil }
        var before: [Int] = []
        var previous = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            var best = row + 1
            for column in 0..<right.count {
                let exchange = previous[column] + (left[row] == right[column] ? 0 : 1)
                var least = min(exchange, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    least = min(least, before[column - 1] + 1)
                }
                current.append(least)
                best = min(best, least)
            }
            guard best <= most else { return nil }
            before = previous
            previous = current
        }
        let slips = previous[right.count]
        return slips <= most ? slips : nil
    }

    /// How many slips lie between what was typed and the beginning of a word, as people search while
    /// they type; `nil` when there are more than the length forgives.
    public static func prefixDistance(_ typed: [UInt8], _ word: [UInt8]) -> Int? {
        let most = slipsMax(typed.count)
        var best: Int?
        let shortest = max(typed.count - most, 1)
        guard word.count >= shortest else { return nil }
        for length in shortest...min(typed.count + most, word.count) {
            if let slips = distance(typed, Array(word[..<length]), max: best.map { $0 - 1 } ?? most)
            {
                best = slips
                if slips == 0 { break }
            }
        }
        return best
    }

    /// The words of a vocabulary that are nearest to a mistyped one: those with the fewest slips,
    /// those that are prefixes of the vocabulary's words included, in the vocabulary's order. Empty
    /// when none is near. The first letter is right: people seldom mistype it, and it keeps the
    /// search short.
    ///
    /// - Parameter limit: How many words at most.
    public static func nearest(
        _ typed: [UInt8], in vocabulary: some Sequence<[UInt8]>, limit: Int = 5
    ) -> [[UInt8]] {
        guard let first = typed.first, slipsMax(typed.count) > 0 else { return [] }
        var found: [(word: [UInt8], slips: Int)] = []
        for word in vocabulary where word.first == first {
            guard let slips = prefixDistance(typed, word) else { continue }
            // Of equally near words the whole ones come before those that merely begin alike.
            let whole = distance(typed, word, max: slipsMax(typed.count))
            found.append((word, whole.map { min($0 * 2, slips * 2 + 1) } ?? slips * 2 + 1))
        }
        guard let least = found.map({ $0.slips }).min() else { return [] }
        let near = found.filter { $0.slips / 2 == least / 2 }
        let order = near.indices.sorted {
            near[$0].slips == near[$1].slips ? $0 < $1 : near[$0].slips < near[$1].slips
        }
        return order.prefix(limit).map { near[$0].word }
    }
}
