import Macrolog
import MacrologAnalysis
import MacrologDiary
import MacrologEngine
import MacrologEvents
import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologTestSupport
import Testing

/// Goal: an app without the library sees what waits, and takes, corrects or rejects it; nothing counts before.
/// Method: a phone asks and has its question answered by a real server that answers as a provider; a program that
/// knows JSON only decides.
@Suite struct ProposalTests {
    /// A phone's meal with a question, answered or not, as the server sees it.
    private func asked(
        _ world: GatewayWorld, answered: Bool
    ) async throws -> (phone: MacrologEngine.Account, meal: Identifier) {
        let phone = try await world.device("phone")
        let meal = phone.replica.newID()
        let question = try phone.replica.write { diary in
            try diary.add(Meal(id: meal, on: diary.localDate(), isConsumed: false))
            return try diary.ask(about: meal, words: "pancakes")
        }
        if answered {
            let models = try ModelServer([AnalysingWorld.answer()])
            let provider = Provider(
                try ProviderSettings(.openAI, address: models.address, model: "m"))
            _ = try phone.replica.answer(question, photo: nil, by: provider)
        }
        _ = try await phone.sync()
        return (phone, meal)
    }

    @Test func `what waits is listed, and counts only once it is confirmed, with corrections`()
        async throws
    {
        let world = try GatewayWorld()
        let (phone, meal) = try await asked(world, answered: true)
        let ana = try world.logIn()
        let list = ana.get("/api/v1/proposals").json.array ?? []
        #expect(list.count == 1 && list[0]["meal_id"]?.string == "\(meal)")
        #expect(list[0]["counts"] == false && list[0]["asked"] == false)
        #expect(list[0]["proposals"]?.array?.first?["name"] == "Pancakes with blueberries & syrup")
        #expect(ana.get("/api/v1/day").json["totals"]?["energy_kcal"] != 615)
        // To eat it would count nothing.
        for path in ["/api/v1/meals/\(meal)/consume", "/api/meals/\(meal)/consume"] {
            let eaten = ana.call("POST", path, path.hasPrefix("/api/v1") ? nil : [:])
            #expect(eaten.status == 409 && eaten.text.contains("confirm"), "\(eaten.text)")
        }
        #expect(ana.get("/api/v1/meals/\(meal)").json["consumed"] == false)

        let path = "/api/v1/meals/\(meal)/confirm"
        for (body, pointer) in [
            (["without": [9]], "#/parts"), (["parts": [["part": 3, "grams": 10]]], "#/parts"),
            (
                ["parts": [["part": 1, "grams": 1], ["part": 1, "grams": 2]]],
                "#/parts/1/part"
            ), (["as_before": true, "without": [1]], "#/as_before"),
            (["parts": [["part": 1]]], "#/parts/0/grams"), (["other": 1], "#/other"),
            (["without": [.number("1.5")]], "#/without/0"),
        ] as [(JSON, JSON)] {
            let refused = ana.call("POST", path, body)
            #expect(refused.status == 422 && refused.json["pointer"] == pointer, "\(refused.text)")
        }
        #expect(ana.get("/api/v1/meals/\(meal)").json["items"] == [])
        let body: JSON = [
            "name": "Pancakes", "without": [3], "parts": [["part": 1, "grams": 125]],
        ]
        let confirmed = ana.call("POST", path, body)
        #expect(confirmed.status == 200 && confirmed.json["consumed"] == true, "\(confirmed.text)")
        #expect(confirmed.json["name"] == "Pancakes")
        let names = confirmed.json["items"]?.array?.compactMap { $0["name"]?.string }
        #expect(names == ["Pancakes", "Blueberries"])
        #expect(ana.call("POST", path, body).status == 409)
        #expect(ana.get("/api/v1/proposals").json == [])
        _ = try await phone.sync()
        let detail = try #require(try phone.replica.meal(meal))
        #expect(detail.meal.isConsumed && detail.items.count == 2)
        // The undo of this interface takes it back whole.
        #expect(ana.call("POST", "/api/v1/undo").status == 200)
        #expect(ana.get("/api/v1/meals/\(meal)").json["items"] == [])
        #expect(ana.get("/api/v1/proposals").json.array?.count == 1)
        #expect(world.notes.isEmpty, "\(world.notes)")
    }

    @Test func `what is rejected is gone, with what is still asked, and the meal stays`()
        async throws
    {
        let world = try GatewayWorld()
        let (phone, meal) = try await asked(world, answered: false)
        let ana = try world.logIn()
        #expect(ana.get("/api/v1/proposals").json.array?.first?["asked"] == true)
        let early = ana.call("POST", "/api/v1/meals/\(meal)/confirm", [:])
        #expect(early.status == 409 && early.text.contains("not answered"), "\(early.text)")
        #expect(ana.call("POST", "/api/v1/meals/\(meal)/consume").text.contains("reject"))
        #expect(ana.call("POST", "/api/v1/meals/\(meal)/reject").status == 200)
        #expect(ana.get("/api/v1/proposals").json == [])
        #expect(ana.call("POST", "/api/v1/meals/\(meal)/reject").status == 409)
        #expect(ana.call("POST", "/api/v1/meals/\(meal)/consume").status == 200)
        _ = try await phone.sync()
        #expect(try phone.replica.read { try $0.openQuestions() }.isEmpty)
        let ben = try world.logIn("ben@example.org")
        #expect(ben.call("POST", "/api/v1/meals/\(meal)/reject").status == 404)
    }

    @Test func `an analysed meal with its parts can be rejected, and what was edited stays`() throws
    {
        let analysing = try AnalysingWorld([AnalysingWorld.answer()])
        let ana = try analysing.world.logIn()
        let made = ana.call("POST", "/api/analyze", ["description": "pancakes"])
        let id = try #require(made.json["id"]?.string)
        let items = ana.get("/api/v1/meals/\(id)").json["items"]?.array ?? []
        let first = try #require(items.first?["id"]?.string)
        #expect(
            ana.call("PATCH", "/api/v1/items/\(first)", ["edited_by_user": true]).status == 200)
        #expect(ana.get("/api/v1/proposals").json.array?.count == 1)
        let left = ana.call("POST", "/api/v1/meals/\(id)/reject")
        #expect(left.status == 200, "\(left.text)")
        #expect(left.json["items"]?.array?.compactMap { $0["id"]?.string } == [first])
        #expect(left.json["estimated"] == false && left.json["reported_total"] == .null)
        #expect(ana.get("/api/v1/proposals").json == [])
    }

    @Test func `what would count nothing, or count twice, is refused with the ways out`()
        async throws
    {
        let world = try GatewayWorld()
        let (_, meal) = try await asked(world, answered: true)
        let ana = try world.logIn()
        let (path, confirm) = ("/api/v1/meals/\(meal)", "/api/v1/meals/\(meal)/confirm")
        let none = ana.call("POST", confirm, ["without": [1, 2, 3]])
        #expect(none.status == 409 && none.text.contains("/reject"), "\(none.text)")
        let typed: JSON = ["nutrients": ["energy_kcal": 50]]
        #expect(ana.call("PATCH", path, typed).status == 200)
        let twice = ana.call("POST", confirm, [:])
        #expect(twice.status == 409 && twice.text.contains("/consume"), "\(twice.text)")
        // Both ways are open.
        #expect(ana.call("POST", path + "/consume").json["consumed"] == true)
        #expect(ana.get(path).json["totals"]?["sums"]?["energy_kcal"] == 50)
        #expect(ana.call("POST", path + "/unconsume").status == 200)
        let unknown: JSON = ["nutrients": ["energy_kcal": nil]]
        #expect(ana.call("PATCH", path, unknown).status == 200)
        #expect(ana.call("POST", confirm, [:]).json["consumed"] == true)
        #expect(ana.get(path).json["totals"]?["sums"]?["energy_kcal"] == 615)
    }

    @Test func `a meal of another day that is confirmed was eaten at its own time`() async throws {
        let world = try GatewayWorld()
        let (_, meal) = try await asked(world, answered: true)
        let ana = try world.logIn()
        let path = "/api/v1/meals/\(meal)"
        let moved = ana.call("PATCH", path, ["occurred_at": "2026-01-05T08:00:00Z"])
        #expect(moved.status == 200, "\(moved.text)")
        let confirmed = ana.call("POST", path + "/confirm", [:]).json
        #expect(confirmed["consumed_at"] == confirmed["occurred_at"], "\(confirmed.compact)")
        #expect(confirmed["consumed_at"] == moved.json["occurred_at"], "\(confirmed.compact)")
    }
}
