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

    @Test func `where the page counts the lines of files, it is right to a tenth`() throws {
        let page = try Page("Sources/README.md").text.replacing("\n", with: " ")
        let items = page.matches(of: /\d\. (`[^.]*?\.swift`[^\d]*?)[. ](?:in )?(\d+) lines/)
        #expect(items.count >= 2)
        for item in items {
            let lines = try item.1.matches(of: /`([\w\/]+\.swift)`/).map {
                try Page("Sources/\($0.1)").text.split(
                    separator: "\n", omittingEmptySubsequences: false
                ).count - 1
            }
            let (sum, said) = (lines.reduce(0, +), Int(item.2) ?? 0)
            #expect(abs(sum - said) * 10 <= sum, "\(item.1) has \(sum) lines")
        }
    }
}
