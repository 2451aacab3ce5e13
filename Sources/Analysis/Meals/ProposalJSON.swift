/// Proposals as JSON, as every program shows them.
import MacrologFaces
public import MacrologJSON
import MacrologNutrition

extension Proposal {
    /// Questions that were just answered, each with its meal.
    public static func json(of answered: [(question: MealQuestion, proposal: Proposal)]) -> JSON {
        .array(answered.map { ["meal_id": .id($0.meal), "proposal": $1.json] })
    }

    /// The proposal with its parts and what is to be doubted.
    public var json: JSON {
        .object([
            JSON.Member("id", .id(id)), JSON.Member("status", .string(outcome.rawValue)),
            JSON.Member("name", .optional(dish)),
            JSON.Member(
                "items",
                .array(
                    items.map { item in
                        [
                            "name": .string(item.name), "amount": item.amount?.json ?? .null,
                            "nutrients": item.nutrients.json,
                        ]
                    })), JSON.Member("nutrients", totals.json),
            JSON.Member("reported_total", reportedTotal?.json ?? .null),
            JSON.Member("total_mismatch", .bool(hasTotalMismatch)),
            JSON.Member("inconsistent", .bool(isInconsistent)),
            JSON.Member("health_score", .optional(healthScore)),
            JSON.Member(
                "confidence_percent",
                confidenceBasisPoints.map { .decimal($0, scale: 2) } ?? .null),
            JSON.Member("provider", .optional(provider)), JSON.Member("model", .optional(model)),
            JSON.Member("failure", .optional(failure)),
            JSON.Member(
                "latency_s", milliseconds.map { .decimal($0, scale: 3) } ?? .null),
            JSON.Member("token_count", .optional(tokens)),
        ])
    }
}
