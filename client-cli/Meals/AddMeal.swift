import MacrologAnalysis
import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `add`: records a meal.
enum AddMeal {
    static let name = Parameter.optionalArgument(
        "name", .text, "What was eaten; with --food it may be left out.")
    static let recipe = Parameter.flag("recipe", "NAME is one of your recipes.")
    static let photos = Parameter.options("photo", .file, "Attach a photo: JPEG, PNG or WebP.")
    static let analyze = Parameter.flag(
        "analyze", "Ask a model what the photo shows, or what NAME holds; see `meal analyze`.")

    static let command = Verb(
        "add", "Log a meal.", example: "add 'Oat porridge' --kcal 380 --p 13.2",
        "add Oats --grams 60", "add Pizza --slot dinner --not-consumed --kcal 3500kJ",
        "add --food Oats --amount '1 cup'", "add Chili --recipe --serving 2",
        "add --photo lunch.jpg --analyze", "add 'two eggs and toast' --analyze",
        explanation: """
            A value that you leave out is unknown, not zero, and can be added later. With --grams,
            --serving or --amount and no nutrients, NAME is looked up among your foods; with --food
            the meal can have another name. The meal keeps the food's values of today, even if the
            food changes later. Without an amount, a food of exactly this name gets the amount of
            the last time, else one serving, and a --recipe one serving. With --analyze the meal
            waits for a proposal, and counts for nothing before `meal confirm`.
            """, run: run
    ) {
        name
        PortionOptions.all
        NutrientOptions.all
        MealOptions.all
        LoggedFood.food
        recipe
        photos
        analyze
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        if arguments[analyze] || !arguments[photos].isEmpty && arguments[name] == nil {
            return try addUnknown(arguments, &home)
        }
        guard let typed = arguments[name] ?? arguments[LoggedFood.food] else {
            throw arguments.usageError(
                of: name, "is missing", instead: "what was eaten, such as 'Oat porridge'")
        }
        guard arguments[photos].isEmpty else {
            return try addWithPhotos(named: typed, arguments, &home)
        }
        let (findings, answer) = try home.write { diary, home in
            var meal = try MealOptions.meal(named: typed, arguments, &home)
            let items = try items(of: &meal, named: typed, arguments, diary, &home)
            return (try diary.add(meal, items: items), try diary.answer(on: meal.id))
        }
        home.warn(findings)
        try home.tell("Added", answer)
    }

    private static func addWithPhotos(
        named typed: String, _ arguments: ParsedArguments, _ home: inout Home
    ) throws {
        let files = try photoFiles(arguments)
        let (eaten, parts) = try home.read { diary, home in
            var meal = try MealOptions.meal(named: typed, arguments, &home)
            let items = try items(of: &meal, named: typed, arguments, diary, &home)
            return (meal, items)
        }
        let (_, findings) = try recording(arguments) {
            try home.replica.add(eaten, items: parts, photos: files, asks: false)
        }
        home.warn(findings)
        try home.tellMeal("Added", eaten.id)
    }

    /// Records a meal with photos, all of it or nothing.
    private static func recording<T>(
        _ arguments: ParsedArguments, _ body: () throws -> T
    ) throws -> T {
        do { return try body() } catch let error as PhotoError {
            var name = ""
            if case .unusable(_, let place) = error, arguments[photos].indices.contains(place - 1) {
                name = "\(printable(arguments[photos][place - 1])): "
            }
            throw CommandError(
                ErrorReport(error).exitCode,
                "\(arguments.command): \(name)\(error)\nnothing was written")
        }
    }

    private static func photoFiles(_ arguments: ParsedArguments) throws -> [[UInt8]] {
        try arguments[photos].map {
            try InputFile.read($0, arguments, bytesMax: Replica.photoFileBytesMax)
        }
    }

    /// A meal of which only a photo or a description is known.
    private static func addUnknown(_ arguments: ParsedArguments, _ home: inout Home) throws {
        let asks = arguments[analyze]
        let without = asks ? "--analyze" : "--photo without NAME"
        if NutrientOptions.areTyped(arguments) || arguments.has(PortionOptions.grams)
            || arguments.has(PortionOptions.serving) || arguments.has(PortionOptions.amount)
        {
            throw arguments.usageError(combining: without, "nutrients or an amount")
        }
        if arguments.has(LoggedFood.food) || arguments[recipe] {
            throw arguments.usageError(combining: without, "--food or --recipe")
        }
        let files = try photoFiles(arguments)
        guard !files.isEmpty || arguments[name] != nil else {
            throw arguments.usageError(
                of: name, "is missing",
                instead: "a description such as 'two eggs and toast', or --photo FILE")
        }
        var meal = try MealOptions.meal(named: arguments[name], arguments, &home)
        if asks { (meal.isConsumed, meal.consumedAt) = (false, nil) }
        let (question, _) = try recording(arguments) {
            try home.replica.add(meal, photos: files, asks: asks, words: arguments[name])
        }
        try home.tellMeal("Added", meal.id)
        guard let question else { return }
        let photo = try question.photo.flatMap { try home.replica.photo($0) }
        try MealAnalysis.answerNow(question, of: meal.id, photo, &home)
    }

    private static func items(
        of meal: inout Meal, named typed: String, _ arguments: ParsedArguments,
        _ diary: borrowing Diary, _ home: inout Home
    ) throws -> [MealItem] {
        let portion = try PortionOptions.read(arguments, &home)
        let hasNumbers = NutrientOptions.areTyped(arguments)
        if arguments[recipe] {
            return [try ofRecipe(typed, portion, &meal, arguments, diary, &home)]
        }
        if let wanted = arguments[LoggedFood.food] {
            if hasNumbers {
                throw arguments.usageError(combining: "--food", "nutrients")
            }
            let food = try FoodNames.require(wanted, LoggedFood.food, arguments, diary)
            if arguments[name] == nil { meal.dishName = food.name }
            return [
                try LoggedFood.item(
                    of: food, portion, meal: meal.id, LoggedFood.food, arguments, diary, &home)
            ]
        }
        if !hasNumbers {
            let food =
                portion == nil
                ? try LoggedFood.named(typed, name, arguments, diary)
                : try FoodNames.find(
                    typed, name, arguments, diary, instead: LoggedFood.instead)
            if let food {
                meal.dishName = food.name
                return [
                    try LoggedFood.item(
                        of: food, portion, meal: meal.id, name, arguments, diary, &home)
                ]
            }
            if portion == nil, !SearchText(typed).words.isEmpty,
                let near = try diary.foods(matching: typed, limit: 1).first, near.isArchived != true
            {
                home.warn(
                    "no food is called \"\(typed)\"; macrolog food search finds \(near.fullName)")
            }
        }
        var nutrients = Nutrients()
        for entry in try NutrientOptions.read(arguments, diary, &home) {
            nutrients[entry.nutrient] = entry.amount
        }
        guard let portion else {
            meal.nutrients = nutrients
            return []
        }
        home.warn(unknown: nutrients, typed)
        return [
            MealItem(
                id: diary.newID(), of: meal.id, name: typed, amount: portion.amount,
                nutrients: nutrients)
        ]
    }

    private static func ofRecipe(
        _ typed: String, _ portion: Portion?, _ meal: inout Meal, _ arguments: ParsedArguments,
        _ diary: borrowing Diary, _ home: inout Home
    ) throws -> MealItem {
        if NutrientOptions.areTyped(arguments) || arguments.has(LoggedFood.food) {
            throw arguments.usageError(combining: "--recipe", "nutrients or --food")
        }
        let found = try RecipeNames.require(typed, name, arguments, diary)
        meal.dishName = found.name
        meal.source = .recipe
        let eaten = portion ?? .servings(milli: 1_000, unit: nil)
        return try eaten.item(
            of: try RecipeVerbs.require(found.id, diary), meal: meal.id, arguments, &home)
    }
}

extension Home {
    /// Says that an item has no nutrients, because no food has its name.
    func warn(unknown nutrients: Nutrients, _ name: String) {
        guard nutrients.isEmpty else { return }
        warn("no food is called \"\(name)\", so what it holds is unknown")
    }
}
