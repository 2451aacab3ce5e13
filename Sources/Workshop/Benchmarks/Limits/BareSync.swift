import CMacrologMicroHTTPD
import CMacrologSQLite
import MacrologPlatform
import MacrologService
import MacrologSystem

/// The barest server, called as directly as C can: the limit of one event a request.
///
/// libmicrohttpd reads a request's body; a thread writes the bodies that wait into the server's own tables, with their
/// indexes, in one durable transaction (group commit), or each in one of its own; then it is answered with 64 bytes. It knows all heads; it reads, checks and
/// hashes nothing, and knows no accounts: each connection is a device.
enum BareSync {
    /// The argument that makes this program run as that server until it is stopped. The file follows it, or the
    /// address of a database of PostgreSQL that has ``accounts``; then, for a file, how many requests a transaction
    /// writes at most.
    static let word = "--bare-sync"
    /// The accounts that it uses on PostgreSQL, one for each connection.
    static let accounts: Range<Int64> = 4_100_000..<4_101_000

    /// A request from its header to its answer.
    ///
    /// Unchecked: used by one thread at a time, that of its connection, and a
    /// writer's while the connection is suspended.
    private final class Waiting: @unchecked Sendable {
        let connection: OpaquePointer?
        var body: [UInt8] = []
        /// Which of the requests of its connection it is, from 1 on; 0 until its body is complete.
        var number: Int64 = 0
        var isWritten = false

        init(_ connection: OpaquePointer?) { self.connection = connection }

        /// A number of its own among the connections that are open, which have adjacent sockets.
        var line: Int { Int(cmhd_socket(connection)) % BareSync.accounts.count }
    }

    private struct State {
        var waiting: [Waiting] = []
        /// By connection, how many requests there were.
        var counts: [Int: Int64] = [:]
    }

    private static let state = Monitor(State())

    /// Starts a process of it on a new file.
    ///
    /// - Parameter count: How many requests a transaction writes at most; `nil` for all that wait.
    static func start(_ folder: Folder, atMost count: Int?) throws -> Running {
        let name = "bare-sync-\(count ?? 0)"
        return try Running.start(
            CommandLine.arguments[0],
            [word, folder.file(name + ".db")] + (count.map { ["\($0)"] } ?? []), folder, name)
    }

    /// - Parameter words: What follows ``word``.
    static func run(_ words: [String]) throws {
        let store = words[0]
        if store.hasPrefix("postgres") {
            // As many as a node has, and as many pushes for each.
            for _ in 0..<2 {
                let line = try BareLine(store)
                write(atMost: BarePostgreSQL.pushes) { try put($0, line) }
            }
        } else {
            // A limit that was not measured to its end is none, so this process ends at each error.
            try SQLiteServerStore.open(store, newEpoch: 7) { fatalError($0) }.close()
            let file = BareServerFile(store)
            write(atMost: words.count > 1 ? Int(words[1]) ?? 1 : .max) { group in
                file.transaction {
                    for request in group {
                        file.event(of: request.line, request.number, request.body)
                    }
                }
            }
        }
        try serve()
    }

    /// Starts a thread that writes what waits, and lets it be answered.
    private static func write(atMost count: Int, _ body: @escaping ([Waiting]) throws -> Void) {
        nonisolated(unsafe) let body = body
        Worker.start {
            while true {
                let (group, rest) = state.wait { state -> ([Waiting], rest: Int)? in
                    guard !state.waiting.isEmpty else { return nil }
                    let group = Array(state.waiting.prefix(count))
                    state.waiting.removeFirst(group.count)
                    return (group, state.waiting.count)
                }
                // Only the first request that waits wakes a writer, so each writer wakes one for what it leaves.
                if rest > 0 { state.wakeOne() }
                // As in `run`: this process ends at each error, and the measurement with it.
                do { try body(group) } catch { fatalError("\(error)") }
                for request in group {
                    request.isWritten = true
                    MHD_resume_connection(request.connection)
                }
            }
        }.detach()
    }

    private static func put(_ group: [Waiting], _ line: BareLine) throws {
        // As a node does: in the order of the accounts, so that two transactions never wait for each other.
        let group = group.sorted { $0.line < $1.line }
        let spaces = group.map { accounts.lowerBound + Int64($0.line) }
        try line.send(
            spaces, 1, places: zip(spaces, group).map { $0 << 40 | $1.number },
            bodies: group.map(\.body))
        var waiting = [pollfd(fd: line.socket, events: Int16(POLLIN), revents: 0)]
        repeat { poll(&waiting, 1, -1) } while try !line.hasEnded()
    }

    private static func serve() throws {
        var settings = cmhd_settings()
        settings.flags =
            MHD_USE_AUTO_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | MHD_USE_TURBO.rawValue
        settings.completed = { _, _, request, _ in
            guard let pointer = request?.pointee else { return }
            Unmanaged<Waiting>.fromOpaque(pointer).release()
        }
        settings.access = { _, connection, _, _, _, upload, uploaded, slot in
            guard let slot, let uploaded else { return .NO }
            guard let pointer = slot.pointee else {
                slot.pointee = Unmanaged.passRetained(Waiting(connection)).toOpaque()
                return .YES
            }
            let request = Unmanaged<Waiting>.fromOpaque(pointer).takeUnretainedValue()
            if uploaded.pointee > 0 {
                request.body += UnsafeRawBufferPointer(start: upload, count: uploaded.pointee)
                uploaded.pointee = 0
                return .YES
            }
            if request.isWritten { return BareHTTP.answer(connection) }
            MHD_suspend_connection(connection)
            let isFirst = BareSync.state.withLock { state in
                state.counts[request.line, default: 0] += 1
                request.number = state.counts[request.line] ?? 0
                state.waiting.append(request)
                return state.waiting.count == 1
            }
            if isFirst { BareSync.state.wakeOne() }
            return .YES
        }
        try BareHTTP.serve(&settings)
    }
}

/// The server's file, without the server: eight accounts, and a device for each connection.
private final class BareServerFile {
    private static let accounts = 8

    private var handle: OpaquePointer?
    private let begin: OpaquePointer
    private let commit: OpaquePointer
    private let insert: OpaquePointer
    private let addBytes: OpaquePointer
    /// The number of the last event of each account.
    private var heads = [Int64](repeating: 0, count: accounts + 1)

    init(_ path: String) {
        sqlite3_open_v2(
            path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        sqlite3_exec(
            handle, "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 8000", nil, nil, nil)
        for space in 1...Self.accounts {
            let code = sqlite3_exec(
                handle,
                """
                INSERT INTO account (space, name, email_key, email, password, created)
                VALUES (\(space), x'\(space)\(space)', x'\(space)\(space)', '', '', 0)
                """, nil, nil, nil)
            precondition(code == SQLITE_OK, "a bare account is inserted")
        }
        begin = BareSQLite.prepare(handle, "BEGIN IMMEDIATE")
        commit = BareSQLite.prepare(handle, "COMMIT")
        insert = BareSQLite.prepare(
            handle,
            """
            INSERT INTO event (place, space, t, t_max, device, seq, hash, digest, body)
            VALUES (?1, ?2, 1, 1, ?3, ?4, ?5, ?3, ?6)
            """)
        addBytes = BareSQLite.prepare(
            handle, "UPDATE account SET event_bytes = event_bytes + ? WHERE space = ?")
    }

    func transaction(_ body: () -> Void) {
        BareSQLite.step(begin)
        body()
        BareSQLite.step(commit)
    }

    /// One event of the device of a connection.
    func event(of connection: Int, _ seq: Int64, _ body: [UInt8]) {
        let space = connection % Self.accounts + 1
        heads[space] += 1
        // As random as an identifier, so that the devices are apart in the index.
        let mixed = UInt64(connection) &* 0x9E37_79B9_7F4A_7C15
        withUnsafeBytes(of: (mixed, mixed, mixed, mixed)) { bytes in
            body.withUnsafeBytes { body in
                sqlite3_bind_int64(insert, 1, Int64(space) << 40 | heads[space])
                sqlite3_bind_int64(insert, 2, Int64(space))
                sqlite3_bind_blob(insert, 3, bytes.baseAddress, 16, nil)
                sqlite3_bind_int64(insert, 4, seq)
                sqlite3_bind_blob(insert, 5, bytes.baseAddress, 32, nil)
                sqlite3_bind_blob(insert, 6, body.baseAddress, Int32(body.count), nil)
                BareSQLite.step(insert)
            }
        }
        sqlite3_bind_int64(addBytes, 1, Int64(body.count))
        sqlite3_bind_int64(addBytes, 2, Int64(space))
        BareSQLite.step(addBytes)
    }
}
