import MacrologEvents
import MacrologSystem

/// Detects that another process has recorded something in a replica's file, which is opened only
/// after it was written.
struct FileWatch {
    /// Milliseconds between two checks of the file's modification time.
    static let intervalMilliseconds: Int64 = 500

    private let replica: Replica
    private var stamp: Stamp?
    private var last: Replica.Recorded?

    /// Stores the current state of the file.
    init(_ replica: Replica) {
        self.replica = replica
        stamp = Stamp(of: replica.path)
        last = try? replica.recorded()
    }

    /// Watches until the task is cancelled.
    mutating func run(_ recorded: () -> Void) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(Self.intervalMilliseconds))
            if look() { recorded() }
        }
    }

    /// Whether something was recorded since the last check. If the file is in use, the next check
    /// tells.
    private mutating func look() -> Bool {
        let now = Stamp(of: replica.path)
        guard now != stamp, let recorded = try? replica.recorded() else { return false }
        defer { (stamp, last) = (now, recorded) }
        return recorded != last
    }

    /// The modification times and sizes of a database and of its write-ahead log.
    private struct Stamp: Equatable {
        private let parts: [Int64]

        init(of database: String) {
            parts = Self.parts(database) + Self.parts(database + "-wal")
        }

        private static func parts(_ path: String) -> [Int64] {
            guard let status = FileStatus(of: path), status.bytes > 0 else { return [] }
            return [status.bytes, status.modified, Int64(truncatingIfNeeded: status.inode)]
        }
    }
}

extension Replica {
    /// The last recorded event: its device and its number.
    struct Recorded: Equatable {
        let device: Identifier
        let seq: Int64
    }
}
