import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// A dialogue in a terminal: asks what is unknown, says what each answer changes, and can step
/// back.
struct Interview {
    enum End {
        /// Record nothing.
        case left
        /// Record the answers; ask the rest another time.
        case stopped(Beginning)
        /// Everything was asked, and the result was shown and confirmed.
        case agreed(Beginning)
    }

    /// The state before each question that was asked, with the question's index.
    private var past: [(place: Int, draft: Beginning)] = []
    private var draft: Beginning
    private let style: Style
    private let width: Int

    init(_ draft: Beginning, style: Style, width: Int) {
        self.draft = draft
        self.style = style
        self.width = width
    }

    var isAnythingOpen: Bool { Question.all.contains { $0.isOpen(draft) } }

    mutating func hold(_ home: inout Home) throws -> End {
        var place = 0
        while true {
            guard place < Question.all.count else {
                guard let end = try agree(&place, &home) else { continue }
                return end
            }
            let question = Question.all[place]
            guard question.isOpen(draft) else {
                place += 1
                continue
            }
            guard let word = try ask(question.text, &home) else { return .left }
            switch word {
            case "":
                past.append((place, draft))
                place += 1
            case "stop": return .stopped(draft)
            case "back": goBack(&place, &home)
            default:
                guard let next = try answered(question, word, &home) else { continue }
                if let effect = next.effect(since: draft) {
                    home.output.write(style.paint("  → \(effect)", .green) + "\n")
                }
                past.append((place, draft))
                draft = next
                place += 1
            }
        }
    }

    /// The state after an answer; `nil` when the answer is invalid, and the reason was printed.
    private func answered(
        _ question: Question, _ word: String, _ home: inout Home
    ) throws -> Beginning? {
        var next = draft
        do {
            try question.answer(word, &next, &home)
        } catch let error as BadValue {
            try home.output.flush()
            Terminal.complain(
                "  \"\(printable(word))\" \(error.problem). Type \(error.instead).")
            return nil
        }
        let wrong = next.hardFindings(today: try home.today)
        guard wrong.isEmpty else {
            try home.output.flush()
            let shown = Shown(preferences: next.preferences)
            for finding in wrong { Terminal.complain("  \(finding.sentence(shown))") }
            home.assume(draft.preferences)
            return nil
        }
        return next
    }

    private mutating func goBack(_ place: inout Int, _ home: inout Home) {
        guard let last = past.popLast() else { return }
        (place, draft) = last
        home.assume(draft.preferences)
    }

    /// Shows everything once more and asks whether to record it; `nil` to continue asking.
    private mutating func agree(_ place: inout Int, _ home: inout Home) throws -> End? {
        home.output.write("\n" + draft.lines(width).joined(separator: "\n") + "\n\n")
        while true {
            guard let word = try ask("Record this? (yes, no, back)", &home) else { return .left }
            switch word.lowercased() {
            case "", "y", "yes": return .agreed(draft)
            case "n", "no": return .left
            case "stop": return .stopped(draft)
            case "back":
                place = Question.all.count
                goBack(&place, &home)
                return nil
            default: continue
            }
        }
    }

    /// The answer; `nil` at the end of input.
    private func ask(_ text: String, _ home: inout Home) throws -> String? {
        home.output.write(style.paint(text, .bold) + " ")
        try home.output.flush()
        return readLine()?.trimmingSpaces
    }
}
