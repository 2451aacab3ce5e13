import MacrologDiary
import MacrologEvents
public import MacrologNutrition
import MacrologReadModels

/// The facts about a day for a coach, collected from everything that was recorded.
extension Replica {
    /// The facts of a moment and of its day.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given. Entries with a known
    ///   later time are left out.
    public func coachFacts(at instant: Int64? = nil) throws -> CoachFacts {
        try withDiary { try $0.coachFacts(at: instant) }
    }
}
