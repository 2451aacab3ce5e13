/// Moves everything that a store holds from SQLite to PostgreSQL or back: the same logs under the same epoch and
/// the same sessions, so that devices notice nothing.
///
/// Rows are copied in the order of their keys, a page in each transaction: what an interrupted move has copied is
/// the beginning of each table, and the next one continues after it. At no time may both databases be served: the
/// target is marked from its first row on, the source before both are compared, and the target's mark goes in
/// the transaction that completes it.
package import MacrologCryptography
package import MacrologPostgreSQL
import MacrologEvents
import MacrologSQLite
import MacrologSystem

package struct StoreMove: Sendable {
    /// A database.
    package enum Place: Sendable {
        /// A file of SQLite, whose lock the caller holds.
        case file(String)
        case shared(PostgreSQLAddress)

        /// Words that name it.
        package var name: String {
            switch self {
            case .file(let path): path
            case .shared(let address): address.summary
            }
        }
    }

    /// What has moved.
    package struct Moved: Sendable {
        /// As ``ServerFile/check(_:keys:hasBlobs:)`` finds it in the target.
        package let contents: ServerFile.Contents
        /// Whether it had moved before.
        package let isOld: Bool
    }

    private let source, target: Place
    private let sourceBlobs, targetBlobs: String?
    private let secrets: Secrets
    private let keys: [DataKey]
    private let note: @Sendable (String) throws -> Void

    /// - Parameters:
    ///   - blobs: The paths with which the folders of blobs begin; `nil` where they are in a bucket, and stay.
    ///   - secrets: Those of the source.
    ///   - keys: The keys of encryption at rest.
    ///   - note: Called after each step, with what is being done. What it throws ends the move there.
    package init(
        from source: Place, to target: Place, blobs: (source: String, target: String)?,
        secrets: Secrets, keys: [DataKey], note: @escaping @Sendable (String) throws -> Void
    ) {
        (self.source, self.target) = (source, target)
        (sourceBlobs, targetBlobs) = (blobs?.source, blobs?.target)
        (self.secrets, self.keys, self.note) = (secrets, keys, note)
    }

    /// The columns of each table that moves.
    package static var columns: [String: [String]] {
        Dictionary(
            StoredTable.all.map { ($0.name, $0.columns.map { "\($0.name)" }) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Moves the store, or continues. Whatever can be refused is refused before the target is changed or made.
    ///
    /// - Parameter begin: Called once nothing is left to refuse, before the target is changed or made.
    /// - Throws: ``StoreMoveError``, and what the databases and the disk say: then it can be called again.
    package func run(begin: () throws -> Void = {}) throws -> Moved {
        switch (source, target) {
        case (.file(let path), .shared(let address)):
            var from = try Connection.open(path)
            let found = try examine(&from, Schema.steps)
            var to = try PostgreSQLConnection.open(address)
            var state = try self.state(of: &to, found, PostgreSQLSchema.steps)
            if !found.isMarked {
                try note("check")
                try refuse(ServerFile.check(path, keys: keys, hasBlobs: sourceBlobs != nil))
            }
            try begin()
            // The check takes long, and no lock keeps others from a database meanwhile.
            if !found.isMarked { state = try self.state(of: &to, found, PostgreSQLSchema.steps) }
            if state == .empty { try to.migrate(PostgreSQLSchema.migrations) }
            return try move(&from, &to, found, state)
        case (.shared(let address), .file(let path)):
            var from = try PostgreSQLConnection.open(address)
            let found = try examine(&from)
            var state = TargetState.empty
            if Files.exists(path) {
                var to = try Connection.open(path, mode: .readOnly)
                state = try self.state(of: &to, found, Schema.steps)
            }
            if !found.isMarked {
                try note("check")
                try refuse(contents(of: &from, sourceBlobs, found.wrapped))
            }
            try begin()
            var to = try Connection.open(path)
            if state == .empty { try to.migrate(Schema.migrations) }
            return try move(&from, &to, found, state)
        default: preconditionFailure("a store moves between SQLite and PostgreSQL")
        }
    }

    /// Empties a target that is not complete, unless it is a file. A source that cannot move is refused first.
    ///
    /// - Returns: Whether there was one.
    package func startOver() throws -> Bool {
        switch source {
        case .file(let path):
            var from = try Connection.open(path)
            _ = try examine(&from, Schema.steps)
        case .shared(let address):
            var from = try PostgreSQLConnection.open(address)
            _ = try examine(&from)
        }
        switch target {
        case .file: return false
        case .shared(let address):
            var connection = try PostgreSQLConnection.open(address)
            guard case .filling = try connection.mark() else { return false }
            try connection.transaction { try $0.dropTables() }
            return true
        }
    }

    /// What is known of a source that may move.
    private struct Source {
        let epoch: UInt32
        /// Whether it says that it has moved to the target.
        let isMarked: Bool
        /// The keys of all accounts as they are stored.
        let wrapped: [Space: [UInt8]]
    }

    /// What a target holds that is not refused.
    private enum TargetState {
        case empty
        /// What an interrupted move has copied.
        case filling
        case complete
    }

    private func examine(_ from: inout PostgreSQLConnection) throws -> Source {
        guard try !from.steps().isEmpty else { throw StoreMoveError.sourceIsEmpty }
        guard try !from.isPart() else { throw StoreMoveError.isPart }
        return try examine(&from, PostgreSQLSchema.steps)
    }

    /// Refuses a source that cannot move, without reading all of it.
    private func examine<S: MovableDatabase & ~Copyable>(
        _ from: inout S, _ steps: [String]
    ) throws -> Source {
        let isMarked: Bool
        switch try from.mark() {
        case nil: isMarked = false
        case .filling: throw StoreMoveError.sourceIsFilling
        case .restoring: throw StoreMoveError.isPart
        case .moved(let name):
            guard name == target.name else { throw StoreMoveError.sourceHasMoved(to: name) }
            isMarked = true
        }
        guard let epoch = try from.epoch() else { throw StoreMoveError.sourceIsEmpty }
        guard try from.stepsOfPrograms() == Set(steps) else {
            throw StoreMoveError.otherVersion(isTarget: false)
        }
        let wrapped = try from.storedKeys()
        if let problem = AtRest.problem(wrapped, keys) { throw StoreMoveError.key(problem) }
        guard try from.accountsBelong(to: secrets) else { throw StoreMoveError.otherSecrets }
        guard try isMarked || from.serversConnected() == 0 else {
            throw StoreMoveError.serversRun(source.name)
        }
        return Source(epoch: epoch, isMarked: isMarked, wrapped: wrapped)
    }

    /// Refuses a source in which something is damaged.
    private func refuse(_ contents: ServerFile.Contents) throws {
        guard contents.problems.isEmpty else {
            throw StoreMoveError.sourceIsDamaged(contents.problems)
        }
    }

    /// Refuses a target that holds something else, and changes nothing.
    private func state<T: MovableDatabase & ~Copyable>(
        of to: inout T, _ from: Source, _ steps: [String]
    ) throws -> TargetState {
        switch try to.mark() {
        case .filling(let known):
            guard known == from.epoch else { throw StoreMoveError.targetIsFilling }
            guard try to.stepsOfPrograms() == Set(steps) else {
                throw StoreMoveError.otherVersion(isTarget: true)
            }
            return .filling
        case .moved: throw StoreMoveError.targetHasMoved
        case .restoring: throw StoreMoveError.targetIsUsed
        case nil: break
        }
        // A move that was interrupted early has made tables only.
        if try !to.stepsOfPrograms().isEmpty {
            if from.isMarked, try to.epoch() == from.epoch { return .complete }
            let isUsed = try to.first(
                "SELECT 1 FROM server UNION ALL SELECT 1 FROM account LIMIT 1"
            ) { _ in true }
            guard isUsed == nil else { throw StoreMoveError.targetIsUsed }
        }
        guard try to.serversConnected() == 0 else { throw StoreMoveError.serversRun(target.name) }
        return .empty
    }

    private func move<S: MovableDatabase & ~Copyable, T: MovableDatabase & ~Copyable>(
        _ from: inout S, _ to: inout T, _ found: Source, _ state: TargetState
    ) throws -> Moved {
        let wrapped = found.wrapped
        switch state {
        case .complete:
            return Moved(contents: try contents(of: &to, targetBlobs, wrapped), isOld: true)
        case .empty: try to.transaction { try $0.add(.filling(epoch: found.epoch)) }
        case .filling: break
        }
        do {
            for table in StoredTable.all { try copy(table, &from, &to) }
        } catch {
            // A row was added whose key comes before the last one that was copied.
            if Self.isReference(error) { _ = try compare(&from, &to, wrapped) }
            throw error
        }
        try copyBlobs(&from, wrapped)
        if !found.isMarked {
            try from.transaction { db in
                try db.add(.moved(to: target.name))
                try db.refuseChanges(true)
            }
            try note("compare")
        }
        let contents: ServerFile.Contents
        do { contents = try compare(&from, &to, wrapped) } catch {
            try from.transaction { db in
                try db.remove(.moved(to: target.name))
                try db.refuseChanges(false)
            }
            throw error
        }
        try complete(&from, &to, found.epoch)
        return Moved(contents: contents, isOld: false)
    }

    private func copy<S: MovableDatabase & ~Copyable, T: MovableDatabase & ~Copyable>(
        _ table: StoredTable, _ from: inout S, _ to: inout T
    ) throws {
        let kinds = table.columns.map(\.kind)
        var key =
            try to.rows(table.last, nil, Array(kinds.prefix(table.keyCount))).first ?? table.start
        try note(table.name)
        while true {
            let rows = try from.rows(table.next, StoredRow(values: key), kinds)
            guard let last = rows.last else { return }
            try to.transaction { db in
                for row in rows { try db.insert(StoredRow(values: row), table.insert) }
            }
            key = Array(last.prefix(table.keyCount))
            try note(table.name)
        }
    }

    /// Whether a row refers to one that is not there.
    private static func isReference(_ error: any Error) -> Bool {
        switch error {
        case let error as PostgreSQLError: error.state == "23503"
        case let error as SQLiteError: error.code == .constraint(.foreignKey)
        default: false
        }
    }

    /// Copies the files of the blobs, in the form that they have.
    private func copyBlobs<S: MovableDatabase & ~Copyable>(
        _ from: inout S, _ wrapped: [Space: [UInt8]]
    ) throws {
        guard let sourceBlobs, let targetBlobs else { return }
        let atRest = AtRest(keys) { wrapped[$0] }
        let (old, new) = (BlobFiles(of: sourceBlobs, atRest), BlobFiles(of: targetBlobs, atRest))
        guard old.folder != new.folder else { return }
        try forEachBlob(&from) { key, bytes in
            if new.bytes(key) == bytes, (try? new.hash(key)) == key.name { return }
            new.remove(key)
            try old.copy(key, to: new)
            try note("photos")
        }
        try new.syncToDisk()
    }

    private func forEachBlob<S: MovableDatabase & ~Copyable>(
        _ db: inout S, _ body: (BlobKey, Int64) throws -> Void
    ) throws {
        guard let table = StoredTable.all.first(where: { $0.name == "blob" }) else { return }
        var key = table.start
        while true {
            let rows = try db.rows(
                table.next, StoredRow(values: key), table.columns.map(\.kind))
            guard let last = rows.last else { return }
            for row in rows {
                guard case .number(let space) = row[0], case .bytes(let name) = row[1],
                    case .number(let bytes) = row[2]
                else { continue }
                try body(BlobKey(space: space, name: name), bytes)
            }
            key = Array(last.prefix(table.keyCount))
        }
    }

    // MARK: Comparing

    /// Reads both sides whole: every row, and in the target every event, digest and blob.
    private func compare<S: MovableDatabase & ~Copyable, T: MovableDatabase & ~Copyable>(
        _ from: inout S, _ to: inout T, _ wrapped: [Space: [UInt8]]
    ) throws -> ServerFile.Contents {
        var differences: [String] = []
        for table in StoredTable.all {
            let (old, new) = (try digest(of: table, &from), try digest(of: table, &to))
            if old.count != new.count {
                differences.append("\(table.name): \(new.count) rows instead of \(old.count)")
            } else if old.digest != new.digest {
                differences.append("\(table.name): the digest of its rows is another one")
            }
            try note("compare")
        }
        let contents = try contents(of: &to, targetBlobs, wrapped)
        differences += contents.problems
        guard differences.isEmpty else { throw StoreMoveError.differs(differences) }
        return contents
    }

    private func digest<D: MovableDatabase & ~Copyable>(
        of table: StoredTable, _ db: inout D
    ) throws -> (count: Int, digest: [UInt8]) {
        let kinds = table.columns.map(\.kind)
        var (key, count) = (table.start, 0)
        var digest = SHA256Stream()
        while true {
            let rows = try db.rows(table.next, StoredRow(values: key), kinds)
            guard let last = rows.last else { return (count, digest.finish()) }
            for row in rows { for value in row { value.add(to: &digest) } }
            count += rows.count
            key = Array(last.prefix(table.keyCount))
        }
    }

    /// What `verify` finds in a database.
    private func contents<D: MovableDatabase & ~Copyable>(
        of db: inout D, _ blobs: String?, _ wrapped: [Space: [UInt8]]
    ) throws -> ServerFile.Contents {
        let atRest = AtRest(keys) { wrapped[$0] }
        var contents = ServerFile.Contents()
        contents.accounts = try db.first("SELECT count(*) FROM account") { $0.int(0) } ?? 0
        _ = try db.checkLogs(atRest, wrapped, &contents)
        let files = blobs.map { BlobFiles(of: $0, atRest) }
        try forEachBlob(&db) { key, bytes in
            contents.blobs += 1
            guard let files, contents.problems.count < 100 else { return }
            if let problem = files.problem(key, bytes: bytes) {
                contents.problems.append("blob \(key.digits) of space \(key.space): \(problem)")
            }
        }
        return contents
    }

    /// What makes the target a store: its epoch, the numbers that go on, and no mark any more.
    private func complete<S: MovableDatabase & ~Copyable, T: MovableDatabase & ~Copyable>(
        _ from: inout S, _ to: inout T, _ epoch: UInt32
    ) throws {
        let numbers = try from.lastNumbers()
        let space = try from.first("SELECT last_space FROM server") { $0.int(0) } ?? 0
        try to.noteWebhookDigests()
        try to.transaction { db in
            try db.begin(epoch: epoch, lastSpace: space, secrets)
            try db.continueNumbers(after: numbers)
            try db.remove(.filling(epoch: epoch))
        }
    }
}
