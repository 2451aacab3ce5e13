import MacrologJSON
import MacrologLegacy

/// Which columns of an earlier system hold something, and which of them were read: what is not imported is said.
///
/// A class, because every row of a file adds to it.
final class LegacyColumns {
    private struct Column: Hashable {
        let kind: LegacyFile.Kind
        /// Whether it is one of a part, such as an ingredient.
        let isOfPart: Bool
        let name: String
    }

    /// How the file writes the names.
    private let titles: [String: String]
    private var held: [Column] = []
    private var known: Set<Column> = []
    private var read: Set<Column> = []

    /// Whose a row is and when it was made, which ids and dates are made of, and the secrets of an account.
    private static let passedOver: Set<String> = [
        "id", "userid", "user", "createdat", "updatedat", "email", "passwordhash", "password",
    ]

    init(_ file: LegacyFile) { titles = file.titles }

    /// A column's name as the file writes it.
    func title(_ name: String) -> String { titles[name] ?? name }

    func note(_ cells: [String: JSON], _ kind: LegacyFile.Kind, isOfPart: Bool) {
        for (name, value) in cells where Self.holds(value) && !Self.passedOver.contains(name) {
            let column = Column(kind: kind, isOfPart: isOfPart, name: name)
            if known.insert(column).inserted { held.append(column) }
        }
    }

    func noteRead(_ names: [String], _ kind: LegacyFile.Kind, isOfPart: Bool) {
        for name in names {
            read.insert(Column(kind: kind, isOfPart: isOfPart, name: name))
        }
    }

    /// What is to be said about the columns of these rows that were not read.
    func notice(_ kind: LegacyFile.Kind) -> String? {
        let names = held.filter { $0.kind == kind && !read.contains($0) }.map { column in
            title(column.name) + (column.isOfPart ? " of their parts" : "")
        }
        guard !names.isEmpty else { return nil }
        return "columns of \(kind.rawValue) that are not read: "
            + names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: ", ")
    }

    private static func holds(_ value: JSON) -> Bool {
        switch value {
        case .null: false
        case .string(let text): !["", "{}", "[]"].contains(Cell.trimmed(text))
        case .array(let elements): !elements.isEmpty
        case .object(let members): !members.isEmpty
        case .bool, .integer, .number: true
        }
    }
}
