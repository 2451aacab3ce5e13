import Foundation
import MacrologDrawing
import MacrologFaces
import MacrologHTTP
import MacrologHTTPClient
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: a person shows a meal to others with one command, sees who looked how often, and ends it.
/// Method: the real programs over loopback; a stranger who has the link and nothing else.
@Suite(.enabled("libpangocairo-1.0-0 is not installed") { canDrawCards })
struct ShareLinkTests {
    private let two: SyncedDevices

    init() throws { two = try SyncedDevices() }

    /// What a stranger gets at an address: no session, nothing but the link.
    private func open(_ link: String, accept: String = "text/html") throws -> (Int, String) {
        let answer = try answer(link, accept)
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    private func answer(_ link: String, _ accept: String = "text/html") throws -> HTTPResponse {
        let origin = try Origin(two.server.address)
        return try HTTPTransport().send(
            HTTPRequest(
                method: "GET", path: String(link.dropFirst(two.server.address.count)),
                fields: [HTTPField("accept", accept)]), to: origin)
    }

    private func made(_ words: String) throws -> JSON { try two.json(two.phone, words) }

    private func eat() throws {
        let meal = "Porridge --kcal 380 --p 14 --c 60 --f 9 --note canary-note"
        try two.run(two.phone, "add \(meal) --at 2024-03-10T07:40")
    }

    @Test func `a link shows a meal until it is revoked`() throws {
        try eat()
        let list = try two.json(two.phone, "meal list --date 2024-03-10")
        let meal = try #require(list.array?.first?["id"]?.string)
        let told = try two.run(two.phone, "share meal \(meal.suffix(4)) --days 2 --max-opens 3")
        #expect(told.hasPrefix("Shared Porridge until ") && told.contains(", 3 times at most:\n"))
        let link = String(try #require(told.split(separator: "\n").last))
        #expect(link.hasPrefix(two.server.address + "/s/") && link.count > 64)
        let (status, page) = try open(link)
        #expect(status == 200 && page.contains("<bdi>Porridge</bdi>"))
        #expect(!page.contains("canary") && !page.contains(meal) && !page.contains("ana@"))
        let json = try JSON.parse(Array(try open(link, accept: "application/json").1.utf8))
        #expect(json["share"]?["title"] == "Porridge")
        let card = try #require(json["card"]?.string)
        #expect(try open(card, accept: "image/png").0 == 200)
        // Another device of the person sees it, and ends it.
        let shared = try two.json(two.laptop, "share list")["shared"]?.array ?? []
        #expect(shared.count == 1 && shared[0]["title"] == "Porridge")
        #expect(shared[0]["opening_count"] == 2 && shared[0]["opening_max_count"] == 3)
        #expect(try two.run(two.laptop, "share list").contains("2 of 3"))
        let id = try #require(shared[0]["share_id"]?.string)
        #expect(
            try two.run(two.laptop, "share revoke \(id.suffix(6))")
                == "No longer shared: Porridge\n")
        #expect(try open(link).0 == 404)
        #expect(try two.run(two.phone, "share list") == "Nothing is shared.\n")
        let trail = try two.json(two.phone, "auth audit")["audit"]?.array ?? []
        #expect(trail.compactMap { $0["event"]?.string }.prefix(2) == ["share_revoked", "shared"])
    }

    @Test func `a day and a range are shown, too, and what others see does not change`() throws {
        try eat()
        let day = try made("share day 2024-03-10")
        let range = try made("share range 2024-03-04..2024-03-10")
        #expect(day["document"]?["kind"] == "day" && range["document"]?["kind"] == "range")
        try two.run(two.phone, "add Soup --kcal 460 --at 2024-03-10T12:30")
        for share in [day, range] {
            let (status, page) = try open(try #require(share["link"]?.string))
            #expect(status == 200 && page.contains("<strong>380</strong> kcal"))
            #expect(!page.contains("Soup"))
        }
    }

    @Test func `a browser gets one policy, which allows the one style of the page`() throws {
        try eat()
        let link = try #require(try made("share day 2024-03-10")["link"]?.string)
        let page = try answer(link)
        for (name, value) in [
            ("content-security-policy", "default-src 'none'; style-src 'sha256-"),
            ("referrer-policy", "no-referrer"), ("x-content-type-options", "nosniff"),
            ("cache-control", "no-store"), ("x-robots-tag", "noindex"),
        ] {
            let found = page.fields.filter { $0.name == name }
            #expect(found.count == 1 && found[0].value.hasPrefix(value), "\(name): \(found)")
        }
    }

    @Test func `a mistake says what to type, and shares nothing`() throws {
        try eat()
        for (words, code, hint) in [
            ("share meal 2024-03-10", 64, "macrolog share day"),
            ("share day 2024-03-04..2024-03-10", 64, "macrolog share range"),
            ("share range 2024-03-10", 64, "macrolog share day"),
            ("share day 2024-03-10 --days 0", 64, "from 1 to 90"),
            ("share day 2024-03-10 --days 91", 64, "from 1 to 90"),
            ("share day 2024-03-10 --max-opens 0", 64, "from 1 to 1000000"),
            ("share day 2027-13-01", 64, "DAY \"2027-13-01\" is not a day"),
            ("share day 3f2a", 64, "DAY \"3f2a\" is not a day"),
            ("share range 2027-13-01", 64, "RANGE \"2027-13-01\" is not a day"),
            ("share day 2024-03-11", 66, "nothing was eaten then"),
            ("share revoke ffff", 66, "macrolog share list"),
            ("share revoke f", 66, "macrolog share list"),
        ] as [(String, Int32, String)] {
            let result = try two.phone.run(Transcript.words("macrolog \(words)"))
            #expect(result.status == code, "\(words): \(result.errors)")
            #expect(result.errors.contains(hint), "\(words): \(result.errors)")
        }
        #expect(try two.run(two.phone, "share list") == "Nothing is shared.\n")
        let stranger = try Computer()
        try #require(stranger.run(["quick", "300"]).status == 0)
        let result = try stranger.run(["share", "day", "today"])
        #expect(
            result.status == 77 && result.errors.contains("macrolog auth login"), "\(result.errors)"
        )
    }
}

/// Whether the libraries that draw a card are installed.
let canDrawCards = (try? Picture(width: 10, height: 10, title: "").png(.light)) != nil
