import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `weight log`: records a weigh-in.
enum WeightLog {
    static let weight = Parameter.argument(
        "weight", .weight, "The weight: 80.2kg, 176.8lb or 12st8.")
    static let fat = Parameter.option("fat", .percent, "Body fat, in percent.")
    static let time = Parameter.option("time", .moment, "When: 07:10.")
    static let note = Parameter.option("note", .text, "A note.")

    static let command = Verb(
        "weight log", "Log a weigh-in.", example: "weight log 80.2kg",
        "weight log 12st8 --time 07:10 --note 'after the run'",
        explanation:
            "A number without a unit is in the unit you chose with `init`, else kilograms.",
        run: run
    ) {
        weight
        fat
        time
        note
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let date = try home.entryDate(time: arguments[time], time)
        var weighIn = WeighIn(
            id: try home.replica.newID(), on: date, grams: try home.value(weight, arguments))
        if let fat = try home.value(fat, arguments) { weighIn.bodyFatBasisPoints = fat }
        weighIn.note = arguments[note]
        let trend = try home.replica.read { try $0.weightTrend(through: date.day) }.points.last
        let distance = WeightTrend.finding(grams: weighIn.grams, against: trend)
        home.warn(try home.replica.add(weighIn) + [distance].compactMap(\.self))
        try home.tell("Logged", weighIn)
    }
}

extension Home {
    /// Reports a weigh-in.
    mutating func tell(_ verb: String, _ weighIn: WeighIn) throws {
        let shown = Shown(preferences: try preferences)
        let short = try shortID(.weighIn, weighIn.id)
        let trend = try replica.read { try $0.weightTrend(through: weighIn.localDate.day) }.points
            .last
        let date = weighIn.localDate
        try show(weighIn.json) { home in
            var line = "\(verb) \(home.style.paint(shown.weight(weighIn.grams), .bold))"
            line += ", \(date.day)" + (date.clock.isEmpty ? "" : " \(date.clock)")
            if let trend { line += ", trend \(shown.weight(trend.trendGrams))" }
            home.say("\(line)  \(short)")
        }
    }
}
