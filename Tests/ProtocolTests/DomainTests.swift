import Foundation
import MacrologEvents
import MacrologNutrition
import Testing

/// Goal: another implementation can show the same meals from `docs/protocol/domain.json` alone.
/// Method: the file is compared with what the declarations say. After a wanted change
/// `MACROLOG_TEST_RECORD=1 swift test --filter DomainTests` writes it again, a run that fails.
@Suite struct DomainTests {
    @Test func `the file is what the declarations say`() throws {
        let text = DomainDocument.text()
        let path = Package.root + "docs/protocol/domain.json"
        if ProcessInfo.processInfo.environment["MACROLOG_TEST_RECORD"] != nil {
            try Data(text.utf8).write(to: URL(filePath: path))
            Issue.record("domain.json was written: read its difference, then run again")
            return
        }
        let file = try String(contentsOfFile: path, encoding: .utf8)
        #expect(file.utf8.elementsEqual(text.utf8), "domain.json differs from the declarations")
    }

    @Test func `the page lists every id that devices share`() throws {
        let rows = Page.rows(try Page("docs/protocol/domain.md").text)
        for id in Kind.all.flatMap(\.sharedIDs) + [Identities.rowID] {
            #expect(
                rows.contains { $0.first == id.thing.string && $0.last == id.name.string },
                "\(id.thing): \(id.name)")
        }
    }
}
