import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologPostgreSQL
import MacrologService
import MacrologTestSupport
import MacrologWire
import Testing

/// Goal: an account whose rows alone were put back has another epoch, wherever one is answered, and no
/// other account notices; a store that went back as a whole gives all of them the same again.
/// Method: two people, of whom one is restored; and the same people after the whole store was.
@Suite(.onBothStores) struct AccountEpochTests {
    private let folder = ScratchFolder()

    /// Says that the store, or one account, was restored.
    private func renew(_ email: String?, epoch: UInt32, endsSessions: Bool = false) throws {
        let path = folder.file("server.db")
        switch StoreUnderTest.current {
        case .sqlite:
            try ServerFile.renew(path, of: email, epoch: epoch, endsSessions: endsSessions, now: 1)
        case .postgreSQL:
            _ = try PostgreSQLServerStore.renew(
                ScratchDatabases.shared.get().address(of: folder.path), beside: path, of: email,
                epoch: epoch, endsSessions: endsSessions, deletions: DeletionLedger(of: path),
                now: 1)
        }
    }

    /// Runs while the server does where several use a store, and while it is stopped where one has the file.
    private func besides(_ server: TestServer, _ body: () throws -> Void) throws -> TestServer {
        guard StoreUnderTest.current == .sqlite else {
            try body()
            return server
        }
        server.server.close()
        try body()
        return try TestServer(folder: folder) { $0.rates = .none }
    }

    private func epochs(_ server: TestServer, _ token: String) throws -> [Int64?] {
        let devices = try JSON.parse(server.call("GET", "/v1/devices", token: token).body)
        func post(_ path: String, _ body: [UInt8]) -> HTTPResponse {
            server.send(
                HTTPRequest(
                    method: "POST", path: path,
                    fields: [
                        HTTPField("Authorization", "Bearer \(token)"),
                        HTTPField("Content-Type", "application/cbor"),
                    ], body: body))
        }
        let reader = SyncRequest(
            device: Identifier(high: 9, low: 9), epoch: 0, cursor: 0, digest: .empty, pushed: [])
        let range = DigestRequest.Range(after: 0, through: 1, parts: 1)
        // Rows that do not follow the head are not stored.
        var lost = TestDevice(8)
        lost.record()
        let heal = HealRequest(
            after: 9, rows: [HealRequest.Row(t: SealedTime(1), body: lost.own[0])], digest: .empty)
        return [
            devices["epoch"]?.integer,
            Int64(try SyncAnswer.decoded(server.sync(reader, token: token).body).epoch),
            Int64(
                try DigestAnswer.decoded(
                    post("/v1/digest", DigestRequest(ranges: [range]).encoded()).body
                ).epoch),
            Int64(try HealAnswer.decoded(post("/v1/heal", heal.encoded()).body).epoch),
        ]
    }

    @Test func `its epoch is in every answer, and the other's is in none`() throws {
        var server = try TestServer(folder: folder) { $0.rates = .none }
        let (ana, ben) = (try server.login(), try server.login("ben@example.org"))
        var (phone, other) = (TestDevice(1), TestDevice(2))
        phone.record()
        other.record()
        _ = try phone.fold(server.sync(phone.request, token: ana.access))
        _ = try other.fold(server.sync(other.request, token: ben.access))
        server = try besides(server) { try renew("Ana@example.org", epoch: 8) }
        #expect(try epochs(server, ana.access) == [8, 8, 8, 8])
        #expect(try epochs(server, ben.access) == [7, 7, 7, 7])
        let changed = server.sync(phone.request, token: ana.access)
        #expect(problem(changed) == "epoch_changed")
        #expect(try JSON.parse(changed.body)["epoch"]?.integer == 8)
        // A push under the new epoch, whose bases are of the one before, is admitted and answered with it.
        phone.epoch = 8
        phone.record()
        #expect(try phone.fold(server.sync(phone.request, token: ana.access)).epoch == 8)
        other.record()
        #expect(try other.fold(server.sync(other.request, token: ben.access)).epoch == 7)
        #expect(server.store.epoch == 7)
        server.server.close()
    }

    // With PostgreSQL no server may be connected to the database, which these tests share; there the programs do it.
    @Test(.onSQLiteAlone) func `after the whole store went back no account keeps its own`() throws {
        var server = try TestServer(folder: folder) { $0.rates = .none }
        let tokens = try ["ana@example.org", "ben@example.org"].map { try server.login($0).access }
        server = try besides(server) { try renew("ana@example.org", epoch: 8) }
        server = try besides(server) { try renew(nil, epoch: 9) }
        for token in tokens { #expect(try epochs(server, token) == [9, 9, 9, 9]) }
        server.server.close()
    }

    @Test func `what may have been used since is void for it alone`() throws {
        var server = try TestServer(folder: folder) { $0.rates = .none }
        let people = ["ana@example.org", "ben@example.org"]
        var (tokens, codes): ([Tokens], [String]) = ([], [])
        for (index, email) in people.enumerated() {
            tokens.append(try server.login(email))
            let made = try server.administer("user reset-code", ["email": .string(email)])
            codes.append(try #require(made["code"]?.string))
            for count in [0, 2] {
                var request = ShareRequest(token: SHA256.hash([UInt8(index), UInt8(count)]))
                (request.seconds, request.opensMax) = (86_400, Int64(count))
                #expect(server.share(request, token: tokens[index].access).status < 300)
            }
        }
        _ = try server.administer("invite create", ["uses": 1, "days": 7])
        server = try besides(server) { try renew(people[0], epoch: 8) }
        let refreshed = tokens.map {
            server.post("/v1/auth/refresh", ["refresh_token": .string($0.refresh)]).status
        }
        #expect(refreshed == [401, 200])
        let shares = try (1...2).map {
            try server.store.shares(of: $0, now: server.clock.now).count
        }
        #expect(shares == [1, 2])
        let reset = zip(people, codes).map { email, code in
            server.post(
                "/v1/auth/reset",
                [
                    "email": .string(email), "code": .string(code), "password": .string(password),
                ]
            ).status
        }
        #expect(reset[0] != 204 && reset[1] == 204)
        #expect(try server.administer("invite list")["invitations"]?.array?.count == 1)
        // Sessions end if that is asked for, and only its own.
        let others = try people.map { try server.login($0) }
        server = try besides(server) { try renew(people[0], epoch: 9, endsSessions: true) }
        server.advance(seconds: 10)
        let seen = others.map { server.call("GET", "/v1/devices", token: $0.access).status }
        #expect(seen == [401, 200])
        server.server.close()
    }

    @Test func `an account that is not there is refused, and changes nothing`() throws {
        let server = try TestServer(folder: folder) { $0.rates = .none }
        let token = try server.login().access
        let after = try besides(server) {
            for email in ["eve@example.org", ""] {
                #expect(throws: UnknownAccount.self) { try renew(email, epoch: 8) }
            }
        }
        #expect(try epochs(after, token) == [7, 7, 7, 7])
        after.server.close()
    }

    @Test func `one that was deleted since is deleted again`() throws {
        var server = try TestServer(folder: folder) { $0.rates = .none }
        let tokens = try server.login()
        let account = try #require(Identifier(tokens.account))
        server = try besides(server) {
            try DeletionLedger(of: folder.file("server.db")).add(
                DeletionLedger.Entry(account, .deleted, at: 1))
            try renew("ana@example.org", epoch: 8)
        }
        #expect(try server.store.facts(of: nil, now: 1).isEmpty)
        server.server.close()
    }
}
