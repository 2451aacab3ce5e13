import MacrologEvents
import MacrologWire
import MacrologFormats
import MacrologJSON
import MacrologLog
import Macrolog
import MacrologNutrition
import Testing

/// Goal: what is exported says what is stored, exactly, and can be brought back.
@Suite struct ExportTests {
    /// Five meals: with items, with own numbers, with both, with neither, shared, and not eaten
    /// yet.
    static func diary() throws -> World {
        let world = try World()
        let replica = world.replica
        func date(_ text: String, _ minute: Int64) throws -> LocalDate {
            let day = try #require(Day(text))
            return LocalDate(
                day: day, occurredAt: (day.number * 1_440 + minute - 60) * 60_000,
                zone: "Europe/Zurich", offsetMinutes: 60)
        }
        func add(
            _ id: UInt64, _ date: LocalDate, _ dish: String?, _ nutrients: Nutrients = Nutrients(),
            items: [(String, Nutrients)] = [], adjust: (inout Meal) -> Void = { _ in }
        ) throws {
            var meal = Meal(
                id: Identifier(high: 7, low: id), on: date, dishName: dish, slot: "dinner",
                nutrients: nutrients)
            adjust(&meal)
            let items = items.enumerated().map { index, item in
                MealItem(
                    id: Identifier(high: 8, low: id * 10 + UInt64(index)), of: meal.id,
                    name: item.0, amount: Amount(milligrams: 120_500), nutrients: item.1)
            }
            try replica.add(meal, items: items)
        }
        var rich = Nutrients(energy: 83_725, protein: 1_001)
        rich[.sodium] = 5_000_001
        try add(1, date("2026-11-01", 1_080), "Curry", items: [("Rice", rich), ("=Dal", rich)]) {
            $0.note = "two\nlines, \"quoted\""
        }
        try add(2, date("2026-11-01", 1_200), "@Home", rich, items: [("Tea", Nutrients())])
        try add(3, date("2026-11-02", 600), "Shared", Nutrients(energy: 500_000)) {
            $0.consumedShareBasisPoints = 2_500
            $0.isEstimated = true
        }
        try add(4, date("2026-11-02", 700), "Planned", rich) { $0.isConsumed = false }
        try add(5, LocalDate(day: try #require(Day("2026-11-03"))), nil)
        try replica.logWeight(grams: 80_250, on: date("2026-11-01", 420))
        return world
    }

    static func csv(_ world: World, _ export: CSVExport = CSVExport()) throws -> String {
        var text = ""
        try export.meals(of: world.replica) { text += $0 }
        return text
    }

    @Test func `each part of a meal is one row, in exact decimals`() throws {
        let text = try Self.csv(Self.diary())
        let lines = text.split(separator: "\r\n")
        #expect(lines.count == 1 + 7)
        #expect(
            lines[0].hasPrefix(
                "local_date,time,at,tz,meal_type,dish,item,brand,amount,unit,grams,"))
        #expect(
            lines[1].hasPrefix(
                "2026-11-01,18:00,2026-11-01T18:00:00+01:00,Europe/Zurich,dinner,Curry,Rice,,120.5,g,"
                    + "120.5,83.725,1.001,,,"))
        #expect(lines[1].contains(",5.000001,"))
        #expect(lines[1].contains(",100,true,,,,\"two\nlines, \"\"quoted\"\"\","))
        #expect(lines[2].contains(",Curry,'=Dal,") && !lines[2].contains("quoted"))
        #expect(lines[3].contains(",'@Home,'@Home,"))
        #expect(lines[5].contains(",25,true,true,"))
        #expect(lines[6].contains(",100,false,,"))
    }

    @Test(arguments: [DecimalMark.point, .comma])
    func `an export that is imported into an empty replica gives the same days`(
        mark: DecimalMark
    ) throws {
        let (from, into) = (try Self.diary(), try World())
        var export = CSVExport()
        export.decimalMark = mark
        export.delimiter = mark == .comma ? UInt8(ascii: ";") : UInt8(ascii: ",")
        let text = try Self.csv(from, export)
        let (summary, _) = try into.run(text) {
            $0.decimalMark = mark
            $0.delimiter = export.delimiter
        }
        #expect(summary.new == 7 && summary.rejected == 0)
        for day in ["2026-11-01", "2026-11-02", "2026-11-03"] {
            let day = try #require(Day(day))
            let (one, other) = (
                try from.replica.summary(of: day), try into.replica.summary(of: day)
            )
            #expect(one.totals == other.totals, "\(day)")
        }
        let names = try into.replica.meals(on: .earliest ... .latest).map(\.meal.dishName)
        #expect(Set(names) == ["Curry", "@Home", "Shared", "Planned", nil])
    }

    @Test func `weigh-ins go out and come back`() throws {
        let (from, into) = (try Self.diary(), try World())
        var text = ""
        #expect(try CSVExport().weights(of: from.replica) { text += $0 } == 1)
        #expect(
            text.hasPrefix(
                "date,time,at,tz,kg,bodyfat_pct,note,source,id\r\n"
                    + "2026-11-01,07:00,2026-11-01T07:00:00+01:00,Europe/Zurich,80.25,,,,"))
        #expect(try into.run(text).summary.new == 1)
        let weighIns = try into.replica.read { try $0.weighIns(on: .earliest ... .latest) }
        #expect(weighIns.map(\.grams) == [80_250] && weighIns[0].localDate.minuteOfDay == 420)
    }

    @Test func `an empty replica exports headers and an empty log`() throws {
        let world = try World()
        #expect(try Self.csv(world).split(separator: "\r\n").count == 1)
        let json = try JSON.parse(Self.json(world))
        #expect(json["events"]?.array?.count == 0 && json["counts"]?["events"]?.integer == 0)
    }

    static func json(_ world: World) throws -> String {
        var text = ""
        try JSONExport.write(world.replica) { text += $0 }
        let export = try ExportedLog(json: Array(text.utf8))
        #expect(
            Int64(export.entries.count) == (try world.replica.read { try $0.statistics() }.events))
        return text
    }

    /// Admits everything that a replica has recorded, as a server would.
    static func seal(_ world: World) throws {
        try world.replica.withStore { store in
            let last = store.log.lastSeq
            var digest = store.log.digest
            var rows: [SyncAnswer.Row] = []
            for seq in store.log.sealedSeq + 1...last {
                let dot = Dot(device: store.log.device, seq: seq)
                let entry = try store.log.entry(dot, in: &store.db)
                let body = try #require(entry).event.encoded()
                let seal = Seal(n: store.log.cursor + Int64(rows.count) + 1, t: seq << 16)
                digest.add(hash: body.withUnsafeBytes { SHA256.words($0) }, seal: seal)
                rows.append(SyncAnswer.Row(t: seal.t, content: .own(seq: Seq(seq))))
            }
            try store.apply(
                SyncAnswer(
                    epoch: 3, head: last, admitted: last, now: 0, rows: rows, digest: digest))
        }
    }

    @Test func `the JSON holds every event byte for byte, readable beside`() throws {
        let world = try Self.diary()
        let meal = Identifier(high: 7, low: 1)
        try world.replica.delete(Meal.self, meal)
        let text = try Self.json(world)
        let json = try JSON.parse(text)
        #expect(json["format"]?.string == "macrolog" && json["version"]?.integer == 1)
        let events = try #require(json["events"]?.array)
        let device = try world.replica.device
        for (index, event) in events.enumerated() {
            let bytes = try Self.bytes(event["bytes"]?.string)
            let stored = try world.replica.withStore { store in
                try store.log.entry(Dot(device: device, seq: Int64(index) + 1), in: &store.db)
            }
            #expect(try Event.decoded(bytes) == stored?.event)
            #expect(event["event"]?.string == "a\(index + 1)")
            #expect(event["clock"]?.string == "a\(index + 1)")
        }
        #expect(json["counts"]?["events"]?.integer == Int64(events.count))
        let entities = try #require(json["entities"]?.array)
        #expect(json["counts"]?["entities"]?.integer == Int64(entities.count))
        let deleted = entities.first { $0["id"]?.string == meal.description }
        #expect(deleted?["deleted"]?.bool == true)
        #expect(deleted?["fields"]?["dish_name"]?.string == "Curry")
        #expect(entities.count == 5 + 3 + 1)
    }

    @Test func `12 export json, a replica made from it: the same hash`() throws {
        let (from, into) = (try Self.diary(), try World())
        try Self.seal(from)
        let json = try JSON.parse(Self.json(from))
        let events = try #require(json["events"]?.array)
        let rows = try events.map { event in
            SyncAnswer.Row(
                t: try #require(event["seal"]?["t"]?.string.flatMap { Int64($0) }),
                content: .event(try Self.bytes(event["bytes"]?.string)))
        }
        let digest = try #require(PrefixDigest(bytes: Self.bytes(json["digest"]?.string)))
        try into.replica.withStore { store in
            try store.apply(
                SyncAnswer(
                    epoch: UInt32(json["epoch"]?.integer ?? 0), head: Int64(rows.count),
                    admitted: 0, now: 0, rows: rows, digest: digest))
        }
        #expect(
            try from.replica.withStore { try $0.stateHash() }
                == into.replica.withStore { try $0.stateHash() })
        // Exported again, only the device that exports differs.
        let (one, other) = (try Self.json(from), try Self.json(into))
        #expect(
            one.split(separator: "\n").dropFirst(2).prefix(events.count)
                == other.split(separator: "\n").dropFirst(2).prefix(events.count))
    }

    @Test func `what an importing device adds has a clock that saw the others`() throws {
        let world = try Self.diary()
        try Self.seal(world)
        try world.run("date,kcal\n2026-11-05,1\n", "date=date,energy=kcal")
        let events = try #require(JSON.parse(Self.json(world))["events"]?.array)
        #expect(events.last?["clock"]?.string == "a\(events.count)")
        #expect(events.last?["base"]?["epoch"]?.integer == 3)
        #expect(events.last?["base"]?["n"]?.integer == Int64(events.count) - 1)
        #expect(events.last?["seal"] == .null)
    }

    @Test func `long exports come in pieces, with progress`() throws {
        let world = try World()
        var text = "date,name,kcal\n"
        for index in 0..<1_500 { text += "2026-11-01,Rice,\(index)\n" }
        try world.run(text, "date=date,name=name,energy=kcal")
        var (pieces, steps): ([Int], [Int64]) = ([], [])
        let counts = try JSONExport.write(
            world.replica, progress: { done, _ in steps.append(done) },
            to: { pieces.append($0.utf8.count) })
        #expect(counts.events == 1_502 && counts.entities == 1_501 && steps == [1_000, 1_502])
        #expect(pieces.count > 10 && pieces.allSatisfy { $0 < 70_000 })
    }

    @Test func `days are cut into spans without a gap, also at the last day that there is`() throws
    {
        let first = try #require(Day(year: 2026, month: 11, day: 20))
        for (days, counts) in [
            (first...first, [1]), (first...first.advanced(by: 30), [31]),
            (first...first.advanced(by: 31), [31, 1]),
            (Day.latest.advanced(by: -61)...Day.latest, [31, 31]),
        ] {
            var spans: [ClosedRange<Day>] = []
            days.forEachSpan(ofDays: 31) { spans.append($0) }
            #expect(spans.map(\.count) == counts)
            #expect(spans.flatMap { $0 } == Array(days))
        }
    }

    static func bytes(_ hex: String?) throws -> [UInt8] {
        let digits = Array(try #require(hex).utf8)
        return try stride(from: 0, to: digits.count, by: 2).map { index in
            try #require(
                UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16))
        }
    }
}
