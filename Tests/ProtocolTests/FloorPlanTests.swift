import Foundation
import Testing

/// Goal: `Sources/README.md` says of the rooms what the package says.
/// Method: read the page's table and its countable sentences, and compare them with `Package.swift` and
/// the files.
@Suite struct FloorPlanTests {
    private func names(_ text: Substring) -> Set<String> {
        Set(text.matches(of: /"(\w+)"/).map { String($0.1) })
    }

    /// What `Package.swift` lets each room import, but for those of the workshop.
    private func declared() throws -> [String: Set<String>] {
        let text = try Page("Package.swift").text
        let pattern = /\broom\(\s*"([\w\/]+)"(?:,\s*\[([^\]]*)\])?(?:,\s*onLinux:\s*\[([^\]]*)\])?/
        let rooms = text.matches(of: pattern).filter { !$0.1.hasPrefix("Workshop/") }.map {
            match -> (String, Set<String>) in
            let name = String(match.1.split(separator: "/").last ?? "")
            return (name, names(match.2 ?? "").union(names(match.3 ?? "")))
        }
        return Dictionary(uniqueKeysWithValues: rooms)
    }

    @Test func `the page says of each room what it may import`() throws {
        var told: [String: Set<String>] = [:]
        for row in Page.rows(try Page("Sources/README.md").text) where row.count == 4 {
            // `Gzip` in `Compression`; a room without storeys has the folder's name.
            let cell = row[1].isEmpty ? row[0] : row[1]
            let name = String(cell.split(separator: " ").first ?? "").replacing("`", with: "")
            told[name] = Set(row[3].matches(of: /\w+/).map { String($0.0) }).subtracting(["nothing"]
            )
        }
        let declared = try declared()
        #expect(declared.count >= 18)
        for (room, rooms) in declared { #expect(told[room] == rooms, "\(room)") }
    }

    /// The steps of the afternoon: the files of each, and how many lines the page says they have.
    private func afternoon() throws -> [(files: [String], said: Int)] {
        let page = try Page("Sources/README.md").text.replacing("\n", with: " ")
        return page.matches(of: /\d\. (`[^.]*?\.swift`[^\d]*?)[. ](?:in )?(\d+) lines/).map {
            item in
            let files = item.1.matches(of: /`([\w\/]+\.swift)`/).map { "Sources/\($0.1)" }
            return (files, Int(item.2) ?? 0)
        }
    }

    private func lines(of files: [String]) throws -> Int {
        try files.reduce(0) { sum, file in
            sum
                + (try Page(file).text.split(separator: "\n", omittingEmptySubsequences: false)
                    .count - 1)
        }
    }

    @Test func `where the page counts the lines of files, it is right to a tenth`() throws {
        let items = try afternoon()
        #expect(items.count >= 7)
        for item in items {
            let real = try lines(of: item.files)
            #expect(abs(real - item.said) * 10 <= real, "\(item.files) has \(real) lines")
        }
    }

    @Test func `the afternoon's order can be read in an afternoon`() throws {
        let real = try lines(of: try afternoon().flatMap { $0.files })
        let page = try Page("Sources/README.md").text
        let said = try #require(page.firstMatch(of: /([\d,]+) lines in all/)?.1)
        let sum = try #require(Int(said.replacing(",", with: "")))
        #expect(abs(real - sum) * 10 <= real, "they have \(real) lines")
        #expect(real < 2_750)
    }
}
