import MacrologEvents
import Foundation
import MacrologLog
import Macrolog
import MacrologNutritionModels
import MacrologReadModels
import MacrologTestSupport
import Testing

/// Goal: a device's file with flipped bits, or cut off, is refused, answered with an error, or put
/// right: an app that opens it does not end.
/// Method: sixty copies of a small log, damaged as a printed seed says (`MACROLOG_TEST_SEED_BASE`
/// sets it); then everything that reads, a look through the file, and a record. A trap would end the
/// tests.
@Suite struct FlippedBitsTests {
    private static let files = 60
    private static let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    @Test func `flipped bits and a cut file are refused or put right, and never a trap`() throws {
        var dice = Dice.fresh("flipped bits")
        let folder = ScratchFolder()
        let base = folder.url.appending(path: "base.db")
        try Self.fill(base.path)
        let whole = [UInt8](try Data(contentsOf: base))
        var read = 0
        for number in 0..<Self.files {
            let file = folder.url.appending(path: "log\(number).db")
            try Data(Self.damaged(whole, number, &dice)).write(to: file)
            read += Self.readEverything(file.path)
        }
        // A bit in the middle of a page harms one row, or nothing.
        #expect(read > Self.files)
    }

    private static func damaged(_ whole: [UInt8], _ number: Int, _ dice: inout Dice) -> [UInt8] {
        var bytes = whole
        guard number % 6 > 0 else {
            bytes.removeLast(Int.random(in: 1..<whole.count, using: &dice))
            return bytes
        }
        // A page's head says where its rows lie, and stands at its beginning.
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
            let page = Int.random(in: 0..<whole.count / 2_048, using: &dice)
            let end = Bool.random(using: &dice) ? 40 : 2_048
            let place = page * 2_048 + Int.random(in: 0..<end, using: &dice)
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
        }
        return bytes
    }

    private static func meal(_ name: String, _ replica: Replica) -> Meal {
        Meal(
            id: replica.newID(), on: LocalDate(day: day), dishName: name, slot: "lunch",
            nutrients: Nutrients(energy: 400_000))
    }

    private static func fill(_ path: String) throws {
        let replica = try Replica.open(at: path)
        for name in ["Oats", "Soup"] {
            let meal = meal(name, replica)
            try replica.add(meal)
            var edited = try replica.require(Meal.self, meal.id)
            edited[.energy] = 410_000
            try replica.save(edited)
        }
        _ = try replica.undo()
        replica.releaseFile()
    }

    /// - Returns: How many answers there were.
    private static func readEverything(_ path: String) -> Int {
        guard let replica = try? Replica.open(at: path) else { return 0 }
        defer { replica.releaseFile() }
        var count = 0
        func ask<T>(_ body: () throws -> T) { if (try? body()) != nil { count += 1 } }
        ask { try replica.meals(on: day) }
        ask { try replica.summary(of: day) }
        ask { try replica.read { try $0.stats(over: day...day) } }
        ask { try replica.conflicts() }
        ask { try replica.read { try $0.statistics() } }
        ask { try replica.check() }
        ask {
            var verification = Verification()
            while !verification.isDone {
                try replica.withStore { try $0.verify(&verification, next: replica.newID()) }
            }
        }
        ask { try replica.undo() }
        ask { try replica.add(meal("Tea", replica)) }
        ask { try replica.withStore { try $0.rebuild() } }
        ask { try replica.meals(on: day) }
        return count
    }
}
