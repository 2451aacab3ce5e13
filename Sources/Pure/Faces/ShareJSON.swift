import MacrologEvents
public import MacrologJSON
import MacrologNutrition

extension Share {
    /// The document that a server keeps and shows; `docs/protocol/share.md` describes it.
    public var json: JSON {
        .object([
            JSON.Member("version", .string(Self.version)),
            JSON.Member("kind", .string(kind.rawValue)),
            JSON.Member("from", .day(days.lowerBound)), JSON.Member("to", .day(days.upperBound)),
            JSON.Member("slot", .optional(slot)), JSON.Member("title", .string(title)),
            JSON.Member("text", .string(text())),
            JSON.Member("energy_unit", .string(energyUnit.symbol)),
            JSON.Member(
                "nutrients",
                .object(
                    Nutrient.main.map { JSON.Member($0.jsonKey, .amount(amounts[$0], of: $0)) })),
            JSON.Member("incomplete", .strings(incomplete.map { $0.key.string })),
            JSON.Member("logged_days", .optional(loggedDays.map { Int64($0) })),
            JSON.Member("diet_score", score.map { $0.json } ?? .null),
            JSON.Member("parts", .array(parts.map { $0.json })),
            JSON.Member("left_out_count", .integer(Int64(partsLeftOut))),
        ])
    }

    /// The version of the document.
    public static let version = "1"
}

extension Share.Part {
    fileprivate var json: JSON {
        .object([
            JSON.Member("title", .string(title)),
            JSON.Member("energy_kcal", .amount(energy, of: .energy)),
        ])
    }
}

extension Share.Score {
    fileprivate var json: JSON {
        .object([
            JSON.Member("diet", .text(diet.name)), JSON.Member("score", .integer(Int64(points))),
            JSON.Member("band", .string(DietScore.Band(points).name)),
        ])
    }
}
