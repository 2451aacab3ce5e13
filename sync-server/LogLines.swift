/// The server's log on standard error: a line for each event, which never identifies a person and
/// never contains a token or what was logged. The names of events are listed in README.md.
import MacrologJSON
import MacrologService
import MacrologSystem
import Synchronization

final class LogLines: Sendable {
    /// How a line is written.
    enum Style: Int, Sendable {
        /// One JSON object.
        case json
        /// Words and `name=value`.
        case text
    }

    private let least: Atomic<Int>
    private let style: Atomic<Int>

    /// Drops records below a level.
    init(from least: ServerNote.Level, as style: Style) {
        self.least = Atomic(least.rawValue)
        self.style = Atomic(style.rawValue)
    }

    /// Changes both from the next line on.
    func change(from least: ServerNote.Level, as style: Style) {
        self.least.store(least.rawValue, ordering: .relaxed)
        self.style.store(style.rawValue, ordering: .relaxed)
    }

    /// Whether records of a level are written.
    func writes(_ level: ServerNote.Level) -> Bool {
        level.rawValue >= least.load(ordering: .relaxed)
    }

    func write(_ note: ServerNote) { write(note.level, note.event, note.facts) }

    func write(
        _ level: ServerNote.Level, _ event: StaticString, _ facts: [(StaticString, String)] = []
    ) {
        guard writes(level) else { return }
        let facts = facts.map { Self.member("\($0.0)", $0.1) }
        guard style.load(ordering: .relaxed) == Style.json.rawValue else {
            let words = facts.map { "\($0.key)=\($0.value.compact)" }
            let line = [SystemClock.utc, "\(level)", "\(event)"] + words
            return Standard.error(line.joined(separator: " ") + "\n")
        }
        let members = [
            JSON.Member("logged_at", .string(SystemClock.utc)),
            JSON.Member("level", .string("\(level)")),
            JSON.Member("event", .string("\(event)")),
        ]
        Standard.error(JSON.object(members + facts).compact + "\n")
    }

    /// A fact by the convention of `docs/JSON.md`: counts and sizes are numbers.
    private static func member(_ key: String, _ text: String) -> JSON.Member {
        let isNumber = key == "status" || key.hasSuffix("_count") || key.hasSuffix("_bytes")
        let number = isNumber ? Int64(text) : nil
        return JSON.Member(key, number.map { .integer($0) } ?? .string(text))
    }
}
