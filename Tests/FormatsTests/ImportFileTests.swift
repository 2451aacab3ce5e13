import MacrologEvents
import MacrologFormats
import MacrologLog
import Macrolog
import MacrologNutrition
import Testing

/// Goal: a file that cannot be imported as a whole is refused before anything is written, with what
/// to do; and real files come in without losing or inventing a row.
@Suite struct ImportFileTests {
    @Test(arguments: [
        ("", "date=a,energy=b", "line 1: the file is empty: "),
        ("\n\n", "date=a,energy=b", "line 1: the file is empty: "),
        ("a,b\n", "date=Tag,energy=b", "line 1: there is no column \"Tag\": the columns are a, b"),
        ("a,b\n", "date=3,energy=b", "line 1: there is no column \"3\": the columns are a, b"),
        ("a|b\n", "date=a,energy=b", "line 1: there is no column \"a\": the columns are a|b"),
        ("a,b,A\n", "date=a,energy=b", "line 1: there are 2 columns \"a\": "),
        ("a,b\n", "energy=b", "the map has no column for the date: "),
        ("a,b\n", "date=a", "the map has only dates and times: "),
        ("a,b\n", "date=a,slot=b", "the map has neither a name nor "),
        ("a,b\n", "date=a,bodyfat=b", "the map has body fat without a weight: "),
        ("a,b,c\n", "date=a,weight=b,energy=c", "the map mixes meals and weigh-ins: "),
        ("a,b\n", "date=a,date=b", "the map names date twice: "),
        ("a,b\n", "date=a,kalorien=b", "the map names \"kalorien\", which is not a field: "),
        ("a,b\n", "date", "the map has a part that is not FIELD=COLUMN: "),
        ("2026-11-01,5\n2026-11-02,6\n", "date=1,energy=2", "line 1: the first row is not a"),
        (
            "a,b\n2026-11-01,1\n\"2026,2\n", "date=a,energy=b",
            "line 3: a quote is opened and never "
        ),
    ])
    func `a file that does not fit its map is refused`(
        text: String, map: String, sentence: String
    ) throws {
        let world = try World()
        let error = #expect(throws: ImportError.self) { try world.run(text, map) }
        #expect(error?.description.hasPrefix(sentence) == true, "\(error?.description ?? "")")
        #expect(try world.replica.withStore { $0.log.lastSeq } == 0)
    }

    @Test func `columns that no one mapped are asked about`() throws {
        let error = #expect(throws: ImportError.self) { try World.file("When,Thing\n") }
        #expect(
            error?.description.hasPrefix("line 1: the meaning of the columns is unknown") == true)
    }

    @Test func `a header without rows imports nothing and is no mistake`() throws {
        let summary = try World().run("a,b\n", "date=a,energy=b").summary
        #expect(summary.total == 0 && summary.group == nil)
    }

    @Test func `the map reads as it is written`() throws {
        let text = "date=Tag,name=Was,energy=kJ,x:omega_3=O3"
        #expect(try ImportMapping(text).text == text)
    }

    @Test func `rows of another person are left out and counted, and their ids differ`() throws {
        let text = "id,date,kg\na,2026-11-01,70\nb,2026-11-01,80\n"
        let world = try World()
        for (person, grams) in [("a", 70_000), ("b", 80_000)] as [(String, Int64)] {
            let (summary, rows) = try world.run(text, "date=date,weight=kg") {
                $0.filter = RowFilter("id=\(person)")
            }
            #expect(summary.new == 1 && summary.excluded == 1 && summary.total == 2)
            guard case .weighIn(let weighIn)? = rows[0].content else {
                Issue.record("no weigh-in")
                continue
            }
            #expect(weighIn.grams == grams)
        }
        // Mapping the person names rows as filtering by it does.
        #expect(try world.run(text, "date=date,weight=kg,person=id").summary.same == 2)
        let none = try world.run(text, "date=date,weight=kg") { $0.filter = RowFilter("id=c") }
        #expect(none.summary.notices == ["no row passes the filter"])
    }

    @Test func `rows that a filter by what they say picks are the same rows`() throws {
        let text = """
            date,time,meal,food,kcal
            2026-11-01,19:30,Dinner,Salad,13
            2026-11-01,19:30,Snack,Salad,20
            2026-11-02,,Breakfast,Oats,380

            """
        let map = "date=date,time=time,slot=meal,name=food,energy=kcal"
        let world = try World()
        try world.run(text, map)
        // The second salad stays the second one, also without the first.
        for filter in ["date=2026-11-01", "meal=Breakfast", "meal=Snack", "food=Salad", "kcal=13"] {
            let summary = try world.run(text, map) { $0.filter = RowFilter(filter) }.summary
            #expect(summary.new == 0 && summary.changed == 0 && summary.same > 0, "\(filter)")
            #expect(summary.notices.isEmpty, "\(filter)")
        }
        // A column that means nothing else is taken as that of the people, and that is said.
        let people = "who,day,kg\na,2026-11-01,70\n"
        let one = try world.run(people, "date=day,weight=kg") { $0.filter = RowFilter("who=a") }
        #expect(
            one.summary.notices == [
                "who is taken as whose rows these are: rows that were imported without this filter come "
                    + "in once more"
            ])
    }

    @Test func `weights are read in pounds and with units, and refused out of bounds`() throws {
        let world = try World()
        let text = """
            date,w,fat,note
            2026-11-01,176.8,22.5,
            2026-11-02,80.2kg,,after run
            2026-11-03,,20,
            2026-11-04,1,,
            """
        let (_, rows) = try world.run(text, "date=date,weight=w,bodyfat=fat,note=note") {
            $0.weightUnit = .pounds
        }
        #expect(
            rows.map(word) == [
                "new", "new", "line 4, w: says nothing: type the weight, or take the row out",
                "line 5, w: is below 2 kg: type a number from 2 kg to 650 kg",
            ])
        let weighIns = try world.replica.read { try $0.weighIns(on: .earliest ... .latest) }
        #expect(weighIns.map(\.grams) == [80_195, 80_200])
        #expect(weighIns[0].bodyFatBasisPoints == 2_250 && weighIns[1].note == "after run")
    }

    @Test(.enabled(if: RealFile.diary != nil, RealFile.absent))
    func `a real diary comes in whole, once, as one group, with its own sums`() throws {
        let text = try #require(RealFile.diary)
        let world = try World()
        let (summary, rows) = try world.run(text)
        #expect(summary.new == 61 && summary.total == 61 && rows.count == 61)
        let again = try world.run(text).summary
        #expect(again.same == 61 && again.total == 61)

        // The sums again, by nothing but the cells' own digits.
        var sums: [String: Int64] = [:]
        for line in text.split(whereSeparator: \.isNewline).dropFirst() {
            let calories = line.split(separator: ",", omittingEmptySubsequences: false)
                .dropLast(5).last.flatMap { Double($0) }
            sums[String(line.prefix(10)), default: 0] += Int64(((calories ?? 0) * 1_000).rounded())
        }
        #expect(sums.count == 10)
        for (day, sum) in sums {
            let day = try #require(Day(day))
            #expect(try world.replica.summary(of: day).totals[.energy] == sum, "\(day)")
        }
        let count = try world.replica.withStore { $0.log.lastSeq }
        let device = try world.replica.device
        for seq in 1...count {
            let entry = try world.replica.withStore { store in
                try store.log.entry(Dot(device: device, seq: seq), in: &store.db)
            }
            #expect(entry?.event.group == summary.group)
        }
        #expect(count == 61)
    }

    @Test(.enabled(if: RealFile.weights != nil, RealFile.absent))
    func `real weigh-ins of eight people come in together or one by one`() throws {
        let text = try #require(RealFile.weights)
        let all = try World()
        let together = try all.run(text).summary
        #expect(together.new == 67 && together.total == 67)
        #expect(together.notices.first?.hasPrefix("the file holds rows of 8 people") == true)
        let weighIns = try all.replica.read { try $0.weighIns(on: .earliest ... .latest) }
        #expect(weighIns.count == 67)
        #expect(weighIns.contains { $0.grams == 52_600 && $0.bodyFatBasisPoints == 2_200 })

        var sum = 0
        for person in Set(text.split(whereSeparator: \.isNewline).dropFirst().map { $0.prefix(10) })
        {
            let one = try World()
            let summary = try one.run(text) {
                $0.filter = RowFilter(column: "id", value: String(person))
            }.summary
            #expect(summary.new + summary.excluded == 67 && summary.notices.isEmpty)
            sum += summary.new
        }
        #expect(sum == 67)
        // Without a person, several people on one day are several weigh-ins.
        let unnamed = try World().run(text, "date=Date,weight=WeightKg").summary
        #expect(unnamed.new == 67)
    }
}
