/// Which accounts were deleted, in a file beside the database: a restored backup forgets them again.
package import MacrologEvents
import MacrologJSON
import MacrologSystem
import Synchronization

/// The file of deletions: one JSON object a line, with an account's name and when it was deleted.
package final class DeletionLedger: Sendable {
    /// Why a ledger cannot be read.
    package struct Damage: Error { package let line: Int }

    package let path: String
    /// Held while an entry is added: a person and the operator may delete accounts at the same time.
    private let adding = Mutex(())
    /// Far more than four million deletions.
    private static let bytesMax = 1 << 30

    /// The ledger of the database at a path.
    package init(of database: String) {
        path = "\(database).deletions"
    }

    /// The accounts that were deleted, and when, in milliseconds since 1970 UTC.
    package func deleted() throws -> [(account: Identifier, at: Int64)] {
        guard let bytes = try WholeFile.read(path, atMost: Self.bytesMax) else { return [] }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        return try lines.enumerated().map { index, line in
            guard let entry = try? JSON.parse(Array(line)),
                let account = entry["account"]?.string.flatMap({ Identifier($0) }),
                let at = entry["deleted"]?.integer
            else { throw Damage(line: index + 1) }
            return (account, at)
        }
    }

    /// Adds an account, durably.
    package func add(_ account: Identifier, at now: Int64) throws {
        let line: JSON = ["account": .string(account.description), "deleted": .integer(now)]
        try adding.withLock { _ in
            let earlier = try WholeFile.read(path, atMost: Self.bytesMax) ?? []
            try WholeFile.replace(path, with: earlier + Array("\(line.compact)\n".utf8))
        }
    }
}
