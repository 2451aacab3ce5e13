/// Makes a service whole again after one or more of its several stores went back to an earlier state.
///
/// Meanwhile accounts have moved, were registered and were deleted; ``RestoredAccount`` says what follows for each. No
/// server may run. A mark in each of these stores keeps servers away until everything is done, and keeps the new epoch, so
/// that a run that was interrupted is continued by the next one: each step finds what the last one left to do.
package import MacrologPostgreSQL
import MacrologEvents

/// Why stores cannot be brought back. Nothing but their tables has changed.
package enum RestoredStoresError: Error, Equatable {
    /// There is no store of this name: those that there are.
    case unknownStore([String])
    /// A database holds no store.
    case isEmpty(String)
    /// This store is marked by a run that was interrupted, and was not named again.
    case isRestoring(String)
    /// A store has accounts whose numbers the directory, which was not named, has never given.
    case directoryWentBack(String, directory: String)
}

package struct RestoredStores: Sendable {
    /// An account about which an operator should know.
    package struct Account: Hashable, Sendable {
        package let space: Space
        /// Its address, if a row of it is left.
        package let email: String
        /// The store in which it was found, or in which the directory has it.
        package let store: String
    }

    /// What was done to accounts.
    package struct Report: Hashable, Sendable {
        /// The new epoch of the logs in these stores.
        package var epoch: UInt32
        /// Another store serves them: their older copies are removed.
        package var older: [Account] = []
        /// They were closed for a move that was not finished, and are served again.
        package var reopened: [Account] = []
        /// They were deleted after the backup, as the directory says, and are deleted again.
        package var deleted: [Account] = []
        /// No store has them: they were registered, or came, after the backup.
        package var lost: [Account] = []
        /// How many were deleted again because the ledger of deletions says so.
        package var deletedByLedger = 0
    }

    /// After what `note` is called.
    package enum Step: Hashable, Sendable {
        /// No server will be started on this store.
        case marked(String)
        /// Its logs have the new epoch.
        case renewed(String)
        /// Its accounts, of some numbers, are open or closed as they have to be.
        case settled(String)
        /// The directory says where accounts of some numbers are.
        case placed
        /// Rows of an older copy are gone, perhaps not all of them.
        case removed(from: String)
        /// It may be served again.
        case complete(String)
    }

    /// What is the same for all stores.
    struct Renewal {
        let path: String
        var epoch: UInt32
        let endsSessions: Bool
        let deletions: DeletionLedger
        let now: Int64
    }

    let stores: [(name: String, address: PostgreSQLAddress)]
    let restored: Set<String>
    let note: @Sendable (Step) throws -> Void

    /// Numbers of accounts that are looked at together.
    private static let numbersAtOnce: Int64 = 5_000
    /// Numbers that are left out because a directory that went back may have given them since.
    private static let numbersSkipped: Int64 = 1_000

    /// - Parameters:
    ///   - stores: All stores of the service, by their names.
    ///   - restored: The names of those that went back.
    ///   - note: Called after each step. What it throws ends the run there.
    package init(
        _ stores: [(name: String, address: PostgreSQLAddress)], restored: Set<String>,
        note: @escaping @Sendable (Step) throws -> Void = { _ in }
    ) {
        (self.stores, self.restored, self.note) = (stores, restored, note)
    }

    func open(_ store: String) throws -> PostgreSQLConnection {
        guard let found = stores.first(where: { $0.name == store }) else {
            throw RestoredStoresError.unknownStore(stores.map(\.name))
        }
        return try PostgreSQLConnection.open(found.address)
    }

    // MARK: The run

    /// Brings the stores back, or continues.
    ///
    /// - Parameters:
    ///   - path: The folder of blobs begins with this path.
    ///   - epoch: The epoch of their logs; one of a run before counts instead.
    ///   - now: Milliseconds since 1970 UTC.
    /// - Throws: ``RestoredStoresError``, ``JoinError``, ``StoreMark``, ``AccountMoveError`` for tables of another version,
    ///   and what the databases say. It can be called again.
    package func run(
        beside path: String, epoch: UInt32, endsSessions: Bool, deletions: DeletionLedger,
        now: Int64
    ) throws -> Report {
        precondition(epoch > 0, "an epoch is never 0")
        guard !restored.isEmpty, restored.isSubset(of: stores.map(\.name)) else {
            throw RestoredStoresError.unknownStore(stores.map(\.name))
        }
        let known = try stores.compactMap { try check($0.name) }.first
        let directory = try JoinedStores(stores).directory().name
        try checkNumbers(directory)
        let renewal = Renewal(
            path: path, epoch: known ?? epoch, endsSessions: endsSessions, deletions: deletions,
            now: now)
        var report = Report(epoch: renewal.epoch)
        for store in restored.sorted() { try mark(store, renewal.epoch) }
        for store in restored.sorted() { report.deletedByLedger += try renew(store, renewal) }
        try beginDirectory(directory)
        var low: Space = 0
        let last = try lastNumber(directory)
        while low < last {
            let range = low + 1...low + Self.numbersAtOnce
            try settle(range, directory, renewal, &report)
            low = range.upperBound
        }
        try complete(directory, last)
        return report
    }

    /// Finds out what makes it impossible, before anything is changed.
    ///
    /// - Returns: The epoch of a run that was interrupted.
    private func check(_ store: String) throws -> UInt32? {
        var connection = try open(store)
        guard try !connection.hasServers() else { throw JoinError.serversRun(store) }
        guard try connection.steps().contains(PostgreSQLSchema.migrations[0].name),
            try connection.epoch() != nil
        else { throw RestoredStoresError.isEmpty(store) }
        var epoch: UInt32?
        switch try connection.mark() {
        case .restoring(let known):
            guard restored.contains(store) else { throw RestoredStoresError.isRestoring(store) }
            epoch = known
        case let mark?: throw mark
        case nil:
            // The backup may be from before an upgrade.
            if restored.contains(store) { try connection.migrate(PostgreSQLSchema.migrations) }
        }
        guard try connection.stepsOfPrograms() == Set(PostgreSQLSchema.steps) else {
            throw AccountMoveError.otherVersion(store)
        }
        return epoch
    }

    /// A directory gives each number before a store has it. One that has not given a store's number went back, too.
    private func checkNumbers(_ directory: String) throws {
        guard !restored.contains(directory) else { return }
        let given = try lastGiven(directory)
        for store in restored.sorted() where try greatestNumber(in: store) > given {
            throw RestoredStoresError.directoryWentBack(store, directory: directory)
        }
    }

    private func mark(_ store: String, _ epoch: UInt32) throws {
        var connection = try open(store)
        try connection.transaction { db in
            if let old = try db.mark() { try db.remove(old) }
            try db.add(.restoring(epoch: epoch))
        }
        try note(.marked(store))
    }

    /// - Returns: How many accounts were deleted again.
    private func renew(_ store: String, _ renewal: Renewal) throws -> Int {
        var connection = try open(store)
        let gone = try connection.transaction { db in
            try db.allowPlacing()
            return try db.beRestored(
                Space?.none, epoch: renewal.epoch, endsSessions: renewal.endsSessions,
                deletions: renewal.deletions, now: renewal.now)
        }
        for space in gone { try BlobFiles(of: renewal.path).removeAll(of: space) }
        try note(.renewed(store))
        return gone.count
    }

    /// The directory knows all stores, and no photo is collected of which the row may have been lost.
    private func beginDirectory(_ directory: String) throws {
        var connection = try open(directory)
        try connection.transaction { db in
            for (name, _) in stores {
                try db.run(
                    "INSERT INTO placement_store (name) VALUES (?) ON CONFLICT DO NOTHING", name)
            }
            try db.run("DELETE FROM blob_history")
        }
    }

    // MARK: Numbers

    private func lastGiven(_ directory: String) throws -> Int64 {
        var connection = try open(directory)
        return try connection.first("SELECT last_space FROM server") { $0.int(0) } ?? 0
    }

    private func greatestNumber(in store: String) throws -> Int64 {
        var connection = try open(store)
        return try connection.first("SELECT coalesce(max(space), 0) FROM account") { $0.int(0) }
            ?? 0
    }

    /// The greatest number of an account that anything says was given.
    private func lastNumber(_ directory: String) throws -> Int64 {
        try stores.map { try greatestNumber(in: $0.name) }.reduce(lastGiven(directory), max)
    }

    /// Lets servers start again. A directory that went back gives no number that it may have given before.
    private func complete(_ directory: String, _ last: Int64) throws {
        // The directory is the last one: until then a run that continues finds that it went back.
        let inOrder =
            restored.subtracting([directory]).sorted() + restored.intersection([directory])
        for store in inOrder {
            var connection = try open(store)
            try connection.transaction { db in
                if store == directory {
                    try db.run(
                        "UPDATE server SET last_space = ?",
                        min(last + Self.numbersSkipped, Place.spaceMax))
                }
                if let mark = try db.mark() { try db.remove(mark) }
            }
            try note(.complete(store))
        }
    }
}
