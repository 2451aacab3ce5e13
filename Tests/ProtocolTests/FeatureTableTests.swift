import Foundation
import Testing

/// Goal: `docs/features.md` names tests that there are, for every row that the earlier systems' documents ask for.
/// Method: each name of the table is looked for in the sources of the tests.
@Suite struct FeatureTableTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func table() throws -> [Substring] {
        try String(contentsOf: root.appending(path: "docs/features.md"), encoding: .utf8)
            .split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| Row") }
    }

    /// The sources of all tests, whose suites and names are looked for.
    private static func sources() throws -> [String] {
        let tests = root.appending(path: "Tests")
        let paths =
            FileManager.default.enumerator(atPath: tests.path)?
            .compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") } ?? []
        return try paths.map { try String(contentsOf: tests.appending(path: $0), encoding: .utf8) }
    }

    @Test func `every test that is named is there`() throws {
        let sources = try Self.sources()
        var count = 0
        for row in try Self.table() {
            for name in row.matches(of: /`(\w+Tests)\/([^`]+)`/) {
                let isThere = sources.contains { text in
                    text.contains("struct \(name.1) ") || text.contains("struct \(name.1):")
                        ? text.contains("`\(name.2)`") || text.contains("\"\(name.2)\"") : false
                }
                #expect(isThere, "\(name.1)/\(name.2)")
                count += 1
            }
        }
        #expect(count > 50)
    }

    @Test func `every row has a line, and every line a test`() throws {
        let rows = try Self.table()
        let listed = Set(
            rows.flatMap {
                $0.split(separator: "|")[0].matches(of: /[FCNAX]\d\d/).map { String($0.0) }
            })
        let asked: [(Character, [Int])] = [
            ("F", [2, 4, 12, 13, 16, 20, 25, 29, 30, 33, 35, 36, 37]), ("C", Array(1...9)),
            ("N", [1, 2, 3, 4, 6, 10, 11, 12] + Array(14...21)), ("A", [3, 4, 6, 13]),
            ("X", Array(1...15)),
        ]
        for (letter, numbers) in asked {
            for number in numbers {
                let name = "\(letter)\(number < 10 ? "0" : "")\(number)"
                #expect(listed.contains(name), "\(name)")
            }
        }
        #expect(rows.allSatisfy { $0.contains("Tests/") })
    }
}
