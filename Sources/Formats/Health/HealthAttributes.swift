import MacrologEvents
import MacrologNutrition

/// Attributes as the Health app writes them; `nil` for one that is missing or written otherwise.
extension XMLTag {
    /// A number of at least zero × 10^places, half to even.
    func number(_ name: StaticString, places: Int) throws(ImportError) -> Int64? {
        try value(name).flatMap { ExactDecimal($0.string)?.whole(places: places) }
    }

    /// Energy in thousandths of a kilocalorie.
    func energy(_ name: StaticString, _ unit: StaticString) throws(ImportError) -> Int64? {
        let number = try number(name, places: 3)
        return switch try value(unit) {
        case "kcal", "Cal": number
        case "kJ": number.map { Rounding.scaled($0, by: 1_000, over: 4_184) }
        default: nil
        }
    }

    /// A body mass in grams.
    func grams(_ name: StaticString, _ unit: StaticString) throws(ImportError) -> Int64? {
        let number = try number(name, places: 3)
        return switch try value(unit) {
        case "kg": number
        case "g": number.map { Rounding.scaled($0, by: 1, over: 1_000) }
        case "lb": number.map { Rounding.scaled($0, by: 45_359_237, over: 100_000_000) }
        case "st": number.map { Rounding.scaled($0, by: 635_029_318, over: 100_000_000) }
        default: nil
        }
    }

    /// A duration in seconds.
    func seconds(_ name: StaticString, _ unit: StaticString) throws(ImportError) -> Int64? {
        let number = try number(name, places: 6)
        return switch try value(unit) {
        case "min": number.map { Rounding.scaled($0, by: 60, over: 1_000_000) }
        case "s", "sec": number.map { Rounding.scaled($0, by: 1, over: 1_000_000) }
        case "hr": number.map { Rounding.scaled($0, by: 3_600, over: 1_000_000) }
        default: nil
        }
    }

    /// `2026-11-01 18:00:30 +0100`, always with an offset.
    func moment(_ name: StaticString) throws(ImportError) -> OwnMoment? {
        guard let text = try value(name) else { return nil }
        let bytes = Array(text.string.utf8)
        guard bytes.count == 25, bytes[10] == 32, bytes[19] == 32 else { return nil }
        let parts = [bytes[..<10], bytes[11..<19], bytes[20..<23], bytes[23...]]
            .map { String(decoding: $0, as: UTF8.self) }
        return OwnMoment("\(parts[0])T\(parts[1])\(parts[2]):\(parts[3])")
    }
}
