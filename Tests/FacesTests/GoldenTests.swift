import Foundation
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition
import Testing

/// Goal: JSON and SVG are the same bytes for the same values, with no database beside them.
/// Method: invented values become documents, which are compared with those in `Golden`. After a
/// wanted change: `MACROLOG_TEST_RECORD=1 swift test --filter FacesTests`.
@Suite struct GoldenTests {
    @Test(arguments: Samples.documents.keys.sorted())
    func `a value becomes the document of before`(name: String) throws {
        let sample = try #require(Samples.documents[name])
        let document = sample()
        let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden/\(name)")
        guard ProcessInfo.processInfo.environment["MACROLOG_TEST_RECORD"] == nil else {
            try Data(document.utf8).write(to: golden)
            Issue.record("\(name) was written again")
            return
        }
        let before = try String(contentsOf: golden, encoding: .utf8)
        #expect(document == before)
    }

    @Test func `what is unknown is null, and zero is zero`() {
        let item = MealItem(
            id: Samples.id(3), of: Samples.id(2), name: "Water",
            nutrients: Nutrients(energy: 0))
        #expect(item.json["nutrients"]?["energy_kcal"] == 0)
        #expect(item.json["nutrients"]?["protein_g"] == JSON.null)
        #expect(item.json["amount"] == JSON.null)
    }

    @Test func `instants before 1970 count from the day before`() {
        #expect(JSON.instant(-1) == "1969-12-31T23:59:59.999Z")
        #expect(JSON.instant(0) == "1970-01-01T00:00:00.000Z")
        #expect(JSON.instant(nil) == .null)
    }

    @Test func `an instant that no calendar here holds is null, and never another one`() {
        #expect(JSON.instant(7_289_654_399_999) == "2200-12-31T23:59:59.999Z")
        for instant in [7_289_654_400_000, -2_208_988_800_001, .max, .min] as [Int64] {
            #expect(JSON.instant(instant) == .null)
        }
    }
}
