/// JSON text as values, strictly: what RFC 8259 does not allow is refused, and so are duplicate keys,
/// nesting deeper than ``JSON/depthMax``, halves of surrogate pairs and invalid UTF-8.

extension JSON {
    /// How deep arrays and objects may be nested.
    public static let depthMax = 64

    /// Reads one value; only white space may surround it.
    public static func parse(_ text: String) throws(JSONError) -> JSON {
        try parse(Array(text.utf8))
    }

    /// Reads one value from UTF-8; only white space may surround it.
    public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSON {
        var parser = JSONParser(bytes: bytes)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        if parser.position < bytes.count { throw parser.error("nothing may follow the value") }
        return value
    }
}

/// Where a text stops being JSON, and why.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Counted from 1.
    public let line: Int
    /// Counted in bytes from 1.
    public let column: Int
    /// What is wrong.
    public let problem: String
    /// In which member or element it is, such as `/items/0/name` (RFC 6901); empty for the whole value.
    package var pointer = ""

    /// `line 3, column 7: a comma or ] is missing`
    public var description: String { "line \(line), column \(column): \(problem)" }

    /// The mistake as one in a member or an element.
    fileprivate func inside(_ key: String) -> JSONError {
        var error = self
        var name = ""
        for scalar in key.unicodeScalars {
            name += scalar == "~" ? "~0" : scalar == "/" ? "~1" : String(scalar)
        }
        error.pointer = "/" + name + pointer
        return error
    }
}

private struct JSONParser {
    let bytes: [UInt8]
    var position = 0

    func error(_ problem: String) -> JSONError {
        let before = bytes[..<min(position, bytes.count)]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return JSONError(
            line: before.reduce(1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) },
            column: before.count - lineStart + 1, problem: problem)
    }

    /// The byte here; 0, which no JSON holds outside of mistakes, at the end.
    private var here: UInt8 { position < bytes.count ? bytes[position] : 0 }

    mutating func skipSpace() {
        while [0x20, 0x0A, 0x0D, 0x09].contains(here) { position += 1 }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        skipSpace()
        guard here == byte else { return false }
        position += 1
        return true
    }

    mutating func value(depth: Int) throws(JSONError) -> JSON {
        skipSpace()
        guard depth <= JSON.depthMax else { throw error("nested deeper than \(JSON.depthMax)") }
        switch here {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw error("a value is missing")
        }
    }

    private mutating func word(_ word: String, _ value: JSON) throws(JSONError) -> JSON {
        guard bytes[position...].starts(with: word.utf8) else { throw error("a value is missing") }
        position += word.utf8.count
        return value
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSON {
        position += 1
        var elements: [JSON] = []
        if skip(UInt8(ascii: "]")) { return .array([]) }
        repeat {
            do throws(JSONError) { elements.append(try value(depth: depth + 1)) } catch {
                throw error.inside("\(elements.count)")
            }
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "]")) else { throw error("a comma or ] is missing") }
        return .array(elements)
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSON {
        let start = position
        position += 1
        var members: [JSON.Member] = []
        if skip(UInt8(ascii: "}")) { return .object([]) }
        repeat {
            skipSpace()
            guard here == UInt8(ascii: "\"") else { throw error("a key in quotes is missing") }
            let key = try string()
            guard skip(UInt8(ascii: ":")) else { throw error("a colon is missing") }
            do throws(JSONError) {
                members.append(JSON.Member(key, try value(depth: depth + 1)))
            } catch {
                throw error.inside(key)
            }
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "}")) else { throw error("a comma or } is missing") }
        try refuseDuplicates(in: members, openedAt: start)
        return .object(members)
    }

    /// Sorting finds duplicates in time that a hostile object cannot make quadratic.
    private mutating func refuseDuplicates(
        in members: [JSON.Member], openedAt start: Int
    ) throws(JSONError) {
        let sorted = members.map { $0.key }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for (left, right) in zip(sorted, sorted.dropFirst()) where left.isSame(as: right) {
            position = start
            throw error("the object has a key twice")
        }
    }

    private mutating func digits() -> Int {
        let start = position
        while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(here) { position += 1 }
        return position - start
    }

    private mutating func number() throws(JSONError) -> JSON {
        let start = position
        if here == UInt8(ascii: "-") { position += 1 }
        let leadsWithZero = here == UInt8(ascii: "0")
        let wholeDigits = digits()
        if wholeDigits == 0 { throw error("a digit is missing") }
        if leadsWithZero, wholeDigits > 1 { throw error("a number begins with a needless zero") }
        if here == UInt8(ascii: ".") {
            position += 1
            if digits() == 0 { throw error("a digit is missing") }
        }
        if here == UInt8(ascii: "e") || here == UInt8(ascii: "E") {
            position += 1
            if here == UInt8(ascii: "-") || here == UInt8(ascii: "+") { position += 1 }
            if digits() == 0 { throw error("a digit is missing") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if let integer = Int64(text), !text.isSame(as: "-0") { return .integer(integer) }
        return .number(text)
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        var unescaped: [UInt8] = []
        while true {
            let byte = here
            if position >= bytes.count { throw error("a string is not closed") }
            if byte < 0x20 { throw error("a control character must be escaped") }
            if byte == UInt8(ascii: "\"") { break }
            position += 1
            if byte == UInt8(ascii: "\\") {
                try escape(into: &unescaped)
            } else {
                unescaped.append(byte)
            }
        }
        guard let text = String(validating: unescaped, as: UTF8.self) else {
            position = start
            throw error("a string is not valid UTF-8")
        }
        position += 1
        return text
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        let byte = here
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var code = try hexadecimal()
            if (0xD800...0xDBFF).contains(code) {
                guard here == UInt8(ascii: "\\"), position + 1 < bytes.count,
                    bytes[position + 1] == UInt8(ascii: "u")
                else { throw error("half of a surrogate pair") }
                position += 2
                let low = try hexadecimal()
                guard (0xDC00...0xDFFF).contains(low) else {
                    throw error("half of a surrogate pair")
                }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw error("half of a surrogate pair") }
            text += Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        default:
            position -= 1
            throw error("no such escape")
        }
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch here {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = here - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = here - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = here - UInt8(ascii: "A") + 10
            default: throw error("four hexadecimal digits are needed")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
