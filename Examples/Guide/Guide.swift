public import Foundation
public import Macrolog
public import MacrologFormats

/// The code that the library's pages show (`Sources/Device/Macrolog/Macrolog.docc`): each block of a
/// page stands here between two marks, or in `Examples/Todo`, and the tests call all of it. It is
/// compiled as another package would be, so it can use only what is public.
public enum Guide {
    /// *Getting started*: opens a log, records, edits, undoes and reads.
    ///
    /// - Returns: The day, and the foods that were eaten at lunch lately.
    public static func begin(at path: String) throws -> (day: DaySummary, foods: [Food]) {
        // show: open
        let replica = try Replica.open(at: path)
        let now = try replica.read { try $0.localDate() }
        // end
        // show: add
        let porridge = Meal(
            id: replica.newID(), on: now, dishName: "Oat porridge", slot: "breakfast",
            nutrients: Nutrients(energy: 380_000, protein: 14_000, carbs: 60_000, fat: 9_000))
        try replica.write { try $0.add(porridge) }
        // end
        // show: write
        try replica.write { diary in
            let soup = Meal(id: diary.newID(), on: now, dishName: "Soup", slot: "lunch")
            let bread = MealItem(
                id: diary.newID(), of: soup.id, name: "Bread", nutrients: Nutrients(energy: 120_000)
            )
            try diary.add(soup, items: [bread])
            try diary.logWeight(grams: 80_200, on: now)
        }
        // end
        // show: undo
        let undone = try replica.write { try $0.undo() }
        if !undone.skipped.isEmpty { print("something was edited since, and stays") }
        try replica.write { try $0.redo() }
        // end
        // show: edit
        let read = try replica.read { try $0.require(Meal.self, porridge.id) }
        var edited = read
        edited.note = "with berries"  // … minutes later, on an open screen
        try replica.write { try $0.save(edited, since: read) }
        // end
        // show: read
        let (day, foods) = try replica.read { diary in
            (try diary.summary(of: now.day), try diary.recentFoods(in: "lunch"))
        }
        // end
        return (day, foods)
    }

    /// *Getting started*: what an app shows of an error.
    ///
    /// - Returns: The operation, the explanation and the hint; `nil` if there was no error.
    public static func explain(_ replica: Replica) -> String? {
        // show: errors
        do {
            try replica.write { try $0.redo() }
        } catch let error as any ExplainedError {
            return "Cannot \(error.operation): \(error.explanation). \(error.hint ?? "")"
        } catch {
            return "\(error)"
        }
        // end
        return nil
    }

    /// *Getting started*: the text of an error in an app's alert.
    public static func alert(_ error: any ExplainedError) -> String {
        ShownError(error: error).localizedDescription
    }

    /// *Getting started*: the day of a Foundation date in a time zone.
    ///
    /// - Returns: `nil` outside 1900 to 2200.
    public static func day(of date: Date, in zone: TimeZone) -> LocalDate? {
        // show: date
        let instant = Int64((date.timeIntervalSince1970 * 1_000).rounded())
        let picked = LocalDate(
            instant: instant, zone: UTF8Text(zone.identifier),
            offsetMinutes: Int64(zone.secondsFromGMT(for: date) / 60))
        // end
        return picked
    }

    /// *Foods, recipes and water*: one and a half of four servings of a recipe are eaten.
    ///
    /// - Returns: What the meal came to.
    public static func cook(_ replica: Replica) throws -> NutrientTotals? {
        let now = try replica.read { try $0.localDate() }
        // show: recipe
        let soup = Recipe(id: replica.newID(), name: "Lentil soup", servingsMilli: 4_000)
        let lentils = RecipeItem(
            id: replica.newID(), of: soup.id, name: "Lentils", amount: Amount(milligrams: 300_000),
            nutrients: Nutrients(energy: 1_050_000, protein: 72_000))
        try replica.write { diary in
            try diary.add(soup)
            try diary.addIngredient(lentils)
        }
        // end
        // show: serving
        let dinner = Meal(id: replica.newID(), on: now, dishName: "Soup", slot: "dinner")
        try replica.write { diary in
            guard let dish = try diary.recipe(soup.id) else { return }
            var bowl = MealItem(
                id: diary.newID(), of: dinner.id, name: dish.recipe.name,
                amount: Amount(milli: 1_500, unit: "serving"),
                nutrients: dish.contents.servings(1_500))
            bowl.recipeID = soup.id
            try diary.add(dinner, items: [bowl])
        }
        // end
        return try replica.read { try $0.meal(dinner.id) }?.totals
    }

    /// *Foods, recipes and water*: 150 g of a food are eaten.
    ///
    /// - Returns: What the meal came to.
    public static func eat(_ replica: Replica) throws -> NutrientTotals? {
        let now = try replica.read { try $0.localDate() }
        // show: portion
        let oats = Food(
            id: replica.newID(), name: "Oats",
            nutrients: Nutrients(energy: 372_000, protein: 13_500))
        let snack = Meal(id: replica.newID(), on: now, dishName: "Oats", slot: "snack")
        try replica.write { diary in
            try diary.add(oats)
            guard let sizes = try diary.servingSizes(of: oats.id) else { return }
            let (nutrients, amount) = try sizes.nutrients(of: Amount(milligrams: 150_000))
            var portion = MealItem(
                id: diary.newID(), of: snack.id, name: oats.name, amount: amount,
                nutrients: nutrients)
            portion.foodID = oats.id
            try diary.add(snack, items: [portion])
        }
        // end
        return try replica.read { try $0.meal(snack.id) }?.totals
    }

    /// *Foods, recipes and water*: a glass of water.
    ///
    /// - Returns: All that was drunk on the day, in microlitres.
    public static func drink(_ replica: Replica) throws -> Int64 {
        let now = try replica.read { try $0.localDate() }
        // show: water
        try replica.write { diary in
            try diary.add(Water(id: diary.newID(), on: now, microliters: 250_000))
        }
        let hydration = try replica.read { try $0.hydration(on: now.day) }
        print("\(hydration.totalMicroliters / 1_000) ml")
        // end
        return hydration.totalMicroliters
    }

    /// *Files*: everything as JSON, and the meals of a month for a spreadsheet.
    ///
    /// - Returns: The rows of the spreadsheet.
    public static func export(
        _ replica: Replica, to json: FileHandle, and csv: FileHandle, on month: ClosedRange<Day>
    ) throws -> Int {
        // show: export
        try JSONExport.write(replica) { try json.write(contentsOf: Data($0.utf8)) }
        let rows = try CSVExport().meals(of: replica, on: month) {
            try csv.write(contentsOf: Data($0.utf8))
        }
        // end
        return rows
    }

    /// *Files*: a file of another program, which is looked at before anything is written.
    ///
    /// - Returns: What became of its rows; `nil` if the person did not want them.
    public static func bring(
        _ file: Data, into replica: Replica, if isWanted: (ImportSummary, [ImportRow]) -> Bool
    ) throws -> ImportSummary? {
        // show: import
        let sheet = try CSVImport(file)
        var rejected: [ImportRow] = []
        let forecast = try sheet.plan(in: replica) { row in
            if case .rejected = row.outcome { rejected.append(row) }
        }
        guard isWanted(forecast, rejected) else { return nil }
        return try sheet.run(in: replica)
        // end
    }

    /// *Observing*: what a widget shows, in a process of its own.
    public static func widget(at path: String) throws -> DaySummary {
        // show: widget
        let replica = try Replica.open(at: path)
        let day = try replica.read { try $0.summary(of: $0.today()) }
        replica.releaseFile()
        // end
        return day
    }

    /// *Observing*: the app comes to the foreground.
    public static func comeToForeground(_ replica: Replica) throws {
        // show: foreground
        _ = try replica.read { try $0.today() }
        // end
    }

    /// *Observing*: shows a day until the task is cancelled.
    public static func watch(
        _ replica: Replica, _ today: Day, show: @escaping @Sendable (DaySummary) async -> Void
    ) -> Task<Void, any Error> {
        // show: observe
        let watching = Task {
            for try await day in replica.observe({ try $0.summary(of: today) }) {
                await show(day)
            }
        }
        // end
        return watching
    }

    /// *Observing*: a screen that shows several things of one state.
    public struct Screen: Equatable, Sendable {
        /// The day's sums.
        public let day: DaySummary
        /// The meals, by time.
        public let meals: [MealDetail]
    }

    /// *Observing*: the screen now, and after each change.
    public static func screens(
        _ replica: Replica, _ today: Day
    ) -> AsyncThrowingStream<Screen, any Error> {
        // show: together
        let screens = replica.observe { diary in
            Screen(day: try diary.summary(of: today), meals: try diary.meals(on: today))
        }
        // end
        return screens
    }

    /// *Conflicts*: lists them.
    public static func list(_ replica: Replica) throws -> [String] {
        // show: conflicts
        var notation = try replica.read { try $0.notation() }
        let lines = try replica.read { try $0.conflicts() }.map { conflict in
            let (shown, lost) = (conflict.winner, conflict.losers.map { "\($0.value)" })
            let clock = notation.write(shown.logged.clock)
            return "\(conflict.cell): \(shown.value), by \(clock); lost: \(lost)"
        }
        // end
        return lines
    }

    /// *Conflicts*: resolves all, by the value that lost where there is only one.
    public static func resolve(_ replica: Replica) throws {
        // show: resolve
        for conflict in try replica.read({ try $0.conflicts() }) {
            let keepsShown = conflict.losers.count > 1
            try replica.write { diary in
                try diary.resolve([
                    keepsShown ? .keep(conflict) : .use(loser: 0, of: conflict)
                ])
            }
        }
        // end
    }

    /// *Syncing*: an account of a replica, logged in.
    public static func connect(
        _ replica: Replica, to server: String, password: String, deviceName: String
    ) async throws -> Account {
        // show: account
        let account = Account(of: replica, session: SessionFile(path: replica.path + ".session"))
        do {
            try await account.logIn(
                email: "ana@example.org", password: password, at: server, deviceName: deviceName)
        } catch AccountError.codeRequired {
            print("ask the person for the code of the second factor, and pass it as `code:`")
        }
        // end
        return account
    }

    /// *Syncing*: once, with progress.
    public static func syncOnce(_ account: Account) async throws -> SyncStatus {
        // show: once
        let done = try await account.sync { held, head, unsealed in
            print("\(held) of \(head), \(unsealed) to send")
        }
        // end
        return done
    }

    /// *Syncing*: all the time, until the task is cancelled.
    public static func keepSyncing(_ account: Account) -> Task<Void, Never> {
        // show: always
        let syncing = Task {
            for await status in account.sync(every: .seconds(60)) {
                print(status.unsealed == 0 ? "all sent" : "\(status.unsealed) to send")
                if let error = status.lastError { print(error) }
            }
        }
        // end
        return syncing
    }

    /// *Syncing*: whether every device of the person has everything.
    public static func isEverywhere(_ replica: Replica) throws -> Bool {
        // show: status
        let status = try replica.syncStatus()
        let devices = status.receipts?.devices ?? []
        let isEverywhere =
            status.unsealed == 0 && !devices.isEmpty && devices.allSatisfy { $0.lacks == 0 }
        // end
        return isEverywhere
    }

    /// *Syncing*: the person leaves, and nothing stays on this device.
    public static func leave(_ replica: Replica, _ account: Account, folder: String) async throws {
        // show: leave
        try await account.logOut()
        replica.releaseFile()
        try FileManager.default.removeItem(atPath: folder)
        // end
    }

    /// *Testing*: two devices edit one meal apart, and show the same after they have synced.
    ///
    /// - Returns: Both days, and the conflicts of the phone.
    public static func meet(
        in folder: String, at server: String, password: String
    ) async throws -> (phone: DaySummary, laptop: DaySummary, conflicts: [Conflict]) {
        // show: devices
        let phone = try Replica.open(at: folder + "/phone.db")
        let laptop = try Replica.open(at: folder + "/laptop.db")
        let phoneAccount = try await connect(
            phone, to: server, password: password, deviceName: "phone")
        let laptopAccount = try await connect(
            laptop, to: server, password: password, deviceName: "laptop")
        // end
        // show: apart
        let now = try phone.read { try $0.localDate() }
        let soup = Meal(id: phone.newID(), on: now, dishName: "Soup", slot: "lunch")
        try phone.write { try $0.add(soup) }
        try await phoneAccount.sync()
        try await laptopAccount.sync()

        // Apart: neither sees what the other does.
        for (device, energy) in [(phone, 460_000), (laptop, 440_000)] {
            let read = try device.read { try $0.require(Meal.self, soup.id) }
            var edited = read
            edited[.energy] = Int64(energy)
            try device.write { try $0.save(edited, since: read) }
        }

        // Together: one value wins on both, and the other is a conflict.
        try await phoneAccount.sync()
        try await laptopAccount.sync()
        try await phoneAccount.sync()
        // end
        return (
            try phone.read { try $0.summary(of: now.day) },
            try laptop.read { try $0.summary(of: now.day) },
            try phone.read { try $0.conflicts() }
        )
    }

    /// *Testing*: the log as it was a day ago.
    public static func lookBack(_ replica: Replica) throws -> Replica {
        // show: past
        let yesterday = replica.now - 86_400_000
        let before = try replica.snapshot(asOf: .time(yesterday))
        // end
        return before
    }
}

// show: alert
struct ShownError: LocalizedError {
    let error: any ExplainedError
    var errorDescription: String? { "Cannot \(error.operation): \(error.explanation)." }
    var recoverySuggestion: String? { error.hint }
}
// end
