import MacrologTerminal

/// "Did you mean …": the known words nearest to an unknown one.

/// The words of `known` that a slip of the fingers could have turned into `word`, nearest first.
///
/// A slip is one letter left out, added, changed or swapped with its neighbour; one is allowed in
/// short words and two from six letters on. Failing that, words that `word` is the beginning of.
public func nearest(to word: String, among known: [String]) -> [String] {
    let typed = word.asciiSmall
    let slipsMax = typed.utf8.count < 6 ? 1 : 2
    var found: [(word: String, slips: Int)] = []
    for candidate in known where !found.contains(where: { $0.word.isSame(as: candidate) }) {
        let slips = distance(typed, candidate.asciiSmall)
        if slips <= slipsMax { found.append((candidate, slips)) }
    }
    if found.isEmpty, typed.utf8.count >= 2 {
        return known.filter { $0.asciiSmall.begins(with: typed) }
    }
    guard let fewest = found.map({ $0.slips }).min() else { return [] }
    return found.filter { $0.slips == fewest }.map { $0.word }
}

/// The Damerau–Levenshtein distance in which no letter is touched twice.
func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left.utf8)
    let right = Array(right.utf8)
    // Words longer than any verb cannot be near one, and must not cost quadratic time.
    guard max(left.count, right.count) <= 64 else { return Int.max }
    var before: [Int] = []
    var above = Array(0...right.count)
    for row in 0..<left.count {
        var current = [row + 1]
        for column in 0..<right.count {
            let change = above[column] + (left[row] == right[column] ? 0 : 1)
            var least = min(above[column + 1] + 1, current[column] + 1, change)
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                least = min(least, before[column - 1] + 1)
            }
            current.append(least)
        }
        (before, above) = (above, current)
    }
    return above[right.count]
}
