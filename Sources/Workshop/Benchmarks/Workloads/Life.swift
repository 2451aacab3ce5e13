import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import MacrologPlatform
import MacrologTestSupport

/// H: five simulated years, and the commands a person types, each as a whole process from its start
/// to its end, beside the same program that only prints its version.
enum Life {
    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let events = options.isQuick ? 3_500 : 35_000
        try live(events, folder)
        let bytes = Figures.whole(Double(folder.bytes(of: "h")) / 1_048_576)
        report.count("H", "\(Figures.whole(Double(events + foodsMax + 1))) events in \(bytes) MiB")
        try search(folder, &report)

        let program = "\(Folder.ofProgram)/macrolog"
        guard Folder.size(program) > 0 else {
            report.note(
                "H's commands are skipped: there is no macrolog beside this program (make build).")
            return
        }
        let environment = [
            "HOME=\(folder.path)", "MACROLOG_DB=\(folder.file("h"))", "TZ=UTC", "NO_COLOR=1",
            "PATH=/usr/bin:/bin", "LANG=C.UTF-8",
        ]
        try starts(program, environment, &report)
        for words in [
            ["day", "show"], ["add", "Oat porridge", "--kcal", "380", "--p", "13.2"],
            ["stats", "30d"], ["food", "search", "oats"],
        ] {
            let result = try Rounds.run(
                options.isQuick ? 5 : 11,
                ours: { _ in
                    let child = try Child.run(program, words, environment: environment)
                    guard child.status == 0 else {
                        throw Wrong(description: "macrolog \(words[0]) ended with an error")
                    }
                    return child.seconds
                },
                limit: { _ in
                    try Child.run(program, ["--version"], environment: environment).seconds
                })
            report.add(
                "H macrolog \(words.prefix(2).joined(separator: " "))",
                Figures.milliseconds(result.ours),
                limit: "\(Figures.milliseconds(result.limit)) macrolog --version",
                ratio: result.ratio, noise: result.noise, budget: "≤ 12 ms",
                isMet: result.ours <= 0.012)
        }
    }

    /// What a process costs that does nothing, before the time that a command costs can be judged.
    private static func starts(
        _ program: String, _ environment: [String], _ report: inout Report
    ) throws {
        let times = try turns(11, sides: 3) { side, _ in
            switch side {
            case 0: try Child.run("/bin/true", []).seconds
            case 1: try Child.run(CommandLine.arguments[0], [Visit.nothing]).seconds
            default: try Child.run(program, ["--version"], environment: environment).seconds
            }
        }
        func each(_ side: Int) -> String { Figures.milliseconds(median(times.map { $0[side] })) }
        report.count(
            "H",
            "processes that do nothing: \(each(0)) /bin/true, \(each(1)) this program with Foundation, "
                + "\(each(2)) macrolog --version")
    }

    /// The number of foods of a household that imports a table of them.
    private static let foodsMax = 10_000

    /// Every day meals and a weigh-in, the foods, a goal; the last day is today.
    private static func live(_ events: Int, _ folder: Folder) throws {
        let device = try Device(folder.file("h"))
        let today = Int64(time(nil)) / 86_400
        var drafts = (0..<foodsMax).map { food($0) }
        drafts.append(
            draft(
                "goal.set", .goalPlan, id(events, 0),
                [
                    "start_date": .int(today - 1_000), "energy_mkcal": 2_200_000,
                    "protein_mg": 140_000,
                ]))
        let perDay = 20
        for index in 0..<events {
            let date = LocalDate(
                day: Day(number: today - Int64(index / perDay)) ?? .earliest,
                occurredAt: (today - Int64(index / perDay)) * 86_400_000 + 43_200_000,
                zone: "Europe/Zurich", offsetMinutes: 60)
            let meal = SampleMeal(index)
            if index % perDay == 0 {
                drafts.append(
                    draft(
                        "weight.logged", .weighIn, meal.id,
                        [
                            "local_date": date.value,
                            "weight_g": .int(80_000 + Int64(index / perDay) % 900),
                        ]))
                continue
            }
            let slots: [Value] = ["breakfast", "lunch", "dinner", "snack"]
            drafts.append(
                draft(
                    "meal.added", .meal, meal.id,
                    [
                        "local_date": date.value, "dish_name": .text(UTF8Text(meal.name)),
                        "consumed": true, "meal_type": slots[index % 4],
                        "energy": .int(meal.energy / 4), "protein": .int(meal.protein / 4),
                        "carbs": .int(meal.carbs / 4), "fat": .int(meal.fat / 4),
                    ]))
        }
        for start in stride(from: 0, to: drafts.count, by: 500) {
            try device.record(Array(drafts[start..<min(start + 500, drafts.count)]))
        }
    }

    private static func food(_ index: Int) -> Draft {
        let meal = SampleMeal(1_000_000 + index)
        return draft(
            "food.added", .food, meal.id,
            [
                "name": .text(UTF8Text(meal.name)), "basis": "per_100g",
                "energy": .int(meal.energy),
                "protein": .int(meal.protein), "carbs": .int(meal.carbs), "fat": .int(meal.fat),
            ])
    }

    private static func draft(
        _ type: UTF8Text, _ kind: Kind, _ id: Identifier, _ fields: ValueMap
    ) -> Draft {
        Draft(type, [Change(EntityKey(kind.name, id), [.set(fields)])])
    }

    private static func id(_ high: Int, _ low: UInt64) -> Identifier {
        Identifier(high: UInt64(high) << 16 | 0x7000, low: 0x8000_0000_0000_0000 | low)
    }

    /// Searches foods as a person types: words of one to five letters.
    private static func search(_ folder: Folder, _ report: inout Report) throws {
        let device = try Device(folder.file("h"))
        let today = Day(number: Int64(time(nil)) / 86_400) ?? .earliest
        var random = Dice(seed: 7)
        let times = try (0..<400).map { _ in
            let name = SampleMeal(1_000_000 + Int(random.next() % UInt64(foodsMax))).name
            let words = name.split(separator: " ").map {
                String($0.prefix(1 + Int(random.next() % 5)))
            }
            return try seconds {
                _ = try device.store.foods(
                    matching: words.prefix(2).joined(separator: " "), limit: 20, today: today)
            }
        }.sorted()
        let slow = times[times.count * 95 / 100]
        report.add(
            "H food search among 10,000 in process, p95", Figures.milliseconds(slow),
            budget: "≤ 5 ms",
            isMet: slow <= 0.005)
    }
}
