/// What a restored backup must not undo: which accounts were deleted, disabled and enabled, and which
/// ended a share, in a file beside the database.
package import MacrologEvents
import MacrologJSON
import MacrologSystem
import Synchronization

/// The file `….deletions`: one JSON object a line, with an account's name, and when it was deleted,
/// disabled or enabled, or last ended a share.
package final class DeletionLedger: Sendable {
    /// Why a ledger cannot be read.
    package struct Damage: Error { package let line: Int }

    /// What happened to an account; its name in the file.
    package enum Change: String, CaseIterable, Sendable {
        case deleted, disabled, enabled
        /// A share of the account was revoked, or opened as often as it may be.
        case unshared
    }

    /// One line.
    package struct Entry: Hashable, Sendable {
        package let account: Identifier
        package let change: Change
        /// Milliseconds since 1970 UTC.
        package let at: Int64
    }

    package let path: String
    /// Held while entries are added: a person and the operator may delete accounts at the same time.
    private let adding = Mutex(())
    /// Far more than four million deletions.
    private static let bytesMax = 1 << 30

    /// The ledger of the database at a path.
    package init(of database: String) {
        path = "\(database).deletions"
    }

    /// What happened, in order; empty without a file.
    package func entries() throws -> [Entry] {
        try Self.entries(try WholeFile.read(path, atMost: Self.bytesMax) ?? [])
    }

    /// The entries that the bytes of a ledger hold.
    package static func entries(_ bytes: [UInt8]) throws(Damage) -> [Entry] {
        var entries: [Entry] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let entry = Entry(line) else { throw Damage(line: entries.count + 1) }
            entries.append(entry)
        }
        return entries
    }

    /// The accounts that were deleted.
    package func deleted() throws -> Set<Identifier> {
        Set(try entries().filter { $0.change == .deleted }.map(\.account))
    }

    /// Adds an entry, durably, unless it is what the last one of its account says. Of the ends of
    /// shares only the last one of an account is kept.
    package func add(_ entry: Entry) throws {
        try adding.withLock { _ in
            let earlier = try entries()
            if entry.change == .unshared {
                let others = earlier.filter {
                    $0.account != entry.account || $0.change != .unshared
                }
                return try write(others + [entry])
            }
            let last = earlier.last { $0.account == entry.account && $0.change != .unshared }
            guard last?.change != entry.change else { return }
            try write(earlier + [entry])
        }
    }

    /// Adds those entries of another ledger that are not there yet, each at its time.
    package func merge(_ others: [Entry]) throws {
        try adding.withLock { _ in
            let own = try entries()
            let known = Set(own)
            let new = others.filter { !known.contains($0) }
            guard !new.isEmpty else { return }
            try write(Self.merged(own, new))
        }
    }

    /// The entries of two ledgers by time; those of each stay in their order, in which they happened
    /// even if the clock was set back in between.
    private static func merged(_ own: [Entry], _ others: [Entry]) -> [Entry] {
        var merged: [Entry] = []
        var rest = others[...]
        for entry in own {
            while let other = rest.first, other.at < entry.at {
                merged.append(other)
                rest.removeFirst()
            }
            merged.append(entry)
        }
        return merged + rest
    }

    private func write(_ entries: [Entry]) throws {
        try WholeFile.replace(path, with: Self.bytes(entries))
    }

    /// Entries as they are written.
    package static func bytes(_ entries: [Entry]) -> [UInt8] {
        Array(entries.map { "\($0.line.compact)\n" }.joined().utf8)
    }
}

extension DeletionLedger.Entry {
    fileprivate init?(_ line: ArraySlice<UInt8>) {
        guard let entry = try? JSON.parse(Array(line)),
            let account = entry["account"]?.string.flatMap({ Identifier($0) })
        else { return nil }
        for change in DeletionLedger.Change.allCases {
            guard let at = entry[change.rawValue]?.integer else { continue }
            self.init(account: account, change: change, at: at)
            return
        }
        return nil
    }

    fileprivate var line: JSON {
        .object([
            JSON.Member("account", .string(account.description)),
            JSON.Member(change.rawValue, .integer(at)),
        ])
    }

    /// Memberwise initializer.
    package init(_ account: Identifier, _ change: DeletionLedger.Change, at: Int64) {
        self.init(account: account, change: change, at: at)
    }
}
