import Foundation

/// A terminal session as a text file: `$ macrolog …` lines, each followed by what it prints and,
/// where it is not 0, by its exit code as `[64]`.
///
/// Ids are random, so a session gives them names: `{oats}` stands for four hexadecimal digits,
/// the same ones wherever it occurs, in commands too. `{*}` stands for anything.
struct Transcript {
    struct Step {
        let command: String
        let expected: [String]
    }

    /// Lines before the first command: what the session is about.
    let preamble: [String]
    let steps: [Step]

    init(_ text: String) {
        var preamble: [String] = []
        var steps: [(command: String, expected: [String])] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("$ ") {
                steps.append((String(line.dropFirst(2)), []))
            } else if steps.isEmpty {
                preamble.append(line)
            } else {
                steps[steps.count - 1].expected.append(line)
            }
        }
        // The empty line at the end of the file belongs to no one.
        if let last = steps.indices.last, steps[last].expected.last == "" {
            steps[last].expected.removeLast()
        }
        self.preamble = preamble
        self.steps = steps.map { Step(command: $0.command, expected: $0.expected) }
    }

    /// What a session turned out to be.
    struct Outcome {
        /// The first step that printed something else.
        var mistake: String?
        /// An id needed more than four digits, which happens once in a thousand sessions: the
        /// columns are wider then, and the session is to be held again.
        var hadLongID = false
        /// The session as it was, with names for the ids.
        var record = ""
    }

    /// Holds the session.
    func play(on computer: Computer) throws -> Outcome {
        var ids: [String: String] = [:]
        var outcome = Outcome()
        outcome.record = preamble.map { $0 + "\n" }.joined()
        for step in steps {
            let result = try computer.run(
                Self.words(Self.fill(step.command, ids)), together: true)
            var lines = result.output.replacing("\r\n", with: "\n")
                .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            if lines.last == "" { lines.removeLast() }
            if result.status != 0 { lines.append("[\(result.status)]") }
            outcome.hadLongID = outcome.hadLongID || lines.contains { Self.longID($0) }
            if let mistake = Self.compare(lines, step.expected, &ids), outcome.mistake == nil {
                outcome.mistake = "$ \(step.command)\n\(mistake)"
            }
            for line in lines { Self.name(in: line, &ids) }
            outcome.record += "$ \(step.command)\n"
            outcome.record += lines.map {
                Self.mask($0, ids).replacing(computer.folder.path, with: "{*}") + "\n"
            }.joined()
        }
        return outcome
    }

    /// The first line that differs; `nil` when all are as expected.
    private static func compare(
        _ lines: [String], _ expected: [String], _ ids: inout [String: String]
    ) -> String? {
        var mistake: String?
        for index in 0..<max(lines.count, expected.count) {
            let line = index < lines.count ? lines[index] : nil
            let wanted = index < expected.count ? expected[index] : nil
            if let line, let wanted, matches(line[...], wanted[...], &ids) { continue }
            let (wish, fact) = (wanted ?? "(no more lines)", line ?? "(no more lines)")
            mistake = mistake ?? "  expected: \(wish)\n  printed:  \(fact)"
        }
        return mistake
    }

    /// Whether a line is what was expected; learns the ids that it names.
    private static func matches(
        _ line: Substring, _ wanted: Substring, _ ids: inout [String: String]
    ) -> Bool {
        guard let open = wanted.firstIndex(of: "{"),
            let close = wanted[open...].firstIndex(of: "}")
        else { return line == wanted }
        let name = String(wanted[wanted.index(after: open)..<close])
        let head = wanted[..<open]
        let tail = wanted[wanted.index(after: close)...]
        guard line.hasPrefix(head) else { return false }
        let rest = line.dropFirst(head.count)
        if name == "*" {
            var from = rest.startIndex
            while true {
                var learned = ids
                if matches(rest[from...], tail, &learned) {
                    ids = learned
                    return true
                }
                if from == rest.endIndex { return false }
                from = rest.index(after: from)
            }
        }
        // A brace that is no name stands for itself.
        guard name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" }), !name.isEmpty else {
            guard rest.first == "{" else { return false }
            return matches(
                rest.dropFirst(), wanted[wanted.index(after: open)...], &ids)
        }
        if let known = ids[name] {
            guard rest.hasPrefix(known) else { return false }
            return matches(rest.dropFirst(known.count), tail, &ids)
        }
        let digits = rest.prefix(4)
        guard digits.count == 4, digits.allSatisfy({ $0.isHexDigit }) else { return false }
        ids[name] = String(digits)
        return matches(rest.dropFirst(4), tail, &ids)
    }

    private static func fill(_ command: String, _ ids: [String: String]) -> String {
        ids.reduce(command) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    private static func mask(_ line: String, _ ids: [String: String]) -> String {
        ids.reduce(line) { $0.replacing($1.value, with: "{\($1.key)}") }
    }

    /// `Added Oat porridge, 380 kcal …  3f2a` names `{oat}`.
    private static func name(in line: String, _ ids: inout [String: String]) {
        guard
            let match = line.wholeMatch(
                of: /(?:Added|Stored|Logged|Copied|Planned) ([^, ]+)[ ,].*  ([0-9a-f]{4})/)
        else { return }
        let digits = String(match.2)
        guard !ids.values.contains(digits) else { return }
        let stem = match.1.lowercased().filter { $0.isLetter || $0.isNumber }
        var name = stem
        var count = 1
        while ids[name] != nil {
            count += 1
            name = "\(stem)\(count)"
        }
        ids[name] = digits
    }

    private static func longID(_ line: String) -> Bool {
        line.firstMatch(of: /^[0-9a-f]{5,8}  | [0-9a-f]{5,8}$/) != nil
    }

    /// The words of a line as a shell would hand them over, without the program's name.
    static func words(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let whole = word { words.append(whole) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let whole = word { words.append(whole) }
        return Array(words.dropFirst())
    }
}
