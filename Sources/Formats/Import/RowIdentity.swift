import MacrologEvents
import MacrologWire
import MacrologNutrition

/// The identity of a row, independent of its numbers: time, name and person.
///
/// A corrected number does not change it, so that importing the corrected file corrects the entry.
/// Rows with the same identity, such as two salads on one evening, are distinguished by their order
/// in the file (``Identities/imported(_:contentHash:ordinal:)``).
struct RowIdentity: Hashable {
    /// SHA-256 of the lines `2020-02-13`, seconds after midnight, byte count and bytes of the name
    /// as `14:Berry Smoothie`, and the person; a line is empty if its value is unknown. Without a time the meal of
    /// the day follows where it is known: a coffee at breakfast and one at dinner are two.
    let hash: [UInt8]

    init(day: Day, seconds: Int64?, name: String?, person: String?, slot: String? = nil) {
        let name = name.map { "\($0.utf8.count):\($0)" } ?? ""
        var lines = [day.description, seconds.map { "\($0)" } ?? "", name, person ?? ""]
        if seconds == nil, let slot { lines.append(slot) }
        hash = SHA256.hash(Array(lines.joined(separator: "\n").utf8))
    }
}

/// Computes the ids of rows, in the order of the file.
struct RowNames {
    /// The ids that the file states, which belong to other rows.
    var stated: Set<Identifier> = []
    private var countsByIdentity: [RowIdentity: Int] = [:]

    mutating func id(_ identity: RowIdentity, _ kind: Kind) -> Identifier {
        while true {
            let ordinal = countsByIdentity[identity, default: 0]
            countsByIdentity[identity] = ordinal + 1
            let id = Identities.imported(kind, contentHash: identity.hash, ordinal: ordinal)
            if !stated.contains(id) { return id }
        }
    }
}
