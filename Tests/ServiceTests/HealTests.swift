import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologSQLite
import MacrologService
import Testing

/// Goal: a log that lost its end gets back exactly that, from whichever device, and nothing else.
/// Method: logs that a first hub has sealed are brought to a second one, as they are and damaged.
@Suite struct HealTests {
    /// Four events of two devices, as a hub has sealed them.
    private func log() throws -> (rows: [HealRequest.Row], digests: [PrefixDigest]) {
        let hub = try TestHub()
        let token = try hub.login().access
        var (phone, laptop) = (TestDevice(1), TestDevice(2))
        for device in 0..<4 {
            if device % 2 == 0 {
                phone.record()
                _ = try phone.fold(hub.sync(phone.request, token: token))
            } else {
                laptop.record()
                _ = try laptop.fold(hub.sync(laptop.request, token: token))
            }
        }
        let reader = SyncRequest(
            device: Identifier(high: 9, low: 9), epoch: 0, cursor: 0, digest: .empty, pushed: [])
        let answer = try SyncAnswer.decoded(hub.sync(reader, token: token).body)
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

    private func send(_ request: HealRequest, _ hub: TestHub, _ token: String) -> HTTPResponse {
        hub.send(
            HTTPRequest(
                method: "POST", path: "/v1/heal",
                fields: [
                    HTTPField("Authorization", "Bearer \(token)"),
                    HTTPField("Content-Type", "application/cbor"),
                ], body: request.encoded()))
    }

    @Test func `an empty hub takes in a log page by page, and the same page twice changes nothing`()
        throws
    {
        let (rows, digests) = try log()
        let hub = try TestHub(epoch: 8)
        let token = try hub.login().access
        let first = HealRequest(marks: [], rows: Array(rows[..<3]), digest: digests[3])
        let full = HealAnswer(epoch: 8, head: 3, agreed: 3)
        #expect(try HealAnswer.decoded(send(first, hub, token).body) == full)
        // A page that came before says nothing new: its mark, which is none, is not the head.
        let again = HealAnswer(epoch: 8, head: 3, agreed: 0)
        #expect(try HealAnswer.decoded(send(first, hub, token).body) == again)
        let rest = HealRequest(
            marks: [.init(n: 3, digest: digests[3])], rows: [rows[3]], digest: digests[4])
        let done = HealAnswer(epoch: 8, head: 4, agreed: 4)
        #expect(try HealAnswer.decoded(send(rest, hub, token).body) == done)
        let reader = SyncRequest(
            device: Identifier(high: 9, low: 9), epoch: 0, cursor: 0, digest: .empty, pushed: [])
        let answer = try SyncAnswer.decoded(hub.sync(reader, token: token).body)
        #expect(answer.rows.map(\.t) == rows.map(\.t) && answer.digest == digests[4])
    }

    @Test func `skeletons are taken in, served and recognised as what they were`() throws {
        let (rows, digests) = try log()
        let hub = try TestHub(epoch: 8)
        let token = try hub.login().access
        var given = rows
        for index in [0, 1] {
            let skeleton = try rows[index].body.withUnsafeBytes { try Skeleton(of: $0, through: 4) }
            given[index] = .init(t: rows[index].t, body: skeleton.encoded())
        }
        let request = HealRequest(marks: [], rows: given, digest: digests[4])
        let full = HealAnswer(epoch: 8, head: 4, agreed: 4)
        #expect(try HealAnswer.decoded(send(request, hub, token).body) == full)
        let reader = SyncRequest(
            device: Identifier(high: 9, low: 9), epoch: 0, cursor: 0, digest: .empty, pushed: [])
        let answer = try SyncAnswer.decoded(hub.sync(reader, token: token).body)
        #expect(answer.rows.map(\.content) == given.map { .event($0.body) })
        #expect(answer.digest == digests[4])
        // The phone's events, from before the hub was lost, are known; others of the name are not.
        let phone = try EventHeader.checked(rows[0].body).dot.device
        func push(_ bodies: [[UInt8]]) -> HTTPResponse {
            var again = reader
            (again.device, again.epoch) = (phone, 8)
            again.pushed = bodies.map { .init(age: 0, body: $0) }
            return hub.sync(again, token: token)
        }
        let known = try SyncAnswer.decoded(push([rows[0].body]).body)
        #expect(known.head == 4 && known.admitted == 2)
        var other = try Event.decoded(rows[0].body)
        other.wall += 1
        #expect(problem(push([other.encoded()])) == "dot_reuse")
        // Nobody pushes skeletons.
        #expect(problem(push([given[0].body])) == "malformed_event")
    }

    @Test func `marks find the last number at which both logs are equal`() throws {
        let (rows, digests) = try log()
        let hub = try TestHub(epoch: 8)
        let token = try hub.login().access
        _ = send(HealRequest(marks: [], rows: rows, digest: digests[4]), hub, token)
        let request = HealRequest(
            marks: [
                .init(n: 1, digest: digests[1]), .init(n: 2, digest: digests[2]),
                .init(n: 3, digest: digests[1]), .init(n: 70, digest: digests[4]),
            ], rows: [], digest: digests[4])
        let answer = try HealAnswer.decoded(send(request, hub, token).body)
        #expect(answer == HealAnswer(epoch: 8, head: 4, agreed: 2))
    }

    @Test func `what no hub can have sealed is refused whole`() throws {
        let (rows, digests) = try log()
        let hub = try TestHub(epoch: 8)
        let token = try hub.login().access
        var swapped = rows
        swapped.swapAt(0, 2)
        var late = rows
        late[3] = .init(t: late[1].t, body: late[3].body)
        for (wrong, digest) in [
            (swapped, digests[4]), (late, digests[4]), (rows, digests[3]),
            (Array(rows.dropFirst(2)), digests[4]),
        ] {
            let answer = send(HealRequest(marks: [], rows: wrong, digest: digest), hub, token)
            #expect(answer.status == 409 && problem(answer) == "divergent")
        }
        let broken = HealRequest(marks: [], rows: [.init(t: 1, body: [1])], digest: .empty)
        #expect(problem(send(broken, hub, token)) == "malformed_event")
        let none = HealRequest(marks: [], rows: [], digest: .empty)
        let answer = try HealAnswer.decoded(send(none, hub, token).body)
        #expect(answer == HealAnswer(epoch: 8, head: 0, agreed: 0))
        #expect(send(none, hub, "x").status == 401)
    }

    @Test func `a log is healed for its own account only`() throws {
        let (rows, digests) = try log()
        let hub = try TestHub(epoch: 8)
        let (ana, ben) = (try hub.login().access, try hub.login("ben@example.org").access)
        _ = send(HealRequest(marks: [], rows: rows, digest: digests[4]), hub, ana)
        let none = HealRequest(marks: [], rows: [], digest: .empty)
        #expect(try HealAnswer.decoded(send(none, hub, ben).body).head == 0)
    }

    @Test func `a renewed file has another epoch, its events, and no refresh token`() throws {
        let folder = Folder()
        let path = "\(folder.path)/hub.db"
        let tokens: Tokens
        do {
            let hub = try TestHub(folder: folder)
            tokens = try hub.login()
            var phone = TestDevice(1)
            phone.record()
            _ = try phone.fold(hub.sync(phone.request, token: tokens.access))
            hub.hub.close()
        }
        try HubFile.renew(path, epoch: 11, endsSessions: false, now: 0)
        let contents = try HubFile.check(path)
        #expect(contents.epoch == 11 && contents.events == 1 && contents.problems.isEmpty)
        let hub = try TestHub(folder: folder)
        let refresh = hub.post(
            "/v1/auth/refresh", ["refresh_token": .string(tokens.refresh)])
        #expect(refresh.status == 401)
        #expect(hub.call("GET", "/v1/devices", token: tokens.access).status == 200)
        try HubFile.renew(path, epoch: 12, endsSessions: true, now: 1)
        let other = try TestHub(folder: folder)
        #expect(other.call("GET", "/v1/devices", token: tokens.access).status == 401)
    }

    @Test func `verifying finds each kind of damage`() throws {
        for damage in [
            "UPDATE event SET body = x'00' WHERE seq = 2", "UPDATE event SET t = 1 WHERE seq = 2",
            "DELETE FROM event WHERE seq = 2",
            "UPDATE event SET digest = zeroblob(16) WHERE seq = 2", "UPDATE hub SET epoch = 0",
        ] as [StaticString] {
            let folder = Folder()
            let path = "\(folder.path)/hub.db"
            do {
                let hub = try TestHub(folder: folder)
                let token = try hub.login().access
                var phone = TestDevice(1)
                for _ in 0..<3 { phone.record() }
                _ = try phone.fold(hub.sync(phone.request, token: token))
            }
            #expect(try HubFile.check(path).problems.isEmpty)
            do {
                var connection = try Connection.open(path)
                try connection.run("DROP TRIGGER event_refuses_update")
                try connection.run("DROP TRIGGER event_refuses_delete")
                try connection.run(damage)
            }
            #expect(try !HubFile.check(path).problems.isEmpty, "\(damage)")
        }
    }
}
