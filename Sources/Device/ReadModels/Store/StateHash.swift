import MacrologEvents
package import MacrologWire
package import MacrologLog
package import MacrologSQLite

/// One hash of everything that is folded from the log: equal logs give equal hashes on every
/// device, whatever the order in which events arrived.
extension Store {
    /// The SHA-256 of the entities, the touches, the conflicts and every read model, row by row in
    /// the order of their keys; devices by their IDs, not by this file's numbers.
    ///
    /// - Parameter touches: Whether to include which events touched what. A device does not know
    ///   that of events that were compacted elsewhere.
    package mutating func stateHash(touches: Bool = true) throws(LogError) -> [UInt8] {
        var state = [UInt8](repeating: 0, count: 32)
        for table in tables where touches || "\(table.name)" != "touch" {
            state = try Self.hash(table, after: state, in: &db)
        }
        return state
    }

    private static func hash(
        _ table: (name: StaticString, rows: JoinedSQL), after before: [UInt8],
        in db: inout LogConnection
    ) throws(LogError) -> [UInt8] {
        var state = SHA256.hash(before + Array("\(table.name)".utf8))
        try db.forEach(table.rows) { row in
            var writer = CBORWriter(capacity: 256)
            Self.write(row, &writer)
            state = SHA256.hash(state + writer.bytes)
        }
        return state
    }

    /// The tables that differ from what the events give: everything derived is folded beside what
    /// is stored, compared, and restored as it was.
    ///
    /// - Returns: Their names.
    package mutating func wrongTables() throws(LogError) -> [String] {
        let (log, models, tables) = (log, models, tables)
        var wrong: [String] = []
        _ = try db.conditionalTransaction { db throws(LogError) in
            let before = try Self.hashes(of: tables, in: &db)
            var fold = models.begin()
            try log.refold(in: &db, updating: &fold)
            let after = try Self.hashes(of: tables, in: &db)
            for index in tables.indices where after[index] != before[index] {
                wrong.append("\(tables[index].name)")
            }
            return false
        }
        return wrong
    }

    /// The hash of each table.
    static func hashes(
        of tables: [(name: StaticString, rows: JoinedSQL)], in db: inout LogConnection
    ) throws(LogError) -> [[UInt8]] {
        var hashes: [[UInt8]] = []
        for table in tables { hashes.append(try hash(table, after: [], in: &db)) }
        return hashes
    }

    /// One hash of what is derived for the entities of a range, with this file's numbers of
    /// devices.
    static func hash(
        _ range: IDRange, of models: ReadModels, in db: inout LogConnection
    ) throws(LogError) -> [UInt8] {
        var writer = CBORWriter(capacity: 65_536)
        for sql in logRanges + models.tables.compactMap({ $0.range }) {
            try db.forEach(sql, range) { write($0, &writer) }
            writer.null()
        }
        return writer.withBytes { SHA256.hash($0) }
    }

    /// Appends the columns of a row, in their order.
    package static func write(_ row: borrowing Row, _ writer: inout CBORWriter) {
        for column in 0..<row.columnCount {
            switch row.type(column) {
            case .null: writer.null()
            case .integer: writer.int(row.int(column))
            case .text: writer.text(row.name(column))
            case .blob: writer.byteString(row.bytes(column))
            }
        }
    }

    /// The derived tables of the log, by name, and those of the read models.
    private var tables: [(name: StaticString, rows: JoinedSQL)] {
        Self.logTables + models.tables.map { ($0.name, $0.all) }
    }

    private static let logTables: [(name: StaticString, rows: JoinedSQL)] =
        [
            ("entity", JoinedSQL("SELECT * FROM entity ORDER BY id, kind")),
            (
                "touch",
                JoinedSQL(
                    """
                    SELECT touch.id, kind, device.id, dot & 0xFFFFFFFFFF FROM touch
                    JOIN device ON key = dot >> 40
                    ORDER BY touch.id, kind, device.id, dot & 0xFFFFFFFFFF
                    """)
            ),
            ("conflict", JoinedSQL("SELECT * FROM conflict ORDER BY id, kind")),
        ]

    private static let logRanges = [
        JoinedSQL("SELECT * FROM entity WHERE id > ? AND id <= ? ORDER BY id, kind"),
        JoinedSQL("SELECT * FROM touch WHERE id > ? AND id <= ? ORDER BY id, kind, dot"),
        JoinedSQL("SELECT * FROM conflict WHERE id > ? AND id <= ? ORDER BY id, kind"),
    ]
}
