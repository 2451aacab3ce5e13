import MacrologPlatform

/// Keeps a server busy over some connections: each asks again as soon as it is answered.
enum Load {
    struct Result {
        let requests: Int
        let seconds: Double
        /// Between request and answer, the median.
        let typicalSeconds: Double
        /// Between request and answer, the slowest of a hundred.
        let slowSeconds: Double
        /// Between request and answer: 95 of 100 take no longer.
        let p95Seconds: Double

        var rate: Double { Double(requests) / seconds }
    }

    /// Asks until the time is over.
    ///
    /// - Parameters:
    ///   - next: The next request of the connection with this number.
    static func run(
        _ connections: [LoadConnection], seconds limit: Double, next: (Int) -> [UInt8]
    ) throws -> Result {
        var waiting = connections.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
        var starts: [ContinuousClock.Instant] = []
        var latencies: [Double] = []
        let start = ContinuousClock.now
        for (index, connection) in connections.enumerated() {
            starts.append(.now)
            try connection.send(next(index))
        }
        var open = connections.count
        while open > 0 {
            let count = poll(&waiting, nfds_t(waiting.count), 5_000)
            guard count > 0 else { throw Wrong(description: "the server does not answer") }
            for index in waiting.indices where waiting[index].revents != 0 {
                guard let answer = try connections[index].receive() else { continue }
                guard answer.status == 200 else {
                    throw Wrong(
                        description: String(decoding: answer.bytes, as: UTF8.self))
                }
                latencies.append(starts[index].secondsAgo)
                if start.secondsAgo < limit {
                    starts[index] = .now
                    try connections[index].send(next(index))
                } else {
                    waiting[index].fd = -1
                    open -= 1
                }
            }
        }
        let seconds = start.secondsAgo
        latencies.sort()
        return Result(
            requests: latencies.count, seconds: seconds,
            typicalSeconds: latencies[latencies.count / 2],
            slowSeconds: latencies[latencies.count * 99 / 100],
            p95Seconds: latencies[latencies.count * 95 / 100])
    }
}
