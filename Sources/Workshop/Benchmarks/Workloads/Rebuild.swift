import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologReadModels
import MacrologSQLite

/// E: everything that is derived is thrown away and folded again from the log.
enum Rebuild {
    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let count = options.isQuick ? 20_000 : 100_000
        let meals = (0..<count).map { SampleMeal($0) }
        let bodies = Recording.encoded(meals)
        let bare = BareSQLite(folder.file("e-bare"))
        for start in stride(from: 0, to: count, by: 10_000) {
            bare.insert(meals, bodies, start..<start + 10_000)
        }
        let before = try prepare(meals, folder)
        let device = try Device(folder.file("e"))
        let peer = try Peer(folder.file("e-peer"))
        let result = try Rounds.run(
            5, ours: { _ in try seconds { try device.store.rebuild() } },
            limit: { _ in
                seconds {
                    bare.transaction {
                        bare.empty("meal")
                        guard bare.scan() > 0 else { return }
                        for meal in meals { bare.meal(meal) }
                    }
                }
            }, peer: { _ in try seconds { try peer.rebuild() } })
        guard try device.store.stateHash() == before else {
            throw Wrong(description: "rebuilding gave other tables")
        }
        report.add(
            "E rebuild", Figures.rate(count, in: result.ours),
            limit: "\(Figures.rate(count, in: result.limit)) bare scan + read model",
            ratio: result.ratio, noise: result.noise)
        report.add(peerOf: "E rebuild", count, result, atLeast: 0.8)
        try hash(bodies, folder, &report)
        report.count(
            "E",
            "\(Figures.whole(Double(folder.bytes(of: "e")) / Double(count))) bytes kept an event; "
                + "same state hash after every rebuild")
    }

    /// Records the meals into one file, and copies it for the C engine, which has to mend a copy that lacks
    /// what is derived.
    ///
    /// - Returns: The state hash of both.
    private static func prepare(_ meals: [SampleMeal], _ folder: Folder) throws -> [UInt8] {
        let before = try recorded(meals, folder.file("e"))
        try folder.copyDatabase("e", to: "e-peer")
        try lose(folder.file("e-peer"))
        try Peer(folder.file("e-peer")).rebuild()
        try Device.compare("E", ours: folder.file("e"), peer: folder.file("e-peer"))
        return before
    }

    @discardableResult
    static func recorded(_ meals: [SampleMeal], _ path: String) throws -> [UInt8] {
        let device = try Device(path)
        _ = try Recording.record(meals[...], each: 10_000, into: device)
        return try device.store.stateHash()
    }

    private static func lose(_ path: String) throws {
        let device = try Device(path)
        try device.store.db.run("UPDATE entity SET state = x'820080'")
        try device.store.db.run("DELETE FROM meal")
        try device.store.db.run("INSERT INTO conflict SELECT id, kind FROM entity")
    }

    /// What every recovery begins with, beside reading the same rows without hashing them.
    private static func hash(
        _ bodies: [[UInt8]], _ folder: Folder, _ report: inout Report
    ) throws {
        let device = try Device(folder.file("e-sealed"), device: 2)
        var maker = Pages()
        for start in stride(from: 0, to: bodies.count, by: Limits.pageEventsMax) {
            try device.store.apply(
                maker.next(bodies[start..<min(bodies.count, start + Limits.pageEventsMax)]))
        }
        let result = try Rounds.run(
            5, ours: { _ in try seconds { _ = try device.store.recovering() } },
            limit: { _ in
                try seconds {
                    var bytes = 0
                    try device.store.db.forEach(
                        """
                        SELECT n, t, digest, seal.dot, body FROM seal
                        JOIN event ON event.dot = seal.dot ORDER BY n
                        """
                    ) { row in bytes &+= row.withBytes(4) { $0.count } + row.bytes(2).count }
                    guard bytes > 0 else { throw Wrong(description: "no row was read") }
                }
            })
        report.add(
            "E hash for a recovery", Figures.rate(bodies.count, in: result.ours),
            limit: "\(Figures.rate(bodies.count, in: result.limit)) reading the rows",
            ratio: result.ratio, noise: result.noise)
    }
}
