import MacrologEvents

/// Reads the tags of an XML file as its bytes arrive: names, attributes and depth.
///
/// Text, comments, instructions and the declaration of the document type are skipped. What a declaration defines is
/// never expanded. One tag is held at a time, of at most ``tagBytesMax`` bytes.
///
/// A parser of XML refuses many of these files: since iOS 16 the document type is not well formed, and values hold U+000B.
///
/// Source: <https://github.com/jameno/Simple-Apple-Health-XML-to-CSV/pull/3>.
struct XMLTags {
    private enum Place {
        case text
        case tag
        /// Within an attribute's value, which ends with this byte.
        case value(UInt8)
        case comment
        case instruction
        case characters
        case type
        /// The declarations within a document type. Those that the Health app writes are not always well formed.
        case declarations
        case declarationComment
        case declarationsEnd
    }

    /// The greatest size of a tag, in bytes.
    static let tagBytesMax = 1 << 16
    /// How deep elements may lie in each other.
    private static let depthMax = 64

    private var place = Place.text
    private var bytes: [UInt8] = []
    /// The last four bytes.
    private var window: UInt32 = 0
    private var open: [[UInt8]] = []
    /// The line, from 1.
    private(set) var line = 1
    private var hasRoot = false

    /// Calls `each` for every start of an element that these bytes complete.
    mutating func take(
        _ piece: [UInt8], _ each: (XMLTag) throws(ImportError) -> Void
    ) throws(ImportError) {
        for byte in piece {
            window = window << 8 | UInt32(byte)
            switch place {
            case .text: if byte == UInt8(ascii: "<") { begin(.tag) }
            case .tag: try takeTag(byte, each)
            case .value(let quote):
                try hold(byte)
                if byte == quote { place = .tag }
            case .comment: if window & 0xFF_FFFF == Self.commentEnd { place = .text }
            case .instruction: if window & 0xFFFF == 0x3F3E { place = .text }
            case .characters: if window & 0xFF_FFFF == 0x5D_5D3E { place = .text }
            case .type:
                if byte == UInt8(ascii: ">") { place = .text }
                if byte == UInt8(ascii: "[") { begin(.declarations) }
            case .declarations:
                if byte == UInt8(ascii: "]") { place = .declarationsEnd }
                // "<!--"
                if window == 0x3C21_2D2D { begin(.declarationComment) }
            case .declarationComment:
                if window & 0xFF_FFFF == Self.commentEnd { begin(.declarations) }
            case .declarationsEnd:
                if byte == UInt8(ascii: ">") {
                    place = .text
                } else if !Self.isBlank(byte), byte != UInt8(ascii: "]") {
                    place = .declarations
                }
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
        }
    }

    /// Refuses a file that ends within an element, or has none.
    func finish() throws(ImportError) {
        if case .text = place, open.isEmpty, hasRoot { return }
        throw hasRoot
            ? ImportError(
                line: line, "the file ends in the middle", hint: "copy or unpack the file again")
            : ImportError("it is not XML", hint: HealthFile.hint)
    }

    /// "-->"
    private static let commentEnd: UInt32 = 0x2D_2D3E

    private mutating func begin(_ next: Place) {
        (place, window) = (next, 0)
        bytes.removeAll(keepingCapacity: true)
    }

    private mutating func hold(_ byte: UInt8) throws(ImportError) {
        bytes.append(byte)
        guard bytes.count <= Self.tagBytesMax else {
            throw mistake("a tag has more than \(Self.tagBytesMax) bytes")
        }
    }

    private mutating func takeTag(
        _ byte: UInt8, _ each: (XMLTag) throws(ImportError) -> Void
    ) throws(ImportError) {
        switch byte {
        case UInt8(ascii: ">"):
            place = .text
            try endTag(each)
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            try hold(byte)
            place = .value(byte)
        case UInt8(ascii: "?") where bytes.isEmpty: begin(.instruction)
        default:
            try hold(byte)
            guard bytes[0] == UInt8(ascii: "!") else { return }
            if bytes.elementsEqual("!--".utf8) { begin(.comment) }
            if bytes.elementsEqual("![CDATA[".utf8) { begin(.characters) }
            if bytes.elementsEqual("!DOCTYPE".utf8) { begin(.type) }
        }
    }

    private mutating func endTag(_ each: (XMLTag) throws(ImportError) -> Void) throws(ImportError) {
        guard let first = bytes.first else { throw mistake("a tag is empty") }
        if first == UInt8(ascii: "/") {
            let name = bytes.dropFirst().prefix { !Self.isBlank($0) }
            guard open.popLast()?.elementsEqual(name) == true else {
                throw mistake(
                    "</\(String(decoding: name.prefix(40), as: UTF8.self))> ends no element")
            }
            return
        }
        let isWhole = bytes.last == UInt8(ascii: "/")
        if isWhole { bytes.removeLast() }
        let name = bytes.prefix { !Self.isBlank($0) }
        guard !name.isEmpty, open.count < Self.depthMax, !open.isEmpty || !hasRoot else {
            throw mistake("an element is where none can be")
        }
        try each(XMLTag(line: line, depth: open.count, bytes: bytes, nameEnd: name.endIndex))
        hasRoot = true
        if !isWhole { open.append(Array(name)) }
    }

    private func mistake(_ problem: String) -> ImportError {
        ImportError(line: line, problem, hint: "copy or unpack the file again")
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}

/// The start of an element.
struct XMLTag {
    /// The line on which it ends, from 1.
    let line: Int
    /// How many elements it lies in.
    let depth: Int
    /// What stands between `<` and `>`.
    fileprivate let bytes: [UInt8]
    fileprivate let nameEnd: Int

    func isNamed(_ name: StaticString) -> Bool { Self.isEqual(bytes[..<nameEnd], name) }

    /// The value of an attribute; `nil` where it has none of this name.
    func value(_ name: StaticString) throws(ImportError) -> UTF8Text? {
        var rest = bytes[nameEnd...]
        while true {
            rest = rest.drop(while: XMLTags.isBlank)
            if rest.isEmpty { return nil }
            guard let sign = rest.firstIndex(of: UInt8(ascii: "=")) else { throw mistake }
            let found = rest[..<sign].prefix { !XMLTags.isBlank($0) }
            rest = rest[(sign + 1)...].drop(while: XMLTags.isBlank)
            guard let quote = rest.popFirst(), quote == 34 || quote == 39,
                let end = rest.firstIndex(of: quote)
            else { throw mistake }
            if Self.isEqual(found, name) { return try text(rest[..<end]) }
            rest = rest[(end + 1)...]
        }
    }

    private func text(_ raw: ArraySlice<UInt8>) throws(ImportError) -> UTF8Text {
        var (text, rest) = ("", raw)
        while let sign = rest.firstIndex(of: UInt8(ascii: "&")) {
            text += String(decoding: rest[..<sign], as: UTF8.self)
            guard let end = rest[sign...].firstIndex(of: UInt8(ascii: ";")),
                let letter = Self.letter(rest[(sign + 1)..<end])
            else { throw mistake }
            text.unicodeScalars.append(letter)
            rest = rest[(end + 1)...]
        }
        return UTF8Text(text + String(decoding: rest, as: UTF8.self))
    }

    /// The letter that `amp`, `#38` or `#x26` stands for.
    private static func letter(_ name: ArraySlice<UInt8>) -> Unicode.Scalar? {
        for (word, letter) in [
            ("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"),
        ] as [(StaticString, Unicode.Scalar)] where isEqual(name, word) { return letter }
        guard name.first == UInt8(ascii: "#") else { return nil }
        let digits = String(decoding: name.dropFirst(), as: UTF8.self)
        let number =
            digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init)
    }

    private static func isEqual(_ bytes: ArraySlice<UInt8>, _ word: StaticString) -> Bool {
        bytes.count == word.utf8CodeUnitCount
            && word.withUTF8Buffer { bytes.elementsEqual($0) }
    }

    private var mistake: ImportError {
        ImportError(line: line, "a tag is not well formed", hint: "copy or unpack the file again")
    }
}
