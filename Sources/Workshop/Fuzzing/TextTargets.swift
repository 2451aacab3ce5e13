/// Text from people and files: CSV, numbers, dates, JSON, command line arguments.
import MacrologArgumentParsing
import MacrologTerminal
import MacrologEvents
import MacrologFormats
import MacrologJSON
import MacrologLog
import MacrologNutrition

extension FuzzTarget {
    static let csv = FuzzTarget("csv") { input in
        let whole = rows(input, pieces: [input.count])
        // Wherever a file is cut into pieces, the rows are the same.
        let cut = input.first.map { Int($0) + 1 } ?? 1
        try promise(rows(input, pieces: [cut]) == whole, "rows do not depend on pieces")
        guard case .success(let rows) = whole else { return }
        let writer = CSVWriter()
        let text = rows.map { writer.row($0.fields.map { .text($0) }) }.joined()
        // Doubled quotes and guards make a row longer.
        guard
            case .success(let again) = Self.rows(
                Array(text.utf8), pieces: [64], rowBytesMax: 8 * rowBytesMax)
        else {
            throw BrokenPromise(description: "what is written can be read")
        }
        try promise(
            again.map { $0.fields.map { UTF8Text(CSVGuard.removed(from: $0)) } }
                == rows.map { $0.fields.map { UTF8Text($0) } },
            "rows come back as they were written")
    }

    private static let rowBytesMax = 1_024

    private static func rows(
        _ bytes: [UInt8], pieces: [Int], rowBytesMax: Int = rowBytesMax
    ) -> Result<[CSVRow], CSVError> {
        var reader = CSVReader(rowBytesMax: rowBytesMax)
        do throws(CSVError) {
            var rows: [CSVRow] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                rows += try reader.rows(from: rest.prefix(max(pieces[0], 1)))
                rest = rest.dropFirst(max(pieces[0], 1))
            }
            if let last = try reader.finish() { rows.append(last) }
            return .success(rows)
        } catch { return .failure(error) }
    }

    static let number = FuzzTarget("number", inputBytesMax: 128) { input in
        let text = String(decoding: input, as: UTF8.self)
        for mark in [DecimalMark.auto, .point, .comma] {
            for negative in [false, true] {
                let reader = NumberReader(decimalMark: mark, allowsNegative: negative)
                guard let quantity = try? reader.read(text) else { continue }
                try promise(quantity.denominator > 0, "a denominator is positive")
                try promise(negative || quantity.numerator >= 0, "negative only where allowed")
                _ = quantity.milli
                for measure in [Measure.gram, .millikilocalorie, .millimeter, .minute, .pound] {
                    _ = try? quantity.whole(measure, unitless: measure)
                }
                if mark == .auto { continue }
                // Unambiguous input is read the same with any preferred decimal mark.
                let careful = NumberReader(decimalMark: .auto, allowsNegative: negative)
                if let sure = try? careful.read(text) {
                    try promise(sure == quantity, "a preference decides only what is ambiguous")
                }
            }
        }
        for places in [0, 3] {
            guard case .value(let value) = readDecimal(text, places: places) else { continue }
            let shown = NumberFormat.plain.text(value, scale: places)
            try promise(
                readDecimal(shown, places: places) == .value(value),
                "a number reads back as it is shown")
        }
    }

    static let date = FuzzTarget("date", inputBytesMax: 64) { input in
        let text = String(decoding: input, as: UTF8.self)
        if let day = Day(text) {
            try promise(day.description == text, "a day has one ISO form")
        }
        guard let today = Day("2026-11-20") else { return }
        if let day = Day.reading(text, today: today) {
            try promise(Day(day.description) == day, "a day reads back as it is written")
            try promise((Day.earliest ... .latest).contains(day), "a day is in 1900 to 2200")
        }
        for format in DateFormat.allCases {
            _ = DateFormat(pattern: text)
            _ = format.pattern
        }
    }

    static let json = FuzzTarget("json") { input in
        guard let value = try? JSON.parse(input) else { return }
        try promise((try? JSON.parse(value.compact)) == value, "JSON comes back from one line")
        try promise((try? JSON.parse(value.pretty)) == value, "JSON comes back from many lines")
        try promise(
            value.compact.utf8.count <= input.count * 6, "JSON does not grow out of proportion")
        let fields = Set((value.object ?? []).map { UTF8Text($0.key) })
        try promise(fields.count == (value.object ?? []).count, "no key stands in an object twice")
    }

    static let export = FuzzTarget("export") { input in
        let log: ExportedLog
        do { log = try ExportedLog(json: input) } catch {
            return try promise(
                error is JSONError || error is ExportedLog.Malformed,
                "what is no export is refused with its place")
        }
        let numbers = log.entries.compactMap { $0.seal?.n }
        try promise(numbers == Array(Set(numbers)).sorted(), "sealed events come by number, once")
        try promise(
            log.entries.allSatisfy { log.devices.contains($0.event.dot.device) },
            "every event's device has a name")
    }

    /// Words are separated by line feeds.
    static let words = FuzzTarget("words", inputBytesMax: 512) { input in
        let tokens = input.split(separator: 0x0A, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let request: Request<Int, Never>
        do throws(UsageError) {
            request = try FuzzProgram.program.read(tokens)
        } catch {
            let lines = error.description.utf8.split(separator: 0x0A)
            try promise(
                (2...3).contains(lines.count), "a mistake is reported in two or three lines")
            return try promise(
                !error.description.utf8.contains { $0 < 0x20 && $0 != 0x0A || $0 == 0x7F },
                "a mistake is reported without control characters")
        }
        switch request {
        case .show(let text): try promise(text.utf8.last == 0x0A, "help ends its last line")
        case .run(let command, let words) where command.path == ["add"]:
            let grams = words[FuzzProgram.grams] ?? 0
            try promise((0...5_000_000).contains(grams), "a value is in its range")
            try promise(!words[FuzzProgram.name].isEmpty, "a word that must be there is there")
            _ = (words[FuzzProgram.slot], words[FuzzProgram.tags], words[FuzzProgram.quiet])
        case .run(_, let words):
            try promise((-5...5).contains(words[FuzzProgram.count]), "a value is in its range")
            _ = words[FuzzProgram.rest]
        }
    }
}

/// A program with one parameter of every kind.
private enum FuzzProgram {
    static let name = Parameter.argument("name", .text, "What was eaten.")
    static let grams = Parameter.option(
        "grams", short: "g", .decimal("GRAMS", places: 3, in: 0...5_000_000), "How much of it.")
    static let slot = Parameter.option(
        "slot", .oneOf("breakfast", "lunch", "dinner", "snack"), otherwise: "snack", "Which meal.")
    static let tags = Parameter.options("tag", short: "t", .text("TAG"), "A word to find it by.")
    static let quiet = Parameter.flag("quiet", short: "q", "Say nothing.")
    static let count = Parameter.requiredOption("count", .integer(in: -5...5), "How many.")
    static let rest = Parameter.arguments("words", .text, "Whatever follows.")

    static let program = Program<Int, Never>(
        "fuzzed", version: "1", "A program of all parameters.",
        chapters: [
            Chapter(
                "All",
                [
                    Command("add", "Add.", example: "add Oats", run: { _, _ in }) {
                        name
                        grams
                        slot
                        tags
                        quiet
                    },
                    Command("meal list", "List.", example: "meal list", run: { _, _ in }) {
                        count
                        rest
                    },
                ])
        ]
    ) { Parameter.flag("json", "Print JSON.") }
}
