import Macrolog
import MacrologDiary
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import Testing

/// Goal: what a coach knows and a model has advised is there over REST as on the command line.
/// Method: a phone records what a model advised; requests accept it, and read the facts.
@Suite struct CoachRouteTests {
    @Test func `advice of a model becomes the goal of a day, and the one before counts again`()
        async throws
    {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let goal: JSON = ["from": "2026-01-01", "energy_kcal": 1_800]
        #expect(client.call("POST", "/api/v1/goals", goal).status == 201)
        let none = client.call("POST", "/api/v1/coach/accept")
        #expect(none.problem == "conflict", "\(none.text)")
        let phone = try await world.device("phone")
        try await phone.sync()
        try phone.replica.write { diary in
            var advice = Recommendation(
                id: diary.newID(), energy: 2_000_000, protein: 120_000, carbs: 245_000, fat: 60_000)
            advice.reasoning = "You train today."
            advice.day = Day("2026-11-20")
            try diary.add(advice)
        }
        try await phone.sync()
        let otherDay = client.call("POST", "/api/v1/coach/accept", ["day": "2026-11-19"])
        #expect(otherDay.problem == "conflict", "\(otherDay.text)")
        let taken = client.call("POST", "/api/v1/coach/accept", ["day": "2026-11-20"])
        #expect(taken.status == 200, "\(taken.text)")
        #expect(taken.json == client.get("/api/v1/goal?date=2026-11-20").json)
        let plans = (client.get("/api/v1/goals").json.array ?? []).sorted {
            ($0["from"]?.string ?? "") < ($1["from"]?.string ?? "")
        }
        #expect(plans.map { $0["energy_kcal"] } == [1_800, 2_000, 1_800], "\(plans)")
        #expect(plans.map { $0["from"] } == ["2026-01-01", "2026-11-20", "2026-11-21"])
        let wrong = client.call("POST", "/api/v1/coach/accept", ["day": "tomorrow"])
        #expect(wrong.json["pointer"] == "#/day", "\(wrong.text)")
        let read = client.withToken("read").call("POST", "/api/v1/coach/accept")
        #expect(read.problem == "not_allowed", "\(read.text)")
    }

    @Test func `the wider context describes the person and the day's check-in`() throws {
        let client = try GatewayWorld().logIn()
        let empty = client.get("/api/v1/coach/wide-context").json
        #expect(empty["age_years"] == .null && empty["week_workouts"] == [])
        let born: JSON = ["birth_date": "1990-05-17", "height_cm": 172, "sex": "female"]
        #expect(client.call("PATCH", "/api/v1/profile", born).status == 200)
        let today = client.get("/api/v1/day").json["day"] ?? .null
        let checkIn: JSON = ["day": today, "sleep_min": 450, "soreness": 2]
        #expect(client.call("POST", "/api/v1/check-ins", checkIn).status == 201)
        let context = client.get("/api/v1/coach/wide-context").json
        #expect(context["sex"] == "female" && context["age_years"]?.integer != nil)
        #expect(context["sleep_hours"] == .number("7.5"), "\(context.compact)")
        #expect(context["muscle_soreness"]?["soreness"] == 2)
    }
}
