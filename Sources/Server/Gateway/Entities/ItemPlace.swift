/// The places of parts in the order in which a request names them.

enum ItemPlace {
    /// The place of the part of an index: `0001` for the first.
    static func text(_ index: Int) -> String { String(String(10_001 + index).dropFirst()) }

    /// The place after all others; `nil` if none of them has one, so that the order stays that of adding.
    static func next(after places: [String?]) -> String? {
        let last = places.compactMap { $0.flatMap { Int($0) } }.max()
        return last.map { text($0) }
    }
}
