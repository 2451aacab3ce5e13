/// A digest of everything else in each row of a webhook: without it, a flipped bit could send messages to
/// another address, or keep one for ever, and no check would notice.
import MacrologEvents
import MacrologSQLite
import MacrologWire

/// A table whose rows have a digest, and its statements.
struct DigestedTable: Sendable {
    /// What a row is called, and the column that names it.
    let title: String
    /// The digest of one row, or of those of an account, by a key.
    let setOne: StaticString
    /// Name, content and digest of the row with a key; of all rows.
    let one, all: JoinedSQL
    /// Name and content of rows without a digest: those of earlier builds.
    let bare: JoinedSQL

    private init(
        _ title: String, _ columns: [StaticString], of table: StaticString, key: StaticString,
        setOne: StaticString
    ) {
        self.title = title
        self.setOne = setOne
        // As SQL literals with commas between them no two rows are alike.
        let content: [StaticString] = columns.enumerated().flatMap { index, column in
            (index == 0 ? [] : [" || ',' || "] as [StaticString]) + ["quote(", column, ")"]
        }
        let start: [StaticString] =
            ["SELECT ", key, ", "] + content + [", digest FROM ", table]
        all = JoinedSQL(start)
        one = JoinedSQL(start + [" WHERE ", key, " = ?"])
        bare = JoinedSQL(start + [" WHERE digest IS NULL"])
    }

    static let address = DigestedTable(
        "webhook",
        [
            "id", "space", "created", "events", "target", "secret", "stopped", "failures",
            "last_at", "last_status", "last_failure",
        ], of: "webhook", key: "id", setOne: "UPDATE webhook SET digest = ? WHERE id = ?")
    static let message = DigestedTable(
        "message of a webhook", ["id", "webhook", "created", "due", "attempts", "body"],
        of: "webhook_message", key: "id",
        setOne: "UPDATE webhook_message SET digest = ? WHERE id = ?")
    static let look = DigestedTable(
        "look for webhooks of space", ["space", "look", "state"], of: "webhook_look", key: "space",
        setOne: "UPDATE webhook_look SET digest = ? WHERE space = ?")

    static let tables = [address, message, look]
}

/// A row as it is read for its digest.
private struct DigestedRow {
    /// Sixteen bytes of an id, or the number of an account.
    let id: [UInt8], space: Int64
    let digest: [UInt8]?
    /// What the digest should be.
    let content: [UInt8]

    init(_ row: borrowing Row, isID: Bool) {
        (id, space) = isID ? (row.bytes(0), 0) : ([], row.int(0))
        content = SHA256.hash(row.bytes(1))
        digest = row.isNull(2) ? nil : row.bytes(2)
    }
}

extension Connection {
    /// Notes the digest of a row that was added or changed.
    mutating func noteDigest(in table: DigestedTable, of id: Identifier) throws(SQLiteError) {
        var rows: [DigestedRow] = []
        try forEach(table.one, id.bytes) { rows.append(DigestedRow($0, isID: true)) }
        for row in rows { try run(table.setOne, row.content, row.id) }
    }

    /// Notes the digest of when an account is to be looked at.
    mutating func noteLookDigest(of space: Space) throws(SQLiteError) {
        var rows: [DigestedRow] = []
        try forEach(DigestedTable.look.one, space) { rows.append(DigestedRow($0, isID: false)) }
        for row in rows { try run(DigestedTable.look.setOne, row.content, row.space) }
    }

    /// Notes the digests of all addresses of an account, or of all accounts for `nil`.
    mutating func noteAddressDigests(of space: Space?) throws(SQLiteError) {
        let ids =
            if let space {
                try all("SELECT id FROM webhook WHERE space = ?", space) { $0.identifier(0) }
            } else {
                try all("SELECT id FROM webhook") { $0.identifier(0) }
            }
        for id in ids { try noteDigest(in: .address, of: id) }
    }

    /// Notes the digests of rows that an earlier build has stored.
    mutating func noteMissingWebhookDigests() throws(SQLiteError) {
        try transaction { db throws(SQLiteError) in
            for table in DigestedTable.tables {
                let isID = table.title != DigestedTable.look.title
                var rows: [DigestedRow] = []
                try db.forEach(table.bare) { rows.append(DigestedRow($0, isID: isID)) }
                for row in rows where isID { try db.run(table.setOne, row.content, row.id) }
                for row in rows where !isID { try db.run(table.setOne, row.content, row.space) }
            }
        }
    }

    /// The rows of webhooks that are not what was stored, one line each.
    mutating func damagedWebhooks() throws(SQLiteError) -> [String] {
        var problems: [String] = []
        for table in DigestedTable.tables {
            let isID = table.title != DigestedTable.look.title
            try forEach(table.all) { stored in
                let row = DigestedRow(stored, isID: isID)
                guard row.digest != row.content else { return }
                let name = isID ? Identifier(bytes: row.id).map { "\($0)" } ?? "?" : "\(row.space)"
                problems.append("\(table.title) \(name): it is not what was stored")
            }
        }
        return problems
    }
}
