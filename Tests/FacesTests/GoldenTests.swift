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

    @Test func `a meal says where it came from, and each part whether a person changed it`() {
        var meal = Meal(id: Samples.id(2), on: LocalDate(day: Samples.span.lowerBound))
        var item = MealItem(id: Samples.id(3), of: meal.id, name: "Soup")
        func json() -> JSON {
            MealDetail(
                meal: meal, items: [item], totals: NutrientTotals(), hasConflict: false,
                isEditedByNewerVersion: false
            ).json
        }
        for key in ["health_score", "source", "analysis_id", "reported_total"] {
            #expect(json()[key] == JSON.null, "\(key) is there, and null when it is not set")
        }
        #expect(json()["external_refs"] == [])
        #expect(json()["items"]?.array?.first?["recipe_id"] == JSON.null)
        #expect(json()["items"]?.array?.first?["edited_by_user"] == false)
        meal.healthScore = 7
        meal.source = .photo
        meal.analysisID = Samples.id(9)
        meal.externalIDs = ["fitai:12"]
        meal.reportedTotal = Nutrients(energy: 615_000)
        item.recipeID = Samples.id(8)
        item.isEditedByUser = true
        #expect(json()["health_score"] == 7)
        #expect(json()["source"] == "photo")
        #expect(json()["analysis_id"] == .id(Samples.id(9)))
        #expect(json()["external_refs"] == ["fitai:12"])
        #expect(json()["reported_total"]?["energy_kcal"] == 615)
        #expect(json()["items"]?.array?.first?["recipe_id"] == .id(Samples.id(8)))
        #expect(json()["items"]?.array?.first?["edited_by_user"] == true)
    }

    /// Goal: "on all devices" is said only when it is true of everything that this device knows of.
    @Test func `all devices have everything only when nothing waits anywhere`() {
        func isOnAll(_ status: SyncStatusFace) -> JSON? {
            SyncJSON.status(status, isLoggedIn: true, photosUnsent: 0, photoError: nil)[
                "on_all_devices"]
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
                Samples.status(), isLoggedIn: true, photosUnsent: photosUnsent,
                photoError: "unreachable")["photo_error"]
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
