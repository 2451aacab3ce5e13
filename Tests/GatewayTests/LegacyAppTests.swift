import Macrolog
import MacrologEvents
import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import Testing

/// Goal: the apps of the earlier systems work against this server, with their own paths, names and shapes.
/// Method: their documents' sample requests, sent as they stand there, and the answers that the documents promise;
/// where a document contradicts itself, what is right.
@Suite struct LegacyAppTests {
    /// The sample of CarbCal's document, with the total that it states.
    private static let pancakes: JSON = [
        "dishName": "Pancakes with blueberries & syrup", "date": "2025-05-27",
        "ingredients": [
            ["name": "Pancakes", "calories": 595, "carbs": 85, "protein": 9, "fats": 19],
            ["name": "Blueberries", "calories": 8, "carbs": 2, "protein": 0, "fats": 0],
            ["name": "Syrup", "calories": 12, "carbs": 6, "protein": 0, "fats": 0],
        ],
        "total": ["calories": 615, "carbs": 93, "protein": 11, "fats": 21, "healthScore": 7],
        "imagePath": "localPathOrURL", "id": "not ours",
    ]

    @Test
    func `CarbCal's sample gives 615, 93, 9 and 19, and says that another total was reported`()
        throws
    {
        let client = try GatewayWorld().logIn()
        let answer = client.call("POST", "/food-logs", Self.pancakes)
        #expect(answer.status == 201, "\(answer.text)")
        let total = answer.json["total"]
        #expect(total?["calories"] == 615 && total?["carbs"] == 93)
        #expect(total?["protein"] == 9 && total?["fats"] == 19)
        #expect(answer.json["totalMismatch"] == true)
        #expect(answer.json["healthScore"] == 7)
        let day = client.get("/food-logs?date=2025-05-27").json
        #expect(day["date"]?.string == "2025-05-27")
        #expect(day["totalCalories"] == 615)
        #expect(day["logs"]?.array?.first?["ingredients"]?.array?.count == 3)
        #expect(
            day["logs"]?.array?.first?["ingredients"]?.array?.first == [
                "name": "Pancakes", "calories": 595, "carbs": 85, "protein": 9, "fats": 19,
            ])
        #expect(client.get("/food-logs?date=2025-05-28").json["logs"]?.array?.isEmpty == true)
    }

    @Test func `NutritionAI's app registers, logs in, refreshes and logs out`() throws {
        let stranger = Client(world: try GatewayWorld(), token: nil)
        let account: JSON = [
            "email": "ana@example.org", "password": .string(GatewayWorld.password),
            "displayName": "Ana",
        ]
        let made = stranger.call("POST", "/api/auth/register", account)
        #expect(made.status == 201, "\(made.text)")
        #expect(made.json["user"]?["displayName"]?.string == "Ana", "\(made.text)")
        let app = Client(world: stranger.world, token: made.json["token"]?.string)
        #expect(app.get("/api/users/profile").json["displayName"]?.string == "Ana")
        #expect(stranger.get("/api/users/profile").status == 401)

        let wrong = stranger.call(
            "POST", "/api/auth/login", ["email": "ana@example.org", "password": "wrong wrong"])
        #expect(wrong.status == 401)
        let login = stranger.call("POST", "/api/auth/login", account)
        #expect(login.status == 200)
        let new = stranger.call(
            "POST", "/api/auth/refresh", ["refreshToken": login.json["refreshToken"] ?? .null])
        #expect(new.json["token"]?.string != nil, "\(new.text)")
        #expect(app.call("POST", "/api/auth/logout").status == 204)
        #expect(app.get("/api/meals").status == 401)
    }

    @Test func `an address that has an account is refused as such only if the operator says so`()
        throws
    {
        func answer(_ reveals: Bool) throws -> HTTPResponse {
            let world = try GatewayWorld {
                $0.requestsPerHour = nil
                $0.revealsRegistration = reveals
            }
            _ = try world.logIn()
            return Client(world: world, token: nil).call(
                "POST", "/api/auth/register",
                ["email": "ana@example.org", "password": "another lantern hums low"])
        }
        #expect(try answer(true).status == 400)
        #expect(try answer(false).status == 401)
    }

    @Test func `a meal is scanned, eaten, edited, taken off and deleted over NutritionAI's paths`()
        throws
    {
        let client = try GatewayWorld().logIn()
        _ = client.call("PUT", "/api/users/profile", ["dietPreference": "keto"])
        let id = try client.addMeal([
            "name": "Bowl", "consumed": false,
            "items": [
                [
                    "name": "Rice",
                    "nutrients": [
                        "energy_kcal": 300, "carbs_g": 60, "protein_g": 6, "fat_g": 1,
                    ],
                ]
            ],
        ])
        func calories() -> JSON? {
            client.get("/api/trends?period=7d").json["averageCalories"]
        }
        #expect(calories() == .null)
        let eaten = client.call("POST", "/api/meals/\(id)/consume", ["customNotes": "half"])
        #expect(eaten.json["isConsumed"] == true && eaten.json["customNotes"]?.string == "half")
        #expect(eaten.json["dietScore"]?.integer != nil, "\(eaten.text)")
        #expect(calories() == 300)
        let edited = client.call(
            "PUT", "/api/meals/\(id)",
            ["items": [["name": "Rice", "calories": 150], ["name": "Egg", "calories": 70]]])
        #expect(edited.json["calories"] == 220, "\(edited.text)")
        let tagged = client.call("PUT", "/api/meals/\(id)", ["tags": ["a", "a", "b"]])
        #expect(tagged.json["tags"] == ["a", "b"], "\(tagged.text)")
        #expect(edited.json["carbs"] == 60)
        #expect(client.call("POST", "/api/meals/\(id)/unconsume").json["isConsumed"] == false)
        #expect(calories() == .null)
        #expect(client.call("DELETE", "/api/meals/\(id)").status == 204)
        #expect(client.get("/api/meals").json["meals"]?.array?.isEmpty == true)
        #expect(client.call("POST", "/api/meals/\(id)/restore").json["calories"] == 220)
    }

    @Test func `one weight a day over NutritionAI's path, from two devices, is one row`()
        async throws
    {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let phone = try await world.device("phone")
        let day = try #require(Day("2026-11-20"))
        let own = WeighIn(id: Identities.weighIn(on: day), on: LocalDate(day: day), grams: 80_000)
        try phone.replica.add(own)
        let weight: JSON = ["weight": .number("176.5"), "unit": "lb", "date": "2026-11-20"]
        #expect(client.call("POST", "/api/metrics/weight", weight).status == 201)
        #expect(client.call("POST", "/api/metrics/weight", weight).status == 201)
        try await phone.sync()
        let rows = client.get("/api/v1/weights?from=2026-11-20&to=2026-11-20").json.array
        #expect(rows?.count == 1, "\(rows ?? [])")
        for kilograms in [80, 81] as [JSON] {
            let timed = client.call(
                "POST", "/api/v1/weights",
                ["weight_kg": kilograms, "occurred_at": "2026-11-21T07:00:00Z"])
            #expect(timed.status == 201, "\(timed.text)")
        }
        #expect(
            client.get("/api/v1/weights?from=2026-11-21&to=2026-11-21").json.array?.count == 2)
    }

    @Test func `FitAI's tables are resources`() throws {
        let client = try GatewayWorld().logIn()
        let both = client.call(
            "POST", "/goals",
            [
                "daily_calorie_goal": 2_000, "calorie_deficit_goal": 300,
                "calorie_surplus_goal": 200,
            ])
        #expect(both.status == 422)
        #expect(client.call("POST", "/goals", ["daily_calorie_goal": 2_000]).status == 201)
        #expect(client.get("/goals").json.array?.first?["is_active"] == true)
        let entry = client.call(
            "POST", "/food-entries",
            [
                "food_name": "Apple", "calories": .number("95.5"), "carbs": 25,
                "meal_type": "snack", "date": "2026-11-20", "serving_size": "1 medium",
            ])
        #expect(entry.status == 201, "\(entry.text)")
        let id = entry.json["id"]?.string ?? ""
        let changed = client.call("PUT", "/food-entries/\(id)", ["calories": 90, "notes": "small"])
        #expect(changed.json["calories"] == 90, "\(changed.text)")
        #expect(changed.json["carbs"] == 25 && changed.json["serving_size"] == "1 medium")
        for (size, shown) in [("large", "large"), (nil, nil)] as [(JSON, JSON)] {
            let sized = client.call("PUT", "/food-entries/\(id)", ["serving_size": size])
            #expect(sized.json["serving_size"] == shown, "\(sized.text)")
        }
        let meal = "/api/v1/meals/\(id)"
        let eaten: JSON = ["consumed_at": "2026-11-20T09:00:00Z"]
        #expect(client.call("PATCH", meal, eaten).json["consumed_at"] != .null)
        for day in ["2026-11-21", "2026-11-20"] {
            let moved = client.call("PUT", "/food-entries/\(id)", ["date": .string(day)])
            #expect(moved.status == 200 && moved.json["date"]?.string == day, "\(moved.text)")
            #expect(client.get(meal).json["consumed_at"] == .null, "eaten on its new day")
        }
        let days = client.get("/daily-summaries?from=2026-11-20&to=2026-11-20").json.array
        #expect(days?.first?["total_calories"] == 90, "\(days ?? [])")
        #expect(client.call("DELETE", "/food-entries/\(id)").status == 204)
        #expect(client.get("/food-entries?date=2026-11-20").json.array?.isEmpty == true)
    }
}
