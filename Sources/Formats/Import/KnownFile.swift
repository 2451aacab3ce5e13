import Nutrition

/// Files whose columns are known by their headers, so that nobody has to map them.
public struct KnownFile: Hashable, Sendable {
    /// What the file is, for people.
    public let name: String
    /// What its columns mean.
    public let mapping: ImportMapping

    /// The known file with exactly these headers, in any order and letter case; `nil` for others.
    public init?(header: [String]) {
        let found = Self.all.first { known in
            known.header.count == header.count
                && known.header.allSatisfy { name in
                    header.contains { Cell.isAlike(Cell.trimmed($0), name) }
                }
        }
        guard let found else { return nil }
        name = found.name
        mapping = found.mapping
    }

    private static let all: [(name: String, header: [String], mapping: ImportMapping)] = [
        (
            "BIG IDEAs food log",
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
            "Fitbit weight log",
            [
                "Id", "Date", "WeightKg", "WeightPounds", "Fat", "BMI", "IsManualReport", "LogId",
            ],
            [.date: "Date", .weight: "WeightKg", .bodyFat: "Fat", .person: "Id"]
        ),
        ("Macrolog meals", CSVExport.mealHeader, CSVExport.mealMapping),
        (
            "Macrolog weigh-ins", CSVExport.weightHeader,
            [
                .date: "date", .time: "time", .weight: "kg", .bodyFat: "bodyfat_pct",
                .note: "note",
            ]
        ),
    ]
}
