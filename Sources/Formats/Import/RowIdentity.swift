import MacrologEvents
import MacrologNutrition

/// What makes a row itself, whatever its numbers: when, what and whose.
///
/// A corrected number leaves it as it is, so that importing the corrected file corrects the entry.
/// Rows that are alike in all of it, such as two salads on one evening, are told apart by their
/// order in the file (``Identities/imported(_:contentHash:ordinal:)``).
struct RowIdentity: Hashable {
    /// SHA-256 of the lines `2020-02-13`, seconds after midnight, byte count and bytes of the name
    /// as `14:Berry Smoothie`, and the person; a line is empty where nothing is known.
    let hash: [UInt8]

    init(day: Day, seconds: Int64?, name: String?, person: String?) {
        let name = name.map { "\($0.utf8.count):\($0)" } ?? ""
        let lines = [day.description, seconds.map { "\($0)" } ?? "", name, person ?? ""]
        hash = SHA256.hash(Array(lines.joined(separator: "\n").utf8))
    }
}

/// Gives rows their ids, in the order of the file.
struct RowNames {
    private var countsByIdentity: [RowIdentity: Int] = [:]

    mutating func id(_ identity: RowIdentity, _ kind: Kind) -> Identifier {
        let ordinal = countsByIdentity[identity, default: 0]
        countsByIdentity[identity] = ordinal + 1
        return Identities.imported(kind, contentHash: identity.hash, ordinal: ordinal)
    }
}
