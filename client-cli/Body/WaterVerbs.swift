import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `water add`, `list`, `edit`, `undo`, `delete`, `restore`: what was drunk as water.
enum WaterVerbs {
    static let amount = Parameter.argument(
        "amount", .volume, "How much: 250ml, 0.5l, 8us_floz or 8imp_floz.")
    static let container = Parameter.option("container", .text, "The container: glass.")
    static let newAmount = Parameter.option("amount", .volume, "How much it was.")
    static let newContainer = Parameter.option(
        "container", .anyText, "The container; '' for unknown.")
    static let time = Parameter.option("time", .moment, "When: 07:40.")

    static let add = Verb(
        "water add", "Log water.", example: "water add 250ml",
        "water add 0,5l --container bottle --time 07:40",
        explanation: """
            A number without a unit is in the unit you chose with `init`, else millilitres; `floz` is
            the fluid ounce you chose with `init`. The target is that of the goal (`goal set --water 2l`).
            """,
        run: { arguments, home in
            let (findings, answer, drunk) = try home.write { diary, home in
                let date = try home.entryDate(time: arguments[time], time)
                var water = Water(
                    id: diary.newID(), on: date, microliters: try home.value(amount, arguments))
                water.container = arguments[container]
                return (
                    try diary.add(water), try diary.answer(on: water),
                    try diary.hydration(on: date.day)
                )
            }
            home.warn(findings)
            try home.tell("Logged", answer, more: [drunk.formattedDay(try home.preferences)])
        }
    ) {
        amount
        container
        time
    }

    static let list = Verb(
        "water list", "List drinks of water.", example: "water list", "water list --days 7",
        run: { arguments, home in
            let last = try home.day
            let span = last.lastDays(Int(arguments[EntryVerbs.days]))
            let drinks = try home.replica.read { try $0.entities(Water.self, on: span) }
            try home.show(.array(drinks.map(\.json))) { home in
                try EntryVerbs.tell(drinks, &home)
                guard drinks.contains(where: { $0.day == last }) else { return }
                home.say("")
                home.say("\(last): \(try home.drunk(on: last))")
            }
        }
    ) { EntryVerbs.days }

    static let undo = Verb(
        "water undo", "Delete the last drink of the day.", example: "water undo",
        "water undo --date yesterday",
        explanation: "On any device; `undo` restores it.",
        run: { arguments, home in
            let day = try home.day
            guard
                let last = try home.replica.read({ try $0.entities(Water.self, on: day...day) })
                    .last
            else {
                throw CommandError(.noInput, "\(arguments.command): no water was logged on \(day)")
            }
            try home.replica.write { try $0.delete(Water.self, last.id) }
            try home.show(.deleted([last.id])) { home in
                let shown = Shown(preferences: try home.preferences)
                home.say("Deleted \(last.formatted(shown)), \(try home.drunk(on: day))")
            }
        })

    static let edit = EntryVerbs.edit(
        of: Water.self, example: "--amount 300ml",
        [newAmount.specification, newContainer.specification],
        tell: { try $1.tell("Changed", $0, more: [try $1.drunk(on: $0.day)]) }
    ) { water, arguments, home in
        if let amount = try home.known(newAmount, arguments) { water.microliters = amount }
        if let typed = arguments[newContainer] { water.container = typed.isEmpty ? nil : typed }
    }

    static let other = KindVerbs(of: Water.self)
}

extension Home {
    /// The sum of a day's water: `1,250 ml of 2,000 ml`.
    fileprivate mutating func drunk(on day: Day) throws -> String {
        try read { try $0.hydration(on: day) }.formattedDay(try preferences)
    }
}

extension Hydration {
    /// `1,250 ml of 2,000 ml`, or `1,250 ml that day` without a target.
    fileprivate func formattedDay(_ preferences: Preferences) -> String {
        formatted(Shown(preferences: preferences)) + (targetMicroliters == nil ? " that day" : "")
    }

    /// `1,250 ml of 2,000 ml`, with the water in food if that counts.
    func formatted(_ shown: Shown) -> String {
        var text = shown.volume(totalMicroliters)
        if let target = targetMicroliters { text += " of \(shown.volume(target))" }
        if eatenMicroliters > 0 { text += " (\(shown.volume(eatenMicroliters)) in food)" }
        return text
    }
}

extension Water: TabledEntry {
    static var group: String { "water" }
    static var plural: String { "drinks" }
    static var exampleID: String { "0a7e" }
    static var columns: [Table.Column] {
        [Table.Column("amount", .decimal), Table.Column("container")]
    }

    func cells(_ shown: Shown) -> [Table.Cell] {
        [Table.Cell(formatted(shown)), Table.Cell(container ?? "")]
    }

    func formatted(_ shown: Shown) -> String { shown.volume(microliters) }
}
