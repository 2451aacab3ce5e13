import Foundation
import Testing

/// Goal: an operator can rely on the names of the log's events.
/// Method: the sources and the server's page, read as text.
@Suite struct EventNamesTests {
    @Test func `each event of the log is in the list of the page, and no other`() throws {
        var used: Set<String> = []
        for source in try Package.sources("sync-server") + Package.sources("Sources/Server") {
            for line in source.text.split(separator: "\n") where line.contains("event: ") {
                let name = line.components(separatedBy: "facts:")[0]
                used.formUnion(name.matches(of: /"([a-z_.]+)"/).map { String($0.1) })
            }
            used.formUnion(
                source.text.matches(of: /\.write\(\s*(?:\.[a-z]+|level),\s*"([a-z_.]+)"/)
                    .map { String($0.1) })
        }
        let rows = try Page("sync-server/README.md").text
            .matches(of: /(?m)^\| `([a-z_.]+)` \| (?:debug|info|warning|error)/)
        let listed = Set(rows.map { String($0.1) })
        #expect(used.count > 20)
        #expect(used == listed, "\(used.symmetricDifference(listed).sorted())")
    }
}
