/// Tells the other nodes which logs have grown, and hears it from them.
import MacrologEvents
import MacrologCryptography
import MacrologPostgreSQL
import MacrologSystem
import Synchronization

/// The news of one node.
///
/// It is sent after the commit, many logs together, on a connection of its own: a notification within a
/// transaction would make all commits of the database wait for each other. What is not heard is found by
/// looking: once a second, and with a pooler in between, or while no connection listens, twice.
final class PostgreSQLNews: Sendable {
    private struct State {
        var grown: [Space: LogNumber] = [:]
        var isClosed = false
    }

    private struct Interest {
        /// When the head of each log was last asked for here, and the head that was last told.
        var spaces: [Space: (asked: Int64, told: LogNumber)] = [:]
        var watcher: (@Sendable ([Space: LogNumber]) -> Void)?
    }

    /// How long after a question about a log its news is looked for, in milliseconds: longer than a poll
    /// is held.
    private static let interestMilliseconds: Int64 = 600_000
    private static let spacesMax = 50_000
    /// The pause between two looks, in milliseconds.
    private static let lookPause: Int64 = 500
    /// The pause between two looks while a connection listens, in milliseconds.
    private static let heardLookPause: Int64 = 1_000
    /// A notification of PostgreSQL has at most 8,000 bytes; a log takes at most 24 here.
    private static let logsPerMessage = 300
    /// The pause after a message, in milliseconds, by the number of its logs: of a log that grows several times meanwhile
    /// only the last head is sent. A message is a transaction, and all nodes read it.
    private static func pause(after logs: Int) -> Int64 {
        min(100, max(5, Int64(logs) / 4))
    }
    private static let channel = "macrolog_growth"

    private let address: PostgreSQLAddress
    private let pool: PostgreSQLPool
    /// Distinguishes what this node has sent itself.
    private let node = randomBytes(8).map { String($0, radix: 16) }.joined()
    private let state = Monitor(State())
    private let interest = Mutex(Interest())
    private let threads = Mutex<[Worker]>([])
    private let hasThreads: Bool

    init(_ address: PostgreSQLAddress, _ pool: PostgreSQLPool, hasThreads: Bool) {
        self.address = address
        self.pool = pool
        self.hasThreads = hasThreads
        guard hasThreads else { return }
        let sender = Worker.start { self.send() }
        let listener = Worker.start { self.listen() }
        threads.withLock { $0 = [sender, listener] }
    }

    /// Sets the closure that hears of growth, here and elsewhere.
    func tell(_ grown: @escaping @Sendable ([Space: LogNumber]) -> Void) {
        interest.withLock { $0.watcher = grown }
    }

    /// Notes that a log was asked about here.
    func watch(_ space: Space) {
        guard hasThreads else { return }
        let now = SystemClock.monotonicMilliseconds
        interest.withLock { interest in
            if interest.spaces.count >= Self.spacesMax { interest.spaces = [:] }
            interest.spaces[space, default: (now, .zero)].asked = now
        }
    }

    /// Tells this node at once, and the others soon.
    func publish(_ grown: [Space: LogNumber]) {
        here(grown)
        guard hasThreads else { return }
        let isFirst = state.withLock { state in
            let isFirst = state.grown.isEmpty
            state.grown.merge(grown) { max($0, $1) }
            return isFirst
        }
        if isFirst { state.wakeAll() }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        state.wakeAll()
        for thread in threads.withLock({ $0 }) { thread.join() }
    }

    private func here(_ grown: [Space: LogNumber]) {
        let watcher = interest.withLock { interest in
            for (space, n) in grown where interest.spaces[space] != nil {
                interest.spaces[space]?.told = n
            }
            return interest.watcher
        }
        watcher?(grown)
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    // MARK: Telling

    private func send() {
        while true {
            let grown = state.wait { state -> [Space: LogNumber]?? in
                if state.grown.isEmpty { return state.isClosed ? .some(nil) : nil }
                defer { state.grown = [:] }
                return state.grown
            }
            guard let grown else { return }
            let words = grown.map { "\($0.key):\($0.value.rawValue)" }
            for start in stride(from: 0, to: words.count, by: Self.logsPerMessage) {
                let part = words[start..<min(start + Self.logsPerMessage, words.count)]
                let message = "\(node) " + part.joined(separator: " ")
                // What is lost is found by looking.
                _ = try? pool.lend { db in
                    try db.first(
                        "SELECT pg_notify(?, current_schema() || ' ' || ?)", Self.channel, message
                    ) { _ in true }
                }
            }
            wait(milliseconds: Self.pause(after: words.count))
        }
    }

    // MARK: Hearing

    private func listen() {
        var pause: Int64 = Self.lookPause
        while !isClosed {
            if !address.isPooled { hear(&pause) }
            look()
            wait(milliseconds: pause)
        }
    }

    /// Hears until the connection breaks.
    private func hear(_ pause: inout Int64) {
        guard var connection = try? PostgreSQLConnection.open(address) else { return }
        let schema: String
        do {
            try connection.run("LISTEN macrolog_growth")
            schema = try connection.first("SELECT current_schema()") { $0.text(0) } ?? ""
        } catch {
            return
        }
        // What was committed before it listened.
        look()
        var looked = SystemClock.monotonicMilliseconds
        while !isClosed {
            connection.waitForInput(milliseconds: 250)
            guard let messages = connection.takeNotifications() else { return }
            let grown = messages.reduce(into: [:]) { all, message in
                all.merge(heads(in: message, schema)) { max($0, $1) }
            }
            if !grown.isEmpty { here(grown) }
            // A node that broke off after its commit has told nothing.
            guard SystemClock.monotonicMilliseconds - looked >= Self.heardLookPause else {
                continue
            }
            look()
            looked = SystemClock.monotonicMilliseconds
        }
    }

    /// What another node says of the same tables; a database may have those of several services.
    private func heads(in message: String, _ schema: String) -> [Space: LogNumber] {
        // Nearly all are this node's own.
        guard message.hasPrefix("\(schema) "), !message.hasPrefix("\(schema) \(node) ") else {
            return [:]
        }
        return message.split(separator: " ").dropFirst(2).reduce(into: [:]) { heads, word in
            let parts = word.split(separator: ":")
            guard parts.count == 2, let space = Space(parts[0]), let n = Int64(parts[1]),
                (1...Place.spaceMax).contains(space), (1...Place.numberMax).contains(n)
            else { return }
            heads[space] = LogNumber(n)
        }
    }

    /// Reads the heads of the logs that were asked about here, and tells those that are new.
    private func look() {
        let oldest = SystemClock.monotonicMilliseconds - Self.interestMilliseconds
        let told = interest.withLock { interest in
            interest.spaces = interest.spaces.filter { $0.value.asked >= oldest }
            return interest.spaces.mapValues { $0.told }
        }
        guard !told.isEmpty else { return }
        // After the rows that are known there are few. A log without any has not grown.
        let known = PostgreSQLNumbers(told.map { Place.of($0.key, $0.value) ?? 0 }.sorted())
        let places = try? pool.lend { db in
            try db.all(
                """
                SELECT last.place FROM unnest(?) AS known (place), LATERAL (
                    SELECT place FROM event WHERE place > known.place
                    AND place < ((known.place >> 40) + 1) << 40 ORDER BY place DESC LIMIT 1) AS last
                """, known
            ) { $0.int(0) }
        }
        let grown = (places ?? []).map { ($0 >> 40, Place.number($0)) }
        if !grown.isEmpty { here(Dictionary(grown, uniquingKeysWith: { max($0, $1) })) }
    }

    private func wait(milliseconds: Int64) {
        _ = state.wait(atMost: milliseconds) { $0.isClosed ? true : nil }
    }
}
