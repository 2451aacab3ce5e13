import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologReadModels
import MacrologSQLite

/// Totals as they are stored: `[parts, key, amount, known, …]` in deterministic CBOR.
extension NutrientTotals {
    func encode(into writer: inout CBORWriter) {
        writer.array(1 + entries.count * 3)
        writer.int(parts)
        // By index, because copying an entry retains and releases its nutrient.
        for index in entries.indices {
            writer.text(entries[index].nutrient.key)
            writer.int(entries[index].amount)
            writer.int(entries[index].known)
        }
    }

    /// The totals in a column of a row.
    static func decoded(_ row: borrowing Row, _ column: Int) throws(LogError) -> NutrientTotals {
        try row.withBytes(column) { bytes throws(LogError) in
            do throws(CBORError) { return try decoded(bytes) } catch {
                throw LogError(.damaged(error))
            }
        }
    }

    static func decoded(_ bytes: UnsafeRawBufferPointer) throws(CBORError) -> NutrientTotals {
        try CBORReader.read(bytes, as: "totals") { reader throws(CBORError) in
            let count = try reader.array()
            guard count % 3 == 1 else { throw reader.error(.shape) }
            let parts = try reader.int()
            var entries: [Entry] = []
            entries.reserveCapacity(count / 3)
            for _ in 0..<count / 3 {
                guard let nutrient = Nutrient(key: try reader.text()) else {
                    throw reader.error(.shape)
                }
                entries.append(
                    Entry(nutrient, amount: try reader.int(), known: try reader.int()))
            }
            return NutrientTotals(parts: parts, entries: entries)
        }
    }
}
