import MacrologEvents

/// With any device clocks, nothing is sealed in the server's future.
enum ClockCheck {
    static func problems(_ log: ServerLog, now: Int64) -> [String] {
        log.rows.filter { $0.seal.milliseconds > now }.map {
            "event \($0.seal.n) is from the future"
        }
    }
}
