import Foundation
import MacrologFaces
import MacrologJSON
import MacrologSharePage
import Testing

/// Goal: a page shows what a share holds to everyone, in any browser, and nothing in a share can make it
/// do anything else.
/// Method: the example of `docs/protocol/share.md`, changed member by member; names that are HTML, marks,
/// directions, and as long as they may be.
@Suite struct SharePageTests {
    private let example: JSON

    init() throws {
        let page = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appending(path: "../../docs/protocol/share.md").standardized, encoding: .utf8)
        let block = try #require(page.components(separatedBy: "```json\n").dropFirst().first)
        example = try JSON.parse(Array(block.components(separatedBy: "\n```")[0].utf8))
    }

    /// The example with other members.
    private func document(_ changes: [String: JSON]) -> [UInt8] {
        let members = (example.object ?? []).map { member in
            JSON.Member(member.key, changes[member.key] ?? member.value)
        }
        return Array(JSON.object(members).compact.utf8)
    }

    private func html(_ changes: [String: JSON] = [:]) throws -> String {
        SharePage(
            try ShareDocument(document(changes)), origin: "https://e.org/sync", token: "0a1b",
            end: "2026-11-27T07:40:59Z"
        ).html
    }

    @Test func `a meal has its name, its day, its sums and its parts`() throws {
        let page = try html()
        for words in [
            "<title>Porridge – Macrolog</title>", "Breakfast, 10 March 2024",
            "<h1><bdi>Porridge</bdi></h1>", "<strong>528</strong> kcal",
            "<dt>Protein</dt><dd><small>at least</small> 7.8\u{A0}g</dd>",
            "<dt>Carbs</dt><dd><small>at least</small> 35\u{A0}g</dd>",
            "<dt>Fat</dt><dd>4.2\u{A0}g</dd>", "<dt>Fibre</dt><dd>unknown</dd>",
            "<caption>Items</caption>",
            "<th scope=\"row\"><bdi>Oats</bdi></th><td>228 kcal</td>", "<strong>84</strong>",
            "balanced", "<a href=\"card/0a1b\">", "Shown until 27 November 2026, 07:40 UTC",
            "<meta property=\"og:image\" content=\"https://e.org/sync/s/card/0a1b\">",
            "<meta property=\"og:url\" content=\"https://e.org/sync/s/0a1b\">",
            "<meta name=\"twitter:card\" content=\"summary_large_image\">",
            "content=\"I had Porridge with 528 calories!\"", "noindex", "<html lang=\"en\">",
        ] {
            #expect(page.contains(words), "\(words)")
        }
        // A sum that is a lower bound has no share of the energy.
        #expect(!page.contains("<svg"))
        #expect(!page.contains("<script") && !page.contains(" style=") && !page.contains("http:"))
    }

    @Test func `a range has means, days, and a bar where everything is known`() throws {
        let page = try html([
            "kind": "range", "slot": nil, "title": "4 – 10 March 2024", "incomplete": [],
            "logged_days": 1, "diet_score": nil, "left_out_count": 3,
        ])
        #expect(page.contains("What I ate, on average") && page.contains("</strong> kcal a day"))
        #expect(page.contains("The means of 1 day with food.") && page.contains("and 3 more"))
        #expect(page.contains("<rect class=\"fat\"") && !page.contains("class=\"score"))
        #expect(!page.contains("At least"))
    }

    @Test func `energy is in the unit of the person, and what is unknown is not zero`() throws {
        #expect(try html(["energy_unit": "kJ"]).contains("<strong>2,209</strong> kJ"))
        let none: JSON = [
            "energy_kcal": nil, "protein_g": nil, "carbs_g": nil, "fat_g": nil, "fiber_g": nil,
        ]
        let page = try html(["nutrients": none, "parts": [["title": "Oats", "energy_kcal": nil]]])
        #expect(page.contains("Energy unknown") && page.contains("<td>unknown</td>"))
        #expect(!page.contains("<dd>0"))
    }

    @Test(arguments: [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</bdi></h1><h1>",
        "<\u{338}script>", "&lt;b&gt;", "'onmouseover='alert(1)", "</title><script>",
        "\u{202E}txet\u{0}", "שלום & <b>",
    ])
    func `no name is anything but text`(name: String) throws {
        let page = try html([
            "title": .string(name), "text": .string(name), "slot": .string(name),
            "parts": .array(
                [JSON](repeating: ["title": .string(name), "energy_kcal": 1], count: 2)),
            "diet_score": ["diet": .string(name), "score": 1, "band": "red"],
        ])
        let plain = try html()
        func count(_ letter: Character, in page: String) -> Int {
            page.utf8.filter { $0 == letter.asciiValue }.count
        }
        for letter in ["<", ">", "\""] as [Character] {
            #expect(count(letter, in: page) == count(letter, in: plain), "\(letter) in \(name)")
        }
        for hidden in ["\u{202E}", "\u{0}"] { #expect(!page.contains(hidden)) }
    }

    @Test(arguments: ["a", "\"", "&", "\u{7}", "\u{1F963}", "ä\u{308}\u{308}"])
    func `a page is smaller than 30 KB whatever is on it`(letter: String) throws {
        func name(_ bytes: Int) -> JSON {
            .string(String(repeating: letter, count: bytes / letter.utf8.count))
        }
        let part: JSON = ["title": name(200), "energy_kcal": .number("999999999.999")]
        let page = try html([
            "title": name(200), "text": name(1_000), "slot": name(200), "energy_unit": "kJ",
            "parts": .array([JSON](repeating: part, count: 50)), "left_out_count": 1_000_000,
        ])
        #expect(page.utf8.count < 30_000)
    }

    @Test func `what is no document is refused, with the member and what it must be`() throws {
        let cases: [(String, JSON)] = [
            ("version", "2"), ("version", 1), ("kind", "week"), ("from", "2024-3-10"),
            ("to", "2024-13-01"), ("slot", 1), ("title", nil),
            ("title", .string(String(repeating: "x", count: 201))),
            ("text", .string(String(repeating: "x", count: 1_001))), ("energy_unit", "cal"),
            ("nutrients", []), ("incomplete", "protein"), ("incomplete", [1]),
            ("logged_days", 32), ("logged_days", -1), ("diet_score", "84"), ("parts", nil),
            ("parts", .array([JSON](repeating: ["title": "x", "energy_kcal": nil], count: 51))),
            ("left_out_count", .number("1.5")), ("left_out_count", -1),
        ]
        for (member, value) in cases {
            let error = #expect(throws: ShareDocumentError.self, "\(member): \(value)") {
                try ShareDocument(document([member: value]))
            }
            #expect(error?.member == member && error?.description.contains(member) == true)
        }
        for amount in [-1, .number("1e3"), .number("1.0005"), .number("-0.1"), "1", .integer(.max)]
            as [JSON]
        {
            let error = #expect(throws: ShareDocumentError.self, "\(amount)") {
                try ShareDocument(document(["parts": [["title": "x", "energy_kcal": amount]]]))
            }
            #expect(error?.member == "energy_kcal")
        }
        for bytes in [[], [0xFF], Array("[]".utf8), Array("{}".utf8)] as [[UInt8]] {
            #expect(throws: ShareDocumentError.self) { try ShareDocument(bytes) }
        }
    }

    @Test func `the colours are those of the card`() {
        for color in Picture.Color.allCases where ![.target, .dot].contains(color) {
            for theme in Picture.Theme.allCases {
                let digits = String(color.rgb(theme), radix: 16)
                let hex = String(repeating: "0", count: 6 - digits.count) + digits
                #expect(
                    SharePage.style.contains("--\(color.rawValue):#\(hex)"), "\(color) \(theme)")
            }
        }
    }
}
