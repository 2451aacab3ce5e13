import Foundation
import MacrologGateway
import MacrologTestSupport
import Testing

/// Goal: `docs/rest.md` lists what the server answers.
/// Method: its table of routes and its table of problems are compared with the declarations.
/// `MACROLOG_TEST_RECORD=1 swift test --filter PageTests` writes the table of routes again, a run that fails.
@Suite struct PageTests {
    private static let heading = "## Routes\n"
    private static let path = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../docs/rest.md")

    private static var table: String {
        let rows = APIRoutes.all.map { "| `\($0.name)` | \($0.summary) |\n" }
        return "\n| Route | What it does |\n|---|---|\n" + rows.joined()
    }

    @Test func `the page has every route, and what it does`() throws {
        let page = try String(contentsOf: Self.path, encoding: .utf8)
        let head = page.components(separatedBy: Self.heading)[0]
        if ProcessInfo.processInfo.environment["MACROLOG_TEST_RECORD"] != nil {
            try (head + Self.heading + Self.table).write(
                to: Self.path, atomically: true, encoding: .utf8)
            Issue.record("recorded")
        }
        #expect(page == head + Self.heading + Self.table)
    }

    @Test func `the page has every problem`() throws {
        let page = try String(contentsOf: Self.path, encoding: .utf8)
        for kind in APIProblemKind.allCases {
            let row = page.split(separator: "\n").first { $0.contains("`\(kind.rawValue)`") }
            #expect(row?.contains("\(kind.status)") == true, "\(kind.rawValue)")
        }
    }
}
