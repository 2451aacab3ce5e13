import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite

/// Where the time goes: the parts of recording and folding one event, each alone.
enum Stages {
    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let count = 20_000
        let meals = (0..<count).map { SampleMeal($0) }
        let events = meals.enumerated().map {
            $0.element.event(device: Device.id(1), seq: Int64($0.offset + 1))
        }
        let bodies = events.map { $0.encoded() }
        let states = events.map { event in
            var state = EntityState()
            state.fold(
                event.changes[0], stamp: Stamp(dot: event.dot, base: event.base, seal: nil))
            return state
        }
        let packed = states.map { $0.encoded() }
        var lines: [String] = []
        func stage(_ name: String, _ body: (Int) throws -> Void) rethrows {
            var times: [Double] = []
            for _ in 0..<5 {
                times.append(try seconds { for index in 0..<count { try body(index) } })
            }
            let each = Figures.whole(median(times) / Double(count) * 1e9)
            lines.append("  \(Figures.padded(name, 48))\(each) ns")
        }
        var sink = 0
        stage("make the draft") { sink &+= meals[$0].draft.changes.count }
        stage("encode the event") { sink &+= events[$0].encoded().count }
        try stage("decode the event, strictly") {
            sink &+= try Event.decoded(bodies[$0]).changes.count
        }
        stage("SHA-256 of the body, and the digest") { index in
            var digest = PrefixDigest.empty
            digest.add(
                hash: bodies[index].withUnsafeBytes { SHA256.words($0) },
                seal: Seal(n: 1, t: 1))
            sink &+= Int(truncatingIfNeeded: digest.low)
        }
        stage("fold it into an entity") { index in
            var state = EntityState()
            state.fold(
                events[index].changes[0],
                stamp: Stamp(dot: events[index].dot, base: .none, seal: nil))
            sink &+= state.cells.count
        }
        stage("pack the entity") { sink &+= states[$0].encoded().count }
        try stage("unpack the entity") {
            sink &+= try EntityState.decoded(packed[$0]).cells.count
        }
        stage("check six fields against their bounds") { index in
            for entry in states[index].fields.entries {
                let findings = Kind.validate(
                    kind: "meal", field: entry.name, value: entry.value)
                sink &+= findings.count
            }
        }
        stage("read a meal, and its totals") { index in
            guard let meal = Meal(id: meals[index].id, fields: states[index].fields) else { return }
            let totals = NutrientTotals(own: meal.nutrients, items: [])
            sink &+= totals.entries.count
        }
        try statements(meals, bodies, packed, folder, &lines)
        report.note(
            "Where the time goes, an event (\(sink == 0 ? "?" : "medians of 5")):\n"
                + lines.joined(separator: "\n"))
    }

    /// The same rows as recording writes, by our own SQLite room and nothing else.
    private static func statements(
        _ meals: [SampleMeal], _ bodies: [[UInt8]], _ packed: [[UInt8]], _ folder: Folder,
        _ lines: inout [String]
    ) throws {
        let device = try Device(folder.file("stages"))
        let totals = [UInt8](repeating: 7, count: 52)
        func stage(_ name: String, _ body: (inout LogConnection, Int) throws -> Void) throws {
            let time = try seconds {
                for start in stride(from: 0, to: meals.count, by: 1_000) {
                    try device.store.db.transaction { db in
                        for index in start..<start + 1_000 { try body(&db, index) }
                    }
                }
            }
            let each = Figures.whole(time / Double(meals.count) * 1e9)
            lines.append("  \(Figures.padded(name, 48))\(each) ns")
        }
        try stage("SQLite: insert the event") { db, index in
            try db.run(
                "INSERT INTO event (dot, body) VALUES (?, ?)", 1 << 40 | (index + 1), bodies[index])
        }
        try stage("SQLite: look for the entity") { db, index in
            _ = try db.first(
                "SELECT state FROM entity WHERE id = ? AND kind = ?", meals[index].id, "meal"
            ) { $0.int(0) }
        }
        try stage("SQLite: insert the entity") { db, index in
            try db.run(
                "INSERT INTO entity (id, kind, state) VALUES (?, ?, ?)", meals[index].id, "meal",
                packed[index])
        }
        try stage("SQLite: insert what the meal adds to its day") { db, index in
            try db.run(
                """
                INSERT OR REPLACE INTO meal (day, id, slot, consumed, totals)
                VALUES (?, ?, ?, ?, ?)
                """, meals[index].day, meals[index].id, "", false, totals)
        }
    }
}
