import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `diet set`, `diet score` and `diet trend`: how well meals fit the diet that a person follows.
enum DietVerbs {
    static let name = Parameter.argument(
        "name", .word(DietType.self), "The diet.")
    static let custom = Parameter.option(
        "custom", .shares, "Protein, carbs and fat of a custom diet, in percent: 40/30/30.")
    static let target = Parameter.optionalArgument(
        "what", .text("MEAL|DAY"),
        "A meal, by the last digits of its id, or a day. Otherwise the day meant.")
    static let explain = Parameter.flag("explain", "Explain the score.")
    static let period = Parameter.optionalArgument(
        "period", .period, "How many days, up to the day meant: 7d, 30d. Otherwise 7d.")

    static let set = Verb(
        "diet set", "Set the diet that you follow.", example: "diet set mediterranean",
        "diet set custom --custom 40/30/30", run: set
    ) {
        name
        custom
    }

    static let score = Verb(
        "diet score", "Show how well a meal, or each meal of a day, fits a diet.",
        example: "diet score", "diet score 3f2a --explain", "diet score yesterday --diet keto",
        explanation: """
            0 to 100: green from 80, yellow from 60, red below. Keto, low-carb, balanced and custom
            diets are judged by where the energy comes from; vegan, vegetarian and paleo by words in
            names and ingredient lists; mediterranean by both. Where nothing can be judged there is no
            score. A score compares a meal with the rules of a diet; it says nothing about health.
            """, run: score
    ) {
        target
        explain
        FollowedDiet.option
    }

    static let trend = Verb(
        "diet trend", "Show the scores of some days, and the best and worst meals.",
        example: "diet trend", "diet trend 30d",
        explanation: "Only what was eaten is scored.", run: trend
    ) {
        period
        FollowedDiet.option
    }

    private static func set(_ arguments: ParsedArguments, _ home: inout Home) throws {
        var profile = try home.replica.read { try $0.profile() }
        let old = profile
        if let shares = arguments[custom] {
            guard arguments[name] == .custom else {
                throw arguments.usageError(
                    of: custom, "is only for a custom diet",
                    instead: "diet set custom --custom 40/30/30"
                )
            }
            profile.customMacroShares = shares
        }
        guard arguments[name] != .custom || profile.customMacroShares != nil else {
            throw arguments.usageError(of: custom, "is missing", instead: "--custom 40/30/30")
        }
        profile.dietType = arguments[name]
        guard profile.isChanged(since: old) else { return home.sayUnchanged() }
        home.warn(try home.replica.write { try $0.save(profile) })
        let diet = try FollowedDiet(nil, arguments, &home)
        try home.show(
            DietJSON.followed(diet.type, shares: diet.shares)
        ) { $0.say("You follow a diet: \(diet.formatted). See: macrolog diet score") }
    }

    private static func score(_ arguments: ParsedArguments, _ home: inout Home) throws {
        let diet = try FollowedDiet(arguments[FollowedDiet.option], arguments, &home)
        let meant = try arguments[target].map { try home.mealOrDay($0, target, arguments) }
        guard case .meal(let id) = meant else {
            var day = try home.day
            if case .day(let typed) = meant { day = typed }
            return try score(of: day, diet, arguments, &home)
        }
        guard
            let scored = try home.replica.read({
                try $0.dietScore(ofMeal: id, for: diet.type, shares: diet.shares)
            })
        else { throw EntryError(.notFound(.meal)) }
        let short = try home.shortID(.meal, id)
        try home.show(scored.json) { home in
            home.say(home.style.paint("As \(diet.formatted)", .bold))
            home.say(scored.lines(short, home.style, width: home.width, explains: true))
        }
    }

    private static func score(
        of day: Day, _ diet: FollowedDiet, _ arguments: ParsedArguments, _ home: inout Home
    ) throws {
        let scored = try home.replica.read {
            try $0.dietScores(
                on: day...day, for: diet.type, shares: diet.shares)
        }
        let trend = DietTrend(scored, during: day...day)
        let ids = try home.replica.read {
            try $0.shortIDs(of: .meal, for: scored.map(\.meal.meal.id))
        }
        try home.show(
            DietJSON.day(day, scored, trend, for: diet.type)
        ) { home in
            home.say(home.style.paint("\(day.formatted), as \(diet.formatted)", .bold))
            guard !scored.isEmpty else { return home.say("Nothing was eaten.") }
            for meal in scored {
                home.say(
                    meal.lines(
                        ids[meal.meal.meal.id] ?? "", home.style, width: home.width,
                        explains: arguments[explain]))
            }
            guard let mean = trend.meanHundredths, let count = trend.days.first?.meals else {
                return
            }
            home.say("Mean \(points(mean)) of \(counted(Int64(count), "meal"))")
        }
    }

    private static func trend(_ arguments: ParsedArguments, _ home: inout Home) throws {
        let diet = try FollowedDiet(arguments[FollowedDiet.option], arguments, &home)
        let span = try home.day.lastDays(Int(arguments[period] ?? 7))
        let view = try DietTrendView(span, diet, &home)
        try home.show(view.json) { home in
            home.say(home.style.paint(view.heading, .bold))
            home.say(view.lines(home.style, width: home.width))
        }
    }
}
