import MacrologEvents
import MacrologWire
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// What a day shows, as one number: it distinguishes a fault of the log from a fault of this
/// program.
///
/// Two devices whose logs have the same digest must have the same digest for every day. If the logs
/// differ, a disk or the server is at fault, and syncing repairs it; if the logs are equal and a
/// day differs, the folded data is at fault.
extension Store {
    /// The digests of all days of which something is known, in order. Computed from the rows of the
    /// read models on request, and not stored.
    package mutating func dayDigests() throws(LogError) -> [(day: Day, digest: [UInt8])] {
        var numbers: Set<Int64> = []
        for sql in models.tables.compactMap({ $0.days }) {
            try db.forEach(sql) { numbers.insert($0.int(0)) }
        }
        var digests: [(day: Day, digest: [UInt8])] = []
        for day in numbers.sorted().compactMap({ Day(number: $0) }) {
            digests.append((day, try digest(of: day)))
        }
        return digests
    }

    /// The first 16 bytes of the SHA-256 of what the read models hold for a day, row by row in the
    /// order of their keys.
    package mutating func digest(of day: Day) throws(LogError) -> [UInt8] {
        var writer = CBORWriter(capacity: 4_096)
        for sql in models.tables.compactMap({ $0.ofDay }) {
            try db.forEach(sql, day.number) { Store.write($0, &writer) }
            writer.null()
        }
        return Array(writer.withBytes { SHA256.hash($0) }.prefix(16))
    }
}
