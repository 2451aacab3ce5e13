import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologTestSupport
import Testing

/// Goal: an app of FitAI that saves what it was shown changes nothing, and what it changes reads back as it was sent.
/// Method: rows are read, sent back whole or with one change, and compared, also over the other interface.
@Suite struct FitAITests {
    private func client() throws -> Client { try GatewayWorld().logIn() }

    /// The only row of a day.
    private func row(_ client: Client, _ day: String = "2026-11-20") throws -> JSON {
        try #require(client.get("/food-entries?date=\(day)").json.array?.first)
    }

    private func put(_ client: Client, _ row: JSON, _ change: JSON = [:]) -> HTTPResponse {
        let id = row["id"]?.string ?? ""
        let kept = row.object?.filter { change[$0.key] == nil } ?? []
        let body = JSON.object(kept + (change.object ?? []))
        return client.call("PUT", "/food-entries/\(id)", body)
    }

    /// The members that people see, without the times.
    private func seen(_ row: JSON) -> [JSON?] {
        [
            "date", "meal_type", "food_name", "calories", "protein", "carbs", "fat",
            "serving_size", "notes", "ai_analyzed", "ai_confidence",
        ].map { row[$0] }
    }

    @Test func `a saved FitAI row keeps the amount`() throws {
        let client = try client()
        let id = try client.addMeal([
            "day": "2026-11-20",
            "items": [
                [
                    "name": "Oats", "amount": ["number": 60, "unit": "g"],
                    "nutrients": ["energy_kcal": 223],
                ]
            ],
        ])
        let amount = { client.get("/api/v1/meals/\(id)").json["items"]?.array?[0]["amount"] }
        let before = amount()
        let shown = try row(client)
        #expect(shown["serving_size"] == "60 g")
        #expect(put(client, shown).status == 200)
        #expect(amount() == before, "\(amount()?.compact ?? "")")
        let log = client.get("/api/v1/log").whole.body
        #expect(put(client, try row(client)).status == 200)
        #expect(client.get("/api/v1/log").whole.body == log, "what is shown is no change")
    }

    @Test(
        arguments: [
            ("200 g", ["number": 200, "unit": "g"]), ("2 slices", ["number": 2, "unit": "slices"]),
            ("1.5 cups", ["number": .number("1.5"), "unit": "cups"]),
            ("1 slice", ["number": 1, "unit": "slice"]), ("large", ["number": 1, "unit": "large"]),
            ("1 medium", ["number": 1, "unit": "1 medium"]),
            ("2 large eggs", ["number": 2, "unit": "large eggs"]),
            ("half of it", ["number": 1, "unit": "half of it"]),
            ("2 cups mac", ["number": 1, "unit": "2 cups mac"]),
            ("one plate, as large as the one of last Sunday", nil),
        ] as [(String, JSON?)])
    func `a size reads back as it was sent, whether or not it is an amount`(
        size: String, amount: JSON?
    ) throws {
        let client = try client()
        let made = client.call(
            "POST", "/food-entries",
            [
                "food_name": "Bread", "calories": 90, "date": "2026-11-20", "notes": "warm",
                "serving_size": .string(size),
            ])
        #expect(made.status == 201, "\(made.text)")
        #expect(made.json["serving_size"]?.string == size, "\(made.text)")
        #expect(made.json["notes"] == "warm")
        #expect(seen(put(client, made.json).json) == seen(made.json))
        let meal = client.get("/api/v1/meals/\(made.json["id"]?.string ?? "")").json
        let kept = meal["items"]?.array?.first?["amount"]
        for member in ["number", "unit"] {
            #expect(kept?[member] == amount?[member], "\(meal.compact)")
        }
        #expect(meal["note"]?.string == (amount == nil ? "warm\nServing: \(size)" : "warm"))
        let cleared = put(client, made.json, ["serving_size": nil])
        #expect(cleared.json["serving_size"] == .null && cleared.json["notes"] == "warm")
    }

    @Test func `a size of grams is a mass`() throws {
        let client = try client()
        let made = client.call(
            "POST", "/food-entries",
            ["food_name": "Rice", "calories": 260, "serving_size": "200g"])
        let meal = client.get("/api/v1/meals/\(made.json["id"]?.string ?? "")").json
        #expect(meal["items"]?.array?.first?["amount"]?["mass_g"] == 200, "\(meal.compact)")
    }

    @Test(arguments: [50, 33, 300, 0] as [JSON])
    func `a meal of which a share was eaten is not divided again`(share: JSON) throws {
        let client = try client()
        let id = try client.addMeal([
            "name": "Rice", "day": "2026-11-20", "consumed_share_percent": share,
            "items": [
                [
                    "name": "Rice", "amount": ["number": 60, "unit": "g"],
                    "nutrients": ["energy_kcal": 300, "carbs_g": 60],
                ]
            ],
        ])
        let shown = try row(client)
        #expect(seen(put(client, shown).json) == seen(shown))
        for calories in [100, .number("100.001")] as [JSON] {
            let changed = put(client, try row(client), ["calories": calories])
            #expect(changed.json["calories"] == calories, "\(changed.text)")
            #expect(changed.json["carbs"] == shown["carbs"], "\(changed.text)")
        }
        let kept = client.get("/api/v1/meals/\(id)").json["consumed_share_percent"]
        if share == 50 { #expect(kept == 50) }
    }

    @Test func `a meal without parts is changed as well`() throws {
        let client = try client()
        let id = try client.addMeal([
            "name": "Soup", "day": "2026-11-20", "note": "Serving: 1 bowl\nhot",
            "nutrients": ["energy_kcal": 200],
        ])
        let shown = try row(client)
        #expect(shown["serving_size"] == "1 bowl" && shown["notes"] == "hot")
        #expect(put(client, shown).status == 200)
        let note = client.get("/api/v1/meals/\(id)").json["note"]
        #expect(note == "Serving: 1 bowl\nhot", "what is shown is no change")
        let changed = put(client, shown, ["calories": 250, "serving_size": "2 bowls"])
        #expect(changed.json["calories"] == 250, "\(changed.text)")
        #expect(changed.json["serving_size"] == "2 bowls" && changed.json["notes"] == "hot")
        let meal = client.get("/api/v1/meals/\(id)").json
        #expect(meal["nutrients"]?["energy_kcal"] == 250, "\(meal.compact)")
        #expect(meal["items"] == [] && meal["note"] == "hot\nServing: 2 bowls")
    }

    @Test func `0 that stands for what is unknown stays unknown`() throws {
        let client = try client()
        let id = try client.addMeal([
            "day": "2026-11-20", "items": [["name": "Tea", "nutrients": ["energy_kcal": 2]]],
        ])
        _ = put(client, try row(client), ["calories": 3])
        let sums = client.get("/api/v1/meals/\(id)").json["totals"]?["sums"]
        #expect(sums?["energy_kcal"] == 3 && sums?["protein_g"] ?? .null == .null)
    }

    @Test func `a row has its slot, photo, confidence and times`() throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let made = client.call(
            "POST", "/food-entries",
            [
                "food_name": "Apple", "calories": 95, "date": "2026-11-20", "meal_type": "Lunch",
                "ai_analyzed": true, "ai_confidence": .number("0.85"),
            ])
        #expect(made.status == 201, "\(made.text)")
        #expect(made.json["meal_type"] == "lunch" && made.json["ai_analyzed"] == true)
        #expect(made.json["ai_confidence"] == .number("0.85"), "\(made.text)")
        #expect(made.json["created_at"]?.string != nil)
        #expect(made.json["updated_at"] == made.json["created_at"])
        #expect(made.json["photo_url"] == .null)
        let id = try #require(made.json["id"]?.string)
        let sent = client.send(
            "/photos",
            [
                (name: "image", bytes: PNGSample.file()),
                (name: "food_entry_id", bytes: Array(id.utf8)),
            ])
        #expect(sent.status == 201, "\(sent.text)")
        let address = try #require(try row(client)["photo_url"]?.string)
        #expect(address.contains("/photos/shown/"), "\(address)")
        _ = try client.addMeal(["name": "Toast", "day": "2026-11-21"])
        #expect(try row(client, "2026-11-21")["meal_type"] == "snack")
        let other = client.call("PUT", "/food-entries/\(id)", ["ai_analyzed": false])
        #expect(other.json["ai_confidence"] == .number("0.85"), "\(other.text)")
    }

    @Test func `rows of some days, and the time of one that is moved`() throws {
        let client = try client()
        let id = try client.addMeal([
            "name": "Egg", "occurred_at": "2026-11-20T08:30:00Z",
            "consumed_at": "2026-11-20T08:30:00Z", "nutrients": ["energy_kcal": 70],
        ])
        _ = try client.addMeal(["name": "Tea", "day": "2026-11-18"])
        let both = client.get("/food-entries?from=2026-11-18&to=2026-11-20").json.array
        #expect(both?.map { $0["food_name"] } == ["Tea", "Egg"])
        let moved = client.call("PUT", "/food-entries/\(id)", ["date": "2026-11-19"])
        #expect(moved.json["date"] == "2026-11-19", "\(moved.text)")
        let meal = client.get("/api/v1/meals/\(id)").json
        for member in ["occurred_at", "consumed_at"] {
            let time = meal[member]?.string
            #expect(time?.hasPrefix("2026-11-19T08:30:00") == true, "\(meal.compact)")
        }
    }

    @Test func `a problem names the member that was sent`() throws {
        let client = try client()
        let slot = client.call(
            "POST", "/food-entries",
            ["food_name": "Egg", "calories": 70, "meal_type": "at night!"])
        #expect(slot.json["pointer"] == "#/meal_type", "\(slot.text)")
        #expect(slot.json["title"]?.string?.hasPrefix("meal_type ") == true, "\(slot.text)")
        let born = client.call("PUT", "/users", ["date_of_birth": "2199-01-01"])
        #expect(born.json["pointer"] == "#/date_of_birth", "\(born.text)")
    }

    @Test func `a photo of two entries is listed once`() throws {
        let client = try client()
        for name in ["One", "Two"] {
            let id = try client.addMeal(["name": .string(name), "day": "2026-11-20"])
            let sent = client.send(
                "/photos",
                [
                    (name: "image", bytes: PNGSample.file()),
                    (name: "food_entry_id", bytes: Array(id.utf8)),
                ])
            #expect(sent.status == 201, "\(sent.text)")
        }
        let photos = client.get("/photos?from=2026-11-20&to=2026-11-20").json.array
        #expect(photos?.count == 1, "\(photos ?? [])")
    }
}
