import Macrolog
import MacrologDiary
import MacrologEngine
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import Testing

/// Goal: what there is one of stays one: the steps of a day and a source, a measure of a food, the check-in of a day.
/// Method: it is sent twice, changed in between, and counted; a device moves it where a request may not.
@Suite struct OneThingTests {
    @Test(
        arguments: [
            (
                "steps", ["day": "2026-11-10", "source": "watch", "steps": 1_000],
                ["day": "2026-11-11"], ["steps": 1_200]
            ),
            (
                "steps", ["day": "2026-11-10", "source": "watch", "steps": 1_000],
                ["source": "phone"], ["steps": 1_200]
            ),
            ("portions", ["measure": "cup", "mass_g": 100], ["measure": "mug"], ["mass_g": 120]),
            (
                "check-ins", ["day": "2026-11-10", "stress": 2], ["day": "2026-11-11"],
                ["stress": 3]
            ),
        ] as [(String, JSON, JSON, JSON)])
    func `one thing stays where its id is from`(
        kind: String, sent: JSON, moved: JSON, changed: JSON
    ) throws {
        let client = try GatewayWorld().logIn()
        var sent = sent
        if kind == "portions" {
            let food = client.call("POST", "/api/v1/foods", ["name": "Oats"]).json["id"] ?? .null
            sent = .object((sent.object ?? []) + [JSON.Member("food_id", food)])
        }
        let first = client.call("POST", "/api/v1/\(kind)", sent)
        let id = try #require(first.json["id"]?.string, "\(first.text)")
        let path = "/api/v1/\(kind)/\(id)"
        let refused = client.call("PATCH", path, moved)
        #expect(refused.status == 409 && refused.problem == "conflict", "\(refused.text)")
        #expect(refused.text.contains("stays"), "\(refused.text)")
        #expect(client.get(path).json == first.json)
        #expect(client.call("PATCH", path, changed).status == 200)
        for _ in 0..<2 {
            let again = client.call("POST", "/api/v1/\(kind)", sent)
            #expect(again.status == 201 && again.json["id"]?.string == id, "\(again.text)")
        }
    }

    @Test func `what a device has renamed or moved stays, and another one is another`() async throws
    {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let food = client.call("POST", "/api/v1/foods", ["name": "Oats"]).json["id"] ?? .null
        let measure: JSON = ["food_id": food, "measure": "cup", "mass_g": 100]
        let cup = client.call("POST", "/api/v1/portions", measure).json["id"]?.string
        let steps: JSON = ["day": "2026-11-20", "source": "watch", "steps": 5_000]
        let watch = client.call("POST", "/api/v1/steps", steps)
        let energy: JSON = ["day": "2026-11-20", "source": "watch", "active_kcal": 310]
        let both = client.call("POST", "/api/v1/steps", energy)
        #expect(both.json["id"] == watch.json["id"] && both.json["steps"] == 5_000, "\(both.text)")
        let portion = try #require(cup.flatMap { Identifier($0) })

        let phone = try await world.device("phone")
        _ = try await phone.sync()
        try phone.replica.write { diary in
            var renamed = try diary.require(FoodPortion.self, portion)
            renamed.label = "mug"
            try diary.save(renamed)
        }
        _ = try await phone.sync()
        let mug: JSON = ["food_id": food, "measure": "cup", "mass_g": 140]
        #expect(client.call("POST", "/api/v1/portions", mug).status == 201)
        let all = client.get("/api/v1/foods/\(food.string ?? "")/portions").json.array ?? []
        #expect(Set(all.map { $0["measure"]?.string }) == ["cup", "mug"])
        // Its mass may change, though its id is of another name.
        let heavier = client.call("PATCH", "/api/v1/portions/\(portion)", ["mass_g": 110])
        #expect(heavier.status == 200 && heavier.json["measure"] == "mug", "\(heavier.text)")
    }

    @Test func `a second one that names a version is refused if another has changed the first`()
        throws
    {
        let client = try GatewayWorld().logIn()
        let first = client.call(
            "POST", "/api/v1/check-ins", ["day": "2026-11-10", "sleep_min": 450])
        let path = "/api/v1/check-ins/\(try #require(first.json["id"]?.string))"
        let tag = try #require(client.get(path).field("etag"))
        let second: JSON = ["day": "2026-11-10", "stress": 2]
        let stale = [HTTPField("if-match", "\"stale\"")]
        let late = client.call("POST", "/api/v1/check-ins", second, stale)
        #expect(late.status == 412 && late.problem == "precondition_failed", "\(late.text)")
        #expect(late.json["current"]?["sleep_min"] == 450, "\(late.text)")
        #expect(client.get(path).json == first.json)
        let seen = [HTTPField("if-match", tag)]
        let known = client.call("POST", "/api/v1/check-ins", second, seen)
        #expect(known.status == 201 && known.json["stress"] == 2, "\(known.text)")
    }
}
