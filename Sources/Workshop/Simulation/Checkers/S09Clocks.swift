import MacrologEvents

/// S9: whatever clocks say, nothing is sealed in the hub's future.
enum S09Clocks {
    static func problems(_ log: HubLog, now: Int64) -> [String] {
        log.rows.filter { $0.seal.milliseconds > now }.map {
            "event \($0.seal.n) is from the future"
        }
    }
}
