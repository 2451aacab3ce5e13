import MacrologAnalysis
import MacrologArgumentParsing
import MacrologFaces
import MacrologJSON
import MacrologTerminal
import Macrolog

/// `meal analyze`, `meal proposals` and `meal confirm`: what a model says that a meal holds, and what a
/// person makes of it.
enum MealAnalysis {
    static let meal = Parameter.argument("meal", .id, "The meal, by the last digits of its id.")
    static let oneMeal = Parameter.optionalArgument(
        "meal", .id, "Ask about this meal. Otherwise about every meal that waits.")
    static let words = Parameter.option(
        "describe", .text, "What you want to say about it: 'two eggs and toast'.")
    static let name = Parameter.option("name", .text, "Another name.")
    static let without = Parameter.options(
        "without", .integer("PART", in: 1...100), "Leave out a part, by its number.")
    static let masses = Parameter.options(
        "grams", .partMass, "The mass of a part, by its number: 1=80. Its nutrients follow.")
    static let earlier = Parameter.flag(
        "as-before", "Take the parts as you corrected them the last time you had this dish.")

    static let analyze = Verb(
        "meal analyze", "Ask a model what meals hold.", example: "meal analyze",
        "meal analyze e9a1 --describe 'the small portion'",
        explanation: """
            Sends the photo of each waiting meal, or its description, to the provider that is configured in
            ~/.config/macrolog/analysis.conf, and keeps the answer as a proposal. A proposal counts for
            nothing until `meal confirm`. Without a network the questions keep waiting; whichever of your
            devices has a provider can answer them. Photos are sent only after
            `config set photo-consent yes`.
            """, run: run
    ) {
        oneMeal
        words
    }

    static let proposals = Verb(
        "meal proposals", "Show what models proposed for a meal.", example: "meal proposals e9a1",
        explanation: "The surest first, beside what you confirmed.", run: list
    ) { meal }

    static let confirm = Verb(
        "meal confirm", "Confirm a proposal: the meal counts as eaten.",
        example: "meal confirm e9a1", "meal confirm e9a1 --grams 1=80 --without 3",
        explanation: """
            The surest proposal becomes the parts of the meal, eaten now or at --at; a meal of another day
            counts on that day, and was eaten at its own time. Everything else can be changed afterwards
            with `item edit`; what was proposed stays visible in `meal proposals`.
            """, run: take
    ) {
        meal
        name
        without
        masses
        earlier
    }

    // MARK: Asking

    static func run(arguments: ParsedArguments, home: inout Home) async throws {
        let settings = try Home.requiredProvider()
        var questions: [MealQuestion]
        if let reference = arguments[oneMeal] {
            let id = try home.find(Meal.self, reference, oneMeal, arguments)
            questions = [try question(about: id, arguments, &home)]
        } else {
            guard arguments[words] == nil else {
                throw arguments.usageError(
                    of: words, "goes with one meal", instead: "its id before it")
            }
            questions = try home.replica.read { try $0.openQuestions() }
        }
        let provider = Provider(settings)
        var answered: [(MealQuestion, Proposal)] = []
        for question in questions {
            do {
                let photo = try await photo(of: question, &home)
                answered.append(
                    (question, try home.replica.answer(question, photo: photo, by: provider)))
            } catch ProposalError.photoMissing where arguments[oneMeal] == nil {
                // Another device has the photo, and may answer.
                home.warn("the photo of a waiting meal is not on this device yet")
            } catch let error as PhotoError where arguments[oneMeal] == nil {
                let short = try home.shortID(.meal, question.meal)
                home.warn("meal \(short): \(error.explanation): \(error.hint ?? "")")
            } catch {
                // What was answered before it stays.
                if !answered.isEmpty || home.isJSON { try tell(answered, &home) }
                throw error
            }
        }
        try tell(answered, &home)
    }

    /// The question that waits, if nothing more is said; otherwise a new one.
    private static func question(
        about id: Identifier, _ arguments: ParsedArguments, _ home: inout Home
    ) throws -> MealQuestion {
        let typed = arguments[words]
        return try home.replica.write { diary in
            if typed == nil, let open = try diary.openQuestions().first(where: { $0.meal == id }) {
                return open
            }
            let meal = try diary.require(Meal.self, id)
            let photo = meal.photoHashes.first
            return try diary.ask(
                about: id, photo: photo, words: typed ?? (photo == nil ? meal.dishName : nil))
        }
    }

    private static func photo(of question: MealQuestion, _ home: inout Home) async throws
        -> [UInt8]?
    {
        guard let name = question.photo else { return nil }
        if let bytes = try home.replica.photo(name) { return bytes }
        let account = try home.account
        guard try account.session != nil else { throw ProposalError.photoMissing }
        do { return try await account.photo(name) } catch PhotoError.notArrived {
            throw ProposalError.photoMissing
        }
    }

    private static func tell(
        _ answered: [(question: MealQuestion, proposal: Proposal)], _ home: inout Home
    ) throws {
        try home.show(Proposal.json(of: answered)) { home in
            guard !answered.isEmpty else { return home.say("No meal waits for an answer.") }
            for (question, proposal) in answered {
                try tell(proposal, of: question.meal, &home)
            }
        }
    }

    /// Asks about a meal that was just added, if a provider is configured; otherwise the question waits.
    static func answerNow(
        _ question: MealQuestion, of meal: Identifier, _ photo: [UInt8]?, _ home: inout Home
    ) throws {
        guard let settings = try Home.provider() else {
            return home.say(
                "The question waits until a device has a provider: macrolog meal analyze")
        }
        do {
            let proposal = try home.replica.answer(question, photo: photo, by: Provider(settings))
            try tell(proposal, of: meal, &home)
        } catch let error as AnalysisError {
            home.warn("\(error)")
            home.say("The meal is recorded, and the question waits: macrolog meal analyze")
        }
    }

    // MARK: Showing

    static func list(arguments: ParsedArguments, home: inout Home) throws {
        let id = try home.find(Meal.self, arguments[meal], meal, arguments)
        let (all, waits) = try home.replica.read {
            (try $0.proposals(for: id), try $0.isWaiting(id))
        }
        try home.show(.array(all.map(\.json))) { home in
            if waits { home.say("A question waits for an answer: macrolog meal analyze") }
            if all.isEmpty, !waits { home.say("Nothing was proposed for this meal.") }
            for proposal in all { try tell(proposal, of: id, &home) }
        }
    }

    /// A proposal with its parts, what is to be doubted, and what the person made of it.
    private static func tell(_ proposal: Proposal, of meal: Identifier, _ home: inout Home) throws {
        let shown = try home.shown
        let by = [proposal.provider, proposal.model].compactMap { $0 }.map { printable($0) }
            .joined(separator: " ")
        guard proposal.outcome == .ok else {
            return home.say("\(words(of: proposal)) (\(by))")
        }
        let sure = proposal.confidenceBasisPoints.map { ", \(shown.share($0)) sure" } ?? ""
        let dish = printable(proposal.dish ?? "a meal")
        home.say("Proposed: \(home.style.paint(dish, .bold)) (\(by)\(sure))")
        var table = Table(
            Table.Column("part", .right), Table.Column("name"), Table.Column("amount", .right),
            Table.Column(shown.energySymbol, .right), Table.Column("protein", .decimal),
            Table.Column("carbs", .decimal), Table.Column("fat", .decimal))
        func cells(_ nutrients: Nutrients) -> [Table.Cell] {
            [Nutrient.energy, .protein, .carbs, .fat].map {
                Table.Cell(shown.amount(nutrients[$0], of: $0))
            }
        }
        for (index, item) in proposal.items.enumerated() {
            table.add(
                [
                    Table.Cell("\(index + 1)"), Table.Cell(item.name),
                    Table.Cell(item.amount.map(shown.amount) ?? ""),
                ] + cells(item.nutrients))
        }
        table.totals = ["", "total", ""] + cells(proposal.totals)
        home.say(table.lines(style: home.style, width: home.terminalWidth))
        for doubt in doubts(proposal) { home.warn(doubt) }
        try tellNext(proposal, meal, &home)
    }

    private static func words(of proposal: Proposal) -> String {
        switch proposal.outcome {
        case .ok: ""
        case .unclear:
            "The model could not tell what the meal is: take another photo, or describe it."
        case .noFood: "The model saw no food."
        case .failed: "No proposal: " + printable(proposal.failure ?? "the model declined") + "."
        }
    }

    private static func doubts(_ proposal: Proposal) -> [String] {
        var doubts: [String] = []
        if proposal.isUnsure { doubts.append("the model is unsure: check every part") }
        if proposal.hasTotalMismatch {
            doubts.append(
                "the model stated another total than the sum of its parts; the sum is used")
        }
        if proposal.isInconsistent {
            doubts.append("energy, nutrients and masses contradict each other: check them")
        }
        return doubts
    }

    private static func tellNext(
        _ proposal: Proposal, _ meal: Identifier, _ home: inout Home
    ) throws {
        guard let detail = try home.replica.read({ try $0.meal(meal) }) else { return }
        let short = try home.shortID(.meal, meal)
        if detail.meal.isConsumed {
            guard detail.meal.analysisID == proposal.id else { return }
            let isCorrected = try home.replica.read { try $0.isCorrected(detail) }
            return home.say(
                isCorrected
                    ? "You confirmed it with changes: macrolog meal show \(short)"
                    : "You confirmed it as it was proposed.")
        }
        home.say("It does not count yet: macrolog meal confirm \(short)")
        let dish = proposal.dish ?? ""
        if let before = try home.replica.read({ try $0.correctedMeal(of: dish, except: meal) }) {
            let shown = Shown(preferences: try home.preferences)
            let line = before.line(shown, today: try home.formattedToday, style: home.style)
            home.say("You corrected this dish before: \(line). --as-before takes its parts.")
        }
    }

    // MARK: Confirming

    static func take(arguments: ParsedArguments, home: inout Home) throws {
        let id = try home.find(Meal.self, arguments[meal], meal, arguments)
        var changes = ProposalChanges()
        changes.name = arguments[name]
        changes.without = Set(arguments[without].map { Int($0) })
        for mass in arguments[masses] {
            guard changes.masses.updateValue(mass.milligrams, forKey: mass.part) == nil else {
                throw arguments.usageError(
                    of: masses, "names part \(mass.part) twice", instead: "each part once")
            }
        }
        changes.takesEarlier = arguments[earlier]
        if changes.takesEarlier, !changes.without.isEmpty || !changes.masses.isEmpty {
            throw arguments.usageError(combining: "--as-before", "--without or --grams")
        }
        let old = try home.replica.read { try $0.require(Meal.self, id) }
        let instant = try MealConsume.instant(of: old, home.localDate(), arguments, &home)
        try home.replica.write { [changes] in try $0.confirm(id, changes, at: instant) }
        try home.tellMeal("Confirmed:", id)
    }
}

/// `1=80`: a part of a proposal, and its mass.
struct PartMass: Sendable {
    let part: Int
    let milligrams: Int64
}

extension Form where Value == PartMass {
    static var partMass: Form {
        Form("PART=GRAMS") { word throws(BadValue) in
            let halves = word.split(separator: "=", omittingEmptySubsequences: false)
            let digits = (halves.last ?? "").split(
                separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            let fraction = digits.count == 2 ? digits[1] : "0"
            guard halves.count == 2, let part = Int(halves[0]), (1...100).contains(part),
                let grams = Int64(digits[0]), (0...10_000).contains(grams),
                (1...3).contains(fraction.utf8.count),
                let thousandths = Int64(
                    fraction + String(repeating: "0", count: 3 - fraction.count)),
                thousandths >= 0
            else {
                throw BadValue(
                    "is not a part and its mass",
                    instead: "the part's number and grams: 1=80 or 2=12.5")
            }
            return PartMass(part: part, milligrams: grams * 1_000 + thousandths)
        }
    }
}
