// A diary in 150 lines: records, corrects, undoes, observes and shows a day, offline, and says what syncing
// would need. Typed: App FILE NAME KCAL.

import JSON
import Log
import Macrolog
import MacrologFormats
import SQLite
import StandInUI

let words = CommandLine.arguments
guard words.count == 4, let kilocalories = Int64(words[3]) else {
    print("Type: App FILE NAME KCAL")
    throw CancellationError()
}

let app = try DiaryApp(at: words[1])
try app.eat(words[2], kilocalories: kilocalories)
try await app.watchOneMeal(named: "Tea")
try app.changeMind()
await app.sync()
try app.export()
for line in try app.screen().lines { print(line) }
for line in app.notes.lines { print("note:", line) }
print("rows:", app.rows.count)

/// The log of a person, and what two other packages do beside it.
final class DiaryApp {
    let replica: Replica
    let notes = EventLog()
    private(set) var rows = Connection()

    init(at path: String) throws { replica = try Replica.open(at: path) }

    /// Logs a meal with an item, and the weight, as one action.
    func eat(_ name: String, kilocalories: Int64) throws {
        try replica.write { diary in
            let now = try diary.localDate()
            let meal = Meal(
                id: diary.newID(), on: now, dishName: name, slot: "lunch",
                nutrients: Nutrients(energy: kilocalories * 1_000))
            let salt = MealItem(
                id: diary.newID(), of: meal.id, name: "Salt", nutrients: Nutrients())
            try diary.add(meal, items: [salt])
            try diary.logWeight(grams: 80_200, on: now)
        }
        rows.insert([quoted(name), "\(kilocalories)"])
    }

    /// Waits until an observer has seen a meal that was logged after it began.
    func watchOneMeal(named name: String) async throws {
        let today = try replica.read { try $0.today() }
        let days = replica.observe { try $0.meals(on: today).map(\.title) }
        var isLogged = false
        for try await titles in days {
            if titles.contains(name), isLogged { break }
            guard !isLogged else { continue }
            isLogged = true
            try replica.write { diary in
                try diary.add(Meal(id: diary.newID(), on: diary.localDate(), dishName: name))
            }
        }
        notes.record("an observer saw \(name)")
    }

    /// Corrects the last meal, undoes that, does it again, and undoes the tea.
    func changeMind() throws {
        let today = try replica.read { try $0.today() }
        guard
            let last = try replica.read({ try $0.meals(on: today) }).last(where: {
                !$0.items.isEmpty
            })
        else {
            return
        }
        let read = try replica.read { try $0.require(Meal.self, last.meal.id) }
        var meal = read
        meal.note = "with \(last.items.count) item"
        try replica.write { try $0.save(meal, since: read) }
        try replica.write { try $0.undo() }
        try replica.write { try $0.redo() }
        let history = try replica.read { try $0.history(of: Meal.self, meal.id) }
        notes.record("\(last.title) has \(history.count) events")
        for tea in try replica.read({ try $0.meals(on: today) }) where tea.title == "Tea" {
            try replica.write { try $0.delete(Meal.self, tea.meal.id) }
        }
        do {
            _ = try replica.read { try $0.require(Meal.self, replica.newID()) }
        } catch let error as any ExplainedError {
            notes.record("cannot \(error.operation): \(error.explanation)")
        }
    }

    /// Nobody has logged in, which the library says, with what to do.
    func sync() async {
        let account = Account(of: replica, session: SessionFile(path: replica.path + ".session"))
        do {
            try await account.sync()
        } catch let error as any ExplainedError {
            notes.record("\(error.explanation); \(error.hint ?? "wait")")
        } catch {
            notes.record("\(error)")
        }
    }

    /// Everything as JSON, and the meals for a spreadsheet.
    func export() throws {
        let counts = try JSONExport.write(replica) { _ in }
        let rows = try CSVExport().meals(of: replica) { _ in }
        guard counts.entities > 0, rows > 0 else { return notes.record("nothing is exported") }
        notes.record("the log and its meals are exported")
    }

    /// The day as one value, from one state of the log.
    func screen() throws -> some View {
        let (report, conflicts) = try replica.read { diary in
            (try diary.dayReport(of: diary.today()), try diary.conflicts().count)
        }
        return DayView(report: report, conflicts: conflicts)
    }
}
