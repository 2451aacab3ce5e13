import MacrologDiary
import MacrologEvents
import MacrologNutrition
import MacrologReadModels

/// The last hexadecimal digits of ids, as people type them. Ids begin with their time, so those of
/// one day have a common beginning; their ends are random.
extension Replica {
    /// The shortest end of each id, of at least four digits, that no other entity of the kind has.
    /// Deleted entities are ignored.
    package func shortIDs(
        of kind: Kind, for ids: [Identifier]
    ) throws -> [Identifier: String] {
        try withDiary { try $0.shortIDs(of: kind, for: ids) }
    }

    /// The entities of a kind whose ids end with these hexadecimal digits.
    ///
    /// - Parameters:
    ///   - digits: Hexadecimal digits, in either case; hyphens do not matter.
    ///   - includingDeleted: Whether deleted entities count too.
    package func ids(
        of kind: Kind, endingIn digits: String, includingDeleted: Bool = false
    ) throws -> [Identifier] {
        try withDiary { try $0.ids(of: kind, endingIn: digits, includingDeleted: includingDeleted) }
    }
}
