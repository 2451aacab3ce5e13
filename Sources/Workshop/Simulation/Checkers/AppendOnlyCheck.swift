import MacrologEvents

/// No admitted event ever changes or disappears, except with the server's disk; a skeleton
/// keeps the hash.
enum AppendOnlyCheck {
    /// The contents of a server's log at a quiet point.
    struct Memory {
        let epoch: UInt32
        let rows: [(hash: [UInt8], t: Int64)]

        init(_ log: ServerLog) {
            epoch = log.epoch
            rows = log.rows.map { ($0.hash, $0.seal.t.rawValue) }
        }
    }

    static func problems(_ log: ServerLog, since before: Memory?) -> [String] {
        guard let before, before.epoch == log.epoch else { return [] }
        guard log.rows.count >= before.rows.count else { return ["the server's log has shrunk"] }
        return zip(before.rows, log.rows).compactMap { old, new in
            old.hash == new.hash && old.t == new.seal.t
                ? nil : "the server: event \(new.seal.n) is another one than it was"
        }
    }
}
