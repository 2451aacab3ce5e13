import MacrologNutrition

/// Files whose columns are known by their headers, so that they need no mapping.
public struct KnownFile: Hashable, Sendable {
    /// What the file is, for people.
    public let name: String
    /// What its columns mean.
    public let mapping: ImportMapping
    /// What its rows are, where this program wrote it; `nil` for a file of another.
    let own: Kind?

    /// The known file with exactly these headers, in any order and letter case; `nil` for others.
    public init?(header: [String]) {
        let words = header.filter { OwnLayout.custom($0) == nil }
        let found = Self.all.first { known in
            let header = known.own == .meal ? words : header
            return known.header.count == header.count
                && known.header.allSatisfy { name in
                    header.contains { Cell.isAlike(Cell.trimmed($0), name) }
                }
        }
        guard let found else { return nil }
        (name, mapping, own) = (found.name, found.mapping, found.own)
    }

    private static let all: [(name: String, own: Kind?, header: [String], mapping: ImportMapping)] =
        [
            (
                "BIG IDEAs food log", nil,
                [
                    "date", "time", "time_begin", "time_end", "logged_food", "amount", "unit",
                    "searched_food", "calorie", "total_carb", "dietary_fiber", "sugar", "protein",
                    "total_fat",
                ],
                [
                    .date: "date", .time: "time", .name: "logged_food",
                    .nutrient(.energy): "calorie", .nutrient(.protein): "protein",
                    .nutrient(.carbs): "total_carb", .nutrient(.fat): "total_fat",
                    .nutrient(.fiber): "dietary_fiber", .nutrient(.sugars): "sugar",
                    .amount: "amount", .unit: "unit",
                ]
            ),
            (
                "Fitbit weight log", nil,
                [
                    "Id", "Date", "WeightKg", "WeightPounds", "Fat", "BMI", "IsManualReport",
                    "LogId",
                ],
                [.date: "Date", .weight: "WeightKg", .bodyFat: "Fat", .person: "Id"]
            ),
            ("Macrolog meals", .meal, OwnLayout.meals, CSVExport.mealMapping),
            (
                "Macrolog meals of version 0.1.0", .meal, OwnLayout.mealsBefore,
                CSVExport.mealMapping
            ),
            ("Macrolog weigh-ins", .weighIn, OwnLayout.weights, weightMapping),
            (
                "Macrolog weigh-ins of version 0.1.0", .weighIn, OwnLayout.weightsBefore,
                weightMapping
            ),
            (
                "Macrolog water", .water, OwnLayout.water,
                [.date: "date", .time: "time", .name: "container"]
            ),
        ]

    private static let weightMapping: ImportMapping = [
        .date: "date", .time: "time", .weight: "kg", .bodyFat: "bodyfat_pct", .note: "note",
    ]
}
