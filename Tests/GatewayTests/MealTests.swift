import Macrolog
import MacrologEngine
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: a program that speaks HTTP alone records meals that every device has, and nothing is lost when it
/// repeats itself, comes too late, or is edited together with a phone that was offline.
/// Method: a server with its gateway and real devices in one process; what the gateway answers is compared with
/// what the devices hold after a sync.
@Suite struct MealTests {
    private static let soup: JSON = [
        "name": "Lentil soup", "slot": "lunch", "day": "2026-11-20",
        "items": [
            ["name": "Lentils", "nutrients": ["energy_kcal": 230, "protein_g": 18, "fiber_g": 8]],
            ["name": "Carrots", "nutrients": ["energy_kcal": 40, "fiber_g": .number("2.5")]],
            ["name": "Oil", "nutrients": ["energy_kcal": 90, "fat_g": 10]],
        ],
    ]

    @Test func `a meal that is posted shows in the day, in the list, and on a phone`() async throws
    {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let id = try client.addMeal(Self.soup)
        let day = client.get("/api/v1/day/2026-11-20")
        #expect(day.status == 200)
        #expect(day.json["totals"]?["sums"]?["energy_kcal"]?.integer == 360, "\(day.text)")
        #expect(day.json["meals"]?.array?.first?["id"]?.string == id)
        let list = client.get("/api/v1/meals?from=2026-11-01&to=2026-11-30")
        #expect(list.json.array?.count == 1, "\(list.text)")

        let phone = try await world.device("phone")
        try await phone.sync()
        let meals = try phone.replica.meals(on: try #require(Day("2026-11-20")))
        #expect(meals.first?.meal.dishName == "Lentil soup")
        #expect(meals.first?.items.count == 3)
        #expect(world.notes.isEmpty)
    }

    @Test func `a nutrient that is unknown in one of three parts is not zero`() throws {
        let client = try GatewayWorld().logIn()
        let id = try client.addMeal(Self.soup)
        let meal = client.get("/api/v1/meals/\(id)").json
        #expect(meal["totals"]?["sums"]?["fiber_g"] == .number("10.5"), "\(meal.pretty)")
        #expect(meal["totals"]?["part_count"] == 3, "\(meal.pretty)")
        #expect(meal["totals"]?["parts_known"]?["fiber"] == 2, "\(meal.pretty)")
    }

    @Test func `what a phone recorded offline is in the next answer after its sync`() async throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        #expect(client.get("/api/v1/day/2026-11-20").status == 200)
        let phone = try await world.device("phone")
        let meal = Meal(
            id: phone.replica.newID(), on: LocalDate(day: try #require(Day("2026-11-20"))),
            dishName: "Toast", nutrients: Nutrients(energy: 200_000))
        try phone.replica.add(meal)
        try await phone.sync()
        let day = client.get("/api/v1/day/2026-11-20").json
        #expect(day["totals"]?["sums"]?["energy_kcal"]?.integer == 200)
    }

    @Test func `a request and an offline phone that change different fields are both kept`()
        async throws
    {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let id = try client.addMeal(Self.soup)
        let phone = try await world.device("phone")
        try await phone.sync()
        let key = try #require(Identifier(id))
        let stored = try phone.replica.entity(Meal.self, key)
        var meal = try #require(stored)
        meal.note = "at work"
        try phone.replica.save(meal)
        let changed = client.call("PATCH", "/api/v1/meals/\(id)", ["name": "Soup"])
        #expect(changed.status == 200, "\(changed.text)")
        try await phone.sync()
        let now = client.get("/api/v1/meals/\(id)").json
        #expect(now["name"]?.string == "Soup")
        #expect(now["note"]?.string == "at work")
        #expect(try phone.replica.entity(Meal.self, key)?.dishName == "Soup")
        #expect(try phone.replica.conflicts().isEmpty)
    }

    @Test func `one field that both change is in conflict, and neither value is lost`() async throws
    {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let id = try client.addMeal(Self.soup)
        let phone = try await world.device("phone")
        try await phone.sync()
        let key = try #require(Identifier(id))
        let stored = try phone.replica.entity(Meal.self, key)
        var meal = try #require(stored)
        meal.dishName = "Dal"
        try phone.replica.save(meal)
        #expect(client.call("PATCH", "/api/v1/meals/\(id)", ["name": "Soup"]).status == 200)
        try await phone.sync()
        #expect(client.get("/api/v1/meals/\(id)").json["conflict"]?.bool == true)
        #expect(try phone.replica.conflicts().count == 1)
    }

    @Test func `one key makes one meal, however often it is sent, even by another server`() throws {
        let scratch = ScratchFolder()
        let first = try GatewayWorld(in: scratch)
        let id = try first.logIn().addMeal(Self.soup, key: "k1")
        #expect(try first.logIn().addMeal(Self.soup, key: "k1") == id)
        first.stop()
        // Another node has no replica yet.
        Files.removeAll(scratch.file("gateway"))
        let second = try GatewayWorld(in: scratch)
        let client = try second.logIn()
        #expect(try client.addMeal(Self.soup, key: "k1") == id)
        #expect(client.get("/api/v1/meals?from=2026-11-20&to=2026-11-20").json.array?.count == 1)
        let other = client.call(
            "POST", "/api/v1/meals", ["name": "Pizza"], [HTTPField("idempotency-key", "k1")])
        #expect(other.status == 422)
        #expect(other.problem == "idempotency_key")
        #expect(try client.addMeal(["name": "Pizza"], key: "k2") != id)
    }

    @Test func `a change of what another has changed is refused with the current state`() throws {
        let client = try GatewayWorld().logIn()
        let id = try client.addMeal(Self.soup)
        let tag = try #require(client.get("/api/v1/meals/\(id)").field("etag"))
        let match = [HTTPField("if-match", tag)]
        #expect(client.call("PATCH", "/api/v1/meals/\(id)", ["note": "a"], match).status == 200)
        let late = client.call("PATCH", "/api/v1/meals/\(id)", ["note": "b"], match)
        #expect(late.status == 412, "\(late.text)")
        #expect(late.json["current"]?["note"]?.string == "a")
        let current = try #require(late.field("etag"))
        let again = client.call(
            "PATCH", "/api/v1/meals/\(id)", ["note": "b"], [HTTPField("if-match", current)])
        #expect(again.status == 200)
        #expect(
            client.call(
                "GET", "/api/v1/meals/\(id)", nil,
                [
                    HTTPField("if-none-match", try #require(again.field("etag")))
                ]
            ).status == 304)
    }

    @Test
    func `a part is added only to the whole that was seen, and a plan is done as it was seen`()
        throws
    {
        let client = try GatewayWorld().logIn()
        let meal = try client.addMeal(Self.soup)
        let recipe = client.call("POST", "/api/v1/recipes", ["name": "Dal", "servings": 2])
        let plan = client.call(
            "POST", "/api/v1/plans", ["day": "2026-11-20", "slot": "dinner", "name": "Pizza"])
        let bread: JSON = ["name": "Bread", "nutrients": ["energy_kcal": 160]]
        for (whole, action, change) in [
            ("meals/\(meal)", "items", bread),
            ("recipes/\(recipe.json["id"]?.string ?? "")", "items", bread),
            ("plans/\(plan.json["id"]?.string ?? "")", "done", nil),
        ] as [(String, String, JSON?)] {
            let path = "/api/v1/\(whole)"
            let seen = [HTTPField("if-match", try #require(client.get(path).field("etag")))]
            #expect(client.call("PATCH", path, ["name": "Other"], seen).status == 200, "\(path)")
            let late = client.call("POST", "\(path)/\(action)", change, seen)
            #expect(late.status == 412 && late.json["current"]?["name"] == "Other", "\(late.text)")
            let tag = [HTTPField("if-match", try #require(late.field("etag")))]
            let now = client.call("POST", "\(path)/\(action)", change, tag)
            #expect([200, 201].contains(now.status), "\(now.text)")
        }
    }

    @Test func `in a new meal null is as left out`() throws {
        let client = try GatewayWorld().logIn()
        let id = try client.addMeal([
            "name": "Soup", "consumed": nil, "slot": nil,
            "occurred_at": "2026-11-20T12:30:00+01:00",
        ])
        let meal = client.get("/api/v1/meals/\(id)").json
        #expect(meal["consumed"] == true && meal["slot"] == "lunch", "\(meal.pretty)")
    }

    @Test func `a deleted meal says so, and comes back with its parts`() throws {
        let client = try GatewayWorld().logIn()
        let id = try client.addMeal(Self.soup)
        #expect(client.call("DELETE", "/api/v1/meals/\(id)").status == 204)
        #expect(client.get("/api/v1/meals/\(id)").status == 410)
        #expect(client.call("PATCH", "/api/v1/meals/\(id)", ["note": "x"]).status == 410)
        let back = client.call("POST", "/api/v1/meals/\(id)/restore")
        #expect(back.json["items"]?.array?.count == 3, "\(back.text)")
        #expect(client.call("POST", "/api/v1/meals/\(id)/unconsume").json["consumed"] == false)
        #expect(client.get("/api/v1/day/2026-11-20").json["totals"]?["sums"]?["energy_kcal"] != 360)
        #expect(client.call("POST", "/api/v1/meals/\(id)/consume").json["consumed"] == true)
    }

    @Test func `what was deleted comes back only as it was seen`() throws {
        let client = try GatewayWorld().logIn()
        let meal = try client.addMeal(Self.soup)
        let items = client.get("/api/v1/meals/\(meal)").json["items"]?.array
        let drink = client.call("POST", "/api/v1/water", ["volume_ml": 250])
        for (name, change) in [
            ("items/\(items?.first?["id"]?.string ?? "")", ["name": "Other"]),
            ("meals/\(meal)", ["name": "Other"]),
            ("water/\(drink.json["id"]?.string ?? "")", ["volume_ml": 330]),
        ] as [(String, JSON)] {
            let path = "/api/v1/\(name)"
            let old = [HTTPField("if-match", try #require(client.get(path).field("etag")))]
            #expect(client.call("PATCH", path, change).status == 200, "\(path)")
            let seen = [HTTPField("if-match", try #require(client.get(path).field("etag")))]
            #expect(client.call("DELETE", path, nil, seen).status == 204, "\(path)")
            let late = client.call("POST", "\(path)/restore", nil, old)
            #expect(late.status == 412 && late.problem == "precondition_failed", "\(late.text)")
            #expect(client.get(path).status == 410, "\(path)")
            let back = client.call("POST", "\(path)/restore", nil, seen)
            #expect(back.status == 200, "\(back.text)")
            #expect(client.call("POST", "\(path)/restore", nil, old).status == 412, "\(path)")
        }
    }

    @Test(arguments: [
        (#"{"nam": "x"}"#, "#/nam"), (#"{"name": 3}"#, "#/name"),
        (#"{"items": [{"name": ""}]}"#, "#/items/0/name"),
        (
            #"{"items": [{"name": "a", "nutrients": {"energy_kcal": -1}}]}"#,
            "#/items/0/nutrients/energy_kcal"
        ),
        (
            #"{"items": [{"name": "a", "nutrients": {"energy_kcal": 1e400}}]}"#,
            "#/items/0/nutrients/energy_kcal"
        ),
        (#"{"slot": "Tea time"}"#, "#/slot"), (#"{"day": "2026-02-30"}"#, "#/day"),
        (#"{"occurred_at": "2026-02-03 soon, maybe"}"#, "#/occurred_at"),
        (#"{"consumed": "yes"}"#, "#/consumed"), (#"{"health_score": 2.5}"#, "#/health_score"),
        (#"{"health_score": 1e-9}"#, "#/health_score"), (#"[]"#, "#"),
    ])
    func `a wrong member is refused by its place, and nothing is recorded`(
        body: String, pointer: String
    ) throws {
        let client = try GatewayWorld().logIn()
        let answer = client.call("POST", "/api/v1/meals", try JSON.parse(body))
        #expect(answer.status == 422, "\(answer.text)")
        #expect(answer.json["pointer"]?.string == pointer, "\(answer.text)")
        #expect(client.get("/api/v1/meals").json.array?.isEmpty == true)
    }

    @Test func `pages together have every meal once`() throws {
        let client = try GatewayWorld().logIn()
        var ids: Set<String> = []
        for number in 1...7 {
            ids.insert(try client.addMeal(["name": "\(number)", "day": "2026-11-1\(number % 3)"]))
        }
        var found: [String] = []
        var next: String? = "/api/v1/meals?from=2026-11-01&to=2026-11-30&limit=3"
        while let target = next {
            let answer = client.get(target)
            found += (answer.json.array ?? []).compactMap { $0["id"]?.string }
            next = answer.field("link").map {
                String($0.dropFirst().prefix { $0 != ">" })
            }
        }
        #expect(found.count == 7)
        #expect(Set(found) == ids)
    }

    @Test func `pages of a history together have every event once, in their order`() throws {
        let client = try GatewayWorld().logIn()
        let meal = try client.addMeal(["name": "Soup", "day": "2026-11-20"])
        let drink = client.call("POST", "/api/v1/water", ["volume_ml": 250]).json["id"]?.string
        let water = "/api/v1/water/\(try #require(drink))"
        for number in 1...7 {
            _ = client.call("PATCH", "/api/v1/meals/\(meal)", ["note": .string("\(number)")])
            _ = client.call("PATCH", water, ["volume_ml": .integer(Int64(number * 100))])
        }
        for history in ["/api/v1/history/meal/\(meal)", "\(water)/history"] {
            let whole = (client.get(history).json.array ?? []).compactMap { $0["event"]?.string }
            #expect(whole.count == 8 && Set(whole).count == 8, "\(whole)")
            var found: [String] = []
            var next: String? = history + "?limit=3"
            while let target = next, found.count <= 8 {
                let answer = client.get(target)
                found += (answer.json.array ?? []).compactMap { $0["event"]?.string }
                next = answer.field("link").map { String($0.dropFirst().prefix { $0 != ">" }) }
            }
            #expect(found == whole)
        }
    }

    @Test func `a meal that is moved was eaten then, and its zone is one that there is`() throws {
        let client = try GatewayWorld().logIn()
        let id = try client.addMeal(["name": "Soup", "occurred_at": "2026-11-20T12:00:00Z"])
        let path = "/api/v1/meals/\(id)"
        let moved = client.call("PATCH", path, ["occurred_at": "2026-11-21T18:30:00Z"])
        #expect(moved.json["consumed_at"] == moved.json["occurred_at"], "\(moved.text)")
        let both: JSON = [
            "occurred_at": "2026-11-20T12:00:00Z", "consumed_at": "2026-11-20T12:40:00Z",
        ]
        let said = client.call("PATCH", path, both)
        #expect(said.json["consumed_at"] != said.json["occurred_at"], "\(said.text)")
        let mars = client.call("PATCH", path, ["zone": "Mars/Base"])
        #expect(mars.status == 422 && mars.text.contains("/zone"), "\(mars.text)")
        let zoned = client.call("PATCH", path, ["zone": "Europe/Zurich"])
        #expect(zoned.status == 200 && zoned.json["consumed_at"] == said.json["consumed_at"])
    }

    @Test func `a cursor counts for the list that gave it, and for no other`() throws {
        let client = try GatewayWorld().logIn()
        for number in 1...3 {
            _ = try client.addMeal(["name": "\(number)", "day": "2026-11-1\(number)"])
            let food = client.call("POST", "/api/v1/foods", ["name": "Oats \(number)"])
            #expect(food.status == 201, "\(food.text)")
        }
        let days = "from=2026-11-01&to=2026-11-30"
        let link = try #require(client.get("/api/v1/meals?\(days)&limit=1").field("link"))
        let cursor = link.prefix { $0 != ">" }.split(separator: "=").last ?? ""
        #expect(client.get("/api/v1/meals?\(days)&limit=2&cursor=\(cursor)").json.array?.count == 2)
        for target in [
            "/api/v1/foods?cursor=\(cursor)", "/api/v1/water?\(days)&cursor=\(cursor)",
            "/api/v1/meals?cursor=\(cursor)",
            "/api/v1/meals?from=2026-11-01&to=2026-11-29&cursor=\(cursor)",
            "/api/v1/meals?\(days)&cursor=\(cursor.dropLast(9))",
        ] {
            let answer = client.get(target)
            #expect(answer.status == 400 && answer.problem == "invalid_parameter", "\(target)")
            #expect(answer.json["parameter"] == "cursor", "\(answer.text)")
        }
    }

    @Test func `who wants no body after a write gets none`() throws {
        let client = try GatewayWorld().logIn()
        let answer = client.call(
            "POST", "/api/v1/meals", ["name": "x"], [HTTPField("prefer", "return=minimal")])
        #expect(answer.status == 201)
        #expect(answer.body.isEmpty)
        #expect(answer.field("location")?.hasPrefix("/api/v1/meals/") == true)
    }

    @Test(arguments: [
        ("PATCH", "/api/v1/profile"), ("PATCH", "/api/v1/preferences"),
        ("PATCH", "/api/v1/day/2026-11-20"), ("PUT", "/users"), ("PUT", "/api/users/profile"),
    ])
    func `a change of nothing is one, also of what was never set`(
        method: String, path: String
    ) throws {
        let client = try GatewayWorld().logIn()
        let answer = client.call(method, path, [:])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(client.get("/api/v1/log").body.isEmpty)
    }
}
