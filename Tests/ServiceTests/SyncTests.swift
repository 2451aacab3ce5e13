import MacrologEvents
import MacrologWire
import MacrologGzip
import MacrologHTTP
import MacrologJSON
import MacrologService
import MacrologTestSupport
import Testing
import MacrologZstd

/// Goal: the server keeps one log for each account, in one order, whatever devices and networks do.
/// Method: the service called as a function, with devices that sum the digest themselves.
@Suite(.onBothStores) struct EngineTests {
    @Test func `two devices exchange what they recorded`() throws {
        let server = try TestServer()
        let token = try server.login().access
        var phone = TestDevice(1)
        var laptop = TestDevice(2)
        phone.record("oats")
        laptop.record("eggs")
        laptop.record("tea")
        _ = try phone.fold(server.sync(phone.request, token: token))
        let answer = try laptop.fold(server.sync(laptop.request, token: token))
        #expect(answer.epoch == 7 && answer.head == 3 && answer.admitted == 2)
        _ = try phone.fold(server.sync(phone.request, token: token))
        #expect(phone.log == laptop.log && phone.log.count == 3)
        #expect(phone.digest == laptop.digest)
        #expect(phone.waiting.isEmpty && laptop.waiting.isEmpty)
    }

    @Test func `a retry admits nothing twice and gets the same seals`() throws {
        let server = try TestServer()
        let token = try server.login().access
        var phone = TestDevice(1)
        phone.record("oats")
        phone.record("eggs")
        let first = server.sync(phone.request, token: token)
        server.advance(seconds: 60)
        let second = server.sync(phone.request, token: token)
        let rows = try SyncAnswer.decoded(first.body).rows
        #expect(try SyncAnswer.decoded(second.body).rows == rows)
        // A retry that carries something new besides.
        phone.record("tea")
        let third = try phone.fold(server.sync(phone.request, token: token))
        #expect(third.head == 3 && Array(third.rows.prefix(2)) == rows)
    }

    @Test func `another event of a known number is refused and nothing of its push is admitted`()
        throws
    {
        let server = try TestServer()
        let token = try server.login().access
        var phone = TestDevice(1)
        phone.record("oats")
        _ = server.sync(phone.request, token: token)
        var clone = TestDevice(1)
        clone.record("eggs")
        clone.record("tea")
        let answer = server.sync(clone.request, token: token)
        #expect(answer.status == 409 && problem(answer) == "dot_reuse")
        #expect(try JSON.parse(answer.body)["seq"]?.integer == 1)
        #expect(try phone.fold(server.sync(phone.request, token: token)).head == 1)
    }

    @Test func `a gap is refused and names the number that is expected`() throws {
        let server = try TestServer()
        let token = try server.login().access
        var phone = TestDevice(1)
        for _ in 0..<3 { phone.record() }
        var request = phone.request
        request.pushed.removeFirst(2)
        let answer = server.sync(request, token: token)
        #expect(answer.status == 409 && problem(answer) == "expected_seq")
        #expect(try JSON.parse(answer.body)["seq"]?.integer == 1)
    }

    @Test func `of a push with a gap inside, what comes before the gap is admitted`() throws {
        let server = try TestServer()
        let token = try server.login().access
        var phone = TestDevice(1)
        for _ in 0..<4 { phone.record() }
        var request = phone.request
        request.pushed.remove(at: 2)
        let answer = try SyncAnswer.decoded(server.sync(request, token: token).body)
        #expect(answer.admitted == 2 && answer.head == 2)
    }

    @Test func `sealed times extend causality and never lie in the future`() throws {
        let server = try TestServer()
        let token = try server.login().access
        let now = server.clock.now
        func time(_ ms: Int64, _ counter: Int64 = 0) -> Int64 { ms << 16 + counter }
        var phone = TestDevice(1)
        var laptop = TestDevice(2)
        phone.record("old", age: 1_000)
        phone.record("from the future", age: -5_000)
        phone.record("before its predecessor", age: 9_000)
        var answer = try phone.fold(server.sync(phone.request, token: token))
        #expect(answer.rows.map(\.t.rawValue) == [time(now - 1_000), time(now), time(now, 1)])
        _ = try laptop.fold(server.sync(laptop.request, token: token))
        laptop.record("has seen all that", age: 50_000)
        answer = try laptop.fold(server.sync(laptop.request, token: token))
        #expect(answer.rows.map(\.t.rawValue) == [time(now, 2)])
        // One that has seen nothing of it keeps its own time.
        var tablet = TestDevice(3)
        tablet.record("alone", age: 50_000)
        answer = try tablet.fold(server.sync(tablet.request, token: token))
        #expect(answer.rows.last?.t == time(now - 50_000))
        // One whose base lies before the tablet's event is bound by the base alone.
        phone.record("in the middle of the log", age: 0)
        answer = try phone.fold(server.sync(phone.request, token: token))
        #expect(answer.rows.last?.t == time(now, 2))
    }

    @Test(arguments: [false, true])
    func `a base that lies below the one before is refused`(afterRestart: Bool) throws {
        let folder = ScratchFolder()
        var server = try TestServer(folder: folder)
        let token = try server.login().access
        var phone = TestDevice(1)
        phone.record("first")
        phone.record("second")
        _ = try phone.fold(server.sync(phone.request, token: token))
        phone.record("has seen two")
        _ = try phone.fold(server.sync(phone.request, token: token))
        if afterRestart { server = try TestServer(folder: folder) }
        var forgetful = phone
        forgetful.cursor = 1
        forgetful.record("says that it has seen one")
        forgetful.cursor = phone.cursor
        let answer = server.sync(forgetful.request, token: token)
        #expect(answer.status == 409 && problem(answer) == "divergent")
        // Within one push, too, and then nothing of it is admitted.
        forgetful = phone
        forgetful.record("has seen three")
        forgetful.cursor = 2
        forgetful.record("says that it has seen two")
        forgetful.cursor = phone.cursor
        #expect(problem(server.sync(forgetful.request, token: token)) == "divergent")
        phone.record("continues")
        #expect(try phone.fold(server.sync(phone.request, token: token)).head == 4)
    }

    @Test func `another version of the protocol gets the supported ones`() throws {
        let server = try TestServer()
        let token = try server.login().access
        var request = TestDevice(1).request
        request.version = 2
        let answer = server.sync(request, token: token)
        #expect(answer.status == 426 && problem(answer) == "unsupported_version")
        #expect(try JSON.parse(answer.body)["version"]?.integer == 1)
        // Whatever else a later version may have: here, one key and nothing more.
        #expect(server.sync(request, token: token) { _ in [0xA1, 0x00, 0x02] }.status == 426)
    }

    @Test(
        arguments: [
            (
                1...1, Int64(2), "version 1 of the protocol, and the device version 2.",
                "Update the software of the server."
            ),
            (
                2...3, 1, "versions 2 to 3 of the protocol, and the device version 1.",
                "Update the software of the device."
            ),
        ] as [(ClosedRange<Int64>, Int64, String, String)])
    func `a refused version gets what is supported and whose software to update`(
        supported: ClosedRange<Int64>, asked: Int64, words: String, remedy: String
    ) throws {
        let server = try TestServer { $0.versions = supported }
        let token = try server.login().access
        var request = TestDevice(1).request
        request.version = asked
        let sync = server.sync(request, token: token)
        let recover = server.send(
            HTTPRequest(
                method: "POST", path: "/v1/heal",
                fields: [
                    HTTPField("content-type", "application/cbor"),
                    HTTPField("authorization", "Bearer \(token)"),
                ],
                body: HealRequest(
                    version: asked, after: 0, rows: [.init(t: 1, body: [0])], digest: .empty
                ).encoded())
        )
        for answer in [sync, recover] {
            #expect(answer.status == 426 && problem(answer) == "unsupported_version")
            let told = try JSON.parse(answer.body)
            #expect(told["title"]?.string == "This server speaks \(words) \(remedy)")
            #expect(told["oldest"]?.integer == supported.lowerBound)
            #expect(told["version"]?.integer == supported.upperBound)
        }
        request.version = supported.lowerBound
        #expect(server.sync(request, token: token).status == 200)
    }

    @Test func `pages are bounded by events and by bytes and end with their digest`() throws {
        let server = try TestServer()
        let token = try server.login().access
        var phone = TestDevice(1)
        for round in 0..<3 {
            for index in 0..<200 { phone.record("meal \(round) \(index)") }
            _ = try phone.fold(server.sync(phone.request, token: token))
        }
        var laptop = TestDevice(2)
        let first = try laptop.fold(server.sync(laptop.request, token: token))
        #expect(first.rows.count == 500 && first.head == 600)
        var request = laptop.request
        request.eventsMax = 30
        #expect(try laptop.fold(server.sync(request, token: token)).rows.count == 30)
        request = laptop.request
        request.bytesMax = 200
        #expect((1...2).contains(try laptop.fold(server.sync(request, token: token)).rows.count))
        request = laptop.request
        request.bytesMax = 0
        #expect(try laptop.fold(server.sync(request, token: token)).rows.count == 1)
        while laptop.cursor < 600 {
            _ = try laptop.fold(server.sync(laptop.request, token: token))
        }
        #expect(laptop.log == phone.log)
    }

    @Test func `a device whose log differs gets an error and nothing is admitted`() throws {
        let server = try TestServer()
        let token = try server.login().access
        var phone = TestDevice(1)
        phone.record("oats")
        _ = try phone.fold(server.sync(phone.request, token: token))
        phone.record("eggs")
        var request = phone.request
        request.digest.add(hash: .zero, seal: Seal(n: 9, t: 9))
        #expect(problem(server.sync(request, token: token)) == "divergent")
        request = phone.request
        request.cursor = LogNumber(2)
        #expect(problem(server.sync(request, token: token)) == "epoch_changed")
        request = phone.request
        request.epoch = 8
        #expect(problem(server.sync(request, token: token)) == "epoch_changed")
        #expect(try phone.fold(server.sync(phone.request, token: token)).head == 2)
    }

    @Test func `an event that is not one, or of another device, is refused`() throws {
        let server = try TestServer()
        let token = try server.login().access
        var phone = TestDevice(1)
        phone.record()
        var request = phone.request
        request.pushed[0] = SyncRequest.Pushed(age: 0, body: [0xA0])
        #expect(problem(server.sync(request, token: token)) == "malformed_event")
        var other = TestDevice(2)
        other.record()
        request.pushed = other.request.pushed
        #expect(problem(server.sync(request, token: token)) == "malformed_event")
        var ahead = TestDevice(1)
        (ahead.epoch, ahead.cursor) = (7, 40)
        ahead.record()
        request.pushed = ahead.waiting
        #expect(problem(server.sync(request, token: token)) == "divergent")
        ahead = TestDevice(1)
        // Of another epoch, and beyond what was found equal.
        (ahead.epoch, ahead.cursor) = (6, 1)
        ahead.record()
        request.pushed = ahead.waiting
        #expect(problem(server.sync(request, token: token)) == "epoch_changed")
        request = phone.request
        request.version = 2
        #expect(problem(server.sync(request, token: token)) == "unsupported_version")
        #expect(try phone.fold(server.sync(phone.request, token: token)).head == 1)
    }

    @Test func `bodies may be compressed both ways and no bomb gets through`() throws {
        let server = try TestServer()
        let token = try server.login().access
        var phone = TestDevice(1)
        for index in 0..<50 { phone.record("meal \(index)") }
        let zip = server.sync(
            phone.request, token: token, fields: [HTTPField("Content-Encoding", "gzip")]
        ) { gzip($0) }
        #expect(zip.status == 200)
        _ = try phone.fold(zip)
        phone.record()
        let zst = server.sync(
            phone.request, token: token, fields: [HTTPField("Content-Encoding", "zstd")]
        ) { bytes in
            var encoder = ZstdEncoder()
            return encoder.encode(bytes)
        }
        _ = try phone.fold(zst)
        let laptop = TestDevice(2)
        for (accepted, used) in [
            ("gzip", "gzip"), ("gzip, zstd", "zstd"), ("zstd;q=0, gzip;q=0.5", "gzip"),
            ("br", nil), ("gzip;q=0", nil), ("gzip;q=0.0", nil), ("", nil),
        ] as [(String, String?)] {
            let answer = server.sync(
                laptop.request, token: token, fields: [HTTPField("Accept-Encoding", accepted)])
            #expect(answer.field("content-encoding") == used, "\(accepted)")
            var plain = answer.body
            if used == "gzip" { plain = try gunzip(answer.body, limit: 1 << 20) }
            if used == "zstd" {
                var decoder = ZstdDecoder()
                plain = try decoder.decode(answer.body, limit: 1 << 20)
            }
            #expect(try SyncAnswer.decoded(plain).rows.count == 51)
        }
        let bomb = server.sync(
            phone.request, token: token, fields: [HTTPField("Content-Encoding", "gzip")]
        ) { _ in gzip([UInt8](repeating: 0, count: 50 << 20)) }
        #expect(bomb.status == 413)
        let other = server.sync(
            phone.request, token: token, fields: [HTTPField("Content-Encoding", "br")])
        #expect(other.status == 415)
        let broken = server.sync(
            phone.request, token: token, fields: [HTTPField("Content-Encoding", "zstd")])
        #expect(broken.status == 400)
    }

    @Test func `an idle sync is small`() throws {
        let server = try TestServer()
        let token = try server.login().access
        var phone = TestDevice(1)
        phone.record()
        _ = try phone.fold(server.sync(phone.request, token: token))
        #expect(phone.request.encoded().count <= 300)
        #expect(server.sync(phone.request, token: token).body.count <= 300)
    }

    @Test func `the log survives the process and keeps its epoch`() throws {
        let folder = ScratchFolder()
        var phone = TestDevice(1)
        do {
            let server = try TestServer(folder: folder)
            let token = try server.login().access
            phone.record("oats")
            _ = try phone.fold(server.sync(phone.request, token: token))
        }
        let server = try TestServer(folder: folder, epoch: 99)
        let token = try server.login().access
        phone.record("eggs")
        let answer = try phone.fold(server.sync(phone.request, token: token))
        #expect(answer.epoch == 7 && answer.head == 2 && answer.admitted == 2)
    }

    @Test func `too many syncs are asked to wait`() throws {
        let server = try TestServer { settings in
            settings.rates[.pushByAccount] = Rate(burst: 2, interval: 1_000)
            settings.rates[.pullBySession] = Rate(burst: 3, interval: 500)
        }
        let token = try server.login().access
        var phone = TestDevice(1)
        for _ in 0..<3 { #expect(server.sync(phone.request, token: token).status == 200) }
        let refused = server.sync(phone.request, token: token)
        #expect(refused.status == 429 && refused.field("retry-after") == "1")
        phone.record()
        for _ in 0..<2 { #expect(server.sync(phone.request, token: token).status == 200) }
        #expect(server.sync(phone.request, token: token).status == 429)
        server.advance(seconds: 1)
        #expect(server.sync(phone.request, token: token).status == 200)
    }
}
