import Foundation
import Macrolog
import MacrologEvents
import MacrologSQLite
import MacrologTestSupport
import Testing

/// Goal: the digits that are shown of an entry mean this entry, and showing a day costs the same after
/// years. Method: meals on random days whose ids end alike, compared with a plain rule over all of them.
@Suite struct ShortIDTests {
    private let folder = ScratchFolder()
    private let today = Day(year: 2026, month: 11, day: 20) ?? .earliest

    /// An id of which the last digits are drawn from few, so that ends are often equal.
    private func id(_ index: Int, _ dice: inout Dice) -> Identifier {
        var low: UInt64 = 0
        for _ in 0..<6 { low = low << 4 | UInt64(dice.roll(0...1)) }
        return Identifier(
            high: 0x0190_0000_0000_7000,
            low: 0x8000_0000_0000_0000 | UInt64(index) << 32 | low)
    }

    private func meal(_ id: Identifier, on day: Day) -> Meal {
        Meal(id: id, on: LocalDate(day: day), dishName: "Rice")
    }

    @Test(arguments: Dice.seeds(20))
    func `what is shown means the entry that was shown`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let replica = try Replica.open(at: folder.file("log.db"))
        var all: [(id: Identifier, day: Day)] = []
        for index in 0..<40 {
            all.append((id(index, &dice), today.advanced(by: -Int(dice.roll(0...150)))))
        }
        try replica.write { for (id, day) in all { try $0.add(meal(id, on: day)) } }

        for (id, day) in all {
            let ids = all.filter { $0.day == day }.map { $0.id }
            let short = try replica.read { try $0.shortIDs(of: .meal, for: ids) }
            for id in ids {
                let digits = try #require(short[id])
                #expect(digits.count >= 4)
                let found = try replica.read { try $0.ids(of: .meal, endingIn: digits) }
                #expect(found == [id], "seed \(seed): \(digits)")
                let any = try replica.read { try $0.entities(endingIn: digits) }
                #expect(any.map { $0.entity.id } == [id], "seed \(seed): \(digits)")
            }
            // The plain rule: the newest day with these digits, and five weeks before it.
            let digits = id.lastDigits(Int(dice.roll(1...6)))
            let ending = all.filter { $0.id.lastDigits(digits.count) == digits }
            let newest = try #require(ending.map { $0.day }.max())
            let meant = ending.filter { $0.day >= newest.advanced(by: -35) }.map { $0.id }.sorted()
            let found = try replica.read { try $0.ids(of: .meal, endingIn: digits) }
            #expect(found.sorted() == meant, "seed \(seed): \(digits)")
        }
    }

    @Test func `a whole id is found by itself, whatever others end with`() throws {
        let replica = try Replica.open(at: folder.file("log.db"))
        let old = Identifier(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_3F2A)
        let new = Identifier(high: 0x0190_0000_0001_7000, low: 0x8000_0000_0000_3F2A)
        try replica.add(meal(old, on: today.advanced(by: -400)))
        try replica.add(meal(new, on: today))
        func found(_ digits: String, includingDeleted: Bool = false) throws -> [Identifier] {
            try replica.read {
                try $0.ids(of: .meal, endingIn: digits, includingDeleted: includingDeleted)
            }
        }
        #expect(try found("3f2a") == [new])
        #expect(try found("3F-2A") == [new])
        #expect(try found("\(old)") == [old])
        #expect(try found("\(old)".uppercased()) == [old])
        #expect(try found("0\(old)").isEmpty)
        #expect(try found("xyz").isEmpty)
        try replica.delete(Meal.self, old)
        #expect(try found("\(old)").isEmpty)
        #expect(try found("\(old)", includingDeleted: true) == [old])
        let all = try replica.read { try $0.entities(endingIn: "\(old)") }
        #expect(all.map(\.isDeleted) == [true])
        #expect(
            try replica.read { try $0.entities(endingIn: "3f2a", includingDeleted: true) }.count
                == 2)
    }

    @Test func `a day's ids are found in as many steps after ten years as after one`() throws {
        func steps(years: Int) throws -> Int64 {
            var dice = Dice(seed: 1)
            let replica = try Replica.open(at: folder.file("\(years).db"))
            let meals = (0..<years * 365).map { ago in
                meal(
                    Identifier.v7(milliseconds: 1_700_000_000_000, random: &dice),
                    on: today.advanced(by: -ago))
            }
            try replica.write { for meal in meals { try $0.add(meal) } }
            let before = try replica.withStore { $0.db.machineSteps }
            let short = try replica.read { try $0.shortIDs(of: .meal, for: [meals[0].id]) }
            let digits = try #require(short[meals[0].id])
            let found = try replica.read { try $0.ids(of: .meal, endingIn: digits) }
            #expect(found == [meals[0].id])
            return try replica.withStore { $0.db.machineSteps } - before
        }
        #expect(try steps(years: 10) == steps(years: 1))
    }
}
