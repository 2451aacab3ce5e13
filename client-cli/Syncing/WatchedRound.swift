import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// The changes of one round of `sync --watch`.
struct WatchedRound {
    private let before: SyncStatus
    private let after: SyncStatus
    /// Types of other devices' events, with their counts.
    private let received: [(type: String, count: Int64)]

    /// Reads the events between two moments.
    init(from before: SyncStatus, to after: SyncStatus, _ replica: Replica) throws {
        self.before = before
        self.after = after
        received =
            after.cursor > before.cursor
            ? try replica.read { try $0.received(before.cursor + 1...after.cursor) } : []
    }

    private var receivedCount: Int64 { received.reduce(0) { $0 + $1.count } }
    private var sentCount: Int64 { max(0, after.cursor - before.cursor - receivedCount) }

    /// Lines for a person; none when nothing is new.
    func formatted(isFirst: Bool) -> [String] {
        var lines: [String] = []
        if sentCount > 0 { lines.append("sent \(events(sentCount))") }
        if receivedCount > 0 {
            let types = received.map { type in
                let name = printable(type.type)
                return type.count == 1 ? name : "\(name) ×\(NumberFormat.grouped.text(type.count))"
            }
            lines.append("received \(events(receivedCount)): \(types.joined(separator: ", "))")
        }
        if let error = after.lastError {
            if isFirst || error != before.lastError { lines.append(printable(error)) }
        } else if isFirst || before.lastError != nil {
            lines.append(after.formatted())
        }
        return lines
    }

    /// One object, whether or not something is new.
    var json: JSON {
        SyncJSON.round(sent: sentCount, received: received, after.face)
    }

    private func events(_ count: Int64) -> String {
        "\(NumberFormat.grouped.text(count)) \(count == 1 ? "event" : "events")"
    }
}
