import CMacrologSQLite
import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologJSON
import MacrologCryptography
import MacrologService
import MacrologTestSupport
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Goal: whatever a damaged file holds, the server refuses it, answers with an error, or ends in
/// order: nothing that one row says ends the process of all accounts. Each answer that says that the server
/// failed has its reason in the log.
/// Method: values of every type in every column of every table of a small log, and flipped bits and
/// cuts over the whole file; then everything that reads. A trap would end the tests. Which values and
/// bits is drawn by a seed that is printed; `MACROLOG_TEST_SEED_BASE` sets it.
@Suite struct DamagedFileTests {
    /// What a column may hold that it should not, as SQL.
    static let values = [
        "0", "-1", "1", "-9223372036854775808", "9223372036854775807", "9223372036854775806",
        "1 << 40", "(1 << 40) - 1", "1 << 22", "(1 << 22) << 40", "1 << 53", "1 << 62", "1.5", "''",
        "'x'", "'0123456789abcdef'", "X''", "X'00'", "zeroblob(15)", "zeroblob(16)", "zeroblob(17)",
        "zeroblob(31)", "zeroblob(32)", "zeroblob(33)", "zeroblob(70000)", "X'ffffffffffffffff'",
        "NULL",
    ]
    /// How many of them are tried in each column, and how many files with flipped bits.
    static let valuesPerColumn = 2
    static let flippedFiles = 60

    @Test func `a value of any type in any column is refused, and never a trap`() throws {
        var dice = Dice.fresh("damaged files, values")
        let base = ScratchFolder()
        try Self.fill(base)
        let columns = try Self.columns(of: base)
        #expect(columns.count > 30)
        var (tried, asked) = (0, 0)
        for (table, column) in columns {
            for value in Self.values.shuffled(using: &dice).prefix(Self.valuesPerColumn) {
                let folder = ScratchFolder()
                try Self.copy(base, to: folder)
                // A rowid is an integer in any file.
                let update = "UPDATE OR IGNORE \(table) SET \(column) = \(value)"
                guard (try? Self.execute(update, in: folder)) != nil else { continue }
                tried += 1
                let answers = Self.askEverything(folder)
                // The file as such is sound: no row of it is a reason to end.
                #expect(!answers.hasEnded, "\(update)")
                asked += answers.count
            }
        }
        // Most of them leave something that can be answered.
        #expect(tried > columns.count && asked > tried * 5)
    }

    @Test func `flipped bits and a cut file are refused, and never a trap`() throws {
        var dice = Dice.fresh("damaged files, bits")
        let base = ScratchFolder()
        try Self.fill(base)
        let whole = try Self.read("\(base.path)/server.db")
        for number in 0..<Self.flippedFiles {
            var bytes = whole
            if number % 6 == 0 {
                bytes.removeLast(Int.random(in: 1..<whole.count, using: &dice))
            } else {
                // A page's head says where its rows lie, and stands at its beginning.
                for _ in 0..<Int.random(in: 1...4, using: &dice) {
                    let page = Int.random(in: 0..<whole.count / 4_096, using: &dice)
                    let end = Bool.random(using: &dice) ? 40 : 4_096
                    let place = Int.random(in: 0..<end, using: &dice)
                    bytes[page * 4_096 + place] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
                }
            }
            let folder = ScratchFolder()
            try Self.put(bytes, to: "\(folder.path)/server.db")
            _ = Self.askEverything(folder)
        }
    }

    // The file.

    /// Two accounts with sessions, events of two devices, a blob and its mention, in a file whose
    /// tables accept anything.
    private static func fill(_ folder: ScratchFolder) throws {
        do {
            let server = try TestServer(folder: folder)
            for email in ["ana@example.org", "ben@example.org"] {
                let token = try server.login(email).access
                for number in 1...2 {
                    var device = TestDevice(UInt64(number))
                    for _ in 0..<3 { device.record("oats") }
                    #expect(server.sync(device.request, token: token).status == 200)
                }
            }
            server.server.close()
        }
        try execute(
            """
            INSERT INTO blob (space, name, bytes, stored) VALUES (1, zeroblob(32), 5, 7);
            INSERT INTO blob_mention (space, name, place, removes, admitted)
            VALUES (1, zeroblob(32), (SELECT min(place) FROM event), 1, 7);
            UPDATE session SET device = zeroblob(16), cursor = 2;
            DROP TRIGGER IF EXISTS event_refuses_update;
            """, in: folder)
        for trigger in try texts("SELECT name FROM sqlite_schema WHERE type = 'trigger'", folder) {
            try execute("DROP TRIGGER \"\(trigger)\"", in: folder)
        }
        try execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(replace(sql, 'STRICT, WITHOUT', 'WITHOUT'),
                'STRICT', '') WHERE type = 'table';
            UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '') WHERE type = 'table';
            PRAGMA wal_checkpoint(TRUNCATE);
            """, in: folder)
    }

    private static func columns(of folder: ScratchFolder) throws -> [(String, String)] {
        var columns: [(String, String)] = []
        for table in try texts("SELECT name FROM sqlite_schema WHERE type = 'table'", folder)
        where table != "sqlite_sequence" {
            for column in try texts("SELECT name FROM pragma_table_info('\(table)')", folder) {
                columns.append((table, column))
            }
        }
        return columns
    }

    // What reads.

    /// Asks until the server ends, if it does.
    private final class Answers: Sendable {
        private let ended = Atomic<Bool>(false)
        private let answered = Atomic<Int>(0)

        var hasEnded: Bool { ended.load(ordering: .relaxed) }
        var count: Int { answered.load(ordering: .relaxed) }

        func end() { ended.store(true, ordering: .relaxed) }

        /// What the log says.
        let notes = Notes()

        func ask(_ server: SyncServer, _ request: HTTPRequest) -> HTTPResponse? {
            let noted = notes.errorCount
            let name = "\(request.method) \(request.path)"
            let answer = wait(name) { server.respond(to: request, reply: $0) }
            if answer?.status == 500 {
                #expect(notes.errorCount > noted, "\(name) failed, and the log does not say why")
            }
            return answer
        }

        @discardableResult
        func wait(
            _ what: String, for run: (@escaping @Sendable (HTTPResponse) -> Void) -> Void
        ) -> HTTPResponse? {
            guard !hasEnded else { return nil }
            let waiting = Answered()
            run { waiting.set($0) }
            let begun = ContinuousClock.now
            while ContinuousClock.now - begun < .seconds(60) {
                if let response = waiting.peek {
                    answered.add(1, ordering: .relaxed)
                    return response
                }
                if hasEnded { return nil }
                sched_yield()
            }
            Issue.record("\(what) was never answered")
            return nil
        }
    }

    private static func askEverything(_ folder: ScratchFolder) -> Answers {
        let answers = Answers()
        operate(folder)
        guard
            let store = try? SQLiteServerStore.open(
                "\(folder.path)/server.db", newEpoch: 7, fatal: { _ in answers.end() })
        else { return answers }
        var settings = ServerSettings()
        settings.passwordCost = PasswordCost(operations: 1, memoryBytes: 8_192)
        let server = SyncServer(
            store: store, secrets: Secrets([UInt8](repeating: 9, count: Secrets.byteCount)),
            settings: settings, clock: { 1_700_000_000_000 }, monotonic: { 1_700_000_000_000 },
            note: { [notes = answers.notes] in notes.keep($0) })
        for email in ["ana@example.org", "ben@example.org"] {
            let login: JSON = [
                "email": .string(email), "password": .string(password), "device": "tablet",
            ]
            guard let answer = answers.ask(server, post("auth/login", login)),
                let tokens = try? Tokens(answer)
            else { continue }
            for request in requests(tokens, epoch: store.epoch) { _ = answers.ask(server, request) }
        }
        server.forgetEnded()
        // As the server collects blobs, which would wait for ever where the process should have ended.
        for key in (try? store.unreferenced(before: .max)) ?? [] {
            answers.wait("forgetting a blob") { done in
                store.forget(key, before: .max) { _ in done(HTTPResponse(status: 204)) }
            }
        }
        server.close()
        return answers
    }

    /// What `verify`, `backup` and `restore` do.
    private static func operate(_ folder: ScratchFolder) {
        _ = try? ServerFile.check("\(folder.path)/server.db")
        let copy = ScratchFolder()
        guard
            (try? ServerFile.backUp("\(folder.path)/server.db", to: "\(copy.path)/server.db"))
                != nil
        else { return }
        _ = try? ServerFile.renew("\(copy.path)/server.db", epoch: 8, endsSessions: true, now: 1)
        ServerFile.checkpoint("\(copy.path)/server.db")
    }

    private static func post(_ path: String, _ body: JSON) -> HTTPRequest {
        HTTPRequest(
            method: "POST", path: "/v1/\(path)",
            fields: [HTTPField("Content-Type", "application/json")],
            body: Array(body.compact.utf8), peer: "192.0.2.1")
    }

    private static func requests(_ tokens: Tokens, epoch: UInt32) -> [HTTPRequest] {
        let bearer = HTTPField("Authorization", "Bearer \(tokens.access)")
        func cbor(_ path: String, _ body: [UInt8]) -> HTTPRequest {
            HTTPRequest(
                method: "POST", path: "/v1/\(path)",
                fields: [bearer, HTTPField("Content-Type", "application/cbor")], body: body)
        }
        func call(_ method: String, _ path: String, _ query: String = "") -> HTTPRequest {
            HTTPRequest(method: method, path: "/v1/\(path)", query: query, fields: [bearer])
        }
        let name = String(repeating: "00", count: 32)
        var requests = [
            call("GET", "devices"), call("GET", "events", "after=0"),
            call("GET", "blobs/\(name)"), call("PUT", "blobs/\(name)"),
            post("auth/refresh", ["refresh_token": .string(tokens.refresh)]),
        ]
        for number in [1, 2, 9] as [UInt64] {
            var device = TestDevice(number)
            if number < 9 { for _ in 0..<3 { device.record("oats") } }
            requests.append(cbor("sync", device.request.encoded()))
            device.record("oats")
            requests.append(cbor("sync", device.request.encoded()))
        }
        // One that has the whole log so far, and one that has half of it.
        for cursor in [3, 6] as [Int64] {
            var device = TestDevice(1)
            (device.epoch, device.cursor) = (epoch, cursor)
            requests.append(cbor("sync", device.request.encoded()))
        }
        var giver = TestDevice(8)
        giver.record("oats")
        let rows = giver.request.pushed.map { HealRequest.Row(t: 1, body: $0.body) }
        let heal = HealRequest(after: 6, rows: rows, digest: .empty)
        let digest = DigestRequest(ranges: [.init(after: 0, through: 6, parts: 6)])
        return requests + [
            cbor("heal", heal.encoded()), cbor("digest", digest.encoded()),
            call("POST", "auth/logout"),
        ]
    }

    // Bytes and SQL.

    private struct Wrong: Error { let what: String }

    private static func open(_ folder: ScratchFolder) throws -> OpaquePointer? {
        var handle: OpaquePointer?
        guard sqlite3_open("\(folder.path)/server.db", &handle) == SQLITE_OK else {
            throw Wrong(what: "open")
        }
        sqlite3_exec(handle, "PRAGMA ignore_check_constraints = ON", nil, nil, nil)
        return handle
    }

    private static func execute(_ sql: String, in folder: ScratchFolder) throws {
        let handle = try open(folder)
        defer { sqlite3_close(handle) }
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw Wrong(what: String(cString: sqlite3_errmsg(handle)) + " in " + sql)
        }
    }

    private static func texts(_ sql: String, _ folder: ScratchFolder) throws -> [String] {
        let handle = try open(folder)
        defer { sqlite3_close(handle) }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw Wrong(what: sql)
        }
        defer { sqlite3_finalize(statement) }
        var texts: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            if let text = sqlite3_column_text(statement, 0) { texts.append(String(cString: text)) }
        }
        return texts
    }

    private static func copy(_ folder: ScratchFolder, to other: ScratchFolder) throws {
        try put(try read("\(folder.path)/server.db"), to: "\(other.path)/server.db")
    }

    private static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw Wrong(what: path) }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        let count = ftell(file)
        rewind(file)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = fread(buffer.baseAddress, 1, count, file)
        }
    }

    private static func put(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "wb") else { throw Wrong(what: path) }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw Wrong(what: path) }
    }
}
