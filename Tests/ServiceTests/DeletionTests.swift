import Foundation
import MacrologWire
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologSQLite
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: a deleted account is gone for everyone at once, leaves nothing in the files of the server, and
/// stays deleted whatever backup is restored.
/// Method: an account with events, a photo and a device's name that occur nowhere else, and a search for
/// them in every file.
@Suite(.onBothStores) struct DeletionTests {
    private let canary = "canary-4711-phone"
    private let photo = Array("canary-4712-photo".utf8)

    private func deleteByOwner(_ server: TestServer, _ token: String) -> HTTPResponse {
        server.post("/v1/account/delete", ["password": .string(password)], token: token)
    }

    /// Fills an account with more rows than one change removes.
    private func fill(_ server: TestServer, _ tokens: Tokens) throws {
        var phone = TestDevice(1)
        for _ in 0..<3 {
            for _ in 0..<450 { phone.record(canary) }
            while !phone.waiting.isEmpty {
                _ = try phone.fold(server.sync(phone.request, token: tokens.access))
            }
        }
        let blob = HTTPRequest(
            method: "PUT", path: "/v1/blobs/\(digits(photo))",
            fields: [
                HTTPField("Authorization", "Bearer \(tokens.access)"),
                HTTPField("Content-Type", "application/octet-stream"),
                HTTPField("Content-Length", "\(photo.count)"),
            ], body: photo)
        #expect(server.send(blob).status == 201)
    }

    @Test(.onSQLiteAlone, arguments: [false, true])
    func `nothing of a deleted account is left in any file, and another's stays`(byOperator: Bool)
        throws
    {
        let folder = ScratchFolder()
        do {
            let server = try TestServer(folder: folder) { $0.rates = .none }
            let tokens = try server.login(device: canary)
            try fill(server, tokens)
            let ben = try ServedAccount(server, "ben@example.org")
            #expect(try !folder.files(holding: Array(canary.utf8)).isEmpty)
            if byOperator {
                let result = try server.administer("user delete", ["email": "ana@example.org"])
                #expect(result["deleted"] == "ana@example.org")
            } else {
                #expect(deleteByOwner(server, tokens.access).status == 204)
            }
            // At once, for everyone.
            #expect(server.call("GET", "/v1/devices", token: tokens.access).status == 401)
            let login: JSON = [
                "email": "ana@example.org", "password": .string(password), "device": "phone",
            ]
            #expect(server.post("/v1/auth/login", login).status == 401)
            let refresh: JSON = ["refresh_token": .string(tokens.refresh)]
            #expect(server.post("/v1/auth/refresh", refresh).status == 401)
            // While it runs, too, as soon as no reader needs what was there.
            let isGone = try eventually(every: 20) {
                server.waitForWriter()
                return try folder.files(holding: Array(canary.utf8)).isEmpty
            }
            #expect(isGone)
            #expect(server.call("GET", "/v1/devices", token: ben.tokens.access).status == 200)
            var phone = TestDevice(9)
            #expect(try phone.fold(server.sync(phone.request, token: ben.tokens.access)).head == 2)
            server.server.close()
        }
        #expect(try folder.files(holding: Array(canary.utf8)) == [])
        #expect(try folder.files(holding: Array("ana@example.org".utf8)) == [])
        var db = try Connection.open("\(folder.path)/server.db", mode: .readOnly)
        let counts = try db.first(
            """
            SELECT (SELECT count(*) FROM account), (SELECT count(*) FROM event),
            (SELECT count(*) FROM blob), (SELECT count(*) FROM code WHERE space = 1),
            (SELECT count(*) FROM audit WHERE space = 1)
            """
        ) { row in (0..<5).map { row.int($0) } }
        #expect(counts == [1, 2, 1, 0, 0])
        #expect(try folder.files(holding: photo) == [])
        #expect(try ServerFile.check("\(folder.path)/server.db").problems == [])
    }

    @Test func `an address that was deleted can be registered again, with nothing of before`()
        throws
    {
        let server = try TestServer { $0.rates = .none }
        let first = try server.login()
        try fill(server, first)
        #expect(deleteByOwner(server, first.access).status == 204)
        let second = try server.login()
        #expect(second.account != first.account)
        var phone = TestDevice(1)
        #expect(try phone.fold(server.sync(phone.request, token: second.access)).head == 0)
        let audit = try JSON.parse(
            server.call("GET", "/v1/account/audit", token: second.access).body)
        #expect(
            audit["entries"]?.array?.compactMap { $0["event"]?.string } == [
                "login", "registered",
            ])
    }

    @Test func `deleting needs the password, and with it again a second factor`() throws {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        let wrong = server.post(
            "/v1/account/delete", ["password": "another one of them"], token: tokens.access)
        #expect(problem(wrong) == "wrong_credentials")
        let secret = try server.beginSecondFactor(token: tokens.access)
        let code = server.code(of: secret, at: server.clock.now)
        #expect(
            server.post(
                "/v1/account/totp/confirm", ["code": .string(code)], token: tokens.access
            ).status == 200)
        #expect(problem(deleteByOwner(server, tokens.access)) == "code_required")
        for used in [code, "000000", "x"] {
            let answer = server.post(
                "/v1/account/delete", ["password": .string(password), "code": .string(used)],
                token: tokens.access)
            #expect(problem(answer) == "wrong_code", "\(used)")
        }
        server.advance(seconds: 30)
        let next = server.code(of: secret, at: server.clock.now)
        let done = server.post(
            "/v1/account/delete", ["password": .string(password), "code": .string(next)],
            token: tokens.access)
        #expect(done.status == 204)
        #expect(try server.administer("user list")["users"] == [])
    }

    @Test(.onSQLiteAlone)
    func `a restored backup forgets again who was deleted after it, before anyone is served`()
        throws
    {
        let folder = ScratchFolder()
        let path = "\(folder.path)/server.db"
        do {
            let server = try TestServer(folder: folder) { $0.rates = .none }
            let tokens = try server.login(device: canary)
            try fill(server, tokens)
            _ = try ServedAccount(server, "ben@example.org")
            try ServerFile.backUp(path, to: "\(folder.path)/copy.db")
            #expect(deleteByOwner(server, tokens.access).status == 204)
            server.server.close()
        }
        try ServerFile.renew(
            "\(folder.path)/copy.db", epoch: 8, endsSessions: false,
            deletions: DeletionLedger(of: path), now: 1)
        for name in ["copy.db", "copy.db.blobs"] {
            #expect(
                try folder.files(holding: Array(canary.utf8)).filter { $0.hasPrefix(name) } == [])
        }
        let contents = try ServerFile.check("\(folder.path)/copy.db")
        #expect(contents.accounts == 1 && contents.blobs == 1 && contents.problems == [])
        // A copy that was put in place by hand is caught at the start.
        let other = ScratchFolder()
        try FileManager.default.copyItem(
            atPath: path + ".deletions", toPath: "\(other.path)/server.db.deletions")
        do {
            let server = try TestServer(folder: other)
            _ = try server.login("ben@example.org")
            server.server.close()
        }
        #expect(try ServerFile.check("\(other.path)/server.db").accounts == 1)
    }

    @Test(.onSQLiteAlone)
    func `a deletion that was interrupted is completed at the next start`() throws {
        let folder = ScratchFolder()
        let server = try TestServer(folder: folder) { $0.rates = .none }
        let tokens = try server.login(device: canary)
        try fill(server, tokens)
        server.server.close()
        // The ledger was written, and then the power failed.
        let name = try #require(Identifier(tokens.account))
        try DeletionLedger(of: server.path).add(.init(name, .deleted, at: server.clock.now))
        let again = try TestServer(folder: folder)
        #expect(again.call("GET", "/v1/devices", token: tokens.access).status == 401)
        for _ in 0..<8 { again.waitForWriter() }
        again.server.close()
        #expect(try folder.files(holding: Array(canary.utf8)) == [])
    }

    @Test(.onSQLiteAlone, arguments: [false, true])
    func `a deletion that failed after it was written down says so, and is done when asked again`(
        byOperator: Bool
    ) throws {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        var db = try Connection.open(server.path)
        try db.execute(
            """
            CREATE TRIGGER broken BEFORE UPDATE OF deleted ON account
            BEGIN SELECT RAISE(ABORT, 'broken'); END
            """)
        if byOperator {
            let refused = #expect(throws: Administration.Refusal.self) {
                try server.administer("user delete", ["email": "ana@example.org"])
            }
            #expect(refused?.sentence.contains("will be deleted") == true)
        } else {
            let answer = deleteByOwner(server, tokens.access)
            #expect(problem(answer) == "busy" && answer.field("retry-after") == "1")
            #expect(String(decoding: answer.body, as: UTF8.self).contains("will be deleted"))
        }
        #expect(try server.store.deletions.deleted() == [try #require(Identifier(tokens.account))])
        try db.execute("DROP TRIGGER broken")
        if byOperator {
            _ = try server.administer("user delete", ["email": "ana@example.org"])
        } else {
            #expect(deleteByOwner(server, tokens.access).status == 204)
        }
        #expect(try server.administer("user list")["users"] == [])
    }

    @Test func `a wrong password or code writes no deletion down`() throws {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        // The password is another one between its check and the deletion.
        server.beforeNextHash {
            let change: JSON = [
                "password": .string(password), "new_password": "an entirely new one",
            ]
            #expect(server.post("/v1/account/password", change, token: tokens.access).status == 204)
        }
        #expect(problem(deleteByOwner(server, tokens.access)) == "wrong_credentials")
        #expect(try server.store.deletions.entries() == [])
    }

    @Test(.onSQLiteAlone)
    func `the ledger has every account of those that are deleted at the same time`() throws {
        let folder = ScratchFolder()
        let ledger = DeletionLedger(of: "\(folder.path)/server.db")
        let names = (1...50).map { Identifier(high: 0, low: $0) }
        DispatchQueue.concurrentPerform(iterations: names.count) {
            try? ledger.add(.init(names[$0], .deleted, at: 1))
        }
        #expect(try ledger.deleted() == Set(names))
    }

    @Test(.onSQLiteAlone) func `with a damaged ledger no one is served, and it is left alone`()
        throws
    {
        let folder = ScratchFolder()
        try TestServer(folder: folder).server.close()
        let ledger = "\(folder.path)/server.db.deletions"
        try "{\"account\":\n".write(toFile: ledger, atomically: true, encoding: .utf8)
        let error = #expect(throws: SQLiteError.self) { try TestServer(folder: folder) }
        #expect("\(try #require(error))".contains("line 1 is damaged"))
        #expect(try String(contentsOfFile: ledger, encoding: .utf8) == "{\"account\":\n")
    }

    @Test(.onSQLiteAlone)
    func `a backup amid a deletion is sound, and forgets the rest when it is restored`()
        throws
    {
        let folder = ScratchFolder()
        let server = try TestServer(folder: folder) { $0.rates = .none }
        try fill(server, server.login(device: canary))
        var db = try Connection.open(server.path)
        try db.run("UPDATE account SET deleted = 1 WHERE space = 1")
        server.store.removeDeleted { _ in }
        server.waitForWriter()
        let copy = "\(folder.path)/copy.db"
        try ServerFile.backUp(server.path, to: copy)
        let contents = try ServerFile.check(copy)
        #expect(contents.problems == [] && (1..<1_350).contains(contents.events))
        try ServerFile.renew(copy, epoch: 8, endsSessions: false, now: 1)
        #expect(try ServerFile.check(copy).events == 0)
        server.server.close()
    }

    @Test func `a photo that arrives while its account is deleted is not kept`() throws {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        let request = HTTPRequest(
            method: "PUT", path: "/v1/blobs/\(digits(photo))",
            fields: [
                HTTPField("Authorization", "Bearer \(tokens.access)"),
                HTTPField("Content-Type", "application/octet-stream"),
                HTTPField("Content-Length", "\(photo.count)"),
            ])
        let sink = try #require(server.server.sink(for: request))
        photo.withUnsafeBytes { sink.take($0) }
        _ = try server.administer("user delete", ["email": "ana@example.org"])
        let answered = Answered()
        sink.finish { answered.set($0) }
        // Its bytes are gone, or its row is refused, whichever comes first: neither is the client's matter.
        #expect(answered.get().status == 401)
        server.waitForWriter()
        #expect(server.store.blobFiles.all() == [])
    }

    @Test(.onSQLiteAlone)
    func `no event can be removed while its account is there`() throws {
        let folder = ScratchFolder()
        let server = try TestServer(folder: folder)
        let account = try ServedAccount(server)
        server.server.close()
        var db = try Connection.open(server.path)
        #expect(throws: SQLiteError.self) { try db.run("DELETE FROM event") }
        #expect(throws: SQLiteError.self) { try db.run("UPDATE event SET t = 0") }
        #expect(try db.first("SELECT count(*) FROM event") { $0.int(0) } == 2)
        _ = account
    }
}
