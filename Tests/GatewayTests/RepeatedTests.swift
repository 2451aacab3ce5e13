import MacrologHTTP
import MacrologJSON
import Testing

/// Goal: a request that comes twice, or after others, does no more and no less than its sender meant.
/// Method: what the client of a phone sends when answers are lost, and when things were moved or deleted meanwhile.
@Suite struct RepeatedTests {
    private func client() throws -> Client { try GatewayWorld().logIn() }

    private func key(_ text: String) -> [HTTPField] { [HTTPField("idempotency-key", text)] }

    private func total(_ client: Client) -> JSON? {
        client.get("/api/v1/day/2026-11-20").json["totals"]?["sums"]?["energy_kcal"]
    }

    private func soup(_ kilocalories: Int64) -> JSON {
        ["name": "Soup", "day": "2026-11-20", "nutrients": ["energy_kcal": .integer(kilocalories)]]
    }

    @Test func `a repeated undo of a part lists what the first did`() throws {
        let client = try client()
        let meal = try client.addMeal(soup(100))
        let item = client.call("POST", "/api/v1/meals/\(meal)/items", ["name": "Bread"])
        #expect(item.status == 201, "\(item.text)")
        let first = client.call("POST", "/api/v1/undo", nil, key("u1"))
        let again = client.call("POST", "/api/v1/undo", nil, key("u1"))
        #expect(first.json["changed"]?.array?.count == 1, "\(first.text)")
        #expect(again.json["changed"] == first.json["changed"], "\(again.text)")
    }

    @Test func `one key undoes one thing, and redoes one`() throws {
        let client = try client()
        for kilocalories in [100, 200, 300] as [Int64] {
            _ = try client.addMeal(soup(kilocalories))
        }
        let first = client.call("POST", "/api/v1/undo", nil, key("u1"))
        #expect(first.status == 200 && first.json["type"] == "meal.added", "\(first.text)")
        let again = client.call("POST", "/api/v1/undo", nil, key("u1"))
        #expect(again.status == 200 && again.json["type"] == "meal.added", "\(again.text)")
        #expect(again.json["changed"] == first.json["changed"])
        #expect(total(client) == 300)
        #expect(client.call("POST", "/api/v1/undo", nil, key("u2")).status == 200)
        #expect(total(client) == 100)
        for _ in 0..<2 {
            #expect(client.call("POST", "/api/v1/redo", nil, key("r1")).status == 200)
        }
        #expect(total(client) == 300)
        #expect(client.call("POST", "/api/v1/undo").status == 200)
        #expect(total(client) == 100)
    }

    @Test func `one key starts one fast, also after that has ended`() throws {
        let client = try client()
        let path = "/api/v1/fasting/start"
        let body: JSON = ["target_min": 600, "started_at": "2026-11-19T20:00:00+01:00"]
        let first = client.call("POST", path, body, key("f"))
        #expect(first.status == 201 && first.json["id"] != nil, "\(first.text)")
        let again = client.call("POST", path, body, key("f"))
        #expect(again.status == 201 && again.json["id"] == first.json["id"], "\(again.text)")
        let end: JSON = ["ended_at": "2026-11-20T06:30:00+01:00"]
        #expect(client.call("POST", "/api/v1/fasting/end", end).status == 200)
        let late = client.call("POST", path, body, key("f"))
        #expect(late.status == 201 && late.json["id"] == first.json["id"], "\(late.text)")
        #expect(client.get("/api/v1/fasting").json["active"] == .null)
        let other = client.call("POST", path, ["target_min": 720], key("f"))
        #expect(other.status == 422 && other.problem == "idempotency_key", "\(other.text)")
        let second = client.call("POST", path, ["target_min": 720], key("g"))
        #expect(second.status == 201 && second.json["id"] != first.json["id"], "\(second.text)")
    }

    @Test func `a body that was compressed once more is the same body`() throws {
        let client = try client()
        // {"volume_ml":250}
        let drink: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xAB, 0x56, 0x2A, 0xCB,
            0xCF, 0x29, 0xCD, 0x4D, 0x8D, 0xCF, 0xCD, 0x51, 0xB2, 0x32, 0x32, 0x35, 0xA8, 0x05,
            0x00, 0x64, 0xF4, 0x19, 0x70, 0x11, 0x00, 0x00, 0x00,
        ]
        // The time at which it was compressed.
        var later = drink
        later[4] = 1
        var ids: [String?] = []
        for body in [drink, later] {
            var request = client.request("POST", "/api/v1/water", [:], key("z"))
            request.fields.append(HTTPField("content-encoding", "gzip"))
            request.body = body
            let answer = client.world.send(request)
            #expect(answer.status == 201, "\(answer.text)")
            ids.append(answer.json["id"]?.string)
        }
        let plain = client.call("POST", "/api/v1/water", ["volume_ml": 250], key("z"))
        #expect(plain.status == 201, "\(plain.text)")
        ids.append(plain.json["id"]?.string)
        #expect(Set(ids).count == 1 && ids[0] != nil)
    }

    @Test func `a day alone moves the time with it, and nutrients are cleared by name`() throws {
        let client = try client()
        let made = client.call(
            "POST", "/api/v1/meals",
            [
                "name": "Soup", "occurred_at": "2026-11-20T07:40:00+01:00",
                "nutrients": ["energy_kcal": 1],
            ])
        let path = "/api/v1/meals/\(made.json["id"]?.string ?? "")"
        let moved = client.call("PATCH", path, ["day": "2026-11-18"]).json
        #expect(
            moved["occurred_at"] == "2026-11-18T06:40:00.000Z", "\(moved.pretty)")
        #expect(client.call("PATCH", path, ["nutrients": .null]).status == 422)
        // The clock of the zone has changed in between.
        let zoned = client.call(
            "PATCH", path, ["occurred_at": "2026-10-24T06:00:00Z", "zone": "Europe/Zurich"]
        ).json
        #expect(zoned["utc_offset_min"] == 120, "\(zoned.pretty)")
        let after = client.call("PATCH", path, ["day": "2026-10-26"]).json
        #expect(after["occurred_at"] == "2026-10-26T07:00:00.000Z", "\(after.pretty)")
        #expect(after["utc_offset_min"] == 60)
        let cleared = client.call("PATCH", path, ["nutrients": ["energy_kcal": .null]]).json
        #expect(cleared["nutrients"]?["energy_kcal"] ?? .null == .null, "\(cleared.pretty)")
    }

    @Test func `one key in two places makes two things`() throws {
        let client = try client()
        let meals = [try client.addMeal(soup(100)), try client.addMeal(soup(200))]
        let body: JSON = ["name": "Bread", "nutrients": ["energy_kcal": 5]]
        var ids: Set<String?> = []
        for meal in meals + meals {
            let answer = client.call("POST", "/api/v1/meals/\(meal)/items", body, key("i"))
            #expect(answer.status == 201, "\(answer.text)")
            ids.insert(answer.json["id"]?.string)
        }
        #expect(ids.count == 2)
        #expect(total(client) == 310)
    }

    @Test func `the same food once more keeps what is not sent, and another is another`() throws {
        let client = try client()
        let barcode: JSON = "4006381333931"
        let muesli = client.call(
            "POST", "/api/v1/foods",
            ["name": "Muesli", "brand": "Aldi", "barcode": barcode, "nutrients": ["fat_g": 6]])
        let id = try #require(muesli.json["id"]?.string)
        let twice = client.call("POST", "/api/v1/foods", ["name": "Müsli", "barcode": barcode])
        #expect(twice.status == 201 && twice.json["id"]?.string == id, "\(twice.text)")
        #expect(twice.json["name"] == "Müsli" && twice.json["brand"] == "Aldi")
        #expect(twice.json["nutrients"]?["fat_g"] == 6)
        // What is added is in use, unless the request says otherwise.
        for archived: JSON in [true, false] {
            #expect(client.call("PATCH", "/api/v1/foods/\(id)", ["archived": true]).status == 200)
            var body: JSON = ["name": "Müsli", "barcode": barcode]
            if archived == true { body = ["name": "Müsli", "barcode": barcode, "archived": true] }
            let again = client.call("POST", "/api/v1/foods", body)
            #expect(again.json["archived"] == archived, "\(again.text)")
        }
        #expect(client.call("PATCH", "/api/v1/foods/\(id)", ["barcode": .null]).status == 200)
        // A food that another barcode was given to is found by it.
        let given = client.call("PATCH", "/api/v1/foods/\(id)", ["barcode": "96385074"])
        #expect(given.status == 200, "\(given.text)")
        let found = client.call("POST", "/api/v1/foods", ["name": "Müsli", "barcode": "96385074"])
        #expect(found.json["id"]?.string == id, "\(found.text)")
        #expect(client.call("PATCH", "/api/v1/foods/\(id)", ["barcode": .null]).status == 200)
        let pen = client.call("POST", "/api/v1/foods", ["name": "Pen", "barcode": barcode])
        #expect(pen.status == 201 && pen.json["id"]?.string != id, "\(pen.text)")
        #expect(client.get("/api/v1/foods/\(id)").json["name"] == "Müsli")
    }

    @Test func `a food is not given the barcode of another one, unless that is archived`() throws {
        let client = try client()
        let barcode: JSON = "4006381333931"
        let pen = client.call("POST", "/api/v1/foods", ["name": "Pen", "barcode": barcode])
        let oats = client.call("POST", "/api/v1/foods", ["name": "Oats"])
        let ids = [pen, oats].compactMap { $0.json["id"]?.string }
        let paths = ids.map { "/api/v1/foods/\($0)" }
        try #require(paths.count == 2, "\(pen.text) \(oats.text)")
        let taken = client.call("PATCH", paths[1], ["barcode": barcode])
        #expect(taken.status == 409 && taken.problem == "conflict", "\(taken.text)")
        #expect(taken.text.contains(ids[0]), "\(taken.text)")
        #expect(client.call("PATCH", paths[0], ["barcode": barcode]).status == 200)
        let both: JSON = ["barcode": barcode, "archived": true]
        #expect(client.call("PATCH", paths[0], both).status == 200)
        let given = client.call("PATCH", paths[1], ["barcode": barcode])
        #expect(given.status == 200 && given.json["barcode"] != .null, "\(given.text)")
    }

    @Test(
        arguments: [
            ("goals", ["from": "2026-11-01", "fat_g": 60], ["from": "2026-11-01", "fat_g": 70]),
            (
                "fasts", ["started_at": "2020-11-20T01:00:00Z"],
                ["started_at": "2020-11-20T02:00:00Z"]
            ),
            ("foods", ["name": "Pen", "barcode": "4006381333931"], ["name": "Oats"]),
        ] as [(String, JSON, JSON)])
    func `what was deleted does not come back into a place that is taken`(
        kind: String, first: JSON, second: JSON
    ) throws {
        let client = try client()
        let made = client.call("POST", "/api/v1/\(kind)", first)
        let path = "/api/v1/\(kind)/\(try #require(made.json["id"]?.string, "\(made.text)"))"
        #expect(client.call("DELETE", path).status == 204)
        let other = client.call("POST", "/api/v1/\(kind)", second)
        let taken = try #require(other.json["id"]?.string, "\(other.text)")
        if kind == "foods" {
            let code: JSON = ["barcode": "4006381333931"]
            #expect(client.call("PATCH", "/api/v1/foods/\(taken)", code).status == 200)
        }
        let refused = client.call("POST", "\(path)/restore")
        #expect(refused.status == 409 && refused.problem == "conflict", "\(refused.text)")
        #expect(refused.text.contains(taken), "\(refused.text)")
        #expect(client.get(path).status == 410)
        #expect(client.call("DELETE", "/api/v1/\(kind)/\(taken)").status == 204)
        #expect(client.call("POST", "\(path)/restore").status == 200)
        // What is there already is there once more.
        #expect(client.call("POST", "\(path)/restore").status == 200)
    }

    @Test func `a part of what is deleted does not bring it back`() throws {
        let client = try client()
        let meal = try client.addMeal([
            "name": "Soup", "day": "2026-11-20",
            "items": [["name": "Bread", "nutrients": ["energy_kcal": 100]]],
        ])
        let item = client.get("/api/v1/meals/\(meal)").json["items"]?.array?.first?["id"]?.string
        let path = "/api/v1/items/\(try #require(item))"
        #expect(client.call("DELETE", "/api/v1/meals/\(meal)").status == 204)
        for answer in [
            client.get(path), client.call("PATCH", path, ["name": "Roll"]),
            client.call("DELETE", path),
        ] {
            #expect(answer.status == 410 && answer.problem == "deleted", "\(answer.text)")
        }
        #expect(client.get("/api/v1/meals/\(meal)").status == 410)
        let food = client.call("POST", "/api/v1/foods", ["name": "Oats"]).json["id"] ?? .null
        _ = client.call("DELETE", "/api/v1/foods/\(food.string ?? "")")
        let portion: JSON = ["food_id": food, "measure": "cup", "mass_g": 90]
        #expect(client.call("POST", "/api/v1/portions", portion).status == 410)
    }

    @Test func `a part that names a recipe has its nutrients`() throws {
        let client = try client()
        let recipe = client.call("POST", "/api/v1/recipes", ["name": "Dal", "servings": 4])
        let id = try #require(recipe.json["id"]?.string)
        let lentils: JSON = ["name": "Lentils", "nutrients": ["energy_kcal": 520]]
        #expect(client.call("POST", "/api/v1/recipes/\(id)/items", lentils).status == 201)
        for (amount, kilocalories) in [(nil, 130), (2, 260)] as [(Int64?, JSON)] {
            var part: JSON = ["recipe_id": .string(id)]
            if let amount {
                part = [
                    "recipe_id": .string(id),
                    "amount": ["number": .integer(amount), "unit": "serving"],
                ]
            }
            let meal = try client.addMeal(["day": "2026-11-20", "items": .array([part])])
            let shown = client.get("/api/v1/meals/\(meal)").json
            #expect(shown["items"]?.array?.first?["name"] == "Dal")
            #expect(shown["totals"]?["sums"]?["energy_kcal"] == kilocalories, "\(shown.compact)")
        }
    }

    @Test func `a meal of several parts that is sent back as it was shown stays as it is`() throws {
        let client = try client()
        let meal = try client.addMeal([
            "name": "Two", "day": "2026-11-20",
            "items": [
                ["name": "a", "nutrients": ["energy_kcal": 100]],
                ["name": "b", "nutrients": ["energy_kcal": 50]],
            ],
        ])
        let path = "/food-entries/\(meal)"
        let same = client.call("PUT", path, ["food_name": "Two", "calories": 150])
        #expect(same.json["calories"] == 150, "\(same.text)")
        let names = client.get("/api/v1/meals/\(meal)").json["items"]?.array?.map { $0["name"] }
        #expect(names == ["a", "b"])
        // Which part has changed is not said, and nothing of the request is recorded.
        let more = client.call("PUT", path, ["calories": 180, "food_name": "Three"])
        #expect(more.status == 422, "\(more.text)")
        #expect(client.get("/api/v1/meals/\(meal)").json["name"] == "Two")
    }

    @Test func `a webhook that was removed stays so`() throws {
        let client = try GatewayWorld().logIn()
        func add(_ name: String) -> HTTPResponse {
            client.call(
                "POST", "/api/v1/webhooks", ["url": "https://hooks.example.org/a"], key(name))
        }
        let path = "/api/v1/webhooks/\(add("once").json["id"]?.string ?? "")"
        #expect(client.call("DELETE", path).status == 204)
        let again = add("once")
        #expect(again.status == 410 && again.json["title"]?.string?.contains("new") == true)
        #expect(client.get("/api/v1/webhooks").json == [])
        #expect(client.call("POST", "\(path)/test").status == 404)
        #expect(client.call("DELETE", path).status == 404)
        #expect(add("twice").status == 201 && add("once").status == 410)
        #expect(client.get("/api/v1/webhooks").json.array?.count == 1)
    }

    @Test func `a zone that the server does not know is refused`() throws {
        let client = try client()
        for zone in ["Nowhere/Land", "europe/berlin", "/etc/passwd", "UTC+3"] as [JSON] {
            let answer = client.call("PATCH", "/api/v1/preferences", ["zone": zone])
            #expect(answer.status == 422, "\(answer.text)")
        }
        let known = client.call("PATCH", "/api/v1/preferences", ["zone": "Europe/Zurich"])
        #expect(known.status == 200, "\(known.text)")
        #expect(client.call("PATCH", "/api/v1/preferences", ["zone": .null]).status == 200)
    }
}
