import MacrologEvents
import MacrologWire
import Foundation
import MacrologNutrition
import MacrologService
import Testing

/// Goal: `protocol.md` and its annexes can be believed. What it promises is a named constant, a route or a problem
/// in the code, and the code promises nothing that the pages do not tell.
/// Method: read the pages and the code as text, and compare them both ways.
@Suite struct ProtocolTests {
    private let page: Page
    private let annexes: [String: Page]
    private let code: [(path: String, text: String)]

    init() throws {
        page = try Page("protocol.md")
        annexes = try Page.annexes()
        code = try Package.sources("Sources")
    }

    /// The rows of the limits that every message keeps to, and of those of a server and of our client.
    private func limits() throws -> [[String]] {
        let annex = try #require(annexes["limits"])
        return (Page.rows(page.section(9)) + Page.rows(annex.text)).filter { $0[0].contains(".") }
    }

    /// The rows of the problems, of the core and of the annexes.
    private var problems: [[String]] {
        ([page] + annexes.values).flatMap { Page.rows($0.section(10)) }.filter { Int($0[1]) != nil }
    }

    @Test func `the core is a page to read at one sitting`() {
        #expect(page.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 600)
    }

    @Test func `no limit and no problem stands in two places`() throws {
        for names in [try limits().map { $0[0] }, problems.map { $0[0] }] {
            #expect(Set(names).count == names.count)
        }
    }

    @Test func `every limit of the page is the constant of that name`() throws {
        let rows = try limits()
        #expect(rows.count > 70)
        for row in rows {
            let promised = row[1].replacing(",", with: "").replacing("…", with: "...")
                .replacing(" ms", with: "")
            #expect(try Constants.value(row[0], in: code) == promised, "\(row[0])")
        }
    }

    @Test func `every constant of Limits is on the page`() throws {
        let limits = try Page("Sources/Pure/Wire/Limits.swift").text
        let promised = try Set(self.limits().map { $0[0] })
        let names = limits.matches(of: /static let (\w+)/).map { "Limits.\($0.1)" }
        #expect(names.count >= 11)
        for name in names { #expect(promised.contains(name), "\(name)") }
    }

    @Test func `the problems of the page are those of the server, with their statuses`() throws {
        let promised = Set(problems.map { "\($0[1]) \($0[0])" })
        let real = Set(ProblemKind.allCases.map { "\($0.status) \($0.rawValue)" })
        #expect(real.count > 15)
        #expect(promised.subtracting(real).isEmpty, "on the page only")
        #expect(real.subtracting(promised).isEmpty, "in the code only")
    }

    @Test func `the client acts upon no problem that the page does not name`() throws {
        let promised = Set(problems.map { $0[0] })
        let client = try Page("Sources/Device/Engine/Exchange/SyncError.swift").text
        let names = client.matches(of: /prefix \+ "(\w+)"/).map { String($0.1) }
        #expect(names.count >= 5)
        for name in names { #expect(promised.contains(name), "\(name)") }
    }

    @Test func `the keys and verbs of the CDDL are those of the code`() throws {
        let cddl = try #require(Page.blocks(page.section(3)).first)
        let coding = try Page("Sources/Pure/Wire/EventCoding.swift").text
        let keys = try #require(coding.split(separator: "enum Verb").first)
            .matches(of: /static let (\w+): Int64 = (\d+)/)
        #expect(keys.count == 8)
        for key in keys {
            let line = try Regex(#"(?m)^  (\? )?\#(key.2): [^;]*; \#(key.1)\b"#)
            #expect(cddl.firstMatch(of: line) != nil, "key \(key.2) is \(key.1)")
        }
        // Keys that are read elsewhere are named for what they hold.
        for file in code where file.path.hasPrefix("Sources/Pure/Wire/") {
            for key in file.text.matches(of: /static let (\w+)Key: Int64 = (\d+)/) {
                let line = try Regex(#"(?m)^  \? \#(key.2): [^;]*; \#(key.1)\b"#)
                #expect(cddl.firstMatch(of: line) != nil, "key \(key.2) is \(key.1)")
            }
        }
        let verbs = try #require(coding.split(separator: "enum Verb").last)
            .matches(of: /static let (\w+): Int64 = (\d+)/)
        #expect(verbs.count == 4)
        for verb in verbs {
            let line = try Regex(#"(?m)^\#(verb.1)\s+= \[\#(verb.2)[,\]]"#)
            #expect(cddl.firstMatch(of: line) != nil, "verb \(verb.2) is \(verb.1)")
        }
    }

    @Test func `the bounds of the CDDL are the limits`() throws {
        let event = try #require(Page.blocks(page.section(3)).first)
        #expect(event.contains("[1*\(Limits.changesMax) change]"))
        #expect(event.contains("1*\(Limits.operationsMax) operation]"))
        #expect(event.contains("{ 1*\(Limits.mapEntriesMax) name => value }"))
        #expect(event.contains("{ *\(Limits.mapEntriesMax) name => value }"))
        #expect(event.contains("name     = tstr .size (0..\(Limits.nameBytesMax))"))
        #expect(event.contains("chars    = tstr .size (0..\(Limits.textBytesMax))"))
        #expect(event.contains("octets   = bstr .size (0..\(Limits.textBytesMax))"))
        let messages = try #require(Page.blocks(page.section(6)).first)
        #expect(messages.contains("0: \(Limits.protocolVersion),"))
        #expect(messages.contains("5: [*\(Limits.pageEventsMax) pushed]"))
        #expect(messages.contains("6: 0..\(Limits.pageEventsMax),"))
        #expect(messages.contains("7: 0..\(Limits.pageBytesMax) "))
        #expect(messages.contains("times: [1*\(Limits.pageEventsMax) int64]"))
        #expect(messages.contains("pairs: [*\(Limits.pageEventsMax) 6..\(Limits.mapEntriesMax)]"))
    }

    @Test func `the example is an event, with the hash that stands below it`() throws {
        let examples = try #require(annexes["bytes"])
        let (digits, bytes) = Self.bytes(of: try #require(Page.blocks(examples.text).first))
        let event = try Event.decoded(bytes)
        #expect(event.encoded() == bytes && event.changes[0].operations == [.delete])
        #expect(examples.text.contains("`\(Self.digits(SHA256.hash(bytes)))`"))
        #expect(try Page("Tests/EventsTests/Vectors/events.json").text.contains("\"\(digits)\""))
    }

    @Test func `the example of a page is an answer, with the columns that stand beside it`() throws
    {
        let examples = Page.blocks(try #require(annexes["bytes"]).text)
        let (digits, bytes) = Self.bytes(
            of: try #require(examples.first { $0.contains("ten columns") }))
        let answer = try SyncAnswer.decoded(bytes)
        #expect(answer.encoded() == bytes && answer.rows.count == 3)
        // The first row is the event of the other example.
        let (_, first) = Self.bytes(of: try #require(examples.first))
        #expect(answer.rows.first?.content == .event(first))
        #expect(answer.rows[1].content == .own(seq: Seq(4)))
        guard case .event(let body) = answer.rows[2].content else {
            Issue.record("the third row is an event")
            return
        }
        let header = try EventHeader.checked(body)
        #expect(header.base == Base(epoch: 7, n: 18) && header.wall == 1_790_000_060_001)
        // What each row adds to the digest stands there, and the hash of the last.
        let text = try #require(annexes["bytes"]).text
        #expect(text.contains(Self.digits(SHA256.hash(body))))
        for (n, row, body) in [(18, answer.rows[0], first), (20, answer.rows[2], body)] {
            let numbers = [Int64(n), row.t.rawValue].flatMap { number in
                (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
            }
            let sum = SHA256.hash(SHA256.hash(body) + numbers)
            #expect(text.contains("`\(Self.digits(sum.prefix(16)))`"))
        }
        #expect(try Page("Tests/EventsTests/Vectors/messages.json").text.contains("\"\(digits)\""))
    }

    private static func digits(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The bytes of an example, whose meaning stands beside them.
    private static func bytes(of example: String) -> (digits: String, bytes: [UInt8]) {
        var digits = ""
        for line in example.split(separator: "\n") {
            // What the bytes mean follows two spaces.
            let bytes = line.trimmingCharacters(in: .whitespaces).components(separatedBy: "  ")[0]
            for word in bytes.split(separator: " ") {
                guard word.allSatisfy({ $0.isHexDigit }), word.count % 2 == 0 else { break }
                digits += word
            }
        }
        var bytes: [UInt8] = []
        var rest = digits[...]
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return (digits, bytes)
    }

    @Test func `the error codes of the page are those of the decoder`() throws {
        let names = try Page("Sources/Pure/Wire/CBORError.swift").text
            .matches(of: /(?m)^        case (\w+)$/).map { String($0.1) }
        #expect(names.count == 13)
        let told = try #require(annexes["vectors"]).text.matches(of: /`(\w+)`/).map { String($0.1) }
        for name in names { #expect(told.contains(name), "\(name)") }
    }

    @Test func `the kinds and the namespace of the page are those of the domain`() throws {
        let kinds = Kind.all.map { "`\($0.name)`" }.joined(separator: ", ")
        let flat = try #require(annexes["domain"]).text.replacing("\n", with: " ")
        #expect(flat.contains("Kinds: \(kinds)."))
        #expect(flat.contains("`\(Identities.namespace)`"))
    }

    @Test func `where the code names a section, the page has it`() throws {
        let sections = page.sections
        #expect(sections.keys.sorted() == Array(1...sections.count))
        var references = 0
        for file in code {
            for match in file.text.matches(of: /`protocol.md` §(\d+(?:\.\d+)?)/) {
                references += 1
                let number = String(match.1)
                #expect(page.has(section: number), "\(file.path) names §\(number)")
            }
        }
        #expect(references >= 5)
    }
}
