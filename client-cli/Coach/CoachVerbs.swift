import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `coach context`, `coach say` and `coach advise`: the state of a day at a moment, for a model and
/// for a person.
enum CoachVerbs {
    static let context = Verb(
        "coach context", "Print a summary of the day for a language model, as JSON.",
        example: "coach context", "coach context --at 18:30", "coach context --date yesterday",
        "coach context --v2",
        explanation: """
            Base and earned energy, the target, what was eaten, workouts, and how long ago the last meal
            and workout were. Whole numbers; unknown is null. It contains no names of foods, and
            nothing is sent anywhere. With --date, a past day at its end, or a future day at its start.
            With --v2 another document, some of whose numbers have decimals: resting energy, age, sex, the workouts
            of a week, steps, the aim, the change of weight in kilograms a week, and the percentage of
            yesterday's targets that were met, and what `checkin log` noted of the day.
            """,
        run: { arguments, home in
            let isWide = arguments[wide]
            let moment = try home.moment
            let facts = try home.replica.read {
                try $0.coachFacts(at: moment, withBackground: isWide)
            }
            let context = isWide ? CoachContext(wide: facts) : CoachContext(facts)
            home.output.write((home.isJSON ? context.factsJSON : context.json).pretty + "\n")
        }
    ) { wide }

    static let wide = Parameter.flag(
        "v2", "Print the wider context, which also describes the person.")

    static let say = Verb(
        "coach say", "Print the most important advice for now.", example: "coach say",
        explanation: "One sentence from fixed rules; no model is used.",
        run: { _, home in
            let first = CoachMessage.all(try facts(&home)).first
            try home.show(first?.json ?? .null) { home in
                try tellDay(&home)
                home.say(wrapped(first?.text ?? nothing, to: home.width))
            }
        })

    static let advise = Verb(
        "coach advise", "Print all advice for the day, most important first.",
        example: "coach advise", "coach advise --at 20:00", "coach advise --model",
        explanation: """
            Among it, with their numbers, differences that the last eight weeks show between weekends and other
            days, and days with and without a breakfast, where chance would make them in at most one of a
            hundred cases.

            With --model the facts of `coach context`, and nothing else, are sent to the provider that is
            configured for `meal analyze`, and its targets for the day are shown and recorded after a check;
            they count only after `coach accept`. If it does not answer within five seconds, or not
            sensibly, the targets of the formulas are shown, and why.
            """,
        run: { arguments, home in
            if arguments[model] { return try ModelAdvice.show(&home) }
            let all = CoachMessage.all(try facts(&home))
            try home.show(.array(all.map(\.json))) { home in
                try tellDay(&home)
                guard !all.isEmpty else { return home.say(nothing) }
                for message in all {
                    let lines = wrapped(message.text, to: home.width - 2)
                    for (index, line) in lines.enumerated() {
                        home.say((index == 0 ? (home.style.blocks ? "• " : "- ") : "  ") + line)
                    }
                }
            }
        }
    ) { model }

    static let model = Parameter.flag("model", "Ask a model for the targets of the day.")

    private static let nothing = "No advice right now."

    /// Names the day, unless it is today.
    private static func tellDay(_ home: inout Home) throws {
        let (day, today) = (try home.day, try home.today)
        if day != today { home.say(home.style.paint(day.formatted, .bold)) }
    }

    static func facts(_ home: inout Home) throws -> CoachFacts {
        let moment = try home.moment
        return try home.replica.read { try $0.coachFacts(at: moment, withPatterns: true) }
    }
}
