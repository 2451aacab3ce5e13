/// The parts of a `multipart/form-data` body (RFC 7578).
import MacrologHTTP
import MacrologService

/// A form with files, read whole: a body that breaks a rule has no parts at all.
package struct Multipart: Sendable {
    /// One part of a form.
    package struct Part: Sendable {
        package let name: String
        package let bytes: ArraySlice<UInt8>
    }

    package let parts: [Part]

    /// How many parts a form may have.
    static let partsMax = 16
    private static let headBytesMax = 4_096

    /// Why a body is no form.
    package struct Mistake: Error {
        package let text: String
    }

    /// Reads a body.
    ///
    /// - Parameter type: The value of `Content-Type`.
    package init(_ body: [UInt8], type: String) throws(Mistake) {
        let boundary = try Self.boundary(of: type)
        let mark = Array("--\(boundary)".utf8)
        var parts: [Part] = []
        // The text before the first boundary means nothing.
        guard var position = Self.find(mark, in: body[...], atLineStart: true)?.upperBound else {
            throw Mistake(text: "the boundary of Content-Type does not occur in the body")
        }
        while true {
            if body[position...].starts(with: "--".utf8) { break }
            position = try Self.afterLine(position, in: body)
            guard let end = Self.find(Self.lineFeed + mark, in: body[(position - 2)...]) else {
                throw Mistake(text: "the body ends before its closing boundary")
            }
            guard parts.count < Self.partsMax else {
                throw Mistake(text: "it has more than \(Self.partsMax) parts")
            }
            let part = try Self.part(body[position..<max(position, end.lowerBound)])
            guard !parts.contains(where: { $0.name == part.name }) else {
                throw Mistake(text: "it has two parts with the name \(part.name)")
            }
            parts.append(part)
            position = end.upperBound
        }
        self.parts = parts
    }

    /// The bytes of a part; `nil` if there is none.
    package subscript(name: String) -> ArraySlice<UInt8>? {
        parts.first { $0.name == name }?.bytes
    }

    private static let lineFeed: [UInt8] = [13, 10]

    private static func boundary(of type: String) throws(Mistake) -> String {
        for parameter in type.split(separator: ";").dropFirst() {
            let halves = parameter.split(separator: "=", maxSplits: 1)
            guard halves.count == 2, asciiLowercased(halves[0].filter { $0 != " " }) == "boundary"
            else { continue }
            let text = halves[1].filter { $0 != "\"" && $0 != " " }
            let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            if isPlain, (1...70).contains(text.utf8.count) { return text }
        }
        throw Mistake(text: "Content-Type names no boundary of 1 to 70 letters")
    }

    /// The position after the line feed of a boundary's line, which may end with blanks.
    private static func afterLine(_ position: Int, in body: [UInt8]) throws(Mistake) -> Int {
        var position = position
        while position < body.count, body[position] == 0x20 || body[position] == 9 { position += 1 }
        guard body[position...].starts(with: lineFeed) else {
            throw Mistake(text: "a boundary is not followed by a line feed")
        }
        return position + 2
    }

    private static func part(_ bytes: ArraySlice<UInt8>) throws(Mistake) -> Part {
        guard let end = find(lineFeed + lineFeed, in: bytes.prefix(headBytesMax)) else {
            throw Mistake(text: "the head of a part does not end")
        }
        let head = bytes[bytes.startIndex..<end.lowerBound]
        guard let text = String(validating: head, as: UTF8.self) else {
            throw Mistake(text: "the head of a part is not UTF-8 text")
        }
        var name: String?
        for line in text.split(separator: "\r\n") {
            let halves = line.split(separator: ":", maxSplits: 1)
            guard halves.count == 2 else { throw Mistake(text: "the head of a part has no colon") }
            switch asciiLowercased(String(halves[0])) {
            case "content-disposition": name = Self.name(in: halves[1])
            case "content-transfer-encoding":
                let encoding = asciiLowercased(halves[1].filter { $0 != " " })
                guard ["binary", "8bit", "7bit"].contains(encoding) else {
                    throw Mistake(text: "a part is encoded: send its bytes as they are")
                }
            default: break
            }
        }
        guard let name, (1...100).contains(name.utf8.count) else {
            throw Mistake(text: "a part has no name")
        }
        return Part(name: name, bytes: bytes[end.upperBound...])
    }

    /// `form-data; name="image"; filename="a;b.jpg"`
    private static func name(in disposition: Substring) -> String? {
        var rest = disposition.utf8[...]
        while let semicolon = rest.firstIndex(of: UInt8(ascii: ";")) {
            rest = rest[rest.index(after: semicolon)...].drop { $0 == 0x20 }
            guard rest.starts(with: "name=\"".utf8) else {
                // A semicolon within quotes belongs to the value before it.
                if let quote = rest.firstIndex(of: UInt8(ascii: "\"")),
                    let next = rest.firstIndex(of: UInt8(ascii: ";")), quote < next,
                    let end = rest[rest.index(after: quote)...].firstIndex(of: UInt8(ascii: "\""))
                {
                    rest = rest[rest.index(after: end)...]
                }
                continue
            }
            let value = rest.dropFirst(6)
            return value.firstIndex(of: UInt8(ascii: "\"")).map {
                String(decoding: value[..<$0], as: UTF8.self)
            }
        }
        return nil
    }

    private static func find(
        _ pattern: [UInt8], in bytes: ArraySlice<UInt8>, atLineStart: Bool = false
    ) -> Range<Int>? {
        bytes.withUnsafeBufferPointer { all in
            guard all.count >= pattern.count else { return nil }
            for index in 0...(all.count - pattern.count) where all[index] == pattern[0] {
                if atLineStart, index > 0, all[index - 1] != 10 { continue }
                var matched = 1
                while matched < pattern.count, all[index + matched] == pattern[matched] {
                    matched += 1
                }
                if matched == pattern.count {
                    let begin = bytes.startIndex + index
                    return begin..<(begin + pattern.count)
                }
            }
            return nil
        }
    }
}
