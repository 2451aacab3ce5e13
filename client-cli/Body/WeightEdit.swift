import MacrologArgumentParsing
import Macrolog

/// `weight edit`: changes a weigh-in.
enum WeightEdit {
    static let id = Parameter.argument(
        "weigh-in", .id, "The weigh-in, by the last digits of its id.")
    static let weight = Parameter.option("weight", .weight, "The weight.")
    static let fat = Parameter.option("fat", .percent, "Body fat, in percent; n/a for unknown.")
    static let note = Parameter.option("note", .anyText, "A note; '' for none.")
    static let time = Parameter.option("time", .moment, "When: 07:10.")

    static let command = Verb(
        "weight edit", "Change a weigh-in.", example: "weight edit c55d --weight 80.4kg",
        "weight edit c55d --date yesterday", explanation: "--date moves it to another day.",
        run: run
    ) {
        id
        weight
        fat
        time
        note
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let target = try home.find(WeighIn.self, arguments[id], id, arguments)
        let old = try home.replica.read { try $0.require(WeighIn.self, target) }
        var weighIn = old
        if let typed = try home.value(weight, arguments) {
            guard let grams = typed else {
                throw arguments.usageError(
                    of: weight, "is unknown", instead: "a weight, or delete the weigh-in")
            }
            weighIn.grams = grams
        }
        if let fat = try home.value(fat, arguments) { weighIn.bodyFatBasisPoints = fat }
        if let note = arguments[note] { weighIn.note = note.isEmpty ? nil : note }
        weighIn.localDate = try home.movedDate(old.localDate, time)
        guard weighIn.isChanged(since: old) else { return home.sayUnchanged() }
        home.warn(try home.replica.write { try $0.save(weighIn) })
        try home.tell("Changed", weighIn)
    }
}
