import MacrologPlatform
import MacrologTestSupport

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
        /// The processor time of this process meanwhile.
        let processorSeconds: Double

        var rate: Double { Double(requests) / seconds }

        init(_ latencies: [Double], seconds: Double, processorSeconds: Double = 0) {
            self.processorSeconds = processorSeconds
            let sorted = latencies.sorted()
            requests = sorted.count
            self.seconds = seconds
            typicalSeconds = sorted[sorted.count / 2]
            slowSeconds = sorted[sorted.count * 99 / 100]
            p95Seconds = sorted[sorted.count * 95 / 100]
        }
    }

    /// Pushes until the time is over. The requests are made beforehand, because in life they come from other machines.
    static func push(
        _ events: Int, _ connections: [LoadConnection], _ pushers: inout [Pusher],
        seconds: Double
    ) throws -> Result {
        // More than any server here has answered; what is missing is made when it is sent.
        let perSecond = min(60_000, 250_000 / events)
        let each = Int(Double(perSecond) * seconds) / connections.count + 1
        for index in connections.indices { pushers[index].prepare(each, of: events) }
        return try run(connections, seconds: seconds) { pushers[$0].push(events) }
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
        let (start, used) = (ContinuousClock.now, clock())
        for (index, connection) in connections.enumerated() {
            starts.append(.now)
            try connection.send(next(index))
        }
        var open = connections.count
        while open > 0 {
            try awaitAnswer(&waiting, connections[0].port)
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
        return Result(
            latencies, seconds: start.secondsAgo,
            processorSeconds: Double(clock() - used) / Double(CLOCKS_PER_SEC))
    }

    /// Waits until something can be read.
    ///
    /// Of exactly 128 requests that arrive at once libmicrohttpd looks at none before it hears of another event, such as a
    /// connection. A node wakes it (`Connection.wakeReader`), the barest servers do not.
    private static func awaitAnswer(_ waiting: inout [pollfd], _ port: UInt16) throws {
        for _ in 0..<50 {
            let count = poll(&waiting, nfds_t(waiting.count), 100)
            if count > 0 { return }
            _ = Loopback.isOpen(Int(port))
        }
        throw Wrong(description: "the server does not answer")
    }

    /// Asks at fixed moments, whether or not earlier requests are answered: a slow server does not get fewer. A wait
    /// begins at the moment when a request was due, also if all connections are busy then.
    ///
    /// - Parameters:
    ///   - next: The request of this number, from 0 on.
    static func arrive(
        _ connections: [LoadConnection], perSecond rate: Double, seconds limit: Double,
        next: (Int) throws -> [UInt8]
    ) throws -> Result {
        var waiting = connections.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
        var idle = Array(connections.indices)
        var due = connections.map { _ in 0.0 }
        var latencies: [Double] = []
        let (total, start) = (Int(rate * limit), ContinuousClock.now)
        var asked = 0
        while latencies.count < total {
            while asked < total, Double(asked) / rate <= start.secondsAgo, !idle.isEmpty {
                // The one that was answered longest ago: the server closes a connection that is idle for 15 s.
                let index = idle.removeFirst()
                due[index] = Double(asked) / rate
                try connections[index].send(try next(asked))
                asked += 1
            }
            guard start.secondsAgo < limit + 30 else {
                throw Wrong(description: "the server does not answer")
            }
            guard poll(&waiting, nfds_t(waiting.count), 1) > 0 else { continue }
            for index in waiting.indices where waiting[index].revents != 0 {
                guard let answer = try connections[index].receive() else { continue }
                guard answer.status == 200 else {
                    throw Wrong(description: String(decoding: answer.bytes, as: UTF8.self))
                }
                latencies.append(start.secondsAgo - due[index])
                idle.append(index)
            }
        }
        return Result(latencies, seconds: start.secondsAgo)
    }
}
