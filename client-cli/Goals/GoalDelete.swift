import MacrologArgumentParsing
import MacrologJSON
import Macrolog
import MacrologFaces

/// `goal delete`: deletes a goal, as if it had never been set.
enum GoalDelete {
    static let id = Parameter.argument(
        "id", .id, "The goal, by the last digits of its id; see `goal history`.")

    static let command = Verb(
        "goal delete", "Delete a goal.", example: "goal delete b21e",
        explanation: "The previous goal applies instead. `undo` restores it.", run: run
    ) { id }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        try delete(try home.find(GoalPlan.self, arguments[id], id, arguments), &home)
    }

    static func delete(_ found: Identifier, _ home: inout Home) throws {
        let plan = try home.replica.read { try $0.require(GoalPlan.self, found) }
        try home.replica.write { try $0.delete(GoalPlan.self, found) }
        let next = GoalPlan.inForce(
            on: plan.startDate, among: try home.replica.read { try $0.goalPlans() })
        try home.show(
            GoalJSON.deleted(plan, next: next)
        ) { home in
            let instead =
                next.map { "the one of \($0.startDate) applies instead" }
                ?? "no goal applies on that day now"
            home.say("Deleted the goal of \(plan.startDate); \(instead).")
        }
    }
}
