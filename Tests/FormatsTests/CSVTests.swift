import MacrologFormats
import MacrologTestSupport
import Testing

/// Goal: no row of a CSV file is lost or invented, whatever wrote the file and however it is cut.
@Suite struct CSVTests {
    func read(_ text: String, delimiter: Character = ",", chunk: Int = .max) throws -> [CSVRow] {
        try read(Array(text.utf8), delimiter: delimiter, chunk: chunk)
    }

    func read(_ bytes: [UInt8], delimiter: Character = ",", chunk: Int = .max) throws -> [CSVRow] {
        var reader = CSVReader(delimiter: delimiter.asciiValue ?? 0)
        var rows: [CSVRow] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            rows += try reader.rows(from: rest.prefix(chunk))
            rest = rest.dropFirst(chunk)
        }
        if let last = try reader.finish() { rows.append(last) }
        return rows
    }

    @Test(arguments: [
        ("a,b\nc,d", [CSVRow(line: 1, fields: ["a", "b"]), CSVRow(line: 2, fields: ["c", "d"])]),
        (
            "a,b\r\nc,d\r\n",
            [CSVRow(line: 1, fields: ["a", "b"]), CSVRow(line: 2, fields: ["c", "d"])]
        ),
        ("a\rb\r", [CSVRow(line: 1, fields: ["a"]), CSVRow(line: 2, fields: ["b"])]),
        ("\u{FEFF}a,b\n", [CSVRow(line: 1, fields: ["a", "b"])]),
        (
            "a,\n,b\n,\n",
            [
                CSVRow(line: 1, fields: ["a", ""]), CSVRow(line: 2, fields: ["", "b"]),
                CSVRow(line: 3, fields: ["", ""]),
            ]
        ),
        ("\n\r\na\n\nb\n\n", [CSVRow(line: 3, fields: ["a"]), CSVRow(line: 5, fields: ["b"])]),
        (
            "\"a,\"\"b\"\"\r\nc\",d\ne",
            [
                CSVRow(line: 1, fields: ["a,\"b\"\r\nc", "d"]), CSVRow(line: 3, fields: ["e"]),
            ]
        ),
        ("\"\"\n", [CSVRow(line: 1, fields: [""])]),
        ("5\" pan,\"x\"", [CSVRow(line: 1, fields: ["5\" pan", "x"])]),
        (" a , b", [CSVRow(line: 1, fields: [" a ", " b"])]),
        ("", []), ("\u{FEFF}", []),
        (
            "\"a\nb\nc\",1\nd,2",
            [
                CSVRow(line: 1, fields: ["a\nb\nc", "1"]), CSVRow(line: 4, fields: ["d", "2"]),
            ]
        ),
    ])
    func `rows come out with their lines, however the bytes are cut`(
        text: String, rows: [CSVRow]
    ) throws {
        for chunk in [1, 2, 3, 7, .max] { #expect(try read(text, chunk: chunk) == rows) }
    }

    @Test func `the delimiter can be chosen`() throws {
        #expect(try read("a;b,c", delimiter: ";").first?.fields == ["a", "b,c"])
        #expect(try read("a\t\"b\tc\"", delimiter: "\t").first?.fields == ["a", "b\tc"])
    }

    @Test(arguments: [
        ("a\nb,\"c\nd\n", "line 2: a quote is opened and never closed"),
        ("a\n\"b\"c\n", "line 2: text follows a closing quote"),
        ("\"a\nb\"c\n", "line 2: text follows a closing quote"),
    ])
    func `a mistake names its line`(text: String, description: String) {
        let error = #expect(throws: CSVError.self) { try read(text) }
        #expect(error?.description == description)
    }

    @Test func `bytes that are not UTF-8 are refused with their line`() {
        for bytes: [UInt8] in [[0x61, 0x0A, 0xFF, 0x0A], [0x61, 0x0A, 0x62, 0x2C, 0xC3]] {
            let error = #expect(throws: CSVError.self) { try read(bytes) }
            #expect(error?.line == 2)
        }
        #expect(throws: CSVError.self) { try read([0xEF, 0xBB]) }
        #expect(throws: CSVError.self) { try read([0xEF, 0x0A]) }
    }

    @Test func `a row has an end`() {
        var reader = CSVReader(rowBytesMax: 100)
        let error = #expect(throws: CSVError.self) {
            try reader.rows(from: Array("a\n\"".utf8) + [UInt8](repeating: 65, count: 200))
        }
        #expect(error?.line == 2)
    }

    @Test func `fields are quoted where they must be`() {
        let writer = CSVWriter()
        #expect(
            writer.row([
                .text("a,b"), .text("say \"x\""), .text("two\nlines"), .empty, .number("-1.5"),
            ])
                == "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",,-1.5\r\n")
        #expect(writer.row([.text("plain"), .text(" padded")]) == "plain,\" padded\"\r\n")
        #expect(writer.row([.empty]) == "\"\"\r\n")
        #expect(
            CSVWriter(delimiter: UInt8(ascii: ";")).row([.text("a;b"), .text("1,5")])
                == "\"a;b\";1,5\r\n")
    }

    @Test(arguments: ["=1+1", "+1", "-1", "@SUM", "\tx", "\rx", "\nx", "'=1", "''-1"])
    func `a spreadsheet runs no text, and the guard can be taken off again`(text: String) throws {
        let row = CSVWriter().row([.text(text), .text("x")])
        let field = try #require(try read(row).first?.fields.first)
        #expect(field == "'" + text)
        #expect(CSVGuard.removed(from: field) == text)
    }

    @Test(arguments: ["", "'", "'tis", "a=b", "x'-1"])
    func `text that is no formula needs no guard`(text: String) throws {
        #expect(try read(CSVWriter().row([.text(text), .text("x")])).first?.fields.first == text)
        #expect(CSVGuard.removed(from: text) == text)
    }

    @Test func `text that begins with a byte order mark keeps it, in the first field too`() throws {
        let row = CSVWriter().row([.text("\u{FEFF}x"), .text("\u{FEFF}")])
        #expect(
            try read(row + row).map(\.fields) == [
                ["\u{FEFF}x", "\u{FEFF}"], ["\u{FEFF}x", "\u{FEFF}"],
            ])
    }

    @Test func `whatever is written is read again`() throws {
        var random = Dice(seed: 3)
        let alphabet = Array("ab,;\"\n\r é'")
        for _ in 0..<2_000 {
            let fields = (0..<Int(1 + random.next() % 4)).map { _ in
                "x"
                    + String(
                        (0..<Int(random.next() % 6)).map { _ in alphabet[Int(random.next() % 10)] })
            }
            let row = CSVWriter().row(fields.map { .text($0) })
            #expect(
                try read(row + row, chunk: 3).map(\.fields) == [fields, fields], "seed 3, \(row)")
        }
    }
}
