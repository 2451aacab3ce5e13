import Macrolog

extension Home {
    /// Warns where several goals begin on one day, because two devices set them before they synced: says
    /// which one applies, and how to delete the others.
    ///
    /// - Parameter only: The day of which to warn; every day, when not given.
    mutating func warnOfGoals(beginningOn only: Day? = nil) throws {
        let plans = try replica.read { try $0.goalPlans() }
        for day in Set(plans.map(\.startDate)).sorted() where only == nil || only == day {
            let same = plans.filter { $0.startDate == day }
            guard same.count > 1, let applied = GoalPlan.inForce(on: day, among: same) else {
                continue
            }
            let ids = try replica.read { try $0.shortIDs(of: .goalPlan, for: same.map(\.id)) }
            let commands = same.filter { $0.id != applied.id }
                .map { "macrolog goal delete \(ids[$0.id] ?? "")" }
            warn(
                "\(same.count) goals begin on \(day), and \(ids[applied.id] ?? "") applies: "
                    + commands.joined(separator: " and ")
                    + (commands.count == 1 ? " deletes the other" : " delete the others"))
        }
    }
}
