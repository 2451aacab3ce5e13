import Foundation
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition
import Testing

/// Goal: others see what a person chose to show, and nothing else of the log.
/// Method: canary words in every field of a meal that is not shown; documents, sentences and cards are
/// searched for them; names of any length and script.
@Suite struct ShareTests {
    private static let day = Day(year: 2026, month: 11, day: 20) ?? .earliest
    private static let days = day.advanced(by: -6)...day

    private static func item(_ name: String, energy: Int64?, _ number: UInt64 = 3) -> MealItem {
        MealItem(
            id: Samples.id(number), of: Samples.id(2), name: name,
            nutrients: Nutrients(energy: energy, protein: 1_000))
    }

    private static func detail(
        _ name: String?, _ items: [MealItem], own: Nutrients = Nutrients(), share: Int64 = 10_000
    ) -> MealDetail {
        var meal = Meal(
            id: Samples.id(2),
            on: LocalDate(
                day: day, occurredAt: 1_795_199_999_000, zone: "Antarctica/Troll",
                offsetMinutes: 60),
            dishName: name, slot: "lunch", isConsumed: true, nutrients: own)
        meal.consumedShareBasisPoints = share
        meal.note = "canary-note"
        meal.tags = ["canary-tag"]
        let totals = NutrientTotals(
            own: own, items: items.map(\.nutrients), shareBasisPoints: share)
        return MealDetail(
            meal: meal, items: items, totals: totals, hasConflict: true,
            isEditedByNewerVersion: true)
    }

    private static func share(
        _ name: String?, _ items: [MealItem] = [], own: Nutrients = Nutrients(),
        in unit: EnergyUnit = .kilocalories
    ) -> Share {
        Share(detail(name, items, own: own), score: nil, in: unit)
    }

    @Test func `nothing that was not chosen is in a share`() {
        let meal = Self.detail("Soup", [Self.item("Leek", energy: 30_000)])
        let summary = DaySummary(
            day: Self.day,
            meals: [
                DaySummary.Contribution(slot: "lunch", isConsumed: true, totals: meal.totals)
            ], today: Self.day)
        let stats = PeriodStats(Self.days, summaries: [summary], today: Self.day)
        let score = Share.Score(diet: .keto, points: 91)
        for share in [
            Share(meal, score: score, in: .kilojoules),
            Share(summary, meals: [meal], score: score, in: .kilojoules),
            Share(stats, [summary], score: score, in: .kilojoules),
        ] {
            let shown = [
                share.json.pretty, share.text(), share.card.svg(nil),
                "\(share.card.marks) \(share)",
            ].joined()
            for canary in [
                "canary", "Antarctica", "\(Samples.id(2))", "\(Samples.id(3))", "7000-", "conflict",
                "newer", "1795199999",
            ] {
                #expect(!shown.contains(canary), "\(share.kind) \(canary)")
            }
        }
    }

    @Test func `the page of the document has its members, and its example`() throws {
        let page = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appending(path: "../../docs/protocol/share.md").standardized, encoding: .utf8)
        // What follows is of the server that shows it.
        let document = page.prefix(upTo: try #require(page.firstRange(of: "\n## 6.12")).lowerBound)
        let named = document.matches(of: /(?m)^\| `([^|]+)` \|/).flatMap { row in
            row.1.split(separator: "`").map(String.init).filter { $0 != ", " }
        }
        var used: Set<String> = []
        func walk(_ json: JSON) {
            switch json {
            case .object(let members):
                for member in members {
                    used.insert(member.key)
                    walk(member.value)
                }
            case .array(let elements): elements.forEach(walk)
            default: break
            }
        }
        walk(Samples.mealShare.json)
        #expect(Set(named) == used)
        #expect(page.contains("```json\n\(Samples.mealShare.json.pretty)\n```"))
    }

    @Test(
        arguments: [
            (["Soup"], 460_000, "I had Soup with 460 calories!"),
            (["Soup"], 1_000, "I had Soup with 1 calorie!"),
            (["Soup"], 0, "I had Soup with 0 calories!"),
            (["Soup"], nil, "I had Soup!"),
            (["Soup"], 99_999_499, "I had Soup with 99,999 calories!"),
            (["So\u{202E}up\n"], 1_500, "I had So\u{FFFD}up  with 2 calories!"),
        ] as [([String], Int64?, String)])
    func `a sentence names the meal and its calories`(
        name: [String], energy: Int64?, sentence: String
    ) {
        let share = Self.share(name[0], own: Nutrients(energy: energy))
        #expect(share.text() == sentence)
        #expect(share.text(link: "https://e.org/s/x") == sentence + " https://e.org/s/x")
    }

    @Test func `kilojoules are not called calories`() {
        let share = Self.share("Soup", own: Nutrients(energy: 100_000), in: .kilojoules)
        #expect(share.text() == "I had Soup with 418 kJ!")
    }

    @Test func `a share of a dish is what was eaten of it`() {
        let detail = Self.detail("Pot", [Self.item("Rice", energy: 400_000)], share: 2_500)
        let share = Share(detail, score: nil, in: .kilocalories)
        #expect(share.amounts[.energy] == 100_000)
        #expect(share.parts.map(\.energy) == [100_000])
    }

    @Test func `the parts of a meal with energy of its own add up to its sum`() {
        let items = [Self.item("Leek", energy: 30_000), Self.item("Cream", energy: 90_000, 4)]
        let share = Self.share("Soup", items, own: Nutrients(energy: 200_000))
        #expect(share.parts.map(\.title) == ["Soup", "Leek", "Cream"])
        #expect(share.parts.compactMap(\.energy).reduce(0, +) == share.amounts[.energy])
        // Without items its own energy is the sum, and no part of it.
        #expect(Self.share("Soup", own: Nutrients(energy: 200_000)).parts.isEmpty)
    }

    @Test func `what a part does not know makes a sum a lower bound`() {
        let share = Self.share(
            nil, [Self.item("Leek", energy: 30_000), Self.item("Salt", energy: nil, 4)])
        #expect(share.title == "Leek, Salt")
        #expect(share.incomplete == [.energy])
        #expect(share.json["incomplete"] == ["energy"])
        let texts = share.card.marks.compactMap { mark in
            if case .text(let line) = mark { line.text } else { nil }
        }
        #expect(texts.contains("≥ 30 kcal") && texts.contains("unknown"), "\(texts)")
    }

    @Test func `a document is bounded, and a name is cut between letters`() {
        let names = ["👩🏽‍🍳", "W", "\u{0}", "\"", "﷽", "e\u{301}\u{323}"]
        for name in names {
            let long = String(repeating: name, count: 400)
            let items = (0..<500).map { Self.item(long, energy: 1_000, 10 + UInt64($0)) }
            let share = Self.share(long, items)
            #expect(share.title.utf8.count <= Share.titleBytesMax)
            #expect(share.parts.count == Share.partsMax && share.partsLeftOut == 450)
            #expect(share.json.compact.utf8.count <= Share.bytesMax)
            let cut = share.title.filter { $0 != "\u{FFFD}" }
            #expect(cut.isEmpty || cut.allSatisfy { name.contains($0) }, "\(cut)")
            #expect(share.card.svg(nil).utf8.count < 8_000)
        }
    }

    @Test func `days are in words`() {
        func title(_ last: Day, _ count: Int) -> String {
            let days = last.advanced(by: 1 - count)...last
            let stats = PeriodStats(days, summaries: [], today: last)
            return Share(stats, [], score: nil, in: .kilocalories).title
        }
        let spring = Day(year: 2026, month: 3, day: 3) ?? .earliest
        let winter = Day(year: 2027, month: 1, day: 2) ?? .earliest
        #expect(title(Self.day, 7) == "14 – 20 November 2026")
        #expect(title(spring, 5) == "27 Feb – 3 Mar 2026")
        #expect(title(winter, 7) == "27 Dec 2026 – 2 Jan 2027")
    }
}
