import CMacrologPostgreSQL
import MacrologPlatform
import MacrologPostgreSQL

/// libpq called as directly as C can: the limit of a node on PostgreSQL. Some connections write one event or several for
/// each of 64 accounts of their own in one transaction, again and again.
///
/// It knows all heads; it reads, checks, hashes and answers nothing.
final class BarePostgreSQL {
    /// The pushes that share a commit.
    static let pushes = 64
    /// Far from the numbers that people get.
    private static let firstSpace: Int64 = 4_000_000

    /// One connection.
    private struct Writer {
        let line: BareLine
        let spaces: [Int64]
        /// The number of events in each of its logs.
        var n: Int64 = 0
    }

    private var writers: [Writer] = []
    private let body: [UInt8]

    /// - Parameter body: That of each event.
    init(_ database: Served.Database, connections: Int, body: [UInt8]) throws {
        self.body = body
        for number in 0..<connections {
            let first = Self.firstSpace + Int64(number * Self.pushes)
            try BareLine.addAccounts(first..<first + Int64(Self.pushes), to: database)
            writers.append(
                Writer(
                    line: try BareLine(database.address),
                    spaces: Array(first..<first + Int64(Self.pushes))))
        }
    }

    /// Writes until the time is over.
    ///
    /// - Parameters:
    ///   - connections: How many of them take part.
    /// - Returns: Seconds of one push of as many events.
    func run(events: Int, connections: Int, seconds limit: Double) throws -> Double {
        let start = ContinuousClock.now
        var waiting = (0..<connections).map {
            pollfd(fd: writers[$0].line.socket, events: Int16(POLLIN), revents: 0)
        }
        for index in 0..<connections { try send(index, events) }
        var (open, made) = (connections, 0)
        while open > 0 {
            guard poll(&waiting, nfds_t(waiting.count), 10_000) > 0 else {
                throw Wrong(description: "the database does not answer")
            }
            for index in waiting.indices where waiting[index].revents != 0 {
                guard try writers[index].line.hasEnded() else { continue }
                made += Self.pushes
                if start.secondsAgo < limit {
                    try send(index, events)
                } else {
                    waiting[index].fd = -1
                    open -= 1
                }
            }
        }
        return start.secondsAgo / Double(made)
    }

    /// Sends one transaction.
    private func send(_ index: Int, _ events: Int) throws {
        let writer = writers[index]
        let numbers = writer.n + 1...writer.n + Int64(events)
        writers[index].n += Int64(events)
        try writer.line.send(
            writer.spaces, events,
            places: writer.spaces.flatMap { space in numbers.map { space << 40 | $0 } },
            bodies: [[UInt8]](repeating: body, count: writer.spaces.count * events))
    }
}

/// One connection of libpq, which writes what a node writes.
///
/// It writes the same rows into the same tables with the same indexes, by prepared statements with arrays: it locks the
/// accounts, inserts the events, adds up their bytes and commits, all in one pipeline, so that a transaction is one
/// round trip.
final class BareLine {
    private static let statements = [
        ("begin", "BEGIN"), ("commit", "COMMIT"),
        (
            "lock",
            "SELECT 1 FROM account WHERE space = ANY ($1::bigint[]) ORDER BY space FOR UPDATE"
        ),
        (
            "insert",
            """
            INSERT INTO event (place, space, t, t_max, device, seq, hash, digest, body)
            SELECT place, place >> 40, t, t, device, seq, hash, digest, body
            FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bigint[], $5::bytea[], $6::bytea[], $7::bytea[])
            AS added (place, t, device, seq, hash, digest, body)
            """
        ),
        (
            "add",
            """
            UPDATE account SET event_bytes = event_bytes + added.bytes
            FROM unnest($1::bigint[], $2::bigint[]) AS added (space, bytes) WHERE account.space = added.space
            """
        ),
    ]

    private let libpq: macrolog_libpq
    private let handle: OpaquePointer

    static func addAccounts(_ spaces: Range<Int64>, to database: Served.Database) throws {
        _ = try database.query(
            """
            INSERT INTO account (space, name, email_key, email, password, created)
            SELECT n, int8send(n), int8send(n), 'bare', '', 0
            FROM generate_series(\(spaces.lowerBound), \(spaces.upperBound - 1)) AS n
            """)
    }

    init(_ address: String) throws {
        let libpq = try Libpq.opened.get().call
        let handle = "dbname".withCString { name in
            address.withCString { address in libpq.connect([name, nil], [address, nil], 1) }
        }
        guard let handle, libpq.status(handle) == UInt32(MACROLOG_PG_CONNECTION_OK),
            libpq.enter_pipeline_mode(handle) == 1
        else { throw Wrong(description: "the bare client cannot connect") }
        self.libpq = libpq
        self.handle = handle
        // As a node has it: plans that do not change when tables grow.
        for setting in [
            "plan_cache_mode = force_generic_plan", "enable_seqscan = off",
            "enable_hashjoin = off", "enable_mergejoin = off", "enable_material = off",
        ] { _ = libpq.send_params(handle, "SET \(setting)", 0, nil, nil, nil, nil, 1) }
        for (name, text) in Self.statements {
            _ = libpq.send_prepare(handle, name, text, 0, nil)
        }
        _ = libpq.pipeline_sync(handle)
        while try !hasEnded() {}
        _ = libpq.set_nonblocking(handle, 1)
    }

    deinit { libpq.finish(handle) }

    var socket: Int32 { libpq.socket(handle) }

    /// Sends one transaction.
    ///
    /// - Parameters:
    ///   - events: How many of each space.
    ///   - places: Of the events, those of each space together.
    func send(_ spaces: [Int64], _ events: Int, places: [Int64], bodies: [[UInt8]]) throws {
        let numbers = places.map { $0 & (1 << 40 - 1) }
        let device = [UInt8](repeating: 5, count: 16)
        let sums = spaces.indices.map { space in
            bodies[space * events..<(space + 1) * events].reduce(0) { $0 + Int64($1.count) }
        }
        let locked = Values(numbers: spaces)
        let all: [(String, [Values])] = [
            ("begin", []), ("lock", [locked]),
            (
                "insert",
                [
                    Values(numbers: places), Values(numbers: numbers.map { $0 << 16 }),
                    Values(bytes: device, places.count), Values(numbers: numbers),
                    Values(bytes: [UInt8](repeating: 6, count: 32), places.count),
                    Values(bytes: device, places.count), Values(bytes: bodies),
                ]
            ),
            ("add", [locked, Values(numbers: sums)]), ("commit", []),
        ]
        for (name, values) in all {
            // The pointers are used only while the arrays are alive, which `Values` keeps.
            let isSent = libpq.send_prepared(
                handle, name, Int32(values.count), values.map(\.pointer),
                values.map { Int32($0.memory.count) }, values.map { _ in 1 }, 1)
            guard isSent == 1 else { throw refusal }
        }
        guard libpq.pipeline_sync(handle) == 1 else { throw refusal }
        while case let rest = libpq.flush(handle), rest != 0 {
            guard rest == 1, libpq.consume_input(handle) == 1 else { throw refusal }
        }
    }

    /// Takes the answers that have come; true if that to the whole transaction is among them.
    func hasEnded() throws -> Bool {
        guard libpq.consume_input(handle) == 1 else { throw refusal }
        var isBetween = false
        while libpq.is_busy(handle) == 0 {
            guard let result = libpq.get_result(handle) else {
                // A statement's answers end with one that is nothing; two in a row are the end of all.
                if isBetween { return false }
                isBetween = true
                continue
            }
            isBetween = false
            defer { libpq.clear(result) }
            switch Int(libpq.result_status(result)) {
            case MACROLOG_PG_SYNC: return true
            case MACROLOG_PG_COMMAND_OK, MACROLOG_PG_ROWS: continue
            default: throw refusal
            }
        }
        return false
    }

    private var refusal: Wrong {
        Wrong(
            description: "the bare client is refused: "
                + (libpq.error_message(handle).map { String(cString: $0) } ?? ""))
    }
}

/// An array of PostgreSQL in its binary form.
private final class Values {
    let memory: UnsafeMutableRawBufferPointer
    private var end = 0

    init(numbers: [Int64]) {
        memory = .allocate(byteCount: 20 + numbers.count * 12, alignment: 8)
        head(20, numbers.count)
        for number in numbers {
            put(UInt32(8))
            put(number)
        }
    }

    /// The same bytes again and again.
    init(bytes: [UInt8], _ count: Int) {
        memory = .allocate(byteCount: 20 + count * (4 + bytes.count), alignment: 8)
        head(17, count)
        for _ in 0..<count { put(bytes) }
    }

    init(bytes all: [[UInt8]]) {
        memory = .allocate(byteCount: all.reduce(20) { $0 + 4 + $1.count }, alignment: 8)
        head(17, all.count)
        for bytes in all { put(bytes) }
    }

    deinit { memory.deallocate() }

    var pointer: UnsafePointer<CChar>? {
        memory.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
    }

    /// One dimension without NULLs, from index 1 on.
    private func head(_ type: UInt32, _ count: Int) {
        for number in [1, 0, type, UInt32(count), 1] { put(number) }
    }

    private func put(_ bytes: [UInt8]) {
        put(UInt32(bytes.count))
        memory.baseAddress?.advanced(by: end).copyMemory(from: bytes, byteCount: bytes.count)
        end += bytes.count
    }

    private func put(_ number: some FixedWidthInteger) {
        let bytes = number.bigEndian
        memory.storeBytes(of: bytes, toByteOffset: end, as: type(of: bytes))
        end += MemoryLayout.size(ofValue: bytes)
    }
}
