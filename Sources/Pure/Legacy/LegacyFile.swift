/// The data of an earlier system as tables of rows, read from a plain dump of its database or from JSON.
///
/// Names are compared without case and signs, so that `userId`, `user_id` and `"UserID"` are one.
/// Everything that is not a table of people, profiles, goals, meals or measurements is passed over.
package import MacrologJSON

/// The tables of a file.
package struct LegacyFile: Sendable {
    /// What the rows of a table are.
    package enum Kind: String, CaseIterable, Sendable {
        case users, profiles, goals, meals, metrics
    }

    /// In the order of the file.
    package let rows: [LegacyRow]

    /// Reads a whole file.
    package init(_ bytes: [UInt8]) throws(LegacyError) {
        let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let first else { throw LegacyError(line: 1, "the file is empty", Self.expected) }
        rows =
            [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first)
            ? try Self.rows(json: bytes) : try Self.rows(dump: bytes)
        guard !rows.isEmpty else {
            throw LegacyError(
                line: 1, "it has no rows of people, meals or measurements", Self.expected)
        }
    }

    /// The rows of one kind.
    package func rows(_ kind: Kind) -> [LegacyRow] { rows.filter { $0.kind == kind } }

    private static let expected =
        "take what pg_dump writes in its plain format, or JSON with the members users, profiles, "
        + "meals and metrics"

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

// MARK: JSON

extension LegacyFile {
    /// An object whose members are tables, each an array of objects.
    private static func rows(json bytes: [UInt8]) throws(LegacyError) -> [LegacyRow] {
        let json: JSON
        do throws(JSONError) { json = try JSON.parse(bytes) } catch {
            throw LegacyError(
                line: error.line, "the file is not JSON: \(error.problem)", "export it once more")
        }
        guard let tables = json.object else {
            throw LegacyError(line: 1, "the file is no object of tables", expected)
        }
        var rows: [LegacyRow] = []
        for table in tables {
            guard let kind = kind(ofTable: table.key) else { continue }
            for (index, row) in (table.value.array ?? []).enumerated() {
                guard let members = row.object else {
                    throw LegacyError(
                        line: index + 1, "\(table.key) has an element that is no object", expected)
                }
                var cells: [String: JSON] = [:]
                for member in members { cells[key(member.key)] = member.value }
                rows.append(
                    LegacyRow(kind: kind, table: key(table.key), line: index + 1, cells: cells))
            }
        }
        return rows
    }
}
