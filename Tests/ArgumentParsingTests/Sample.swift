import MacrologArgumentParsing

/// A small program with one of everything, for the tests to speak to.
typealias SampleVerb = Command<[String], Never>

enum Sample {
    static let json = Parameter.flag("json", "Print JSON.")
    static let date = Parameter.option("date", .text("DATE"), "The day meant.")
    static let db = Parameter.option("db", .file, "The diary's file.")

    static let program = Program<[String], Never>(
        "macrolog", version: "0.2", "A food diary that works without a network.",
        explanation: "Everything is kept in one file.\n\n  macrolog day show\n\nIt's yours.",
        chapters: [
            Chapter("Eating", [Add.command, MealList.command, MealEdit.command]),
            Chapter("Body", [WeightLog.command]),
            Chapter("Network", [Sync.command, SyncStatus.command]),
        ],
        groups: [
            Group("meal", "Look at meals and correct them."),
            Group("weight", "Weigh-ins and their trend."),
        ],
        notes: [
            Note("Files", "The diary is `~/.macrolog/diary.db`.\n.hidden\n'quoted' \\ « é\" ^~")
        ]
    ) {
        json
        db
        date
    }
}

enum Add {
    static let name = Parameter.argument("name", .text, "What was eaten.")
    static let grams = Parameter.option(
        "grams", short: "g", .decimal("GRAMS", places: 3, in: 0...5_000_000), "How much of it.")
    static let slot = Parameter.option(
        "slot", .oneOf("breakfast", "lunch", "dinner", "snack"), otherwise: "snack", "Which meal.")
    static let tags = Parameter.options("tag", short: "t", .text("TAG"), "A word to find it by.")
    static let estimated = Parameter.flag("estimated", short: "e", "The numbers are a guess.")
    static let quiet = Parameter.flag("quiet", short: "q", "Say nothing.")

    static let command = SampleVerb(
        "add", "Record something eaten.", example: "add 'Oat porridge' --grams 60",
        "add Apple -g 150 -t fruit -t raw | cat",
        explanation: """
            A portion belongs to a day and to a meal of that day. Everything but its name can be
            added later.

            Numbers are read as people type them:

              80.5   80,5   .5
            """, run: Add.run
    ) {
        name
        grams
        slot
        tags
        estimated
        quiet
    }

    static func run(words: ParsedArguments, said: inout [String]) {
        said.append(words[name])
    }
}

enum MealList {
    static let days = Parameter.option(
        "days", .integer("N", in: 1...365), otherwise: "7", "How many days back.")
    static let command = SampleVerb(
        "meal list", "List the meals of some days.", example: "meal list --days 3",
        run: { _, _ in }
    ) { days }
}

enum MealEdit {
    static let id = Parameter.argument("id", .text, "The meal.")
    static let note = Parameter.optionalArgument("note", .text, "A new remark.")
    static let tags = Parameter.arguments("tags", .text, "New tags.")
    static let map = Parameter.requiredOption("map", .text("FIELDS"), "What to change.")
    static let command = SampleVerb(
        "meal edit", "Change a meal.", example: "meal edit a3 --map kcal=400", run: { _, _ in }
    ) {
        id
        note
        tags
        map
    }
}

enum WeightLog {
    static let change = Parameter.argument(
        "change", .decimal("KG", places: 1, in: -500...500), "Kilograms since last time.")
    static let into = Parameter.option("into", .directory, "Where to note it.")
    static let command = SampleVerb(
        "weight log", "Record what the scale said.", example: "weight log -3.5", run: { _, _ in }
    ) {
        change
        into
    }
}

enum Sync {
    static let watch = Parameter.option(
        "watch", .integer("SECONDS", in: 1...86_400), "Again and again.")
    static let command = SampleVerb(
        "sync", "Exchange events with the server.", example: "sync --watch 60", run: { _, _ in }
    ) { watch }
}

enum SyncStatus {
    static let command = SampleVerb(
        "sync status", "Show what waits to be sent.", example: "sync status", run: { _, _ in })
}

/// The words of a line that is a request to run something.
func words(_ tokens: String...) throws -> ParsedArguments {
    guard case .run(_, let words) = try Sample.program.read(tokens) else { throw NotARun() }
    return words
}

/// The mistake in a line.
func mistake(_ tokens: String...) -> UsageError? {
    do {
        _ = try Sample.program.read(tokens)
        return nil
    } catch {
        return error
    }
}

struct NotARun: Error {}
