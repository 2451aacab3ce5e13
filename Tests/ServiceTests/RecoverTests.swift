import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologJSON
import MacrologSQLite
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: a log that lost its end gets back exactly that, from whichever device, and nothing else.
/// Method: logs that a first server has sealed are brought to a second one, as they are and damaged.
@Suite(.onBothStores) struct RecoverTests {
    /// Four events of two devices, as a server has sealed them.
    private func log() throws -> (rows: [HealRequest.Row], digests: [PrefixDigest]) {
        let server = try TestServer()
        let token = try server.login().access
        var (phone, laptop) = (TestDevice(1), TestDevice(2))
        for device in 0..<4 {
            if device % 2 == 0 {
                phone.record()
                _ = try phone.fold(server.sync(phone.request, token: token))
            } else {
                laptop.record()
                _ = try laptop.fold(server.sync(laptop.request, token: token))
            }
        }
        let reader = SyncRequest(
            device: Identifier(high: 9, low: 9), epoch: 0, cursor: 0, digest: .empty, pushed: [])
        let answer = try SyncAnswer.decoded(server.sync(reader, token: token).body)
        var rows: [HealRequest.Row] = []
        var digests = [PrefixDigest.empty]
        for (index, row) in answer.rows.enumerated() {
            guard case .event(let body) = row.content else { continue }
            rows.append(HealRequest.Row(t: row.t, body: body))
            var digest = digests[index]
            digest.add(
                hash: body.withUnsafeBytes { SHA256.words($0) },
                seal: Seal(n: Int64(index + 1), t: row.t))
            digests.append(digest)
        }
        try #require(rows.count == 4)
        return (rows, digests)
    }

    private func send(_ request: HealRequest, _ server: TestServer, _ token: String)
        -> HTTPResponse
    {
        server.send(
            HTTPRequest(
                method: "POST", path: "/v1/heal",
                fields: [
                    HTTPField("Authorization", "Bearer \(token)"),
                    HTTPField("Content-Type", "application/cbor"),
                ], body: request.encoded()))
    }

    @Test
    func `an empty server takes in a log page by page, and the same page twice changes nothing`()
        throws
    {
        let (rows, digests) = try log()
        let server = try TestServer(epoch: 8)
        let token = try server.login().access
        let first = HealRequest(after: 0, rows: Array(rows[..<3]), digest: digests[3])
        let full = HealAnswer(epoch: 8, head: LogNumber(3), digest: digests[3])
        // A page that came before changes nothing: it does not follow the head.
        for _ in 0..<2 {
            #expect(try HealAnswer.decoded(send(first, server, token).body) == full)
        }
        let rest = HealRequest(after: 3, rows: [rows[3]], digest: digests[4])
        let done = HealAnswer(epoch: 8, head: LogNumber(4), digest: digests[4])
        #expect(try HealAnswer.decoded(send(rest, server, token).body) == done)
        let reader = SyncRequest(
            device: Identifier(high: 9, low: 9), epoch: 0, cursor: 0, digest: .empty, pushed: [])
        let answer = try SyncAnswer.decoded(server.sync(reader, token: token).body)
        #expect(answer.rows.map(\.t) == rows.map(\.t) && answer.digest == digests[4])
    }

    @Test func `skeletons are taken in, served and recognised as what they were`() throws {
        let (rows, digests) = try log()
        let server = try TestServer(epoch: 8)
        let token = try server.login().access
        var given = rows
        for index in [0, 1] {
            let skeleton = try rows[index].body.withUnsafeBytes { try Skeleton(of: $0, through: 4) }
            given[index] = .init(t: rows[index].t, body: skeleton.encoded())
        }
        let request = HealRequest(after: 0, rows: given, digest: digests[4])
        let full = HealAnswer(epoch: 8, head: LogNumber(4), digest: digests[4])
        #expect(try HealAnswer.decoded(send(request, server, token).body) == full)
        let reader = SyncRequest(
            device: Identifier(high: 9, low: 9), epoch: 0, cursor: 0, digest: .empty, pushed: [])
        let answer = try SyncAnswer.decoded(server.sync(reader, token: token).body)
        #expect(answer.rows.map(\.content) == given.map { .event($0.body) })
        #expect(answer.digest == digests[4])
        // The phone's events, from before the server was lost, are known; others of the name are not.
        let phone = try EventHeader.checked(rows[0].body).dot.device
        func push(_ bodies: [[UInt8]]) -> HTTPResponse {
            var again = reader
            (again.device, again.epoch) = (phone, 8)
            again.pushed = bodies.map { .init(age: 0, body: $0) }
            return server.sync(again, token: token)
        }
        let known = try SyncAnswer.decoded(push([rows[0].body]).body)
        #expect(known.head == 4 && known.admitted == 2)
        var other = try Event.decoded(rows[0].body)
        other.wall += 1
        #expect(problem(push([other.encoded()])) == "dot_reuse")
        // No one pushes skeletons.
        #expect(problem(push([given[0].body])) == "malformed_event")
    }

    @Test func `rows that do not follow the head are not stored, and the log says its end`() throws
    {
        let (rows, digests) = try log()
        let server = try TestServer(epoch: 8)
        let token = try server.login().access
        _ = send(
            HealRequest(after: 0, rows: Array(rows[..<2]), digest: digests[2]), server, token)
        for after in [0, 1, 3, 70, .max] as [Int64] {
            let request = HealRequest(after: after, rows: [rows[3]], digest: digests[4])
            let answer = try HealAnswer.decoded(send(request, server, token).body)
            let end = HealAnswer(epoch: 8, head: LogNumber(2), digest: digests[2])
            #expect(answer == end, "\(after)")
        }
    }

    @Test func `what no server can have sealed is refused whole`() throws {
        let (rows, digests) = try log()
        let server = try TestServer(epoch: 8)
        let token = try server.login().access
        var swapped = rows
        swapped.swapAt(0, 2)
        var late = rows
        late[3] = .init(t: late[1].t, body: late[3].body)
        for (wrong, digest) in [
            (swapped, digests[4]), (late, digests[4]), (rows, digests[3]),
            (Array(rows.dropFirst(2)), digests[4]),
        ] {
            let answer = send(HealRequest(after: 0, rows: wrong, digest: digest), server, token)
            #expect(answer.status == 409 && problem(answer) == "divergent")
        }
        let broken = HealRequest(after: 0, rows: [.init(t: 1, body: [1])], digest: .empty)
        #expect(problem(send(broken, server, token)) == "malformed_event")
        // Its row would come back in every recovery as that of a device, which none can be.
        var zero = TestDevice(0)
        zero.record()
        let row = HealRequest.Row(t: 1, body: zero.own[0])
        let named = HealRequest(after: 0, rows: [row], digest: .empty)
        #expect(problem(send(named, server, token)) == "malformed_event")
        let none = HealRequest(after: 0, rows: [], digest: .empty)
        #expect(problem(send(none, server, token)) == "malformed_request")
        #expect(send(none, server, "x").status == 401)
    }

    @Test func `a log is recovered for its own account only`() throws {
        let (rows, digests) = try log()
        let server = try TestServer(epoch: 8)
        let (ana, ben) = (try server.login().access, try server.login("ben@example.org").access)
        _ = send(HealRequest(after: 0, rows: rows, digest: digests[4]), server, ana)
        let rest = HealRequest(after: 4, rows: [rows[0]], digest: .empty)
        #expect(try HealAnswer.decoded(send(rest, server, ben).body).head == 0)
    }

    @Test(.onSQLiteAlone)
    func `a renewed file has another epoch, its events, and no refresh token`() throws {
        let folder = ScratchFolder()
        let path = "\(folder.path)/server.db"
        let tokens: Tokens
        do {
            let server = try TestServer(folder: folder)
            tokens = try server.login()
            var phone = TestDevice(1)
            phone.record()
            _ = try phone.fold(server.sync(phone.request, token: tokens.access))
            server.server.close()
        }
        try ServerFile.renew(path, epoch: 11, endsSessions: false, now: 0)
        let contents = try ServerFile.check(path)
        #expect(contents.epoch == 11 && contents.events == 1 && contents.problems.isEmpty)
        let server = try TestServer(folder: folder)
        let refresh = server.post(
            "/v1/auth/refresh", ["refresh_token": .string(tokens.refresh)])
        #expect(refresh.status == 401)
        #expect(server.call("GET", "/v1/devices", token: tokens.access).status == 200)
        try ServerFile.renew(path, epoch: 12, endsSessions: true, now: 1)
        let other = try TestServer(folder: folder)
        #expect(other.call("GET", "/v1/devices", token: tokens.access).status == 401)
    }

    @Test(.onSQLiteAlone)
    func `verifying finds each kind of damage`() throws {
        for damage in [
            "UPDATE event SET body = x'00' WHERE seq = 2", "UPDATE event SET t = 1 WHERE seq = 2",
            "DELETE FROM event WHERE seq = 2",
            "UPDATE event SET digest = zeroblob(16) WHERE seq = 2", "UPDATE server SET epoch = 0",
        ] as [StaticString] {
            let folder = ScratchFolder()
            let path = "\(folder.path)/server.db"
            do {
                let server = try TestServer(folder: folder)
                let token = try server.login().access
                var phone = TestDevice(1)
                for _ in 0..<3 { phone.record() }
                _ = try phone.fold(server.sync(phone.request, token: token))
            }
            #expect(try ServerFile.check(path).problems.isEmpty)
            do {
                var connection = try Connection.open(path)
                try connection.run("DROP TRIGGER event_refuses_update")
                try connection.run("DROP TRIGGER event_refuses_delete")
                try connection.run(damage)
            }
            #expect(try !ServerFile.check(path).problems.isEmpty, "\(damage)")
        }
    }
}
