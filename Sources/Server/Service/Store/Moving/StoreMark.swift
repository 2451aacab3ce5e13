/// What a database says about itself while a store moves: a step among its migrations that no program knows, so
/// that earlier builds refuse it, too.
package import MacrologPostgreSQL
import MacrologCryptography
import MacrologSQLite

/// Why a database must not be served.
package enum StoreMark: Error, Hashable, Sendable {
    /// It is being filled from a store of this epoch, and not complete.
    case filling(epoch: UInt32)
    /// Its contents are in another database, by the words that name that one.
    case moved(to: String)
    /// It is one of several stores, went back to an earlier state, and is being made ready to be served under this
    /// epoch.
    case restoring(epoch: UInt32)

    private static let fillingStart = "filling from epoch "
    private static let movedStart = "moved to "
    private static let restoringStart = "restoring with epoch "

    /// The name of the step.
    var step: String {
        switch self {
        case .filling(let epoch): "\(Self.fillingStart)\(epoch)"
        case .moved(let name): "\(Self.movedStart)\(name)"
        case .restoring(let epoch): "\(Self.restoringStart)\(epoch)"
        }
    }

    /// `nil` for a step of a program.
    init?(step: String) {
        if step.hasPrefix(Self.fillingStart), let epoch = UInt32(step.dropFirst(19)) {
            self = .filling(epoch: epoch)
        } else if step.hasPrefix(Self.movedStart) {
            self = .moved(to: String(step.dropFirst(9)))
        } else if step.hasPrefix(Self.restoringStart),
            let epoch = UInt32(step.dropFirst(Self.restoringStart.utf8.count))
        {
            self = .restoring(epoch: epoch)
        } else {
            return nil
        }
    }

    /// The mark of a database in a file; `nil` for none.
    package static func of(_ path: String) throws -> StoreMark? {
        var connection = try Connection.open(path, mode: .readOnly)
        return try connection.mark()
    }

    /// The mark of a database; `nil` for none.
    package static func of(_ address: PostgreSQLAddress) throws(PostgreSQLError) -> StoreMark? {
        var connection = try PostgreSQLConnection.open(address)
        return try connection.mark()
    }
}

/// One of several databases must not be served.
package struct MarkedStore: Error, Hashable, Sendable {
    /// Its name among them.
    package let name: String
    package let mark: StoreMark

    package init(_ name: String, _ mark: StoreMark) { (self.name, self.mark) = (name, mark) }
}

/// A database from which a store moves, or to which.
protocol MovableDatabase: SQLDatabase, ~Copyable {
    /// Whether the table of migrations is there.
    mutating func hasMigrations() throws(Failure) -> Bool
    /// Notes a mark.
    mutating func add(_ mark: StoreMark) throws(Failure)
    /// Runs a body as one durable transaction.
    mutating func transaction<T>(_ body: (inout Self) throws -> T) throws -> T
    /// The rows that a statement of a table gives, after a key.
    ///
    /// - Parameter kinds: What its columns hold.
    mutating func rows(
        _ sql: StoredTable.Statement, _ key: StoredRow?, _ kinds: [StoredTable.Kind]
    ) throws(Failure) -> [[StoredValue]]
    /// Adds a row.
    mutating func insert(_ row: StoredRow, _ sql: StoredTable.Statement) throws(Failure)
    /// The numbers of invitations and of entries of audit trails that were given last.
    mutating func lastNumbers() throws(Failure) -> (invitation: Int64, audit: Int64)
    /// Has the next numbers follow these.
    mutating func continueNumbers(after last: (invitation: Int64, audit: Int64)) throws(Failure)
    /// Has every change refused that a server which still runs could make; or allows them again.
    mutating func refuseChanges(_ isRefused: Bool) throws(Failure)
    /// How many servers are connected.
    mutating func serversConnected() throws(Failure) -> Int64
    /// Whether its accounts belong to these secrets.
    mutating func accountsBelong(to secrets: Secrets) throws(Failure) -> Bool
    /// Notes the digests that only SQLite has.
    mutating func noteWebhookDigests() throws(Failure)
    /// Notes what is true of the whole store.
    mutating func begin(epoch: UInt32, lastSpace: Int64, _ secrets: Secrets) throws(Failure)
}

extension MovableDatabase where Self: ~Copyable {
    /// The names of the steps that the database has had, marks included.
    mutating func steps() throws(Failure) -> [String] {
        guard try hasMigrations() else { return [] }
        return try all("SELECT name FROM migration") { $0.text(0) }
    }

    /// The names of its migrations.
    mutating func stepsOfPrograms() throws(Failure) -> Set<String> {
        Set(try steps().filter { $0 != "lock" && StoreMark(step: $0) == nil })
    }

    mutating func mark() throws(Failure) -> StoreMark? {
        try steps().lazy.compactMap { StoreMark(step: $0) }.first
    }

    mutating func remove(_ mark: StoreMark) throws(Failure) {
        try run("DELETE FROM migration WHERE name = ?", mark.step)
    }

    /// The epoch; `nil` for a database that no server has used.
    mutating func epoch() throws(Failure) -> UInt32? {
        try first("SELECT epoch FROM server") { UInt32(truncatingIfNeeded: $0.int(0)) }
    }

    /// Whether servers are connected. The database counts one that has just ended for a moment.
    mutating func hasServers() throws(Failure) -> Bool {
        for _ in 0..<20 {
            guard try serversConnected() > 0 else { return false }
            PostgreSQLWriter.pause(atMost: 100)
        }
        return try serversConnected() > 0
    }

    /// The keys of all accounts as they are stored.
    mutating func storedKeys() throws(Failure) -> [Space: [UInt8]] {
        let all = try all("SELECT space, wrapped FROM data_key") { ($0.space(0), $0.bytes(1)) }
        return Dictionary(all, uniquingKeysWith: { first, _ in first })
    }
}

extension SQLiteConnection: MovableDatabase where Failure == SQLiteError {
    mutating func hasMigrations() throws(SQLiteError) -> Bool {
        try first("SELECT 1 FROM sqlite_schema WHERE name = 'migration'") { _ in true } ?? false
    }

    mutating func add(_ mark: StoreMark) throws(SQLiteError) {
        try run(
            "INSERT INTO migration (ordinal, name) SELECT max(ordinal) + 1, ? FROM migration",
            mark.step)
    }

    mutating func rows(
        _ sql: StoredTable.Statement, _ key: StoredRow?, _ kinds: [StoredTable.Kind]
    ) throws(SQLiteError) -> [[StoredValue]] {
        var rows: [[StoredValue]] = []
        try forEach(sql.sqlite, key ?? StoredRow(values: [])) { row in
            rows.append(kinds.enumerated().map { StoredValue(row, $0, $1) })
        }
        return rows
    }

    mutating func insert(
        _ row: StoredRow, _ sql: StoredTable.Statement
    ) throws(SQLiteError) {
        try run(sql.sqlite, row)
    }

    mutating func lastNumbers() throws(SQLiteError) -> (invitation: Int64, audit: Int64) {
        let invitation = try first("SELECT seq FROM sqlite_sequence WHERE name = 'invitation'") {
            $0.int(0)
        }
        return (
            invitation ?? 0,
            try first("SELECT coalesce(max(place), 0) FROM audit") { $0.int(0) } ?? 0
        )
    }

    mutating func continueNumbers(
        after last: (invitation: Int64, audit: Int64)
    ) throws(SQLiteError) {
        try run("DELETE FROM sqlite_sequence WHERE name = 'invitation'")
        try run("INSERT INTO sqlite_sequence (name, seq) VALUES ('invitation', ?)", last.invitation)
    }

    /// Who has the file has its lock.
    mutating func refuseChanges(_ isRefused: Bool) {}
    mutating func serversConnected() -> Int64 { 0 }

    mutating func accountsBelong(to secrets: Secrets) throws(SQLiteError) -> Bool {
        // An account that is being deleted has no address any more.
        let account = try first(
            "SELECT email, email_key FROM account WHERE deleted IS NULL LIMIT 1"
        ) { ($0.text(0), $0.bytes(1)) }
        guard let account, let email = try? Email(account.0) else { return true }
        return secrets.digest(of: email) == account.1
    }

    mutating func noteWebhookDigests() throws(SQLiteError) { try noteMissingWebhookDigests() }

    mutating func begin(
        epoch: UInt32, lastSpace: Int64, _ secrets: Secrets
    ) throws(SQLiteError) {
        try run("INSERT INTO server (epoch, last_space) VALUES (?, ?)", epoch, lastSpace)
    }
}

extension PostgreSQLConnection: MovableDatabase {
    mutating func hasMigrations() throws(PostgreSQLError) -> Bool {
        try first("SELECT to_regclass('migration') IS NOT NULL") { $0.int(0) == 1 } ?? false
    }

    mutating func add(_ mark: StoreMark) throws(PostgreSQLError) {
        try run(
            "INSERT INTO migration (number, name) SELECT max(number) + 1, ? FROM migration",
            mark.step)
    }

    mutating func rows(
        _ sql: StoredTable.Statement, _ key: StoredRow?, _ kinds: [StoredTable.Kind]
    ) throws(PostgreSQLError) -> [[StoredValue]] {
        var rows: [[StoredValue]] = []
        try forEach(sql.shared, key ?? StoredRow(values: [])) { row in
            rows.append(kinds.enumerated().map { StoredValue(row, $0, $1) })
        }
        return rows
    }

    mutating func insert(
        _ row: StoredRow, _ sql: StoredTable.Statement
    ) throws(PostgreSQLError) {
        try run(sql.shared, row)
    }

    mutating func lastNumbers() throws(PostgreSQLError) -> (invitation: Int64, audit: Int64) {
        try first(
            """
            SELECT (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM invitation_number_seq),
                (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM audit_place_seq)
            """
        ) { ($0.int(0), $0.int(1)) } ?? (0, 0)
    }

    mutating func continueNumbers(
        after last: (invitation: Int64, audit: Int64)
    ) throws(PostgreSQLError) {
        _ = try first(
            """
            SELECT setval('invitation_number_seq', greatest(?, 1), ? > 0),
                setval('audit_place_seq', greatest(?, 1), ? > 0)
            """, last.invitation, last.invitation, last.audit, last.audit
        ) { $0.int(0) }
    }

    mutating func refuseChanges(_ isRefused: Bool) throws(PostgreSQLError) {
        guard isRefused else {
            return try run("DROP FUNCTION IF EXISTS store_has_moved() CASCADE")
        }
        try run(
            """
            CREATE OR REPLACE FUNCTION store_has_moved() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                RAISE EXCEPTION 'this store was moved to another database' USING ERRCODE = 'restrict_violation';
            END
            $$
            """)
        try run(
            """
            DO $$
            DECLARE name text;
            BEGIN
                FOREACH name IN ARRAY ARRAY[
                    'server', 'account', 'session', 'refresh', 'event', 'blob', 'blob_mention', 'known_network',
                    'code', 'invitation', 'audit', 'data_key', 'share', 'analysis_day', 'webhook',
                    'webhook_message', 'webhook_look', 'blob_history', 'lease', 'attempt']
                LOOP
                    EXECUTE format(
                        'CREATE TRIGGER store_has_moved BEFORE INSERT OR UPDATE OR DELETE ON %I '
                        'FOR EACH STATEMENT EXECUTE FUNCTION store_has_moved()', name);
                END LOOP;
            END
            $$
            """)
    }

    mutating func serversConnected() throws(PostgreSQLError) -> Int64 {
        try first(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND application_name = 'sync-server'
            """
        ) { $0.int(0) } ?? 0
    }

    mutating func accountsBelong(to secrets: Secrets) throws(PostgreSQLError) -> Bool {
        try first("SELECT secrets FROM server") { $0.bytes(0) } == secrets.mark
    }

    mutating func noteWebhookDigests() {}

    mutating func begin(
        epoch: UInt32, lastSpace: Int64, _ secrets: Secrets
    ) throws(PostgreSQLError) {
        try run(
            "INSERT INTO server (epoch, secrets, last_space) VALUES (?, ?, ?)", epoch, secrets.mark,
            lastSpace)
    }

    /// Drops all tables of a store.
    mutating func dropTables() throws(PostgreSQLError) {
        try run(
            """
            DROP TABLE placement, placement_store, store_part, webhook_look, webhook_message, webhook, analysis_day, share, data_key, audit, invitation,
                code, known_network, blob_mention, blob, event, refresh, session, account, server, change_made,
                blob_history, lease, attempt, migration
            """)
        try run(
            "DROP FUNCTION event_is_append_only(), remove_event(bigint), account_is_here(), lock_served(bigint[])"
        )
    }
}
