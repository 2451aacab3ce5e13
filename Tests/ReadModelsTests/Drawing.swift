import Foundation
import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import Testing

/// A case of `Sources/Device/Recovery/CASES.md`, drawn from what the logs really hold.
///
/// A device's sealed events stand in the order of the server, then `|` and those that wait. `b1=a2`
/// is an event that says what `a2` said; `(a2)` is void; `?a2` is damaged; `[a2]` is a skeleton;
/// `<b1>` waits to be reissued for its author.
struct Drawing {
    private var notation = Notation()
    private var lines: [[String]]

    /// - Parameter parties: The server and the devices, in the order of their columns.
    init(_ parties: [String]) {
        lines = [[""] + parties]
    }

    /// Adds a line: what happens, and what everybody holds then.
    mutating func draw(_ what: String, _ server: SyncServer, _ devices: Device...) throws {
        var cells = [what, try cell(server)]
        for device in devices { cells.append(try cell(device)) }
        lines.append(cells)
    }

    /// Adds the last line: what each event of the server's log had seen.
    mutating func drawClocks(_ device: Device) throws {
        var clocks: [String] = []
        for entry in try device.store.latest(100).reversed() {
            let clock = try device.store.log.clock(of: entry.stamp, in: &device.store.db)
            let dot = notation.write(entry.event.dot)
            let text = notation.write(clock)
            clocks.append(dot == text ? dot : "\(dot) has the clock \(text)")
        }
        clockLine = "What counts: " + clocks.joined(separator: ", ")
    }

    private var clockLine = ""

    private mutating func cell(_ server: SyncServer) throws -> String {
        var words: [String] = []
        for row in server.rows {
            words.append(word(LogEntry(try StoredEvent.decoded(row.body), nil)))
        }
        return words.isEmpty ? "–" : words.joined(separator: " ")
    }

    private mutating func cell(_ device: Device) throws -> String {
        let log = device.store.log
        var (sealed, waiting): ([String], [String]) = ([], [])
        var entries: [(dot: Dot, entry: LogEntry?, isSealed: Bool)] = []
        var damaged: Set<Dot> = []
        var digest = PrefixDigest.empty
        try log.scan(in: &device.store.db) { stored in
            entries.append((stored.dot, stored.entry, stored.seal != nil))
            if let seal = stored.seal {
                let summand = PrefixDigest.summand(hash: stored.hash, seal: seal)
                if stored.digest?.subtracting(digest) != summand { damaged.insert(stored.dot) }
                digest = stored.digest ?? .empty
            }
        }
        for (dot, entry, isSealed) in entries {
            let isHeld = try isSealed || log.entry(dot, in: &device.store.db) != nil
            let isSound = entry != nil && isHeld && !damaged.contains(dot)
            var text = isSound ? word(entry) : "?" + notation.write(dot)
            if log.isDuplicate(dot) { text = "(\(text))" }
            if isSealed { sealed.append(text) } else { waiting.append(text) }
        }
        for event in try log.orphaned(in: &device.store.db) {
            waiting.append("<\(notation.write(event.dot))>")
        }
        if sealed.isEmpty && waiting.isEmpty { return "–" }
        return (sealed + (waiting.isEmpty ? [] : ["|"] + waiting)).joined(separator: " ")
    }

    private mutating func word(_ entry: LogEntry?) -> String {
        guard let entry else { return "?" }
        let event = entry.event
        if entry.isCompacted { return "[\(notation.write(event.dot))]" }
        let first = event.reissuedFrom.map { notation.write($0) }
        return notation.write(event.dot) + (first.map { "=\($0)" } ?? "")
    }

    /// The drawing, in columns.
    var text: String {
        let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        let rows = lines.map { line in
            var text = ""
            for (cell, width) in zip(line, widths) {
                text += cell + String(repeating: " ", count: width - cell.count + 3)
            }
            return String(
                text[
                    ..<(text.lastIndex { $0 != " " }.map { text.index(after: $0) }
                        ?? text.startIndex)])
        }
        return (rows + [clockLine]).joined(separator: "\n")
    }
}

/// The page that draws the cases.
enum CasePage {
    static let path =
        #filePath.components(separatedBy: "Tests/ReadModelsTests/")[0]
        + "Sources/Device/Recovery/CASES.md"

    /// The drawings by their headings.
    static func drawings() throws -> [String: String] {
        var found: [String: String] = [:]
        let page = try String(contentsOfFile: path, encoding: .utf8)
        for part in page.components(separatedBy: "\n## ").dropFirst() {
            let name = part.prefix { $0 != "\n" }.lowercased()
            found[name] =
                part.matches(of: /(?ms)^```\n(.*?)\n```$/).first.map { String($0.1) } ?? ""
        }
        return found
    }

    /// Compares a drawing with the page's; `MACROLOG_TEST_RECORD=1` writes it there, a run that
    /// fails.
    static func expect(_ name: String, _ drawing: Drawing) throws {
        let drawn = try drawings()[name]
        if ProcessInfo.processInfo.environment["MACROLOG_TEST_RECORD"] != nil {
            let page = try String(contentsOfFile: path, encoding: .utf8)
            let heading = "\n## \(name.prefix(1).uppercased() + name.dropFirst())\n"
            let parts = page.components(separatedBy: heading)
            try #require(parts.count == 2, "CASES.md has no heading for “\(name)”")
            var rest = parts[1]
            let old = try #require(rest.firstMatch(of: /(?ms)^```\n(.*?)^```$/)?.range)
            rest.replaceSubrange(old, with: "```\n\(drawing.text)\n```")
            try (parts[0] + heading + rest).write(toFile: path, atomically: true, encoding: .utf8)
            Issue.record("recorded")
        } else {
            #expect(drawn == drawing.text, "CASES.md draws “\(name)” otherwise")
        }
    }
}
