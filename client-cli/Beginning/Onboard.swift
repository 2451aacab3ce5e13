import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `onboard`: a first dialogue, which ends with the day's targets and how they are computed.
enum Onboard {
    static let yes = Parameter.flag("yes", "Record the options without asking.")

    static let command = Verb(
        "onboard", "Answer a few questions to get your targets.",
        example: "onboard --sex female --birth 1990-05-17 --height 168 --weight 64.2kg "
            + "--aim maintain --yes",
        explanation: """
            Asks only what is still unknown, and shows after each answer what it changes. An empty
            answer skips a question; `back` goes back; `stop` records the answers so far, and the next
            time the rest is asked. The answers are recorded together at the end, and one `undo`
            undoes them; after Ctrl-C or Ctrl-D nothing is recorded.

            Scripts type the answers as options, with --yes.
            """, run: run
    ) {
        Beginning.options
        yes
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let draft = try Beginning(arguments, &home)
        if arguments[yes] {
            try draft.record(&home)
            return try tell(draft, &home)
        }
        guard Terminal.canAsk, !home.isQuiet, !home.isJSON else {
            let open = Question.all.filter { $0.isOpen(draft) }.map(\.option)
            throw CommandError(
                .usage,
                "\(arguments.command): there is no terminal to ask in; type your answers instead:\n"
                    + "macrolog onboard \((open + ["--yes"]).joined(separator: " "))")
        }
        try interview(draft, arguments, &home)
    }

    static func interview(_ draft: Beginning, _ arguments: ParsedArguments, _ home: inout Home)
        throws
    {
        let isNew = Question.all.allSatisfy { $0.isOpen(draft) }
        var interview = Interview(draft, style: home.style, width: home.width)
        home.say(home.style.paint(isNew ? "Welcome to Macrolog." : "Welcome back.", .bold))
        guard interview.isAnythingOpen || Beginning.isAnythingTyped(arguments) else {
            home.say("Nothing is missing. Change things with: macrolog profile set, goal set")
            return try tell(draft, &home)
        }
        home.say(
            wrapped(
                "An empty answer skips a question; back goes back, stop stops. Nothing leaves "
                    + "this device unless you sync it.", to: home.width
            ).map { home.style.paint($0, .dim) })
        switch try interview.hold(&home) {
        case .left: home.say(["", "Nothing was recorded. Begin again with: macrolog onboard"])
        case .stopped(let draft):
            let isAnything = try draft.record(&home)
            home.say(
                (isAnything ? "What you answered is recorded" : "Nothing was recorded")
                    + "; macrolog onboard asks the rest.")
        case .agreed(let draft):
            try draft.record(&home)
            home.say("Recorded; macrolog undo undoes it.")
            home.say("Next: macrolog add 'Oat porridge' --kcal 380, then macrolog home")
        }
    }

    private static func tell(_ draft: Beginning, _ home: inout Home) throws {
        let open = Question.all.filter { $0.isOpen(draft) }
        let json = SettingJSON.answered(
            draft.profile, draft.preferences, grams: draft.grams,
            goal: GoalJSON.targets(
                draft.targets, of: draft.goal, on: draft.day, in: draft.preferences),
            draft.explanation, open: open.map(\.option))
        try home.show(json) { home in
            home.say(draft.lines(home.width))
            if !open.isEmpty {
                home.say(
                    "Still open: macrolog onboard \(open.map(\.option).joined(separator: " "))")
            }
        }
    }
}

extension Beginning {
    /// The known values, and the arithmetic of the targets.
    func lines(_ width: Int) -> [String] {
        let shown = Shown(preferences: preferences)
        var lines = ProfileSettings.all.lines(profile, shown, isSet: true)
        lines += PreferenceSettings.all.lines(preferences, shown, isSet: true)
        if let grams { lines.append("  \(padded("weight", to: 18))\(shown.weight(grams))") }
        guard let explanation else { return lines + ["No goal yet: macrolog goal set --aim cut"] }
        lines.append("Your targets from \(day) on, and how they are computed:")
        return lines + explanation.lines.flatMap { hanging($0, width: width) }
    }
}

/// A list item, with a hanging indent.
func hanging(_ line: String, width: Int) -> [String] {
    wrapped(line, to: width - 4).enumerated().map { ($0 == 0 ? "  " : "    ") + $1 }
}
