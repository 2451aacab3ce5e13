/// How many analyses each account has had since its day began.

extension SQLServerStore {
    package func countAnalysis(
        of space: Space?, atMost countMax: Int64, now: Int64, then done: @escaping Done<Int64?>
    ) {
        change(
            space.map { .of($0) } ?? .ofServer,
            { db, _ in try db.countAnalysis(of: space ?? 0, countMax, now) }, then: done)
    }
}

extension SQLDatabase where Self: ~Copyable {
    private static var day: Int64 { 86_400_000 }

    fileprivate mutating func countAnalysis(
        of space: Space, _ countMax: Int64, _ now: Int64
    ) throws(Failure) -> Int64? {
        let known = try first("SELECT began, count FROM analysis_day WHERE space = ?", space) {
            ($0.moment(0), $0.int(1))
        }
        // An account that ended while its photo waited is analysed, and leaves no trace.
        if space != 0, try !isActive(space) { return nil }
        // A clock that went back begins a new day, so that no one waits for the time that it showed.
        if let (began, count) = known, began <= now, now - began < Self.day {
            guard count < countMax else { return began + Self.day - now }
            try run("UPDATE analysis_day SET count = count + 1 WHERE space = ?", space)
        } else {
            try run(
                """
                INSERT INTO analysis_day (space, began, count) VALUES (?, ?, 1)
                ON CONFLICT (space) DO UPDATE SET began = excluded.began, count = 1
                """, space, now)
        }
        return nil
    }
}
