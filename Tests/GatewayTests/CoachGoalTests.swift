import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologSystem
import Testing

/// Goal: a token for some days says nothing of a weight before them, not even by a goal that is computed from it.
/// Method: the same days are asked with the owner's token and with a coach's, for a computed goal and a stated one.
@Suite struct CoachGoalTests {
    private static let paths = [
        "/api/v1/day/2026-11-11", "/api/v1/day", "/api/v1/stats?from=2026-11-10&to=2026-11-11",
        "/api/v1/trends?days=1",
    ]

    /// A person with a weight, meals on later days and a goal, and what a coach of the later days asks with.
    private func coached(_ goal: JSON) throws -> (ana: Client, coach: Client) {
        let world = try GatewayWorld()
        // The day does not change meanwhile.
        world.stopClock(at: SystemClock.wallMilliseconds)
        let ana = try world.logIn()
        let born: JSON = ["birth_date": "1990-05-17", "height_cm": 172, "sex": "female"]
        #expect(ana.call("PATCH", "/api/v1/profile", born).status == 200)
        #expect(
            ana.call(
                "POST", "/api/v1/weights", ["day": "2025-11-09", "weight_kg": .number("70.3")]
            ).status == 201)
        let made = ana.call("POST", "/api/v1/goals", goal)
        #expect(made.status == 201, "\(made.text)")
        for day in ["2026-11-10", "2026-11-11", ana.get("/api/v1/day").json["day"]?.string ?? ""] {
            _ = try ana.addMeal([
                "name": "Soup", "day": .string(day),
                "nutrients": ["energy_kcal": 300, "protein_g": 20],
            ])
        }
        let first = try #require(Day("2025-11-10"))
        let answer = ana.call(
            "POST", "/v1/tokens",
            ["name": "Eva", "scope": "read", "first_day": .integer(first.number)])
        #expect(answer.status == 201, "\(answer.text)")
        return (ana, Client(world: ana.world, token: answer.json["token"]?.string))
    }

    /// What an answer says of the goal of a nutrient.
    private func goals(_ json: JSON, of nutrient: JSON) -> [JSON] {
        let rows = (json["goals"]?.array ?? []) + (json["averages"]?.array ?? [])
        let members = rows.filter { $0["nutrient"] == nutrient }.flatMap { $0.object ?? [] }
        return members.filter { $0.key.hasPrefix("goal_") || $0.key.hasPrefix("target_") }
            .map(\.value).filter { $0 != .null }
    }

    /// What an answer says of whether days met their goals.
    private func met(_ json: JSON) -> [JSON] {
        ["goal_status", "achieved_days", "missed_days", "achievement_rate_percent"]
            .compactMap { json[$0] }.filter { $0 != .null }
    }

    @Test(arguments: ["dynamic", "adaptive"])
    func `a coach sees no goal that is computed from an earlier weight`(mode: String) throws {
        let (ana, coach) = try coached([
            "from": "2025-11-01", "mode": .string(mode), "fiber_g": 30,
        ])
        for path in Self.paths {
            let (seen, whole) = (coach.get(path), ana.get(path))
            #expect(seen.status == 200, "\(path) \(seen.text)")
            for nutrient in ["energy", "protein", "carbs", "fat"] {
                #expect(!goals(whole.json, of: .string(nutrient)).isEmpty, "\(path) \(nutrient)")
                #expect(goals(seen.json, of: .string(nutrient)) == [], "\(path) \(nutrient)")
            }
            #expect(met(seen.json) == [], "\(path)")
            // What was eaten, and a goal that the person stated, is for the coach.
            #expect(seen.json["totals"] == whole.json["totals"])
            #expect(goals(seen.json, of: "fiber") == goals(whole.json, of: "fiber"), "\(path)")
        }
    }

    @Test func `a coach sees the goals that the person stated`() throws {
        let (ana, coach) = try coached([
            "from": "2025-11-01", "energy_kcal": 1_800, "protein_g": 120,
        ])
        for path in Self.paths {
            let (seen, whole) = (coach.get(path).json, ana.get(path).json)
            for nutrient: JSON in ["energy", "protein"] {
                #expect(!goals(seen, of: nutrient).isEmpty, "\(path)")
                #expect(goals(seen, of: nutrient) == goals(whole, of: nutrient), "\(path)")
            }
            #expect(met(seen) == met(whole), "\(path)")
        }
    }
}
