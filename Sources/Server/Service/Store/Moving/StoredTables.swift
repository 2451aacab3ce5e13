/// What is copied when a store moves, or an account: every table, in the order in which rows refer to each other, its columns,
/// and the statements that follow from them.
///
/// Left out are `server`, which is written last; the digests of webhooks, which only SQLite has and which are
/// noted again; `blob_history`, so that nothing is collected that an earlier history wrote; and `change_made`, `lease`
/// and `attempt`, which nodes ask only while they run.
import MacrologCryptography
import MacrologPostgreSQL
import MacrologSQLite

/// One table.
struct StoredTable: Sendable {
    /// What a column holds.
    enum Kind: Sendable { case number, text, bytes }

    let name: String
    let columns: [(name: StaticString, kind: Kind)]
    /// The first columns, by which its rows are ordered.
    let keyCount: Int
    /// The next rows after a key, in its order; the last key; and one more row.
    let next, last, insert: Statement
    /// The next rows of one account, `?1`, after a key; and one more row, whose number is a new one if the database
    /// counts. `nil` for what belongs to no account. For PostgreSQL.
    let ofAccount: (next: JoinedStatement, insert: JoinedStatement)?
    /// How many of the first columns each database counts by itself.
    let countedCount: Int

    /// A statement for each of the two databases.
    struct Statement: Sendable {
        let sqlite: JoinedSQL
        let shared: JoinedStatement

        init(_ parts: [StaticString], _ shared: [StaticString]? = nil) {
            sqlite = JoinedSQL(parts)
            self.shared = JoinedStatement(shared ?? parts)
        }
    }

    /// - Parameters:
    ///   - keyCount: How many of the first columns are its key.
    ///   - limit: Rows that one transaction copies; few where they are large.
    ///   - isCounted: Whether the databases number its rows themselves.
    ///   - account: The rows of the account `?1`; `nil` if there are none.
    private init(
        _ name: StaticString, key keyCount: Int = 1, limit: StaticString = "1000",
        isCounted: Bool = false, of account: StaticString? = "space = ?1",
        _ columns: [(StaticString, Kind)]
    ) {
        self.name = "\(name)"
        self.columns = columns.map { (name: $0.0, kind: $0.1) }
        self.keyCount = keyCount
        let names = Self.list(columns.map { $0.0 })
        let key = Self.list(columns.prefix(keyCount).map { $0.0 })
        let marks = [[StaticString]](repeating: ["?"], count: columns.count)
        let values = Array(marks.joined(separator: [", "]))
        next = Statement(
            ["SELECT "] + names + [" FROM ", name, " WHERE ("] + key + [") > ("]
                + Array(marks.prefix(keyCount).joined(separator: [", "])) + [") ORDER BY "] + key
                + [" LIMIT ", limit])
        let down = columns.prefix(keyCount).map { [$0.0, " DESC"] as [StaticString] }
        last = Statement(
            ["SELECT "] + key + [" FROM ", name, " ORDER BY "]
                + Array(down.joined(separator: [", "])) + [" LIMIT 1"])
        let start: [StaticString] = ["INSERT INTO ", name, " ("] + names + [")"]
        let plain: [StaticString] = [" VALUES ("] + values + [")"]
        insert = Statement(
            start + plain, start + (isCounted ? [" OVERRIDING SYSTEM VALUE"] : []) + plain)
        let counted = isCounted ? 1 : 0
        countedCount = counted
        ofAccount = account.map { account in
            let after: [[StaticString]] = [["?2"], ["?3"], ["?4"]]
            return (
                JoinedStatement(
                    ["SELECT "] + names + [" FROM ", name, " WHERE ", account, " AND ("] + key
                        + [") > ("] + Array(after.prefix(keyCount).joined(separator: [", "]))
                        + [") ORDER BY "] + key + [" LIMIT ", limit]),
                JoinedStatement(
                    ["INSERT INTO ", name, " ("]
                        + Self.list(columns.dropFirst(counted).map { $0.0 }) + [") VALUES ("]
                        + Array(marks.dropFirst(counted).joined(separator: [", "])) + [")"])
            )
        }
    }

    private static func list(_ names: [StaticString]) -> [StaticString] {
        Array(names.map { [$0] }.joined(separator: [", "]))
    }

    /// Less than every key.
    var start: [StoredValue] {
        columns.prefix(keyCount).map { $0.kind == .number ? .number(.min) : .bytes([]) }
    }

    static let all = [
        StoredTable(
            "account",
            [
                ("space", .number), ("name", .bytes), ("email_key", .bytes), ("email", .text),
                ("password", .text), ("created", .number), ("disabled", .number),
                ("deleted", .number), ("totp", .bytes), ("totp_confirmed", .number),
                ("totp_step", .number), ("event_bytes", .number), ("unshared", .number),
                ("epoch", .number),
            ]),
        StoredTable(
            "session",
            [
                ("id", .bytes), ("space", .number), ("label", .text), ("created", .number),
                ("last_seen", .number), ("revoked", .number), ("device", .bytes),
                ("cursor", .number), ("scope", .text), ("first_day", .number), ("ends", .number),
            ]),
        StoredTable(
            "refresh", of: "session IN (SELECT id FROM session WHERE space = ?1)",
            [
                ("digest", .bytes), ("session", .bytes), ("created", .number), ("used", .number),
            ]),
        StoredTable(
            "event", limit: "500",
            of: "place > ?1::bigint << 40 AND place < (?1::bigint + 1) << 40",
            [
                ("place", .number), ("space", .number), ("t", .number), ("t_max", .number),
                ("device", .bytes), ("seq", .number), ("hash", .bytes), ("digest", .bytes),
                ("body", .bytes),
            ]),
        StoredTable(
            "blob", key: 2,
            [("space", .number), ("name", .bytes), ("bytes", .number), ("stored", .number)]),
        StoredTable(
            "blob_mention", key: 3,
            [
                ("space", .number), ("name", .bytes), ("place", .number), ("removes", .number),
                ("admitted", .number),
            ]),
        StoredTable(
            "known_network", [("digest", .bytes), ("space", .number), ("seen", .number)]),
        StoredTable(
            "code",
            [("digest", .bytes), ("space", .number), ("kind", .text), ("expires", .number)]),
        StoredTable(
            "invitation", isCounted: true, of: nil,
            [
                ("number", .number), ("digest", .bytes), ("created", .number),
                ("expires", .number), ("uses", .number), ("used", .number),
            ]),
        StoredTable(
            "audit", isCounted: true,
            [
                ("place", .number), ("space", .number), ("at", .number), ("event", .text),
                ("network", .text), ("device", .text),
            ]),
        StoredTable("data_key", [("space", .number), ("wrapped", .bytes)]),
        StoredTable(
            "share", limit: "20",
            [
                ("id", .bytes), ("space", .number), ("digest", .bytes), ("created", .number),
                ("expires", .number), ("opens_max", .number), ("opens", .number),
                ("opened", .number), ("origin", .text), ("document", .bytes), ("card", .bytes),
            ]),
        StoredTable(
            "analysis_day", [("space", .number), ("began", .number), ("count", .number)]),
        StoredTable(
            "webhook",
            [
                ("id", .bytes), ("space", .number), ("created", .number), ("events", .text),
                ("target", .bytes), ("secret", .bytes), ("stopped", .text),
                ("failures", .number), ("last_at", .number), ("last_status", .number),
                ("last_failure", .text),
            ]),
        StoredTable(
            "webhook_message", limit: "200",
            of: "webhook IN (SELECT id FROM webhook WHERE space = ?1)",
            [
                ("id", .bytes), ("webhook", .bytes), ("created", .number), ("due", .number),
                ("attempts", .number), ("body", .bytes),
            ]),
        StoredTable("webhook_look", [("space", .number), ("look", .number), ("state", .bytes)]),
    ]
}

/// A value of a column, as it is copied.
enum StoredValue: Hashable, Sendable {
    case null
    case number(Int64)
    /// UTF-8.
    case text(String)
    case bytes([UInt8])

    init<Line: SQLRow & ~Copyable>(_ row: borrowing Line, _ column: Int, _ kind: StoredTable.Kind) {
        guard !row.isNull(column) else {
            self = .null
            return
        }
        self =
            switch kind {
            case .number: .number(row.int(column))
            case .text: .text(row.text(column))
            case .bytes: .bytes(row.bytes(column))
            }
    }

    /// The value as a digest takes it: no two rows are alike.
    func add(to digest: inout SHA256Stream) {
        func add(_ tag: UInt8, _ bytes: [UInt8]) {
            let head = [tag] + withUnsafeBytes(of: Int64(bytes.count).bigEndian) { Array($0) }
            for part in [head, bytes] { part.withUnsafeBytes { digest.add($0) } }
        }
        switch self {
        case .null: add(0, [])
        case .number(let number): add(1, withUnsafeBytes(of: number.bigEndian) { Array($0) })
        case .text(let text): add(2, Array(text.utf8))
        case .bytes(let bytes): add(3, bytes)
        }
    }
}

/// The values of a row, or of a key: one for each `?`.
struct StoredRow: Bindable, PostgreSQLValue {
    let values: [StoredValue]

    /// The type that the column has.
    static var type: UInt32 { 0 }

    func bind(to binder: inout Binder) {
        for value in values {
            switch value {
            case .null: binder.null()
            case .number(let number): number.bind(to: &binder)
            case .text(let text): text.bind(to: &binder)
            case .bytes(let bytes): bytes.bind(to: &binder)
            }
        }
    }

    func append(to parameters: inout PostgreSQLParameters) {
        for value in values {
            switch value {
            case .null: parameters.null()
            case .number(let number): parameters.integer(number)
            case .text(let text): text.append(to: &parameters)
            case .bytes(let bytes): bytes.append(to: &parameters)
            }
        }
    }
}
