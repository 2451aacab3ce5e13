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
        let (findings, answer) = try home.write { diary, home in
            let date = try home.entryDate(time: arguments[time], time)
            var weighIn = WeighIn(
                id: diary.newID(), on: date, grams: try home.value(weight, arguments))
            if let fat = try home.value(fat, arguments) { weighIn.bodyFatBasisPoints = fat }
            weighIn.note = arguments[note]
            let trend = try diary.weightTrend(through: date.day).points.last
            let distance = WeightTrend.finding(grams: weighIn.grams, against: trend)
            let findings = try diary.add(weighIn) + [distance].compactMap(\.self)
            return (findings, try diary.answer(on: weighIn))
        }
        home.warn(findings)
        try home.tell("Logged", answer)
    }
}

extension Home {
    /// Reports a weigh-in.
    mutating func tell(_ verb: String, _ weighIn: WeighIn) throws {
        try tell(verb, try read { try $0.answer(on: weighIn) })
    }

    fileprivate mutating func tell(_ verb: String, _ answer: WeighInAnswer) throws {
        let shown = Shown(preferences: try preferences)
        let weighIn = answer.weighIn
        let date = weighIn.localDate
        try show(weighIn.json) { home in
            var line = "\(verb) \(home.style.paint(shown.weight(weighIn.grams), .bold))"
            line += ", \(date.day)" + (date.clock.isEmpty ? "" : " \(date.clock)")
            if let trend = answer.trend { line += ", trend \(shown.weight(trend.trendGrams))" }
            home.say("\(line)  \(answer.short)")
        }
    }
}

/// What is reported of a weigh-in, from one state of the log.
private struct WeighInAnswer: Sendable {
    let weighIn: WeighIn
    /// The trend on its day.
    let trend: WeightTrend.Point?
    /// The end of its id, as lists show it.
    let short: String
}

extension Diary {
    fileprivate func answer(on weighIn: WeighIn) throws(DiaryError) -> WeighInAnswer {
        WeighInAnswer(
            weighIn: weighIn,
            trend: try weightTrend(through: weighIn.localDate.day).points.last,
            short: try shortID(.weighIn, weighIn.id))
    }
}
