import Macrolog
import MacrologEvents
import MacrologFaces
import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologTestSupport
import Testing

/// Goal: the interface of this server says what a device says, byte by byte, and takes what it says.
/// Method: answers are compared with what `Faces` prints of a device's own log; what was read is sent back.
@Suite struct NativeTests {
    @Test func `a past day has the bytes that a device prints`() async throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        _ = try client.addMeal([
            "name": "Soup", "day": "2026-11-10", "note": "„Suppe“ <b>", "tags": ["a", "b"],
            "nutrients": ["energy_kcal": 300, "sodium_mg": .number("812.5")],
        ])
        _ = client.call("POST", "/api/v1/water", ["volume_ml": 250, "day": "2026-11-10"])
        let phone = try await world.device("phone")
        try await phone.sync()
        let day = try #require(Day("2026-11-10"))
        let expected = try phone.replica.dayReport(of: day).json.pretty + "\n"
        let answer = client.get("/api/v1/day/2026-11-10")
        #expect(String(decoding: answer.body, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        ("300 kcal lunch", "/api/v1/meals", "name"), ("1255kJ Cake", "/api/v1/meals", "name"),
        ("weight 80.2", "/api/v1/weights", "weight_kg"),
        ("water 250 ml", "/api/v1/water", "volume_ml"),
        ("Water 250 ml", "/api/v1/water", "volume_ml"),
    ])
    func `one line is recorded, as JSON and as a form`(
        line: String, list: String, key: String
    ) throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let answer = client.call("POST", "/api/v1/quick", ["line": .string(line)])
        #expect(answer.status == 201, "\(answer.text)")
        let form = world.send(
            HTTPRequest(
                method: "POST", path: "/api/v1/quick",
                fields: [
                    HTTPField("authorization", "Bearer \(client.token ?? "")"),
                    HTTPField("content-type", "application/x-www-form-urlencoded"),
                ], body: Array("line=\(line.replacing(" ", with: "+"))".utf8)))
        #expect(form.status == 201, "\(form.text)")
        let all = client.get(list).json.array ?? []
        #expect(all.count == 2)
        #expect(all.allSatisfy { $0[key] != .null && $0[key] != nil })
    }

    @Test func `a slot that begins with a capital letter is the slot`() throws {
        let client = try GatewayWorld().logIn()
        let answer = client.call("POST", "/api/v1/quick", ["line": "300 kcal Lunch Pizza"])
        #expect(answer.json["slot"] == "lunch" && answer.json["name"] == "Pizza", "\(answer.text)")
        let wrong = client.call("POST", "/api/v1/quick", ["line": "weight"])
        #expect(wrong.json["title"]?.string?.contains("weight 80.2") == true, "\(wrong.text)")
        let unknown = client.get("/api/v1/day?date=2026-11-20")
        #expect(unknown.json["title"]?.string?.hasPrefix("date is no parameter") == true)
    }

    @Test(arguments: ["", "lunch", "weight", "weight 80.2 apples", "water", "-3 kcal"])
    func `a line that says nothing records nothing`(line: String) throws {
        let client = try GatewayWorld().logIn()
        let answer = client.call("POST", "/api/v1/quick", ["line": .string(line)])
        #expect(answer.status == 422, "\(answer.text)")
        #expect(client.get("/api/v1/meals").json.array?.isEmpty == true)
    }

    @Test func `a conflict is listed and resolved for every device`() async throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let id = try client.addMeal(["name": "Soup"])
        let phone = try await world.device("phone")
        try await phone.sync()
        let stored = try phone.replica.entity(Meal.self, try #require(Identifier(id)))
        var meal = try #require(stored)
        meal.dishName = "Dal"
        try phone.replica.save(meal)
        meal.note = "warm"
        try phone.replica.save(meal)
        _ = client.call("PATCH", "/api/v1/meals/\(id)", ["name": "Broth", "note": "cold"])
        try await phone.sync()
        let whole = client.get("/api/v1/conflicts")
        let second = try #require(whole.json.array?.last)
        let conflict = try #require(whole.json.array?.first)
        #expect(whole.json.array?.count == 2, "\(whole.text)")
        let body: JSON = [
            "kind": conflict["kind"] ?? .null, "id": conflict["id"] ?? .null,
            "cell": conflict["cell"] ?? .null, "use_lost": 0,
        ]
        // What the person was shown may have changed since.
        let tag = try #require(whole.field("etag"))
        let first = client.get("/api/v1/conflicts?limit=1")
        let next = try #require(first.field("link")).split(separator: ">")[0].dropFirst()
        let page = client.get(String(next))
        #expect(page.json.array == [second] && page.field("etag") == tag, "\(page.text)")
        let late = client.call(
            "POST", "/api/v1/conflicts/resolve", body, [HTTPField("if-match", "\"old\"")])
        #expect(late.status == 412 && late.json["current"] == conflict, "\(late.text)")
        #expect(late.field("etag") == tag)
        let answer = client.call(
            "POST", "/api/v1/conflicts/resolve", body, [HTTPField("if-match", tag)])
        #expect(answer.status == 200, "\(answer.text)")
        let left = client.get("/api/v1/conflicts?limit=1")
        #expect(left.json.array?.map { $0["cell"] } == [second["cell"]])
        #expect(left.field("etag") != tag)
        #expect(client.call("POST", "/api/v1/conflicts/resolve", body).status == 404)
        let undone = client.call("POST", "/api/v1/undo")
        #expect(undone.json["leaves_conflict_resolved"] == true, "\(undone.text)")
        let other: JSON = [
            "kind": second["kind"] ?? .null, "id": second["id"] ?? .null,
            "cell": second["cell"] ?? .null,
        ]
        #expect(client.call("POST", "/api/v1/conflicts/resolve", other).status == 200)
        try await phone.sync()
        #expect(try phone.replica.conflicts().isEmpty)
    }

    @Test func `what was done last is undone and redone, and the log tells of it`() throws {
        let client = try GatewayWorld().logIn()
        let id = try client.addMeal(["name": "Soup"])
        let undone = client.call("POST", "/api/v1/undo")
        #expect(undone.json["leaves_conflict_resolved"] == false, "\(undone.text)")
        #expect(client.get("/api/v1/meals/\(id)").status == 410)
        #expect(client.call("POST", "/api/v1/redo").status == 200)
        #expect(client.get("/api/v1/meals/\(id)").status == 200)
        let lines = String(decoding: client.get("/api/v1/log").body, as: UTF8.self)
        #expect(lines.split(separator: "\n").count == 3)
        #expect(client.get("/api/v1/history/meal/\(id)").json.array?.count == 3)
        #expect(try GatewayWorld().logIn().call("POST", "/api/v1/undo").status == 409)
    }

    @Test func `a day that is watched comes again when a phone has changed it`() async throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let accept = [HTTPField("accept", "text/event-stream")]
        let answer = client.call("GET", "/api/v1/day/2026-11-20", nil, accept)
        #expect(answer.field("content-type") == "text/event-stream")
        let stream = try #require(answer.stream)
        stream.begin {}
        let first = String(decoding: stream.next() ?? [], as: UTF8.self)
        #expect(first.hasPrefix("event: day\ndata: {\"day\":\"2026-11-20\""))
        #expect(stream.next() == [])
        let phone = try await world.device("phone")
        let day = try #require(Day("2026-11-20"))
        try phone.replica.add(
            Meal(id: phone.replica.newID(), on: LocalDate(day: day), dishName: "Toast"))
        try await phone.sync()
        var second = ""
        #expect(
            eventually {
                second += String(decoding: stream.next() ?? [], as: UTF8.self)
                return second.contains("Toast")
            })
        #expect(client.call("POST", "/v1/auth/logout").status == 204)
        world.gateway.endRevoked()
        #expect(stream.next() == nil)
        stream.end()
    }

    @Test func `the days of a person are those of the person's zone`() throws {
        let client = try GatewayWorld().logIn()
        let instant: JSON = "2026-11-20T23:30:00Z"
        let first = client.call(
            "POST", "/api/v1/water", ["volume_ml": 250, "occurred_at": instant])
        #expect(first.json["day"]?.string == "2026-11-20", "\(first.text)")
        let zone = client.call("PATCH", "/api/v1/preferences", ["zone": "Asia/Tokyo"])
        #expect(zone.status == 200, "\(zone.text)")
        let second = client.call(
            "POST", "/api/v1/water", ["volume_ml": 250, "occurred_at": instant])
        #expect(second.json["day"]?.string == "2026-11-21", "\(second.text)")
        #expect(second.json["zone"]?.string == "Asia/Tokyo")
    }

    @Test(arguments: [
        "1900-01-01T00:00:00+13:00", "2200-12-31T23:00:00-13:00", "2200-12-31T23:30:00Z",
    ])
    func `a time that no answer can show is refused, with the member that has it`(
        time: String
    ) throws {
        let client = try GatewayWorld().logIn()
        let zone = client.call("PATCH", "/api/v1/preferences", ["zone": "Europe/Zurich"])
        #expect(zone.status == 200, "\(zone.text)")
        let drink = client.call(
            "POST", "/api/v1/water", ["volume_ml": 250, "occurred_at": .string(time)])
        #expect(drink.status == 422 && drink.json["pointer"] == "#/occurred_at", "\(drink.text)")
        guard !time.hasSuffix("Z") else { return }
        let fast = client.call(
            "POST", "/api/v1/fasts", ["started_at": .string(time), "ended_at": .string(time)])
        #expect(fast.status == 422 && fast.json["pointer"] == "#/started_at", "\(fast.text)")
    }

    @Test func `the offset of an island is taken, and declared`() throws {
        let client = try GatewayWorld().logIn()
        let time = "2026-11-20T10:00:00+14:00"
        let drink = client.call(
            "POST", "/api/v1/water", ["volume_ml": 250, "occurred_at": .string(time)])
        #expect(drink.status == 201 && drink.json["utc_offset_min"] == 840, "\(drink.text)")
        let document = client.get("/openapi.json").json
        let post = document["paths"]?["/api/v1/water"]?["post"]
        let body = post?["requestBody"]?["content"]?["application/json"]?["schema"]
        let form = body?.referred(in: document)["properties"]?["occurred_at"]?["anyOf"]?.array?
            .first
        let pattern = try #require(form?["pattern"]?.string)
        #expect(try Regex(pattern).wholeMatch(in: time) != nil, "\(pattern)")
    }

    @Test func `one goal begins on a day, and one fast is in progress`() throws {
        let client = try GatewayWorld().logIn()
        let key = [HTTPField("idempotency-key", "g")]
        let body: JSON = ["from": "2026-11-01", "energy_kcal": 2_100]
        let first = client.call("POST", "/api/v1/goals", body, key)
        let id = first.json["id"]?.string ?? ""
        #expect(client.call("POST", "/api/v1/goals", body, key).json["id"]?.string == id)
        let second = client.call("POST", "/api/v1/goals", ["from": "2026-11-01", "protein_g": 90])
        #expect(second.status == 409 && second.text.contains(id), "\(second.text)")
        let later = client.call("POST", "/api/v1/goals", ["from": "2026-11-08"])
        let path = "/api/v1/goals/\(later.json["id"]?.string ?? "")"
        #expect(client.call("PATCH", path, ["from": "2026-11-01"]).status == 409)
        #expect(client.call("PATCH", path, ["from": "2026-11-09"]).status == 200)
        #expect(client.call("PATCH", "/api/v1/goals/\(id)", ["from": "2026-11-01"]).status == 200)

        let open: JSON = ["started_at": "2026-11-19T20:00:00Z"]
        let fast = client.call("POST", "/api/v1/fasts", open)
        let fastID = fast.json["id"]?.string ?? ""
        let other = client.call("POST", "/api/v1/fasts", ["started_at": "2026-11-20T08:00:00Z"])
        #expect(other.status == 409 && other.text.contains(fastID), "\(other.text)")
        #expect(client.call("PATCH", "/api/v1/fasts/\(fastID)", ["note": "easy"]).status == 200)
        let ended = client.call(
            "POST", "/api/v1/fasts",
            ["started_at": "2026-11-18T20:00:00Z", "ended_at": "2026-11-19T10:00:00Z"])
        #expect(ended.status == 201, "\(ended.text)")
        let again = client.call(
            "PATCH", "/api/v1/fasts/\(ended.json["id"]?.string ?? "")", ["ended_at": nil])
        #expect(again.status == 409, "\(again.text)")
    }

    @Test func `a fast that begins at night is listed on the person's day`() throws {
        let client = try GatewayWorld().logIn()
        let settings: JSON = ["day_start": "04:00", "zone": "UTC"]
        let set = client.call("PATCH", "/api/v1/preferences", settings)
        #expect(set.status == 200, "\(set.text)")
        let fast: JSON = [
            "started_at": "2026-11-20T00:30:00Z", "ended_at": "2026-11-20T16:30:00Z",
        ]
        #expect(client.call("POST", "/api/v1/fasts", fast).status == 201)
        for (day, count) in [("2026-11-19", 1), ("2026-11-20", 0)] {
            let found = client.get("/api/v1/fasts?from=\(day)&to=\(day)").json.array?.count
            #expect(found == count, "\(day)")
        }
    }

    /// Goal: each entry is on one page, also when some are added and deleted between the pages.
    @Test(arguments: ["foods", "recipes", "templates"])
    func `what is searched comes in pages`(list: String) throws {
        let client = try GatewayWorld().logIn()
        func add(_ name: String) -> String {
            let body: JSON = ["name": .string(name), "items": [["name": "Oats"]]]
            let answer = client.call(
                "POST", "/api/v1/\(list)", list == "templates" ? body : ["name": .string(name)])
            #expect(answer.status == 201, "\(answer.text)")
            return answer.json["id"]?.string ?? ""
        }
        var expected = Set((1...7).map { add("Dish \($0)") })
        var seen: [String] = []
        var next: String? = "/api/v1/\(list)?limit=3"
        var tag = ""
        while let path = next {
            let answer = client.get(path)
            #expect(answer.status == 200, "\(answer.text)")
            let ids = (answer.json.array ?? []).compactMap { $0["id"]?.string }
            #expect(ids.count <= 3)
            seen += ids
            next = answer.field("link").map { String($0.dropFirst().prefix { $0 != ">" }) }
            tag = next.map { String($0.suffix(8)) } ?? tag
            if seen.count == 3 {
                // The one that the cursor names is gone, and one comes after all.
                let last = ids.last ?? ""
                #expect(client.call("DELETE", "/api/v1/\(list)/\(last)").status == 204)
                expected.insert(add("Dish 8"))
            }
        }
        #expect(seen.count == 8 && Set(seen) == expected)
        // A cursor that no page has is no more than a place.
        let id = APIRoutes.exampleID
        for cursor in ["0_0_\(id)", "99999_9999999999999_\(id)", "0_1_\(id)"] {
            #expect(client.get("/api/v1/\(list)?cursor=\(cursor)_\(tag)").status == 200)
        }
        let found = client.get("/api/v1/\(list)?q=dish&limit=2")
        #expect(found.json.array?.count == 2 && found.field("link")?.contains("q=dish") == true)
    }

    @Test func `a recipe, a plan, a goal and a fast go through their lives`() throws {
        let client = try GatewayWorld().logIn()
        let recipe = client.call("POST", "/api/v1/recipes", ["name": "Dal", "servings": 2])
        let id = recipe.json["id"]?.string ?? ""
        let item = client.call(
            "POST", "/api/v1/recipes/\(id)/items",
            ["name": "Lentils", "nutrients": ["energy_kcal": 700]])
        #expect(item.status == 201, "\(item.text)")
        let plan = client.call(
            "POST", "/api/v1/plans",
            ["day": "2026-11-20", "slot": "dinner", "recipe_id": .string(id)])
        #expect(plan.status == 201, "\(plan.text)")
        let planID = plan.json["id"]?.string ?? ""
        let done = client.call("POST", "/api/v1/plans/\(planID)/done")
        #expect(done.json["totals"]?["sums"]?["energy_kcal"] == 350, "\(done.text)")
        #expect(client.call("POST", "/api/v1/plans/\(planID)/done").json["id"] == done.json["id"])

        #expect(client.call("POST", "/api/v1/fasting/end").status == 409)
        let evening: JSON = ["target_min": 600, "started_at": "2026-11-19T20:00:00+01:00"]
        #expect(client.call("POST", "/api/v1/fasting/start", evening).status == 201)
        #expect(client.call("POST", "/api/v1/fasting/start", [:]).status == 409)
        #expect(client.get("/api/v1/fasting").json["active"] != .null)
        let future: JSON = ["started_at": "2026-12-26T22:00:00Z"]
        #expect(client.call("POST", "/api/v1/fasting/start", future).status == 422)
        let end: JSON = ["ended_at": "2026-11-20T06:30:00+01:00"]
        #expect(client.call("POST", "/api/v1/fasting/cancel", end).status == 422)
        #expect(client.call("POST", "/api/v1/fasting/end", ["end": "12:30"]).status == 422)
        #expect(client.get("/api/v1/fasting").json["active"] != .null)
        let ended = client.call("POST", "/api/v1/fasting/end", end)
        #expect(
            ended.status == 200 && ended.json["ended_at"] == "2026-11-20T05:30:00.000Z",
            "\(ended.text)")
        let began: JSON = ["started_at": "2026-11-20T06:45:00+01:00"]
        let path = "/api/v1/fasts/\(ended.json["id"]?.string ?? "")"
        let late: JSON = ["started_at": "2026-11-20T07:00:00+01:00"]
        #expect(client.call("PATCH", path, late).status == 422, "it would begin after its end")
        let again = client.call("POST", "/api/v1/fasting/start", began)
        #expect(again.json["started_at"] == "2026-11-20T05:45:00.000Z", "\(again.text)")
        #expect(client.call("POST", "/api/v1/fasting/end").status == 200)

        _ = client.call("POST", "/api/v1/goals", ["from": "2026-11-01", "energy_kcal": 2_100])
        let goal = client.get("/api/v1/goal?date=2026-11-20").json
        #expect(goal["goals"]?.array?.first?["target_kcal"] == 2_100, "\(goal.pretty)")
        #expect(client.get("/api/v1/calendar/2026-11").json["days"]?.array?.count == 30)
        #expect(client.get("/api/v1/calendar/2026-13").status == 400)
        // Found by an attacker: the last month of all ended the server.
        for year in [1900, 1999, 2000, 2100, 2199, 2200] {
            for month in 1...12 {
                let text = "\(year)-\(month < 10 ? "0" : "")\(month)"
                let days = client.get("/api/v1/calendar/\(text)").json["days"]?.array?.count ?? 0
                #expect((28...31).contains(days), "\(text)")
            }
        }
        let whole = client.get("/api/v1/stats?from=1900-01-01&to=2200-12-31")
        #expect(whole.status == 400 && whole.text.contains("3660 days"), "\(whole.text)")
    }

    @Test func `all of it is exported as a device exports it`() async throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        _ = try client.addMeal(["name": "Soup", "day": "2026-11-20"])
        let rows = String(
            decoding: client.get("/api/v1/export/meals.csv").body, as: UTF8.self)
        #expect(rows.contains("Soup"))
        #expect(client.get("/api/v1/export/json").json["events"]?.array?.count == 1)
    }
}
