import MacrologDiary
import MacrologEvents
import MacrologNutrition
import MacrologReadModels

/// What is in the file, in numbers.
extension Replica {
    /// Counts what is in the file.
    package func statistics() throws -> LogStatistics {
        try withDiary { try $0.statistics() }
    }

    /// The digests by which two devices compare what they hold: of the log up to the cursor, and of
    /// what each day shows.
    package func digests() throws -> (
        cursor: Int64, log: [UInt8], days: [(day: Day, digest: [UInt8])]
    ) {
        try withDiary { try $0.digests() }
    }
}
