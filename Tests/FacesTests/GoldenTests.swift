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

    /// Goal: "on all devices" is said only when it is true of everything that this device knows of.
    @Test func `all devices have everything only when nothing waits anywhere`() {
        func isOnAll(_ status: SyncStatusFace) -> JSON? {
            SyncJSON.status(status, photosUnsent: 0, photoError: nil)["on_all_devices"]
        }
        #expect(isOnAll(Samples.status()) == true)
        #expect(isOnAll(Samples.status(lacks: [0, 1])) == false, "another device lacks an event")
        #expect(isOnAll(Samples.status(unsealed: 1)) == false, "an event was not sent")
        #expect(isOnAll(Samples.status(head: 13)) == false, "an event was not fetched")
        #expect(isOnAll(Samples.status(lacks: nil)) == JSON.null, "no server has answered")
    }

    @Test func `the reason of a photo that was not sent is gone once all are sent`() {
        func error(_ photosUnsent: Int64) -> JSON? {
            SyncJSON.status(
                Samples.status(), photosUnsent: photosUnsent, photoError: "unreachable")[
                    "photo_error"]
        }
        #expect(error(1) == "unreachable")
        #expect(error(0) == JSON.null)
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
