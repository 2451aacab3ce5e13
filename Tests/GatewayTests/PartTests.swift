import MacrologHTTP
import MacrologJSON
import Testing

/// Goal: the parts of a meal, a recipe and a template hold what their foods and amounts say.
/// Method: parts are sent, changed and sent wrongly, and what is shown is compared with the arithmetic.
@Suite struct PartTests {
    @Test func `a part that names a food has the food's nutrients by its amount`() throws {
        let client = try GatewayWorld().logIn()
        let food = client.call(
            "POST", "/api/v1/foods",
            ["name": "Oats", "nutrients": ["energy_kcal": 372, "protein_g": .number("13.5")]])
        #expect(food.status == 201, "\(food.text)")
        let id = try client.addMeal([
            "name": "Porridge",
            "items": [
                [
                    "name": "Oats", "food_id": food.json["id"] ?? .null,
                    "amount": ["number": 50, "unit": "g"],
                ]
            ],
        ])
        let sums = client.get("/api/v1/meals/\(id)").json["totals"]?["sums"]
        #expect(sums?["energy_kcal"] == 186)
        #expect(client.get("/api/v1/foods?q=oat").json.array?.count == 1)
    }

    @Test func `an ingredient is at its address, and comes back there`() throws {
        let client = try GatewayWorld().logIn()
        let recipe = client.call("POST", "/api/v1/recipes", ["name": "Dal"]).json["id"]?.string
        let whole = "/api/v1/recipes/\(try #require(recipe))"
        let lentils: JSON = ["name": "Lentils", "nutrients": ["energy_kcal": 520]]
        let added = client.call("POST", "\(whole)/items", lentils)
        let path = try #require(added.field("location"), "\(added.text)")
        let shown = client.get(path)
        #expect(shown.status == 200 && shown.json == added.json, "\(shown.text)")
        let seen = [HTTPField("if-match", try #require(shown.field("etag")))]
        #expect(client.call("DELETE", path, nil, seen).status == 204)
        let gone = client.get(path)
        #expect(gone.status == 410 && gone.text.contains("POST …/restore"), "\(gone.text)")
        let late = client.call("POST", "\(path)/restore", nil, [HTTPField("if-match", "\"x\"")])
        #expect(late.status == 412 && client.get(path).status == 410, "\(late.text)")
        let back = client.call("POST", "\(path)/restore", nil, seen)
        #expect(back.status == 200 && back.json == added.json, "\(back.text)")
        #expect(client.get(whole).json["items"]?.array?.count == 1)
        #expect(client.call("DELETE", whole).status == 204)
        for answer in [client.get(path), client.call("POST", "\(path)/restore")] {
            #expect(answer.status == 410 && answer.problem == "deleted", "\(answer.text)")
        }
    }

    @Test func `a part has the nutrients of its new amount, or they are asked for`() throws {
        let client = try GatewayWorld().logIn()
        let food = client.call(
            "POST", "/api/v1/foods",
            [
                "name": "Oats", "nutrients": ["energy_kcal": 372],
                "serving": ["number": 1, "unit": "bowl", "mass_g": 60],
            ])
        let meal = try client.addMeal([
            "name": "Porridge",
            "items": [
                [
                    "name": "Oats", "food_id": food.json["id"] ?? .null,
                    "amount": ["number": 50, "unit": "g"],
                ]
            ],
        ])
        let items = client.get("/api/v1/meals/\(meal)").json["items"]?.array
        let path = "/api/v1/items/\(items?.first?["id"]?.string ?? "")"
        let bowl = client.call("PATCH", path, ["amount": ["number": 1, "unit": "bowl"]])
        #expect(bowl.json["nutrients"]?["energy_kcal"] == .number("223.2"), "\(bowl.text)")
        let pinch: JSON = ["number": 1, "unit": "pinch"]
        let refused = client.call("PATCH", path, ["amount": pinch])
        #expect(refused.status == 422 && refused.json["pointer"] == "#/amount", "\(refused.text)")
        let both = client.call("PATCH", path, ["amount": pinch, "nutrients": ["energy_kcal": 2]])
        #expect(both.json["nutrients"]?["energy_kcal"] == 2, "\(both.text)")
    }

    @Test func `an amount of 0 is refused, because nothing could be scaled from it`() throws {
        let client = try GatewayWorld().logIn()
        let meal = try client.addMeal([
            "name": "Bread",
            "items": [
                [
                    "name": "Bread", "amount": ["number": 50, "unit": "g"],
                    "nutrients": ["energy_kcal": 120],
                ]
            ],
        ])
        let items = client.get("/api/v1/meals/\(meal)").json["items"]?.array
        let path = "/api/v1/items/\(items?.first?["id"]?.string ?? "")"
        let none: JSON = ["number": 0, "unit": "g"]
        let refused = client.call("PATCH", path, ["amount": none])
        #expect(refused.status == 422 && refused.json["pointer"] == "#/amount", "\(refused.text)")
        let double = client.call("PATCH", path, ["amount": ["number": 100, "unit": "g"]])
        #expect(double.json["nutrients"]?["energy_kcal"] == 240, "\(double.text)")
        let both = client.call("PATCH", path, ["amount": none, "nutrients": ["energy_kcal": 0]])
        #expect(both.status == 200, "\(both.text)")
    }

    @Test func `a wrong part of a member is refused by its place, and what is right of it is kept`()
        throws
    {
        let client = try GatewayWorld().logIn()
        func own(_ name: JSON) -> JSON {
            ["energy_kcal": 300, "own_nutrients": [["nutrient": name, "number": 2]]]
        }
        let bodies: [(path: String, place: String, body: (JSON) -> JSON)] = [
            ("meals", "/nutrients", { ["name": "Soup", "nutrients": own($0)] }),
            ("meals", "/reported_total", { ["name": "Soup", "reported_total": own($0)] }),
            (
                "templates", "/items/1/nutrients",
                {
                    [
                        "name": "Lunch",
                        "items": [["name": "Oats"], ["name": "Milk", "nutrients": own($0)]],
                    ]
                }
            ),
        ]
        for (path, place, body) in bodies {
            for name in ["taurine", "x:Taurine", "x:ta urine", "energy"] {
                let refused = client.call("POST", "/api/v1/\(path)", body(.string(name)))
                #expect(refused.status == 422, "\(path) \(name): \(refused.text)")
                #expect(
                    refused.json["pointer"]?.string == "#\(place)/own_nutrients/0/nutrient",
                    "\(refused.text)")
            }
            let taken = client.call("POST", "/api/v1/\(path)", body("x:taurine"))
            #expect(taken.status == 201, "\(taken.text)")
            let shown = place.split(separator: "/").reduce(Optional(taken.json)) { json, key in
                Int(key).map { json?.array?[$0] } ?? json?[String(key)]
            }
            #expect(shown?["energy_kcal"] == 300, "\(taken.text)")
            #expect(shown?["own_nutrients"] == [["nutrient": "x:taurine", "number": 2]])
        }
    }

    @Test func `the same key makes one ingredient, and takes no other body`() throws {
        let client = try GatewayWorld().logIn()
        let recipe = client.call("POST", "/api/v1/recipes", ["name": "Dal", "servings": 4])
        let path = "/api/v1/recipes/\(recipe.json["id"]?.string ?? "")"
        let key = [HTTPField("idempotency-key", "once")]
        let ids = (0..<3).map { _ in
            client.call("POST", path + "/items", ["name": "Lentils"], key).json["id"]?.string
        }
        #expect(ids[0] != nil && Set(ids).count == 1)
        let other = client.call("POST", path + "/items", ["name": "Rice"], key)
        #expect(other.status == 422 && other.problem == "idempotency_key", "\(other.text)")
        #expect(client.get(path).json["items"]?.array?.map { $0["name"] } == ["Lentils"])
    }
}
