import Foundation
import MacrologService
import Testing
import MacrologWire

/// Goal: the table of routes in `docs/protocol/http.md` is the table that the server routes by.
/// Method: each row of the code is written as a row of the page; they are compared both ways.
@Suite struct RouteTableTests {
    private let page: Page
    /// All pages of the protocol as one text, without what is reserved.
    private let all: String
    /// The constants that bound a body, by their value.
    private let limits: [String: String]

    init() throws {
        page = try Page("docs/protocol/http.md")
        let core = try Page("protocol.md").text.components(separatedBy: "\n## 16 ")[0]
        all = try ([core] + Page.annexes().values.map { $0.text }).joined(separator: "\n")
        let code = try Package.sources("Sources")
        var limits: [String: String] = [:]
        for name in ["Bodies.strangerBytesMax", "Limits.messageBytesMax", "Limits.blobBytesMax"] {
            limits[try #require(try Constants.value(name, in: code))] = name
        }
        self.limits = limits
    }

    private static func text(_ content: Route.Content?) -> String {
        switch content {
        case nil: "–"
        case .cbor(let rule): "`\(rule)`"
        case .json(let members): list(members)
        case .bytes: "bytes"
        case .events: "events"
        case .text: "text"
        case .html: "page"
        case .png: "picture"
        }
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "–" : names.map { "`\($0)`" }.joined(separator: ", ")
    }

    private func row(_ route: Route) throws -> String {
        let limit = try #require(limits["\(route.bodyBytesMax)"], "\(route.name)")
        let answers = route.answers.map { answer in
            answer.content == nil
                ? "\(answer.status)" : "\(answer.status) \(Self.text(answer.content))"
        }
        let cells = [
            "`\(route.name)`", route.right.rawValue, Self.text(route.body), "`\(limit)`",
            Self.list(route.rates.map(\.rawValue)), answers.joined(separator: "; "),
            Self.list(route.problems.map(\.rawValue)),
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }

    @Test func `the routes of the page are those of the server, column by column`() throws {
        let promised = page.text.split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("| `") }
        let real = try Routes.all.map(row)
        for row in real { #expect(promised.contains(row), "not on the page: \(row)") }
        for row in promised { #expect(real.contains(row), "not in the code: \(row)") }
        #expect(promised == real, "in another order")
    }

    @Test func `the pages name no request that the server does not serve`() {
        let names = Set(Routes.all.map(\.name))
        let written = all.matches(of: /`([A-Z]+ \/[a-z0-9\/{}]+)`/).map { String($0.1) }
        #expect(Set(written) == names)
    }

    @Test func `what any route may answer is on the page, too`() {
        let section = page.text.replacing("\n", with: " ")
        for kind in Routes.problems { #expect(section.contains("`\(kind.rawValue)`"), "\(kind)") }
    }

    @Test func `the messages of the table are rules of the CDDL`() {
        for route in Routes.all {
            for case .cbor(let rule) in [route.body] + route.answers.map(\.content) {
                #expect(all.contains("\n\(rule) = {"), "\(rule)")
            }
        }
    }
}
