import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import Testing

/// Goal: an app of NutritionAI reads back what it has sent, and changes nothing that it has not.
/// Method: meals, goals, weights and accounts as the app's document sends them, also beside other devices.
@Suite struct NutritionAITests {
    private func client() throws -> Client { try GatewayWorld().logIn() }

    private func put(_ client: Client, _ id: String, _ body: JSON) -> HTTPResponse {
        client.call("PUT", "/api/meals/\(id)", body)
    }

    private func sums(_ client: Client, _ id: String) -> JSON? {
        client.get("/api/v1/meals/\(id)").json["totals"]?["sums"]
    }

    // MARK: Meals

    @Test func `items take the place of a meal's own nutrients`() throws {
        let client = try client()
        let id = try client.addMeal(["name": "Soup", "nutrients": ["energy_kcal": 200]])
        let shown = client.get("/api/meals/\(id)")
        #expect(shown.status == 200 && shown.json["calories"] == 200, "\(shown.text)")
        #expect(put(client, id, shown.json).json["calories"] == 200)
        let changed = put(client, id, ["items": [["name": "Lentils", "calories": 180]]])
        #expect(changed.json["calories"] == 180, "\(changed.text)")
    }

    @Test func `a meal that is sent back as it is shown stays as it is`() throws {
        let client = try client()
        // Values of its own and items, one of which has no name, and a place that a deletion left.
        let id = try client.addMeal([
            "name": "Lunch", "nutrients": ["energy_kcal": 100],
            "items": [
                ["name": "Tea"], ["name": "Soup", "nutrients": ["energy_kcal": 50]],
                ["nutrients": ["energy_kcal": 30]],
            ],
        ])
        let parts = client.get("/api/v1/meals/\(id)").json["items"]?.array ?? []
        let tea = try #require(parts.first?["id"]?.string)
        #expect(client.call("DELETE", "/api/v1/items/\(tea)").status == 204)
        let shown = client.get("/api/meals/\(id)").json
        #expect(shown["calories"] == 180, "\(shown.compact)")
        let log = client.get("/api/v1/log").whole.body
        let same = put(client, id, shown)
        #expect(same.json == shown, "\(same.text)")
        #expect(client.get("/api/v1/log").whole.body == log)
        // Items that have changed take the place of the values.
        var items = shown["items"]?.array ?? []
        items[0] = .object(
            (items[0].object ?? []).map { $0.key == "calories" ? JSON.Member($0.key, 60) : $0 })
        let changed = put(client, id, ["items": .array(items)])
        #expect(changed.json["calories"] == 90, "\(changed.text)")
    }

    @Test func `a portion is kept as the amount`() throws {
        let client = try client()
        let id = try client.addMeal(["name": "Breakfast"])
        let items: JSON = [
            ["name": "Oats", "calories": 230, "portion": "60 g"],
            ["name": "Toast", "calories": 90, "portion": "2 slices"],
            ["name": "Apple", "calories": 95, "portion": "large"],
        ]
        let made = put(client, id, ["items": items])
        #expect(made.status == 200, "\(made.text)")
        #expect(made.json["items"]?.array?.map { $0["portion"] } == ["60 g", "2 slices", "large"])
        let amount = client.get("/api/v1/meals/\(id)").json["items"]?.array?[0]["amount"]
        #expect(amount?["number"] == 60 && amount?["unit"] == "g" && amount?["mass_g"] == 60)
        let long: JSON = [["name": "Oats", "portion": "as much as was left of it yesterday"]]
        #expect(put(client, id, ["items": long]).json["pointer"] == "#/items/0/portion")
    }

    @Test func `an item is known by its id, then by its name`() throws {
        let client = try client()
        let id = try client.addMeal([
            "name": "Bowl",
            "items": [
                [
                    "name": "Rice", "amount": ["number": 150, "unit": "g"],
                    "nutrients": ["energy_kcal": 195, "carbs_g": 42, "fiber_g": 1],
                ],
                ["name": "Egg", "nutrients": ["energy_kcal": 70]],
            ],
        ])
        let items = client.get("/api/meals/\(id)").json["items"]?.array ?? []
        let (rice, egg) = (items[0]["id"] ?? .null, items[1]["id"] ?? .null)
        let changed = put(
            client, id,
            ["items": [["name": "Egg", "calories": 75], ["id": rice, "name": "Basmati"]]])
        let now = changed.json["items"]?.array ?? []
        #expect(now.map { $0["id"] } == [egg, rice], "\(changed.text)")
        #expect(now[1]["name"] == "Basmati" && now[1]["portion"] == "150 g")
        #expect(now[1]["carbs"] == 42 && now[0]["calories"] == 75)
        #expect(sums(client, id)?["fiber_g"] == 1)
        let unnamed = put(client, id, ["items": [["id": rice, "calories": 200]]])
        #expect(unnamed.json["items"]?.array?.first?["name"] == "Basmati", "\(unnamed.text)")
        let nameless = put(client, id, ["items": [["calories": 200]]])
        #expect(nameless.json["pointer"] == "#/items/0/name", "\(nameless.text)")
    }

    @Test func `0 that stands for what is unknown stays unknown in items and means`() throws {
        let client = try client()
        let id = try client.addMeal([
            "items": [["name": "Tea", "nutrients": ["energy_kcal": 2]]]
        ])
        let shown = client.get("/api/meals/\(id)").json
        #expect(put(client, id, shown).status == 200)
        #expect(sums(client, id)?["protein_g"] ?? .null == .null)
        let yesterday = Day(client.get("/api/v1/day").json["day"]?.string ?? "")?.advanced(by: -1)
        let day = JSON.string("\(try #require(yesterday))")
        _ = try client.addMeal([
            "name": "Egg", "day": day, "nutrients": ["energy_kcal": 70, "protein_g": 6],
        ])
        let trends = client.get("/api/trends").json
        #expect(trends["averageProtein"] == 6 && trends["averageCalories"] == 36)
        #expect(trends["averageFat"] == .null && trends["daysLogged"] == 2)
    }

    @Test func `the sum of a meal is changed where it says which part has changed`() throws {
        let client = try client()
        let whole = try client.addMeal(["name": "Soup", "nutrients": ["energy_kcal": 200]])
        #expect(put(client, whole, ["calories": 400]).json["calories"] == 400)
        let one = try client.addMeal([
            "items": [["name": "Egg", "nutrients": ["energy_kcal": 70]]]
        ])
        let changed = put(client, one, ["calories": 80])
        #expect(changed.json["items"]?.array?.first?["calories"] == 80, "\(changed.text)")
        let two = try client.addMeal([
            "items": [
                ["name": "a", "nutrients": ["energy_kcal": 70]],
                ["name": "b", "nutrients": ["energy_kcal": 30]],
            ]
        ])
        #expect(put(client, two, ["calories": 100]).status == 200)
        let refused = put(client, two, ["calories": 110])
        #expect(refused.status == 422 && refused.text.contains("items"), "\(refused.text)")
    }

    @Test func `what a person logs on a day that has begun elsewhere alone is listed`() throws {
        let client = try client()
        let today = try #require(Day(client.get("/api/v1/day").json["day"]?.string ?? ""))
        let tomorrow = JSON.string("\(today.advanced(by: 1))")
        #expect(client.get("/daily-summaries").json == [])
        _ = try client.addMeal([
            "name": "Soup", "day": tomorrow, "nutrients": ["energy_kcal": 200],
        ])
        #expect(client.get("/api/meals").json["meals"]?.array?.map { $0["name"] } == ["Soup"])
        let rows = client.get("/food-entries?from=\(today)").json.array
        #expect(rows?.map { $0["date"] } == [tomorrow])
        let sums = client.get("/daily-summaries").json.array
        #expect(sums?.last?["date"] == tomorrow && sums?.last?["total_calories"] == 200)
        #expect(client.get("/api/meals?to=\(today)").json["meals"] == [])
    }

    @Test func `meals that are not eaten are listed alone`() throws {
        let client = try client()
        _ = try client.addMeal(["name": "Eaten"])
        let id = try client.addMeal(["name": "Scanned", "consumed": false])
        let found = { (query: String) in
            client.get("/api/meals\(query)").json["meals"]?.array?.map { $0["name"] }
        }
        #expect(found("?consumed=false") == ["Scanned"])
        #expect(found("?consumed=true") == ["Eaten"])
        #expect(found("")?.count == 2)
        #expect(client.get("/api/meals/\(id)").json["isConsumed"] == false)
    }

    // MARK: Profile and account

    /// A plan that computes its numbers, for a person of whom enough is known.
    private func plan(_ mode: JSON, of client: Client) throws {
        let born: JSON = ["birth_date": "1990-05-17", "height_cm": 172, "sex": "female"]
        #expect(client.call("PATCH", "/api/v1/profile", born).status == 200)
        #expect(client.call("POST", "/weights", ["weight": 70]).status == 201)
        var plan: [JSON.Member] = [
            JSON.Member("from", "2025-11-01"), JSON.Member("mode", mode),
            JSON.Member("water_ml", 2_000),
        ]
        if mode == "percent" {
            plan.append(JSON.Member("energy_kcal", 2_000))
            let shares: JSON = ["protein_percent": 30, "carbs_percent": 40, "fat_percent": 30]
            plan.append(JSON.Member("shares", shares))
        }
        let made = client.call("POST", "/api/v1/goals", .object(plan))
        #expect(made.status == 201, "\(made.text)")
    }

    @Test(arguments: ["dynamic", "adaptive", "percent"])
    func `a goal of FitAI of which one number is changed keeps the others`(mode: JSON) throws {
        let client = try client()
        try plan(mode, of: client)
        let row = try #require(client.get("/goals").json.array?.first)
        let id = try #require(row["id"]?.string)
        let members = (row.object ?? []).map {
            $0.key == "daily_protein_goal" ? JSON.Member($0.key, 123) : $0
        }
        let changed = client.call("PUT", "/goals/\(id)", .object(members))
        #expect(changed.json["daily_protein_goal"] == 123, "\(changed.text)")
        for column in ["calorie", "carb", "fat"] {
            let key = "daily_\(column)_goal"
            #expect(changed.json[key] == row[key] && row[key]?.integer != nil, "\(changed.text)")
        }
    }

    @Test(arguments: ["dynamic", "adaptive", "percent"])
    func `a goal of energy counts whatever the plan computes`(mode: JSON) throws {
        let client = try client()
        try plan(mode, of: client)
        // FitAI's columns are never empty.
        let row = client.get("/goals").json.array?.first
        for column in ["calorie", "protein", "carb", "fat"] {
            #expect(row?["daily_\(column)_goal"]?.integer != nil, "\(row?.compact ?? "")")
        }
        let profile = client.get("/api/users/profile").json
        let same = client.call("PUT", "/api/users/profile", profile)
        #expect(same.json["dailyCalorieGoal"] == profile["dailyCalorieGoal"])
        #expect(client.get("/goals").json.array?.count == 1, "what is shown is no change")
        let set = client.call("PUT", "/api/users/profile", ["dailyCalorieGoal": 1_500])
        #expect(set.json["dailyCalorieGoal"] == 1_500, "\(set.text)")
        let goal = client.get("/api/v1/goal").json
        #expect(goal["mode"] == (mode == "percent" ? "percent" : "fixed"), "\(goal.compact)")
        #expect(goal["water_ml"] == 2_000)
        let kept = (client.get("/goals").json.array ?? []).first {
            $0["daily_calorie_goal"] == 1_500
        }
        if mode != "percent" {
            #expect(kept?["daily_protein_goal"] == row?["daily_protein_goal"], "the others stay")
            #expect(kept?["daily_fat_goal"] == row?["daily_fat_goal"])
        }
        let cleared = client.call("PUT", "/api/users/profile", ["dailyCalorieGoal": nil])
        #expect(cleared.json["dailyCalorieGoal"] == .null, "\(cleared.text)")
        #expect(client.get("/api/v1/goal").json["water_ml"] == 2_000)
    }

    @Test func `an account that registers again keeps its name`() throws {
        let stranger = Client(world: try GatewayWorld(), token: nil)
        func register(_ name: JSON) -> HTTPResponse {
            stranger.call(
                "POST", "/api/auth/register",
                [
                    "email": "ana@example.org", "password": .string(GatewayWorld.password),
                    "displayName": name,
                ])
        }
        #expect(register("Ana").json["user"]?["displayName"] == "Ana")
        let again = register("Mallory")
        #expect(again.json["user"]?["displayName"] == "Ana", "\(again.text)")
    }

    @Test func `each account has its own id and address over FitAI's path`() throws {
        let world = try GatewayWorld()
        let (ana, ben) = (try world.logIn(), try world.logIn("ben@example.org"))
        let (hers, his) = (ana.get("/users").json, ben.get("/users").json)
        #expect(hers["id"]?.string != nil && hers["id"] != his["id"])
        #expect(hers["email"] == "ana@example.org" && his["email"] == "ben@example.org")
        let (made, changed) = (hers["created_at"]?.string, hers["updated_at"]?.string)
        #expect(made != nil && changed == made)
        let named = ana.call("PUT", "/users", ["name": "Ana"])
        #expect(named.json["created_at"]?.string == made, "\(named.text)")
        #expect((named.json["updated_at"]?.string ?? "") >= made ?? "?")
    }

    // MARK: Metrics

    @Test func `the current weight is the last one, also of a day that begins elsewhere`() throws {
        let client = try client()
        let today = try #require(Day(client.get("/api/v1/day").json["day"]?.string ?? ""))
        func add(_ kilograms: JSON, _ days: Int) {
            let day = JSON.string("\(today.advanced(by: days))")
            let body: JSON = ["weight": kilograms, "date": day]
            #expect(client.call("POST", "/api/metrics/weight", body).status == 201)
        }
        func current() -> [JSON?] {
            [
                client.get("/users").json["current_weight"],
                client.get("/api/users/profile").json["currentWeight"],
            ]
        }
        add(80, -1)
        add(70, 0)
        #expect(current() == [70, 70])
        add(69, 1)
        #expect(current() == [69, 69])
        let rows = client.get("/api/metrics/weight?days=30").json["entries"]?.array
        #expect(rows?.map { $0["weight"] } == [80, 70, 69])
        #expect(client.get("/weights").json.array?.map { $0["weight"] } == [80, 70, 69])
        let set = client.call(
            "PUT", "/users", ["current_weight": 68, "activity_level": "Lightly active"])
        #expect(set.json["activity_level"] == "light", "\(set.text)")
        #expect(set.json["current_weight"] == 68 && current() == [68, 68])
    }

    @Test(
        arguments: [
            ("first", 80), ("mean", 79), ("min", 77), ("last", 80), (nil, 80),
        ] as [(String?, Int64)])
    func `the weight of a day is the one that counts by the person's policy`(
        policy: String?, kilograms: Int64
    ) throws {
        let client = try client()
        let today = client.get("/api/v1/day").json["day"]?.string ?? ""
        for (time, kilograms) in [("00", 80), ("01", 77), ("02", 80)] as [(String, JSON)] {
            let body: JSON = [
                "weight_kg": kilograms, "occurred_at": .string("\(today)T00:00:\(time)Z"),
            ]
            #expect(client.call("POST", "/api/v1/weights", body).status == 201)
        }
        let set: JSON = ["weigh_policy": policy.map { .string($0) } ?? .null]
        #expect(client.call("PATCH", "/api/v1/preferences", set).status == 200)
        func shown() -> [JSON?] {
            let rows = client.get("/api/metrics/weight").json["entries"]?.array ?? []
            return rows.map { $0["weight"] } + [
                client.get("/users").json["current_weight"],
                client.get("/api/users/profile").json["currentWeight"],
            ]
        }
        #expect(shown() == Array(repeating: .integer(kilograms), count: 3))
        // With several weigh-ins the mean, or the lowest, may be another weight than the given one: the answer shows that.
        for kilograms in [76, 84] as [JSON] {
            let answer = client.call("POST", "/api/metrics/weight", ["weight": kilograms])
            let counting = answer.json["weight"]
            #expect(shown() == [counting, counting, counting])
            let isOther = policy == "mean" || policy == "min" && kilograms == 84
            #expect(isOther || counting == kilograms)
        }
    }

    @Test func `a weight brings ketones, and a second one keeps the notes`() throws {
        let client = try client()
        let first = client.call(
            "POST", "/api/metrics/weight",
            [
                "weight": 80, "ketoneLevel": .number("1.2"), "notes": "fasting",
                "date": "2026-11-20",
            ])
        #expect(first.json["ketoneLevel"] == .number("1.2"), "\(first.text)")
        let again = client.call(
            "POST", "/api/metrics/weight", ["weight": 81, "date": "2026-11-20"])
        #expect(again.json["notes"] == "fasting", "\(again.text)")
        let ketones = client.get("/api/v1/ketones?from=2026-11-20&to=2026-11-20").json.array
        #expect(ketones?.count == 1, "\(ketones ?? [])")
    }

    @Test func `a day has one row of weight whichever device wrote it`() throws {
        let client = try client()
        let today = client.get("/api/v1/day").json["day"]?.string ?? ""
        for kilograms in [80, 81] as [JSON] {
            let timed = client.call(
                "POST", "/api/v1/weights",
                ["weight_kg": kilograms, "occurred_at": .string("\(today)T00:00:00Z")])
            #expect(timed.status == 201, "\(timed.text)")
        }
        let sent = client.call(
            "POST", "/api/metrics/weight", ["weight": 79, "date": .string(today)])
        #expect(sent.status == 201, "\(sent.text)")
        let rows = client.get("/api/metrics/weight").json["entries"]?.array
        #expect(rows?.map { $0["weight"] } == [79], "\(rows ?? [])")
    }

    // MARK: Goals and days of FitAI

    @Test func `a goal of FitAI is shown, changed and deleted, and a day has one`() throws {
        let client = try client()
        let made = client.call("POST", "/goals", ["daily_calorie_goal": 2_000])
        let id = try #require(made.json["id"]?.string, "\(made.text)")
        let second = client.call("POST", "/goals", ["daily_calorie_goal": 1_900])
        #expect(second.status == 409 && second.text.contains(id), "\(second.text)")
        let path = "/goals/\(id)"
        #expect(client.get(path).json == made.json)
        #expect(client.call("PUT", path, made.json).json == made.json)
        let changed = client.call(
            "PUT", path, ["daily_calorie_goal": 1_800, "calorie_deficit_goal": 300])
        #expect(changed.json["daily_calorie_goal"] == 1_800, "\(changed.text)")
        #expect(changed.json["calorie_deficit_goal"] == 300)
        let both = client.call("PUT", path, ["calorie_surplus_goal": 200])
        #expect(both.status == 422, "\(both.text)")
        #expect(client.call("DELETE", path).status == 204)
        #expect(client.get("/goals").json == [])
    }

    @Test func `a day is achieved or not only where that can be said`() throws {
        let client = try client()
        func day() -> JSON? {
            client.get("/daily-summaries?from=2025-05-20&to=2025-05-20").json.array?.first
        }
        _ = try client.addMeal([
            "name": "Soup", "day": "2025-05-20", "nutrients": ["energy_kcal": 500],
        ])
        #expect(day()?["goal_achieved"] == .null && day()?["calories_remaining"] == .null)
        let goal: JSON = ["daily_calorie_goal": 2_000, "start_date": "2025-05-19"]
        #expect(client.call("POST", "/goals", goal).status == 201)
        #expect(day()?["goal_achieved"]?.string == nil && day()?["goal_achieved"] != .null)
        #expect(day()?["calories_remaining"] == 1_500)
        let empty = client.get("/daily-summaries?from=2025-05-19&to=2025-05-19").json.array?.first
        #expect(empty?["goal_achieved"] == .null, "\(empty?.compact ?? "")")
    }
}
