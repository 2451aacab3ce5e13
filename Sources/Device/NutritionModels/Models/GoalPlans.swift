import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// Goal plans by their first day.
enum GoalPlans {
    static let model = ReadModel(
        tables: [table],
        folds: [.row(of: GoalPlan.self, in: table) { [.day($0.startDate), .id($0.id)] }])

    static let table = ReadModelTable(
        "goal_plan", key: [.int("start_day"), .blob("id")], day: "start_day")
}

/// Reading goal plans.
extension Store {
    /// The goal plans that are not deleted, by start and then by when the start was written.
    package mutating func goalPlans() throws(LogError) -> [GoalPlan] {
        let ids = try db.all("SELECT id FROM goal_plan ORDER BY start_day, id") {
            $0.identifier(0)
        }
        var found: [(plan: GoalPlan, stamp: Stamp)] = []
        for id in ids {
            let entity = EntityKey(Kind.goalPlan.name, id)
            guard let state = try EntityTable.state(of: entity, in: &db),
                let plan = Readable(entity, .goalPlan, state).entity(GoalPlan.self),
                let start = state.cell(.field("start_date"))
            else { continue }
            found.append((plan, start.winner.stamp))
        }
        return found.sorted {
            $0.plan.startDate == $1.plan.startDate
                ? $1.stamp.wins(over: $0.stamp) : $0.plan.startDate < $1.plan.startDate
        }.map { $0.plan }
    }
}
