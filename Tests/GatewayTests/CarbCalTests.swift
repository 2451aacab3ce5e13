import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: CarbCal's app, whose models are whole numbers and texts without null, shows any meal of the log as it counts.
/// Method: meals as other programs record them, read over `/food-logs`.
@Suite struct CarbCalTests {
    /// A dish that CarbCal's app sends, with other members.
    private func dish(_ members: JSON.Member...) -> JSON {
        let usual = [
            JSON.Member("dishName", "Toast"), JSON.Member("date", "2026-11-20"),
            JSON.Member("ingredients", []),
        ]
        let names = members.map(\.key)
        return .object(usual.filter { !names.contains($0.key) } + members)
    }

    private func logs(_ client: Client, _ day: String = "2026-11-20") -> [JSON] {
        client.get("/food-logs?date=\(day)").json["logs"]?.array ?? []
    }

    /// What an app computes of the ingredients.
    private func sum(_ log: JSON?, _ key: String) -> Int64 {
        (log?["ingredients"]?.array ?? []).reduce(0) { $0 + ($1[key]?.integer ?? 0) }
    }

    @Test func `a log without a score reads 0, and one without a name is refused`() throws {
        let client = try GatewayWorld().logIn()
        let made = client.call("POST", "/food-logs", dish())
        #expect(made.status == 201 && made.json["healthScore"] == 0, "\(made.text)")
        #expect(made.json["total"]?["healthScore"] == 0)
        #expect(logs(client).first == made.json)
        for name in ["", " "] as [JSON] {
            let refused = client.call("POST", "/food-logs", dish(JSON.Member("dishName", name)))
            #expect(refused.status == 422, "\(refused.text)")
            #expect(refused.json["pointer"] == "#/dishName", "\(refused.text)")
        }
        let score = client.call(
            "POST", "/food-logs", dish(JSON.Member("healthScore", .number("7.4"))))
        #expect(score.text.contains("a whole number from 0 to 10"), "\(score.text)")
        #expect(logs(client).count == 1)
    }

    @Test func `the ingredients add up to what was eaten, also of a meal that has none`() throws {
        let client = try GatewayWorld().logIn()
        let meals: [JSON] = [
            ["name": "Soup", "nutrients": ["energy_kcal": 300, "fat_g": 10]],
            [
                "name": "Pizza", "consumed_share_percent": 50,
                "nutrients": ["energy_kcal": 51],
                "items": [
                    ["name": "Base", "nutrients": ["energy_kcal": 501, "carbs_g": 90]],
                    ["name": "Cheese", "nutrients": ["energy_kcal": 300, "protein_g": 25]],
                ],
            ],
        ]
        for (index, body) in meals.enumerated() {
            let day = "2026-11-1\(index)"
            let made = client.call(
                "POST", "/api/v1/meals",
                .object((body.object ?? []) + [JSON.Member("day", .string(day))]))
            #expect(made.status == 201, "\(made.text)")
            let shown = logs(client, day).first
            for key in ["calories", "carbs", "protein", "fats"] {
                #expect(sum(shown, key) == shown?["total"]?[key]?.integer, "\(key) of \(day)")
            }
        }
        let soup = logs(client, "2026-11-10").first
        #expect(
            soup?["ingredients"] == [
                ["name": "Soup", "calories": 300, "carbs": 0, "protein": 0, "fats": 10]
            ], "\(soup?.compact ?? "")")
        let pizza = logs(client, "2026-11-11").first
        #expect(pizza?["total"]?["calories"] == 426 && pizza?["total"]?["carbs"] == 45)
        #expect(
            pizza?["ingredients"]?.array?.compactMap { $0["name"]?.string } == [
                "Pizza", "Base", "Cheese",
            ])
    }

    @Test func `fractions are shown as whole numbers that add up to the total and to the day`()
        throws
    {
        let client = try GatewayWorld().logIn()
        func part(_ name: String) -> JSON {
            [
                "name": .string(name), "calories": .number("100.5"), "carbs": .number("10.5"),
                "protein": .number("0.5"), "fats": .number("2.5"),
            ]
        }
        let made = client.call(
            "POST", "/food-logs", dish(JSON.Member("ingredients", [part("A"), part("B")])))
        #expect(
            made.json["ingredients"] == [
                ["name": "A", "calories": 101, "carbs": 11, "protein": 1, "fats": 3],
                ["name": "B", "calories": 100, "carbs": 10, "protein": 0, "fats": 2],
            ], "\(made.text)")
        #expect(
            made.json["total"]
                == ["calories": 201, "carbs": 21, "protein": 1, "fats": 5, "healthScore": 0])
        let half = client.call(
            "POST", "/food-logs", dish(JSON.Member("ingredients", [part("C")])))
        #expect(half.json["total"]?["calories"] == 101)
        let day = client.get("/food-logs?date=2026-11-20").json
        #expect(day["totalCalories"] == 302, "\(day.compact)")
    }

    @Test func `imagePath shows the photo that was sent for the log, and no path of a phone`()
        throws
    {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let made = client.call(
            "POST", "/food-logs", dish(JSON.Member("imagePath", "/tmp/lunch.jpg")))
        #expect(made.json["imagePath"] == "", "\(made.text)")
        let id = try #require(made.json["id"]?.string)
        let kept = client.send(
            "/photos", [("image", PNGSample.file()), ("food_entry_id", Array(id.utf8))])
        #expect(kept.status == 201, "\(kept.text)")
        let path = try #require(logs(client).first?["imagePath"]?.string)
        let signed = try #require(path.split(separator: "/").last)
        let shown = Client(world: world, token: nil).get("/photos/shown/\(signed)")
        #expect(shown.status == 200 && shown.field("content-type") == "image/png", "\(path)")
    }
}
