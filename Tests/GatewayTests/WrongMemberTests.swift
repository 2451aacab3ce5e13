import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: whatever is wrong in a request, the answer is a problem that names the member or the parameter and says what
/// to send instead, and nothing is recorded.
/// Method: every member of every body of the table is left out, null, of another type, too long, too large, negative,
/// NaN, and another account's, one at a time; so is every parameter.
@Suite struct WrongMemberTests {
    private func send(
        _ client: Client, _ route: APIRoute, _ target: String, _ bytes: [UInt8]
    ) -> HTTPResponse {
        var request = client.request(route.method, target, [:])
        request.body = bytes
        return client.world.send(request)
    }

    /// Why an answer is not the refusal of a member; `nil` if it is.
    private func mistake(_ answer: HTTPResponse, _ pointer: String, isJSON: Bool) -> String? {
        let title = answer.json["title"]?.string ?? ""
        let name = pointer.split(separator: "/").last.map(String.init) ?? "body"
        if answer.status != (isJSON ? 422 : 400) { return "status" }
        if answer.field("content-type") != "application/problem+json" { return "type" }
        if answer.json["pointer"]?.string != "#" + pointer { return "pointer" }
        if isJSON, !title.contains(name) { return "name" }
        let says = ["must be", "is missing", "is no member here", "is not JSON"]
        return says.contains { title.contains($0) } ? nil : "what to send"
    }

    @Test func `every member of every body is refused by name, and nothing is recorded`() throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        _ = try client.addMeal(["name": "Soup"])
        let before = client.get("/api/v1/export/json").whole.body
        var tried = 0
        for route in APIRoutes.all {
            guard let schema = route.body else { continue }
            let path = route.path.parameters.reduce(route.path.text) {
                $0.replacing("{\($1)}", with: APIRoutes.example(of: $1))
            }
            for wrong in WrongBody.all(
                schema, base: route.example, isClosed: !route.ignoresUnknown)
            {
                let answer = send(client, route, path, wrong.bytes)
                let mistake = mistake(answer, wrong.pointer, isJSON: wrong.isJSON)
                #expect(
                    mistake == nil,
                    "\(route.name) \(wrong.pointer) \(wrong.what): \(answer.text.prefix(300))")
                tried += 1
            }
        }
        #expect(tried > 3_500)
        #expect(client.get("/api/v1/export/json").whole.body == before)
        #expect(world.notes.isEmpty, "\(world.notes)")
    }

    @Test func `a member that names what another account has is refused`() throws {
        let world = try GatewayWorld()
        let (ana, ben) = (try world.logIn(), try world.logIn("ben@example.org"))
        func id(_ path: String, _ body: JSON, of client: Client) throws -> String {
            let made = client.call("POST", path, body)
            return try #require(made.json["id"]?.string, "\(path): \(made.text)")
        }
        let food: JSON = ["name": "Oats", "nutrients": ["energy_kcal": 372]]
        let (hers, his) = (
            try id("/api/v1/foods", food, of: ana), try id("/api/v1/foods", food, of: ben)
        )
        let recipe = try id("/api/v1/recipes", ["name": "Dal"], of: ben)
        let template = try id("/api/v1/templates", ["name": "Usual"], of: ben)
        let meal = try id("/api/v1/meals", ["name": "Soup"], of: ben)
        let own = try id("/api/v1/meals", ["name": "Bread"], of: ana)
        let dish = try id("/api/v1/recipes", ["name": "Curry"], of: ana)
        let plan: JSON = ["day": "2026-11-21", "slot": "dinner", "name": "Pizza"]
        let planned = try id("/api/v1/plans", plan, of: ana)
        let before = ana.get("/api/v1/export/json").whole.body
        func part(_ member: String, _ id: String) -> JSON {
            .object([
                JSON.Member("name", "Part"), JSON.Member("nutrients", ["energy_kcal": 9]),
                JSON.Member(member, .string(id)),
            ])
        }
        func refuses(_ method: String, _ path: String, _ body: JSON, _ pointer: String) {
            let answer = ana.call(method, path, body)
            let mistake = mistake(answer, pointer, isJSON: true)
            #expect(mistake == nil, "\(path) \(pointer): \(answer.text)")
        }
        let portion: JSON = ["food_id": .string(his), "measure": "cup", "mass_g": 9]
        refuses("POST", "/api/v1/portions", portion, "/food_id")
        let parts: JSON = [part("food_id", hers), part("food_id", his)]
        refuses("POST", "/api/v1/meals", ["items": parts], "/items/1/food_id")
        refuses(
            "POST", "/api/v1/meals", ["items": [part("recipe_id", recipe)]], "/items/0/recipe_id")
        for path in ["meals/\(own)/items", "recipes/\(dish)/items"] {
            refuses("POST", "/api/v1/\(path)", part("food_id", his), "/food_id")
        }
        let inner = part("sub_recipe_id", recipe)
        refuses("POST", "/api/v1/recipes/\(dish)/items", inner, "/sub_recipe_id")
        for (member, id) in [("food_id", his), ("recipe_id", recipe)] {
            let body: JSON = ["name": "A", "items": [part(member, id)]]
            refuses("POST", "/api/v1/templates", body, "/items/0/\(member)")
        }
        for (member, id) in [
            ("food_id", his), ("recipe_id", recipe), ("template_id", template),
            ("done_meal_id", meal),
        ] {
            let body = JSON.object([JSON.Member(member, .string(id))])
            refuses("PATCH", "/api/v1/plans/\(planned)", body, "/\(member)")
        }
        // What a serving of a food weighs is not known.
        let unweighed: JSON = ["items": [["name": "Oats", "food_id": .string(hers)]]]
        #expect(
            ana.call("POST", "/api/v1/meals", unweighed).json["pointer"] == "#/items/0/amount")
        let photo = ana.send(
            "/photos", [("image", PNGSample.file()), ("food_entry_id", Array(meal.utf8))])
        #expect(photo.json["pointer"] == "#/food_entry_id", "\(photo.text)")
        let conflict: JSON = ["kind": "meal", "id": .string(meal), "cell": "name"]
        #expect(ana.call("POST", "/api/v1/conflicts/resolve", conflict).status == 404)
        #expect(ana.get("/api/v1/export/json").whole.body == before)
        // The own one is taken, also once it is deleted.
        #expect(ana.call("DELETE", "/api/v1/foods/\(hers)").status == 204)
        let patched = ana.call("PATCH", "/api/v1/plans/\(planned)", ["food_id": .string(hers)])
        #expect(patched.status == 200, "\(patched.text)")
        #expect(world.notes.isEmpty, "\(world.notes)")
    }

    @Test func `every parameter of every address is refused by name`() throws {
        let client = try GatewayWorld().logIn()
        var tried = 0
        for route in APIRoutes.all {
            let path = route.path.text
            for name in route.path.parameters where !["token", "signed"].contains(name) {
                for text in ["x", "-1", "NaN", "2026-13-01", String(repeating: "9", count: 300)] {
                    let target = route.path.parameters.reduce(path) {
                        $0.replacing("{\($1)}", with: $1 == name ? text : APIRoutes.example(of: $1))
                    }
                    let answer = client.call(route.method, target, route.example)
                    check(answer, name, "\(route.method) \(target.prefix(100))")
                    tried += 1
                }
            }
            let filled = route.path.parameters.reduce(path) {
                $0.replacing("{\($1)}", with: APIRoutes.example(of: $1))
            }
            for parameter in route.query {
                let wrong = parameter.wrong + [parameter.example + "&\(parameter.name)=1"]
                for text in wrong {
                    let answer = client.call(
                        route.method, "\(filled)?\(parameter.name)=\(text)", route.example)
                    check(answer, parameter.name, "\(route.name) \(text.prefix(40))")
                    tried += 1
                }
            }
        }
        #expect(tried > 800)
    }

    private func check(_ answer: HTTPResponse, _ name: String, _ what: String) {
        #expect(answer.status == 400, "\(what): \(answer.text)")
        #expect(answer.json["parameter"]?.string == name, "\(what): \(answer.text)")
        #expect(answer.json["title"]?.string?.contains(name) == true, "\(what): \(answer.text)")
    }
}

extension APIParameter {
    /// What is no value of it.
    fileprivate var wrong: [String] {
        switch form {
        case .id, .day, .choice, .flag: ["", "x", "-1", "NaN", "9999-99-99"]
        case .integer(let range):
            ["", "x", "NaN", "1.5", "1e2", "\(range.lowerBound - 1)", "\(range.upperBound + 1)"]
                + [String(repeating: "9", count: 40)]
        case .text(let bytesMax, _): ["", String(repeating: "a", count: bytesMax + 1), "%FF"]
        }
    }
}
