/// The data of an earlier system as tables of rows, read from a plain dump of its database or from JSON.
///
/// Names are compared without case and signs, so that `userId`, `user_id` and `"UserID"` are one.
/// Everything that is not a table of people, profiles, goals, meals or measurements is passed over, and named.
package import MacrologJSON

/// The tables of a file.
package struct LegacyFile: Sendable {
    /// What the rows of a table are.
    package enum Kind: String, CaseIterable, Sendable {
        case users, profiles, goals, meals, metrics
    }

    /// In the order of the file.
    package let rows: [LegacyRow]
    /// How the file writes the names of columns, by what ``key(_:)`` makes of them.
    package let titles: [String: String]
    /// The tables that have rows but are not read, as the file writes their names.
    package let otherTables: [String]

    /// Reads a whole file.
    package init(_ bytes: [UInt8]) throws(LegacyError) {
        let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let first else { throw LegacyError(line: 1, "the file is empty", Self.expected) }
        let contents =
            [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first)
            ? try Self.contents(json: bytes) : try Self.contents(dump: bytes)
        (rows, titles, otherTables) = (contents.rows, contents.titles, contents.otherTables)
        guard !rows.isEmpty else {
            throw LegacyError(
                line: 1, "it has no rows of people, meals or measurements", Self.expected)
        }
    }

    /// The rows of one kind.
    package func rows(_ kind: Kind) -> [LegacyRow] { rows.filter { $0.kind == kind } }

    static let expected =
        "take what pg_dump writes in its plain format, or JSON with the members users, profiles, "
        + "meals and metrics, or an array of food logs"

    /// What the rows of a table are, by its name.
    static func kind(ofTable name: String) -> Kind? {
        switch key(name) {
        case "user", "users": .users
        case "profile", "profiles", "userprofile", "userprofiles": .profiles
        case "goal", "goals", "usergoal", "usergoals": .goals
        case "meal", "meals", "mealanalysis", "mealanalyses", "foodentry", "foodentries",
            "foodlog", "foodlogs":
            .meals
        case "metrics", "dailymetric", "dailymetrics", "weight", "weights", "weightentry",
            "weightentries", "weighttracking":
            .metrics
        default: nil
        }
    }

    /// A name without case and signs.
    package static func key(_ name: String) -> String {
        var letters: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): letters.append(byte | 0x20)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                letters.append(byte)
            default: break
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }
}

/// One row.
package struct LegacyRow: Sendable {
    package let kind: LegacyFile.Kind
    /// Its table, as ``LegacyFile/key(_:)`` writes it.
    package let table: String
    /// The line of a dump on which it begins, from 1; of JSON, its place in its table, from 1.
    package let line: Int
    /// What its columns hold, by their names as ``LegacyFile/key(_:)`` writes them; null where nothing.
    package let cells: [String: JSON]

    /// The id of the person it belongs to; `nil` for none.
    package var owner: String? {
        for name in ["userid", "user"] {
            if let id = text(name), !id.utf8.elementsEqual("placeholder-user-id".utf8) { return id }
        }
        return nil
    }

    /// What a column holds as text; `nil` for nothing, a blank, or no such column.
    package func text(_ name: String) -> String? {
        let text: String
        switch cells[name] {
        case .string(let value): text = value
        case .integer(let value): text = "\(value)"
        case .number(let value): text = value
        default: return nil
        }
        return text.utf8.contains { $0 != 0x20 } ? text : nil
    }
}

/// Why a file cannot be read.
package struct LegacyError: Error, Hashable, Sendable {
    /// From 1.
    package let line: Int
    package let problem: String
    /// What to do.
    package let hint: String

    init(line: Int, _ problem: String, _ hint: String) {
        self.line = line
        self.problem = problem
        self.hint = hint
    }
}

/// What is found while a file is read.
struct LegacyContents {
    var rows: [LegacyRow] = []
    private(set) var titles: [String: String] = [:]
    private(set) var otherTables: [String] = []

    /// A column's name as rows have it; how it is written is kept.
    mutating func key(_ title: String) -> String {
        let key = LegacyFile.key(title)
        if titles[key] == nil { titles[key] = title }
        return key
    }

    /// The names of a table's columns, as its rows have them.
    mutating func keys(_ titles: [String]) -> [String] {
        var keys: [String] = []
        for title in titles { keys.append(key(title)) }
        return keys
    }

    /// Notes that a table is not read. One of a tool, such as `_prisma_migrations`, is nothing of a person.
    mutating func passOver(_ table: String) {
        guard table.utf8.first != UInt8(ascii: "_"),
            !otherTables.contains(where: { $0.utf8.elementsEqual(table.utf8) })
        else { return }
        otherTables.append(table)
    }
}
