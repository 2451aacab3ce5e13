/// What `pg_dump` writes in its plain format: rows between `COPY … FROM stdin;` and `\.`, or as `INSERT`
/// with the names of columns. Everything else of a dump is passed over.
import MacrologJSON

extension LegacyFile {
    static func contents(dump bytes: [UInt8]) throws(LegacyError) -> LegacyContents {
        var dump = PlainDump(bytes)
        var contents = LegacyContents()
        while !dump.isAtEnd {
            if dump.begins(with: "COPY ") {
                try dump.copy(&contents)
            } else if dump.begins(with: "INSERT INTO ") {
                try dump.insert(&contents)
            } else {
                dump.skipLine()
            }
        }
        return contents
    }
}

/// Walks through a dump, at the beginning of a line.
private struct PlainDump {
    private let bytes: [UInt8]
    private var offset = 0
    private var line = 1
    /// How many arrays are open.
    private var depth = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset >= bytes.count }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    func begins(with words: StaticString) -> Bool {
        offset + words.utf8CodeUnitCount <= bytes.count
            && (0..<words.utf8CodeUnitCount).allSatisfy {
                bytes[offset + $0] == words.utf8Start[$0]
            }
    }

    mutating func skipLine() { _ = takeLine() }

    /// The rest of the line, without its end.
    private mutating func takeLine() -> ArraySlice<UInt8> {
        let rest = bytes[offset...].prefix { $0 != UInt8(ascii: "\n") }
        offset = min(bytes.count, rest.endIndex + 1)
        line += 1
        return rest.last == UInt8(ascii: "\r") ? rest.dropLast() : rest
    }

    private func error(_ problem: String) -> LegacyError {
        LegacyError(line: line, problem, "make the dump once more, and do not edit it")
    }

    // MARK: COPY

    /// `COPY public."Meal" (id, "userId") FROM stdin;` and the lines that follow.
    mutating func copy(_ contents: inout LegacyContents) throws(LegacyError) {
        for _ in 0..<5 { take() }
        let table = try name()
        let columns = try columnNames(of: table)
        let rest = takeLine()
        let isFromHere = rest.indices.contains { rest[$0...].starts(with: "FROM stdin".utf8) }
        guard isFromHere else { throw error("the rows of \(table) are in another file") }
        let kind = LegacyFile.kind(ofTable: table)
        let keys = kind == nil ? [] : contents.keys(columns)
        while true {
            guard !isAtEnd else { throw error("the rows of \(table) end early") }
            let start = line
            let text = takeLine()
            if text.elementsEqual("\\.".utf8) { return }
            guard let kind else {
                contents.passOver(table)
                continue
            }
            let fields = text.split(
                separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            guard fields.count == columns.count else {
                line = start
                throw error(
                    "a row of \(table) has \(fields.count) values for \(columns.count) columns")
            }
            var cells: [String: JSON] = [:]
            for (key, field) in zip(keys, fields) { cells[key] = Self.cell(field) }
            contents.rows.append(
                LegacyRow(kind: kind, table: LegacyFile.key(table), line: start, cells: cells))
        }
    }

    /// `\N` is nothing; `\t`, `\n`, `\\` and octal or hexadecimal digits stand for a byte.
    private static func cell(_ field: ArraySlice<UInt8>) -> JSON {
        if field.elementsEqual("\\N".utf8) { return .null }
        guard field.contains(UInt8(ascii: "\\")) else {
            return .string(String(decoding: field, as: UTF8.self))
        }
        var text: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
                text.append(byte)
                continue
            }
            switch letter {
            case UInt8(ascii: "b"): text.append(8)
            case UInt8(ascii: "f"): text.append(12)
            case UInt8(ascii: "n"): text.append(10)
            case UInt8(ascii: "r"): text.append(13)
            case UInt8(ascii: "t"): text.append(9)
            case UInt8(ascii: "v"): text.append(11)
            case UInt8(ascii: "0")...UInt8(ascii: "7"):
                var value = Int(letter - 48)
                for _ in 0..<2 {
                    guard let digit = rest.first, (48...55).contains(digit) else { break }
                    value = value * 8 + Int(digit - 48)
                    rest.removeFirst()
                }
                text.append(UInt8(truncatingIfNeeded: value))
            default: text.append(letter)
            }
        }
        return .string(String(decoding: text, as: UTF8.self))
    }

    // MARK: INSERT

    /// `INSERT INTO public."Meal" (id, "userId") VALUES (1, 'a'), (2, NULL);`
    mutating func insert(_ contents: inout LegacyContents) throws(LegacyError) {
        for _ in 0..<12 { take() }
        let table = try name()
        let kind = LegacyFile.kind(ofTable: table)
        skipSpace()
        guard kind != nil || next == UInt8(ascii: "(") else {
            contents.passOver(table)
            return skipLine()
        }
        let columns = try columnNames(of: table)
        skipSpace()
        guard begins(with: "VALUES") else { throw error("an INSERT of \(table) has no VALUES") }
        for _ in 0..<6 { take() }
        let keys = kind == nil ? [] : contents.keys(columns)
        repeat {
            skipSpace()
            let start = line
            let values = try values()
            guard values.count == columns.count else {
                throw error(
                    "a row of \(table) has \(values.count) values for \(columns.count) columns")
            }
            guard let kind else {
                contents.passOver(table)
                continue
            }
            var cells: [String: JSON] = [:]
            for (key, value) in zip(keys, values) { cells[key] = value }
            contents.rows.append(
                LegacyRow(kind: kind, table: LegacyFile.key(table), line: start, cells: cells))
        } while takes(UInt8(ascii: ","))
        skipLine()
    }

    /// `(1, 'a', NULL)`
    private mutating func values() throws(LegacyError) -> [JSON] {
        guard takes(UInt8(ascii: "(")) else { throw error("a row of values is missing") }
        var values: [JSON] = []
        repeat { values.append(try value()) } while takes(UInt8(ascii: ","))
        guard takes(UInt8(ascii: ")")) else { throw error("a row of values has no end") }
        return values
    }

    /// `'it''s'`, `E'a\n'`, `1.5`, `true`, `NULL`, `ARRAY['a','b']`, each perhaps with `::type`.
    private mutating func value() throws(LegacyError) -> JSON {
        skipSpace()
        let value: JSON
        switch next {
        case UInt8(ascii: "'"): value = .string(try quoted(escapes: false))
        case UInt8(ascii: "E") where bytes.dropFirst(offset + 1).first == UInt8(ascii: "'"):
            take()
            value = .string(try quoted(escapes: true))
        default:
            let word = word()
            switch LegacyFile.key(word) {
            case "null": value = .null
            case "array": value = try array()
            case "": throw error("a value is missing")
            default: value = .string(word)
            }
        }
        skipSpace()
        while begins(with: "::") {
            take()
            take()
            _ = word()
            if takes(UInt8(ascii: "[")) { _ = takes(UInt8(ascii: "]")) }
        }
        return value
    }

    private mutating func array() throws(LegacyError) -> JSON {
        guard takes(UInt8(ascii: "[")) else { throw error("an array has no beginning") }
        depth += 1
        defer { depth -= 1 }
        guard depth <= 64 else { throw error("an array is nested too deep") }
        var elements: [JSON] = []
        if takes(UInt8(ascii: "]")) { return .array([]) }
        repeat { elements.append(try value()) } while takes(UInt8(ascii: ","))
        guard takes(UInt8(ascii: "]")) else { throw error("an array has no end") }
        return .array(elements)
    }

    private mutating func quoted(escapes: Bool) throws(LegacyError) -> String {
        take()
        var text: [UInt8] = []
        while let byte = take() {
            if byte == UInt8(ascii: "'") {
                guard next == UInt8(ascii: "'") else {
                    return String(decoding: text, as: UTF8.self)
                }
                take()
            } else if byte == UInt8(ascii: "\\"), escapes, let letter = take() {
                switch letter {
                case UInt8(ascii: "n"): text.append(10)
                case UInt8(ascii: "r"): text.append(13)
                case UInt8(ascii: "t"): text.append(9)
                default: text.append(letter)
                }
                continue
            }
            text.append(byte)
        }
        throw error("a text has no end")
    }

    // MARK: Words

    /// `public."Meal"`, without what precedes the point.
    private mutating func name() throws(LegacyError) -> String {
        var name = ""
        repeat {
            skipSpace()
            if next == UInt8(ascii: "\"") {
                take()
                let letters = bytes[offset...].prefix { $0 != UInt8(ascii: "\"") }
                name = String(decoding: letters, as: UTF8.self)
                for _ in 0...letters.count { take() }
            } else {
                name = word()
            }
        } while takes(UInt8(ascii: "."))
        guard !name.isEmpty else { throw error("a name is missing") }
        return name
    }

    private mutating func columnNames(of table: String) throws(LegacyError) -> [String] {
        guard takes(UInt8(ascii: "(")) else {
            throw LegacyError(
                line: line, "the columns of \(table) have no names",
                "make the dump with the names of columns, as pg_dump does for itself")
        }
        var names: [String] = []
        repeat { names.append(try name()) } while takes(UInt8(ascii: ","))
        guard takes(UInt8(ascii: ")")) else { throw error("a list of columns has no end") }
        return names
    }

    /// Letters, digits, `_`, `+`, `-` and points within a number.
    private mutating func word() -> String {
        let isNumber = next.map { (48...57).contains($0) || $0 == UInt8(ascii: "-") } ?? false
        let letters = bytes[offset...].prefix { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "+"), 0x80...:
                true
            case UInt8(ascii: "."): isNumber
            default: false
            }
        }
        offset = letters.endIndex
        return String(decoding: letters, as: UTF8.self)
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            take()
        }
    }

    @discardableResult
    private mutating func take() -> UInt8? {
        guard let byte = next else { return nil }
        offset += 1
        if byte == UInt8(ascii: "\n") { line += 1 }
        return byte
    }

    private mutating func takes(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        take()
        return true
    }
}
