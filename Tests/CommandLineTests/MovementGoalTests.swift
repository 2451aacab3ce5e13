import Foundation
import Macrolog
import Testing

/// Goal: energy to burn and steps are set, shown beside what was done, and decide nothing else.
/// Method: the real program, with its own log in each test.
@Suite struct MovementGoalTests: TypingSuite {
    let computer: Computer

    init() throws { computer = try Computer() }

    @Test func `a goal names energy to burn and steps, and a day shows how it stands`() throws {
        let set = try type("goal set --kcal 2000 --burned 500kcal --steps 10000 --date 2026-10-01")
        #expect(set.contains("  Burned    at least 500 kcal\n"), "\(set)")
        #expect(set.contains("  Steps     at least 10,000\n"), "\(set)")
        try type("activity log Run --minutes 30 --kcal 310 --date 2026-10-02")
        try type("steps 10400 --date 2026-10-02")
        for screen in ["day show 2026-10-02", "home --date 2026-10-02"] {
            let lines = try type(screen)
            #expect(lines.contains(/Burned .* 310 of 500 kcal +190 left\n/), "\(lines)")
            #expect(lines.contains(/Steps .* 10,400 of 10,000 +400 over\n/), "\(lines)")
        }
        let goals = try #require(
            try json("day show 2026-10-02")["movement_goals"] as? [NSDictionary])
        #expect(goals.map { $0["quantity"] as? String } == ["burned", "steps"])
        #expect(goals.map { $0["met"] as? Bool } == [false, true])
        let shown = try json("goal show --date 2026-10-02")
        #expect(shown["burned_kcal"] as? Int == 500 && shown["steps"] as? Int == 10_000)
    }

    @Test func `what a goal says of movement is kept, changed and cleared alone`() throws {
        try type("goal set --kcal 2000 --burned 500 --steps 10000 --date 2026-10-01")
        let kept = try type("goal set --kcal 1900 --date 2026-10-05")
        #expect(kept.contains("Kept from the goal of 2026-10-01: burned and steps."), "\(kept)")
        let fewer = try type("goal set --steps n/a --burned 600 --date 2026-10-06")
        #expect(!fewer.contains("Steps ") && fewer.contains("600 kcal"), "\(fewer)")
        let cleared = try type("goal set --clear burned --date 2026-10-07")
        #expect(!cleared.contains("Burned") && cleared.contains("1,900 kcal"), "\(cleared)")
        let refused = try computer.run(["goal", "set", "--steps", "200001"])
        #expect(refused.status == 64 && refused.errors.contains("200000"), "\(refused)")
    }

    @Test func `the history of goals names the goals that have no column`() throws {
        try type("goal set --kcal 2000 --burned 500 --steps 10000 --date 2026-10-01")
        try type("goal set --sodium 2300 --water 2l --clear burned --date 2026-10-05")
        let history = try type("goal history")
        #expect(
            history.contains("From 2026-10-01 also burned 500 kcal, steps 10,000\n"), "\(history)")
        #expect(
            history.contains(
                "From 2026-10-05 also sodium 2,300 mg, water 2,000 ml, steps 10,000\n"),
            "\(history)")
    }

    @Test func `movement of which nothing is known is unknown, and not zero`() throws {
        try type("goal set --kcal 2000 --p 120 --burned 500 --steps 10000 --date 2026-10-01")
        for screen in ["day show 2026-10-02", "home --date 2026-10-02"] {
            let lines = try type(screen)
            #expect(lines.contains(/Burned .* – of 500 kcal +unknown\n/), "\(lines)")
            #expect(lines.contains(/Steps .* – of 10,000 +unknown\n/), "\(lines)")
        }
        try type("steps 4000 --date 2026-10-02")
        try type("quick 300kcal --date 2026-10-02")
        let lines = try type("day show 2026-10-02")
        #expect(lines.contains(/Burned .* – of 500 kcal +unknown\n/), "\(lines)")
        #expect(lines.contains(/Steps .* 4,000 of 10,000 +6,000 left\n/), "\(lines)")
        #expect(lines.contains(/Protein .* – of 120.0 g +unknown\n/), "\(lines)")
        let movement = try json("day show 2026-10-02")["movement"] as? [String: Any]
        #expect(movement?["active_kcal"] is NSNull && movement?["steps"] as? Int == 4_000)
    }
}
