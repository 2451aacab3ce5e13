/// Every row of an account, copied from one store to another and read back.
import MacrologCryptography
import MacrologEvents
import MacrologPostgreSQL

struct AccountCopy {
    /// The rows of a table, by their number and a digest.
    struct Rows: Equatable {
        fileprivate(set) var count = 0
        fileprivate var digest: [UInt8] = []
    }

    private let space: Space

    init(_ space: Space) { self.space = space }

    /// Writes every row of the account instead of the one that holds its number.
    ///
    /// - Parameters:
    ///   - old: In a transaction that reads all of it as it is at one moment.
    ///   - note: Called with the name of each table when its rows are written.
    func write(
        from old: inout PostgreSQLConnection, to new: inout PostgreSQLConnection,
        _ note: (String) throws -> Void
    ) throws -> [(table: StoredTable, rows: Rows)] {
        let epoch = try old.epoch()
        let arrival = try old.first("SELECT arrival FROM account WHERE space = ?", space) {
            $0.int(0)
        }
        try new.run("DELETE FROM account WHERE space = ?", space)
        var copied: [(table: StoredTable, rows: Rows)] = []
        for table in StoredTable.all {
            guard let insert = table.ofAccount?.insert else { continue }
            let rows = try forEachPage(of: table, &old, epoch) { page in
                for row in page { try new.run(insert, StoredRow(values: row)) }
                try new.flush()
            }
            copied.append((table, rows))
            try note(table.name)
        }
        try new.run(
            "UPDATE account SET arrival = ? WHERE space = ?", (arrival ?? 0) + 1, space)
        return copied
    }

    /// Calls a closure with the rows of a table, as they are where the account is copied to.
    private func forEachPage(
        of table: StoredTable, _ db: inout PostgreSQLConnection, _ epoch: UInt32?,
        _ body: ([[StoredValue]]) throws -> Void
    ) throws -> Rows {
        var (key, rows) = (table.start, Rows())
        var digest = SHA256Stream()
        while true {
            let page = try db.rows(of: table, space, after: key)
            guard let last = page.last else { break }
            key = Array(last.prefix(table.keyCount))
            let copies = page.map { Self.copy($0, of: table, epoch) }
            for row in copies { for value in row { value.add(to: &digest) } }
            rows.count += page.count
            try body(copies)
        }
        rows.digest = digest.finish()
        return rows
    }

    /// A row as another store has it: without a number that each store gives itself, and with the epoch of its log
    /// where that is the store's.
    private static func copy(
        _ row: [StoredValue], of table: StoredTable, _ epoch: UInt32?
    ) -> [StoredValue] {
        var row = row
        if table.name == "account", let epoch,
            let index = table.columns.firstIndex(where: { "\($0.name)" == "epoch" }),
            row[index] == .null
        {
            row[index] = .number(Int64(epoch))
        }
        return Array(row.dropFirst(table.countedCount))
    }

    /// Reads the copy back.
    func differences(
        from copied: [(table: StoredTable, rows: Rows)], in new: inout PostgreSQLConnection
    ) throws -> [String] {
        var differences: [String] = []
        for (table, rows) in copied {
            let here = try forEachPage(of: table, &new, nil) { _ in }
            if here.count != rows.count {
                differences.append("\(table.name): \(here.count) rows instead of \(rows.count)")
            } else if here != rows {
                differences.append("\(table.name): the digest of its rows is another one")
            }
        }
        return differences
    }
}

extension PostgreSQLConnection {
    /// The next rows of an account.
    fileprivate mutating func rows(
        of table: StoredTable, _ space: Space, after key: [StoredValue]
    ) throws(PostgreSQLError) -> [[StoredValue]] {
        guard let sql = table.ofAccount?.next else { return [] }
        var rows: [[StoredValue]] = []
        try forEach(sql, StoredRow(values: [.number(space)] + key)) { row in
            rows.append(table.columns.enumerated().map { StoredValue(row, $0, $1.kind) })
        }
        return rows
    }
}
