/// The document of a share (`docs/protocol/share.md`), as it is read by a server that knows nothing of
/// nutrition: checked member by member, and safe to show once it is escaped.
import MacrologJSON

/// What a share shows.
package struct ShareDocument: Sendable {
    package enum Kind: String, Sendable { case meal, day, range }

    /// A part with its own line.
    package struct Part: Sendable {
        package let title: String
        /// Thousandths of a kilocalorie; `nil` if unknown.
        package let energy: Int64?
    }

    /// How well it fits a diet.
    package struct Score: Sendable {
        package enum Band: String, Sendable { case green, yellow, red }
        package let diet: String
        /// 0 to 100.
        package let points: Int64
        package let band: Band
    }

    /// A nutrient other than energy.
    package enum Nutrient: String, CaseIterable, Sendable {
        case protein, carbs, fat, fiber
        var member: String { "\(rawValue)_g" }
    }

    package let kind: Kind
    package let from: ShareDay
    package let to: ShareDay
    /// Of a meal: `breakfast`, or a word of the person.
    package let slot: String?
    package let title: String
    /// One sentence that says all of it.
    package let text: String
    /// Whether the person reads energy in kilojoules.
    package let isInKilojoules: Bool
    /// Thousandths of a kilocalorie; `nil` if unknown.
    package let energy: Int64?
    /// In milligrams.
    package let nutrients: [Nutrient: Int64]
    /// Names of sums that are lower bounds: `energy`, `protein`.
    package let incomplete: [String]
    /// Of a range: on how many of its days there was food.
    package let loggedDays: Int64?
    package let score: Score?
    package let parts: [Part]
    package let leftOutCount: Int64

    /// The maximum number of parts.
    package static let partsMax = 50
    /// The longest title or word, in bytes.
    package static let titleBytesMax = 200
    /// The longest sentence, in bytes.
    package static let textBytesMax = 1_000
    /// The greatest number, in thousandths.
    static let amountMax: Int64 = 1_000_000_000_000

    /// Reads a document.
    package init(_ bytes: [UInt8]) throws(ShareDocumentError) {
        let parsed: JSON
        do throws(JSONError) { parsed = try JSON.parse(bytes) } catch {
            throw ShareDocumentError(member: "", "it is not JSON: \(error.description)")
        }
        let json = Members(parsed)
        try json.check("version", "1") { $0.string?.utf8.elementsEqual("1".utf8) == true }
        kind = try json.word("kind", "meal, day or range") { Kind(rawValue: $0) }
        from = try json.word("from", "a day such as 2026-11-20") { ShareDay($0) }
        to = try json.word("to", "a day such as 2026-11-20") { ShareDay($0) }
        slot = try json.optionalText("slot", Self.titleBytesMax)
        title = try json.text("title", Self.titleBytesMax)
        text = try json.text("text", Self.textBytesMax)
        isInKilojoules = try json.word("energy_unit", "kcal or kJ") { word in
            word.utf8.elementsEqual("kJ".utf8)
                ? true : word.utf8.elementsEqual("kcal".utf8) ? false : nil
        }
        let amounts = try json.members("nutrients")
        energy = try amounts.amount("energy_kcal")
        var nutrients: [Nutrient: Int64] = [:]
        for nutrient in Nutrient.allCases {
            nutrients[nutrient] = try amounts.amount(nutrient.member)
        }
        self.nutrients = nutrients
        incomplete = try json.list("incomplete", atMost: 16) { element throws(ShareDocumentError) in
            guard let name = element.string else { throw .expected("incomplete", "names") }
            return name
        }
        loggedDays = try json.count("logged_days", atMost: 31)
        score = try json.optionalMembers("diet_score").map { score throws(ShareDocumentError) in
            try Score(score)
        }
        parts = try json.list("parts", atMost: Self.partsMax) {
            element throws(ShareDocumentError) in
            let part = Members(element)
            return Part(
                title: try part.text("title", Self.titleBytesMax),
                energy: try part.amount("energy_kcal"))
        }
        leftOutCount = try json.count("left_out_count", atMost: 1_000_000) ?? 0
    }
}

extension ShareDocument.Score {
    fileprivate init(_ json: Members) throws(ShareDocumentError) {
        diet = try json.text("diet", ShareDocument.titleBytesMax)
        points = try json.count("score", atMost: 100) ?? 0
        band = try json.word("band", "green, yellow or red") { Band(rawValue: $0) }
    }
}

/// Why bytes are not the document of a share.
package struct ShareDocumentError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The member at fault; empty for the whole.
    package let member: String
    private let detail: String

    init(member: String, _ detail: String) {
        self.member = member
        self.detail = detail
    }

    static func expected(_ member: String, _ what: String) -> ShareDocumentError {
        ShareDocumentError(member: member, "its member \(member) must be \(what)")
    }

    /// What is wrong, and what is expected.
    package var description: String { detail }
}

/// The members of an object, by name.
private struct Members {
    private let json: JSON

    init(_ json: JSON) { self.json = json }

    func check(
        _ name: String, _ expected: String, _ isRight: (JSON) -> Bool
    ) throws(ShareDocumentError) {
        guard let value = json[name], isRight(value) else { throw .expected(name, expected) }
    }

    func word<Value>(
        _ name: String, _ expected: String, _ read: (String) -> Value?
    ) throws(ShareDocumentError) -> Value {
        guard let value = json[name]?.string.flatMap({ read($0) }) else {
            throw .expected(name, expected)
        }
        return value
    }

    func text(_ name: String, _ bytesMax: Int) throws(ShareDocumentError) -> String {
        guard let text = json[name]?.string, text.utf8.count <= bytesMax else {
            throw .expected(name, "a text of at most \(bytesMax) bytes")
        }
        return text
    }

    func optionalText(_ name: String, _ bytesMax: Int) throws(ShareDocumentError) -> String? {
        if case .null = json[name] { return nil }
        return try text(name, bytesMax)
    }

    func members(_ name: String) throws(ShareDocumentError) -> Members {
        guard let value = json[name], value.object != nil else {
            throw .expected(name, "an object")
        }
        return Members(value)
    }

    func optionalMembers(_ name: String) throws(ShareDocumentError) -> Members? {
        if case .null = json[name] { return nil }
        return try members(name)
    }

    func count(_ name: String, atMost countMax: Int64) throws(ShareDocumentError) -> Int64? {
        if case .null = json[name] { return nil }
        guard let count = json[name]?.integer, (0...countMax).contains(count) else {
            throw .expected(name, "a number from 0 to \(countMax)")
        }
        return count
    }

    func list<Value>(
        _ name: String, atMost countMax: Int,
        _ read: (JSON) throws(ShareDocumentError) -> Value
    ) throws(ShareDocumentError) -> [Value] {
        guard let array = json[name]?.array, array.count <= countMax else {
            throw .expected(name, "an array of at most \(countMax) elements")
        }
        var values: [Value] = []
        for element in array { values.append(try read(element)) }
        return values
    }

    /// A number with at most three decimals, in thousandths; `nil` for null.
    func amount(_ name: String) throws(ShareDocumentError) -> Int64? {
        let value: Int64?
        switch json[name] {
        case .null: return nil
        case .integer(let whole): value = (0...(1 << 40)).contains(whole) ? whole * 1_000 : nil
        case .number(let text): value = Members.thousandths(text)
        default: value = nil
        }
        guard let value, value <= ShareDocument.amountMax else {
            throw .expected(name, "null, or a number from 0 with at most three decimals")
        }
        return value
    }

    /// `35.22` as 35,220.
    private static func thousandths(_ text: String) -> Int64? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...9).contains(parts[0].count), (1...3).contains(parts[1].count)
        else { return nil }
        var value: Int64 = 0
        for digit in Array(parts[0]) + Array(parts[1]) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        for _ in parts[1].count..<3 { value *= 10 }
        return value
    }
}
