import MacrologHTTP
import MacrologJSON
import Testing

/// Goal: a day has one check-in over REST too, and the day shows it beside the goals of movement.
/// Method: requests to a server with one account.
@Suite struct CheckInTests {
    @Test func `a second check-in of a day changes the first, and it stays on its day`() throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let sent: JSON = ["day": "2026-11-10", "sleep_min": 450, "hrv_ms": .number("62.5")]
        let first = client.call("POST", "/api/v1/check-ins", sent)
        #expect(first.status == 201, "\(first.text)")
        let second = client.call(
            "POST", "/api/v1/check-ins", ["day": "2026-11-10", "stress": 2])
        #expect(second.json["id"] == first.json["id"], "\(second.text)")
        #expect(second.json["sleep_min"] == 450 && second.json["stress"] == 2)
        let path = "/api/v1/check-ins/\(try #require(first.json["id"]?.string))"
        let moved = client.call("PATCH", path, ["day": "2026-11-11"])
        #expect(moved.status == 409, "\(moved.text)")
        let wrong = client.call("PATCH", path, ["soreness": 6])
        #expect(wrong.status == 422 || wrong.status == 400, "\(wrong.text)")
        let day = client.get("/api/v1/day/2026-11-10").json
        #expect(day["check_in"]?["hrv_ms"] == .number("62.5"))
        let list = client.get("/api/v1/check-ins?from=2026-11-01&to=2026-11-30").json
        #expect(list.array?.count == 1, "\(list.compact)")
        #expect(client.call("DELETE", path).status == 204)
        #expect(client.get("/api/v1/day/2026-11-10").json["check_in"] == JSON.null)
        #expect(client.call("POST", "\(path)/restore").status == 200)
        #expect(client.get(path).json["sleep_min"] == 450)
    }

    @Test func `the goals of movement are set, and a day says how it stands to them`() throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let goal = client.call(
            "POST", "/api/v1/goals",
            ["from": "2026-11-01", "burned_kcal": 500, "steps": 10_000])
        #expect(goal.status == 201 && goal.json["burned_kcal"] == 500, "\(goal.text)")
        _ = client.call(
            "POST", "/api/v1/steps",
            ["day": "2026-11-10", "source": "watch", "steps": 10_500, "active_kcal": 310])
        let goals = client.get("/api/v1/day/2026-11-10").json["movement_goals"]?.array ?? []
        #expect(goals.map { $0["quantity"] } == ["burned", "steps"], "\(goals)")
        #expect(goals.map { $0["met"] } == [false, true], "\(goals)")
        #expect(goals.first?["remaining_kcal"] == 190)
        #expect(client.get("/api/v1/goal?date=2026-11-10").json["steps"] == 10_000)
    }
}
