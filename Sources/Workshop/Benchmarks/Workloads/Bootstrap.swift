import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import MacrologZstd

/// B: a new device takes over a whole log: pages are decoded, checked and folded into an empty file.
enum Bootstrap {
    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let events = options.isQuick ? 20_000 : 100_000
        let meals = (0..<events).map { SampleMeal($0) }
        let bodies = Recording.encoded(meals)
        let pages = Pages.all(of: bodies)
        let answers = pages.map { $0.encoded() }
        try takeOnce(answers, folder)
        let result = try Rounds.run(
            5,
            ours: { _ in
                defer { folder.removeDatabase("b") }
                return try take(answers, by: try Device(folder.file("b"), device: 2))
            },
            limit: { _ in
                defer { folder.removeDatabase("b-bare") }
                return insert(meals, bodies, into: BareSQLite(folder.file("b-bare")))
            },
            peer: { _ in
                defer { folder.removeDatabase("b-peer") }
                _ = try Device(folder.file("b-peer"), device: 2)
                return try take(answers, by: try Peer(folder.file("b-peer")))
            })
        report.add(
            "B bootstrap", Figures.rate(events, in: result.ours),
            limit: "\(Figures.rate(events, in: result.limit)) bare event + read model",
            ratio: result.ratio, noise: result.noise)
        report.add(peerOf: "B bootstrap", events, result, atLeast: 0.8)
        size(pages, bodies, &report)
        try count(pages, folder, &report)
    }

    /// The same rows as plainly as they can be written, a page in a transaction; returns the seconds.
    static func insert(
        _ meals: [SampleMeal], _ bodies: [[UInt8]], into bare: BareSQLite
    ) -> Double {
        seconds {
            for start in stride(from: 0, to: meals.count, by: Limits.pageEventsMax) {
                let end = min(start + Limits.pageEventsMax, meals.count)
                bare.insert(meals, bodies, start..<end)
            }
        }
    }

    static func take(_ answers: [[UInt8]], by replica: some Contender) throws -> Double {
        try seconds { for answer in answers { try replica.take(answer) } }
    }

    /// Both engines make the same file.
    private static func takeOnce(_ answers: [[UInt8]], _ folder: Folder) throws {
        defer { for name in ["b", "b-peer"] { folder.removeDatabase(name) } }
        for name in ["b", "b-peer"] { _ = try Device(folder.file(name), device: 2) }
        _ = try take(answers, by: try Device(folder.file("b")))
        _ = try take(answers, by: try Peer(folder.file("b-peer")))
        try Device.compare("B", ours: folder.file("b"), peer: folder.file("b-peer"))
    }

    private static func size(
        _ pages: [SyncAnswer], _ bodies: [[UInt8]], _ report: inout Report
    ) {
        let alone = Double(bodies.reduce(0) { $0 + $1.count }) / Double(bodies.count)
        report.add("B an event, by itself", "\(Figures.decimal(alone)) B")
        let sent = Double(pages.reduce(0) { $0 + $1.encoded().count }) / Double(bodies.count)
        report.add(
            "B an event, in a plain page of 500", "\(Figures.decimal(sent)) B", budget: "≤ 160 B",
            isMet: sent <= 160)
        for level in [3, 9] {
            var encoder = ZstdEncoder(level: level)
            var packed = 0
            let time = seconds {
                for page in pages { packed += encoder.encode(page.encoded()).count }
            }
            let zstd = Double(packed) / Double(bodies.count)
            report.add(
                "B an event, in a zstd-\(level) page of 500", "\(Figures.decimal(zstd)) B",
                limit: "16.6 B entropy floor", ratio: 16.6 / zstd,
                budget: level == 3 ? "≤ 40 B" : "–", isMet: level == 3 ? zstd <= 40 : nil)
            let each = Figures.milliseconds(time / Double(pages.count))
            report.count("B", "zstd-\(level) takes \(each) a page")
        }
    }

    private static func count(
        _ pages: [SyncAnswer], _ folder: Folder, _ report: inout Report
    ) throws {
        CountingDisk.register()
        let device = try Device(folder.file("b-counts"), device: 2, vfs: CountingDisk.name)
        let (disk, db) = (CountingDisk.counts, device.store.db.counters)
        let steps = device.store.db.machineSteps
        for page in pages { try device.store.apply(page) }
        let (written, after) = (CountingDisk.counts - disk, device.store.db.counters)
        let events = Double(device.store.log.cursor)
        report.count(
            "B",
            """
            an event: \(Figures.decimal(Double(after.statements - db.statements) / events)) \
            statements, \(Figures.decimal(Double(after.rows - db.rows) / events)) rows read, \
            \(Figures.whole(Double(device.store.db.machineSteps - steps) / events)) machine steps, \
            \(Figures.whole(Double(written.bytes) / events)) bytes written, \
            \(Figures.whole(Double(folder.bytes(of: "b-counts")) / events)) bytes kept; \
            \(Figures.decimal(Double(written.syncs) / Double(pages.count))) fsyncs a page
            """)
    }
}
