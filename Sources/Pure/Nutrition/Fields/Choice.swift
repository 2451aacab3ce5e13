public import MacrologEvents

/// One of a fixed list of words that a field can hold, such as `breakfast`.
public protocol Choice: CaseIterable, Hashable, Sendable {
    /// The word as stored, in lower-case ASCII.
    var name: UTF8Text { get }
}

extension Choice {
    /// The case of a stored word; `nil` for a word this version does not know.
    package init?(name: UTF8Text) {
        for choice in Self.allCases where choice.name == name {
            self = choice
            return
        }
        return nil
    }

    /// Every word, in order.
    static var names: [UTF8Text] { allCases.map { $0.name } }
}
