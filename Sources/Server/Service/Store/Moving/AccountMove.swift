/// Moves one account from a store to another one while both are served: its log under the same epoch, its sessions
/// and all else, so that its devices notice nothing but a pause.
///
///     old store                     new store                      directory
///     x is here                     –                              old
///                                   x is held: a row that is
///                                   not committed yet
///     x is away: nothing of it
///     can change any more
///                                   every row of x, compared
///                                   COMMIT: x is here
///     x is locked                                                  new, a move later
///     its rows go, page by page
///     –                             x is here                      new
///
/// A run that is killed, at whatever point, is continued by the next one, which finds in the stores how far it came.
/// Why no two runs can harm each other, nor a late one the runs after it:
///
/// - A store's row of x becomes away only while its new store holds x and has no row of it. So only a copy of what
///   was closed can become the new store's row: if both have one, the old store's is what a move has left, for ever.
/// - Who holds x in a store makes everyone wait who wants to hold it there, to copy the account or to open it again.
/// - Rows go only while the row that is away is locked, and the store that it names has a row of x. While it is locked
///   nothing can be moved into its store. The last one to go is the account's.
/// - The directory changes only while that row is locked, and only if x has not moved since before it was.
package import MacrologPostgreSQL
package import MacrologCryptography
import MacrologEvents
import MacrologSystem

package struct AccountMove: Sendable {
    /// What a run has done.
    package enum Outcome: Hashable, Sendable {
        /// Nothing but to remove what an earlier run had left.
        case wasThere
        /// It was closed for a move to this store, and is served again.
        case reopened(besides: String)
        /// The account is served by its new store. `milliseconds`: how long it was closed by this run.
        case moved(from: String, events: Int, milliseconds: Int64)
    }

    /// After what `note` is called, with the store where it was done.
    package enum Step: Hashable, Sendable {
        /// The new store has taken the account's number; the old one serves the account.
        case held(in: String)
        /// No store serves it.
        case closed(in: String)
        /// The rows of one table are written.
        case copied(table: String)
        /// All rows of it in the new store are those of the old one.
        case compared(rows: Int)
        /// The new store serves it.
        case served(by: String)
        /// The directory names this store.
        case placed(in: String)
        /// Rows of it were removed from a store that does not serve it any more, perhaps not all of them.
        case removed(from: String, isMore: Bool)
    }

    /// Another run has brought the account, or has begun to.
    private struct IsThere: Error {}

    private let space: Space
    private let stores: [String: PostgreSQLAddress]
    private let directory: String
    private let keys: [DataKey]
    private let note: @Sendable (Step) throws -> Void

    /// How often a run begins again after an error that passes.
    private static let attemptsMax = 3
    /// How often it looks again at stores that say what cannot be at one moment.
    private static let looksMax = 20
    /// Rows of each kind that one transaction removes.
    private static let removedAtOnce: Int64 = 1_000

    /// - Parameters:
    ///   - space: The number of the account.
    ///   - stores: All stores of the service, by their names.
    ///   - directory: The one that keeps the directory.
    ///   - keys: The keys of encryption at rest.
    ///   - note: Called after each step. What it throws ends the run there.
    package init(
        _ space: Space, among stores: [String: PostgreSQLAddress], directory: String,
        keys: [DataKey], note: @escaping @Sendable (Step) throws -> Void = { _ in }
    ) {
        (self.space, self.stores, self.directory) = (space, stores, directory)
        (self.keys, self.note) = (keys, note)
    }

    private func open(_ store: String) throws -> PostgreSQLConnection {
        guard let address = stores[store] else {
            throw AccountMoveError.unknownStore(stores.keys.sorted())
        }
        return try PostgreSQLConnection.open(address)
    }

    // MARK: The run

    /// Moves the account, continues a move, or opens an account again that is closed for a move away from here.
    ///
    /// - Throws: ``AccountMoveError``, and what the databases say. It can be called again.
    package func run(to target: String) throws -> Outcome {
        guard stores[target] != nil else {
            throw AccountMoveError.unknownStore(stores.keys.sorted())
        }
        var outcome = Outcome.wasThere
        var attempts = 0
        while true {
            let found = try settle()
            // Where another run has moved it since is its own matter.
            if outcome != .wasThere, found.store != target || found.closedFor != nil {
                return outcome
            }
            do {
                switch (found.store, found.closedFor) {
                case (target, nil):
                    try correctDirectory(target)
                    return outcome
                case (target, let other?):
                    try reopen(target, besides: other)
                    outcome = .reopened(besides: other)
                case (let source, nil), (let source, target):
                    outcome = try copy(from: source, to: target)
                case (let source, let other?):
                    throw AccountMoveError.isMoving(from: source, to: other)
                }
            } catch let error as PostgreSQLError {
                attempts += 1
                guard error.isRetryable || error.isOutcomeUnknown, attempts < Self.attemptsMax
                else {
                    giveUp(target)
                    throw error
                }
                PostgreSQLWriter.pause(atMost: 500)
            } catch is IsThere {
                attempts += 1
                guard attempts < Self.attemptsMax else { throw AccountMoveError.isHeld }
            } catch AccountMoveError.differs(let lines) {
                giveUp(target)
                throw AccountMoveError.differs(lines)
            }
        }
    }

    /// Removes what moves have left of the account in stores that do not serve it any more. To be called before an
    /// account is removed from the store that does: afterwards no one could tell what is left from the account.
    ///
    /// - Throws: ``AccountMoveError``, and what the databases say, each of which must answer.
    package func clear() throws { _ = try settle() }

    /// Opens an account again that this run, or one before, has closed for a store that does not have it.
    private func giveUp(_ target: String) {
        guard let found = try? settle(), found.closedFor == target else { return }
        try? reopen(found.store, besides: target)
    }

    /// Which store serves each account, as all stores say: `nil` for one that serves it itself.
    package func rows() throws -> [String: String?] {
        var rows: [String: String?] = [:]
        for store in stores.keys {
            var connection = try open(store)
            if let mark = try connection.mark() { throw MarkedStore(store, mark) }
            switch try connection.away(space) {
            case .here: rows[store] = .some(nil)
            case .at(let other): rows[store] = other
            case .missing: break
            }
        }
        return rows
    }

    /// Removes what finished moves have left.
    ///
    /// - Returns: The store that then alone has the account, and the one for which it is closed there.
    private func settle() throws -> (store: String, closedFor: String?) {
        var rows: [String: String?] = [:]
        for _ in 0..<Self.looksMax {
            rows = try self.rows()
            let left = rows.first { store, other in
                guard let other, rows[other] != nil else { return false }
                return !rows.values.contains(store)
            }
            if let left, let other = left.value {
                try removeRows(from: left.key, servedBy: other)
            } else if let found = rows.first, rows.count == 1 {
                return (found.key, found.value)
            } else {
                // The stores were not asked at one moment.
                PostgreSQLWriter.pause(atMost: 50)
            }
        }
        throw rows.isEmpty
            ? AccountMoveError.unknownAccount
            : AccountMoveError.severalServe(rows.keys.sorted())
    }

    // MARK: The copy

    private func copy(from source: String, to target: String) throws -> Outcome {
        var old = try open(source)
        var new = try open(target)
        try check(&old, &new, source, target)
        var closed: Int64 = 0
        let events = try new.transaction { new in
            try hold(&new)
            try note(.held(in: target))
            try close(&old, for: target, held: &new)
            closed = SystemClock.monotonicMilliseconds
            try note(.closed(in: source))
            let copy = AccountCopy(space)
            let copied = try old.transaction { old in
                try old.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                guard try old.away(space) == .at(target) else { throw IsThere() }
                return try copy.write(from: &old, to: &new) { try note(.copied(table: $0)) }
            }
            let differences = try copy.differences(from: copied, in: &new)
            guard differences.isEmpty else { throw AccountMoveError.differs(differences) }
            try note(.compared(rows: copied.reduce(0) { $0 + $1.rows.count }))
            return copied.first { $0.table.name == "event" }?.rows.count ?? 0
        }
        let milliseconds = SystemClock.monotonicMilliseconds - closed
        try note(.served(by: target))
        return .moved(from: source, events: events, milliseconds: milliseconds)
    }

    /// Finds out what would make a copy useless, before anything is closed.
    private func check(
        _ old: inout PostgreSQLConnection, _ new: inout PostgreSQLConnection, _ source: String,
        _ target: String
    ) throws {
        let steps = Set(PostgreSQLSchema.steps)
        guard try old.stepsOfPrograms() == steps else {
            throw AccountMoveError.otherVersion(source)
        }
        guard try new.stepsOfPrograms() == steps else {
            throw AccountMoveError.otherVersion(target)
        }
        var connection = try open(directory)
        guard try connection.placement(of: space) != nil else {
            throw AccountMoveError.unplaced(source)
        }
        // The new store's accounts have keys or have none, as all accounts of a service.
        let (own, others) = (try old.storedKeys(of: space), try new.storedKeys(of: nil))
        let problem =
            AtRest.problem(own, keys) ?? AtRest.problem(others, keys)
            ?? (own.isEmpty && !keys.isEmpty ? .missing : nil)
        if let problem { throw AccountMoveError.key(problem) }
    }

    /// Takes the account's number in a store until the transaction ends. Waits for another one that has it.
    private func hold(_ new: inout PostgreSQLConnection) throws {
        try new.allowPlacing()
        let isHeld: Bool
        do throws(PostgreSQLError) {
            try new.run(
                """
                INSERT INTO account (space, name, email_key, email, password, created)
                VALUES (?, ?, ?, '', '', 0) ON CONFLICT (space) DO NOTHING
                """, space, randomBytes(16), randomBytes(32))
            isHeld = try new.changed() == 1
        } catch {
            // The time of one statement is over.
            guard error.state == "57014" else { throw error }
            throw AccountMoveError.isHeld
        }
        guard isHeld else { throw IsThere() }
    }

    private func close(
        _ old: inout PostgreSQLConnection, for target: String,
        held new: inout PostgreSQLConnection
    ) throws {
        try old.transaction { old in
            switch try lock(&old, held: &new) {
            case .here:
                let isDeleted = try old.first(
                    "SELECT deleted IS NOT NULL FROM account WHERE space = ?", space
                ) { $0.int(0) == 1 }
                guard isDeleted == false else { throw AccountMoveError.unknownAccount }
                try old.run("UPDATE account SET away = ? WHERE space = ?", target, space)
            case .at(target): break
            case .at, .missing: throw IsThere()
            }
        }
    }

    /// Locks the account's row while it is held elsewhere.
    private func lock(
        _ old: inout PostgreSQLConnection, held new: inout PostgreSQLConnection
    ) throws -> PostgreSQLServerStore.Away {
        // It waits for every change that has begun: also for those that hold the row's key alone, for which an
        // update of a column would not wait.
        try old.run("SELECT 1 FROM account WHERE space = ? FOR UPDATE", space)
        let away = try old.away(space)
        // A run that stood still may have lost what it held. It has not if the database answers now, and from now
        // on the lock keeps all others away.
        _ = try new.first("SELECT 1") { $0.int(0) }
        return away
    }

    // MARK: What is left

    /// Removes the rows of an account from a store that does not serve it any more.
    private func removeRows(from store: String, servedBy other: String) throws {
        var isFirst = true
        var attempts = 0
        while true {
            do {
                guard try removePage(from: store, servedBy: other, isFirst: isFirst) else { return }
                isFirst = false
            } catch let error as PostgreSQLError {
                // What fails may pass, and what is left must go.
                attempts += 1
                guard error.isRetryable, attempts < Self.attemptsMax else { throw error }
                PostgreSQLWriter.pause(atMost: 100)
            }
        }
    }

    /// - Returns: Whether there may be more.
    private func removePage(
        from store: String, servedBy other: String, isFirst: Bool
    ) throws -> Bool {
        var old = try open(store)
        var directory = try open(self.directory)
        let placement = try directory.placement(of: space)
        return try old.transaction { old in
            try old.run("SELECT 1 FROM account WHERE space = ? FOR UPDATE", space)
            guard try old.away(space) == .at(other) else { return false }
            // With the row locked, what the others say stays true.
            for (name, address) in stores where name != store {
                var connection = try PostgreSQLConnection.open(address)
                let away = try connection.away(space)
                guard away != .at(store), name != other || away != .missing else { return false }
            }
            if isFirst {
                try directory.transaction { directory in
                    try directory.place(space, in: other, from: store, after: placement?.move)
                }
                try note(.placed(in: other))
            }
            let isMore = try old.remove(space, Self.removedAtOnce)
            if !isMore {
                try old.run("DELETE FROM account WHERE space = ? AND away IS NOT NULL", space)
            }
            try note(.removed(from: store, isMore: isMore))
            return isMore
        }
    }

    /// Opens an account again that is closed for a store that does not have it.
    private func reopen(_ store: String, besides target: String) throws {
        var old = try open(store)
        var new = try open(target)
        do {
            try new.transaction { new in
                try hold(&new)
                try old.transaction { old in
                    try old.allowPlacing()
                    guard try lock(&old, held: &new) == .at(target) else { throw IsThere() }
                    try old.run("UPDATE account SET away = NULL WHERE space = ?", space)
                }
                throw Reopened()
            }
        } catch is Reopened {
            return
        }
    }

    /// What is held is given back.
    private struct Reopened: Error {}

    /// Has the directory name the store that serves the account.
    private func correctDirectory(_ store: String) throws {
        var own = try open(store)
        var directory = try open(self.directory)
        guard let placement = try directory.placement(of: space) else {
            throw AccountMoveError.unplaced(store)
        }
        guard placement.store != store else { return }
        try own.transaction { own in
            try own.run("SELECT 1 FROM account WHERE space = ? FOR KEY SHARE", space)
            guard case .here = try own.away(space) else { return }
            try directory.transaction { directory in
                try directory.place(space, in: store, after: placement.move)
            }
        }
    }
}

extension PostgreSQLConnection {
    /// The key of an account as it is stored, or that of any; empty if there is none.
    fileprivate mutating func storedKeys(
        of space: Space?
    ) throws(PostgreSQLError) -> [Space: [UInt8]] {
        let found = try first(
            "SELECT space, wrapped FROM data_key WHERE ?1 IS NULL OR space = ?1 LIMIT 1", space
        ) { ($0.space(0), $0.bytes(1)) }
        return found.map { [$0.0: $0.1] } ?? [:]
    }
}
