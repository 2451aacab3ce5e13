import MacrologJSON
import Synchronization

/// Warnings on standard error: lines for a person, or one JSON object when the command ends.
enum Warnings {
    /// The warnings so far; `nil` where each is a line that is written at once.
    private static let held = Mutex<[String]?>(nil)

    /// Holds warnings back, for `--json`.
    static func hold() { held.withLock { $0 = $0 ?? [] } }

    /// Reports a warning, in a printable sentence.
    static func report(_ sentence: String) {
        let isHeld = held.withLock { held in
            held?.append(sentence)
            return held != nil
        }
        if !isHeld { Terminal.complain("warning: \(sentence)") }
    }

    /// What was held back.
    static var json: JSON {
        .array((held.withLock { $0 } ?? []).map { .string($0) })
    }
}
