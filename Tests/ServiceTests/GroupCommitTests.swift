import MacrologEvents
import MacrologWire
import MacrologHTTP
import Synchronization
import Testing

import MacrologService
import MacrologTestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Goal: many pushes share one commit, each keeps its own fate, and accounts never meet.
/// Method: pushes of many devices queued before any of them is answered; the store counts.
@Suite struct GroupCommitTests {
    @Test func `pushes that wait together share commits and all become durable`() throws {
        let server = try TestServer()
        let token = try server.login().access
        let before = server.store.commits
        let answers = (1...200).map { number in
            var device = TestDevice(UInt64(number))
            device.record("meal \(number)")
            return sendAsync(device.request, token: token, server)
        }
        for answered in answers {
            #expect(try SyncAnswer.decoded(answered.get().body).admitted == 1)
        }
        let commits = server.store.commits - before
        #expect(commits < 200, "\(commits) commits for 200 pushes")
        var reader = TestDevice(999)
        #expect(try reader.fold(server.sync(reader.request, token: token)).rows.count == 200)
    }

    @Test func `one refused push does not spoil the others of its batch`() throws {
        let server = try TestServer()
        let token = try server.login().access
        var phone = TestDevice(1)
        phone.record("oats")
        _ = server.sync(phone.request, token: token)
        var clone = TestDevice(1)
        clone.record("not oats")
        let answers = (2...60).map { number in
            if number % 3 == 0 { return (false, sendAsync(clone.request, token: token, server)) }
            var device = TestDevice(UInt64(number))
            device.record("meal \(number)")
            return (true, sendAsync(device.request, token: token, server))
        }
        for (isGood, answered) in answers {
            #expect(answered.get().status == (isGood ? 200 : 409))
        }
    }

    @Test func `a change that fails within a transaction fails alone`() throws {
        let server = try TestServer()
        _ = try server.login()
        let results = Mutex<[Int64: Bool]>([:])
        for number in 1...60 as ClosedRange<Int64> {
            var device = TestDevice(UInt64(number))
            device.record()
            let body = device.waiting[0].body
            let event = PushedEvent(
                header: try EventHeader.checked(body),
                hash: body.withUnsafeBytes { SHA256.words($0) }, age: .zero, mentions: [],
                body: body)
            // No account owns space 99, so the database refuses its rows.
            let push = Push(
                space: number % 5 == 0 ? 99 : 1, device: device.id, events: [event],
                now: server.clock.now)
            server.store.push(push) { result in
                let isGood = if case .success(.admitted) = result { true } else { false }
                results.withLock { $0[number] = isGood }
            }
        }
        while results.withLock({ $0.count }) < 60 { sched_yield() }
        let outcome = results.withLock { $0 }
        #expect(outcome.allSatisfy { $0.value == ($0.key % 5 != 0) })
        #expect(try server.store.head(of: 1).n == 48)
        #expect(try server.store.head(of: 99).n == 0)
    }

    @Test func `an account that pushes as fast as it can does not hold up another`() throws {
        let server = try TestServer()
        for name in ["loud", "calm"] { _ = try server.login("\(name)@example.org") }
        func push(_ space: Int64, _ number: UInt64, events count: Int) throws -> Push {
            var device = TestDevice(number)
            for _ in 0..<count { device.record("meal") }
            let events = try device.waiting.map { waiting in
                PushedEvent(
                    header: try EventHeader.checked(waiting.body),
                    hash: waiting.body.withUnsafeBytes { SHA256.words($0) }, age: .zero,
                    mentions: [], body: waiting.body)
            }
            return Push(space: space, device: device.id, events: events, now: server.clock.now)
        }
        let loud = try (1...20).map { try push(1, $0, events: 400) }
        let calm = try push(2, 99, events: 1)
        let answered = Mutex(0)
        let ahead = Mutex<Int?>(nil)
        for push in loud { server.store.push(push) { _ in answered.withLock { $0 += 1 } } }
        let before = answered.withLock { $0 }
        server.store.push(calm) { _ in
            let now = answered.withLock { $0 }
            ahead.withLock { $0 = now - before }
        }
        while answered.withLock({ $0 }) < 20 || ahead.withLock({ $0 }) == nil { sched_yield() }
        // The transaction in progress, and its own, have one push of the other account each.
        let count = ahead.withLock { $0 } ?? .max
        #expect(count <= 4, "\(count) pushes of the loud account came first")
        #expect(try server.store.head(of: 1).n == 8_000)
        #expect(try server.store.head(of: 2).n == 1)
    }

    @Test func `accounts never see each other's events, counts or devices`() throws {
        let server = try TestServer()
        let people = try (0..<20).map { try server.login("person\($0)@example.org").access }
        // All use the same device names and the same texts, as badly as can be.
        var devices = people.map { _ in [TestDevice(1), TestDevice(2)] }
        var dice = Dice(seed: 42)
        for step in 0..<400 {
            let person = Int(dice.next() % 20)
            let device = Int(dice.next() % 2)
            if dice.next() % 3 > 0 { devices[person][device].record("meal \(step % 7)") }
            let response = server.sync(devices[person][device].request, token: people[person])
            _ = try devices[person][device].fold(response)
        }
        for person in people.indices {
            for device in 0..<2 {
                _ = try devices[person][device].fold(
                    server.sync(devices[person][device].request, token: people[person]))
            }
            for device in 0..<2 {
                let response = server.sync(devices[person][device].request, token: people[person])
                let answer = try devices[person][device].fold(response)
                #expect(answer.head == devices[person].reduce(0) { $0 + $1.seq })
                #expect(answer.admitted == devices[person][device].seq)
                // The log holds nothing but what this person's devices recorded.
                let own = Set(devices[person].flatMap(\.own).map { SHA256.hash($0) })
                #expect(Set(devices[person][device].log) == own)
            }
            #expect(devices[person][0].log == devices[person][1].log)
        }
    }

    private func sendAsync(_ request: SyncRequest, token: String, _ server: TestServer) -> Answered
    {
        let answered = Answered()
        server.server.respond(
            to: HTTPRequest(
                method: "POST", path: "/v1/sync",
                fields: [
                    HTTPField("Authorization", "Bearer \(token)"),
                    HTTPField("Content-Type", "application/cbor"),
                ], body: request.encoded())
        ) { answered.set($0) }
        return answered
    }
}
