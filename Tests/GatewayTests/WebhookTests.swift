import MacrologEvents
import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologSQLite
import MacrologSystem
import MacrologTestSupport
import MacrologWire
import Testing

/// Goal: what a person wants to be told reaches the address once, signed, whatever the receiver does and whenever the
/// server stops; and no address leads into the operator's network.
/// Method: real receivers on this computer, and a server clock that is moved.
@Suite struct WebhookTests {
    /// A server whose operator allows receivers on this computer.
    private func world(
        in scratch: ScratchFolder = ScratchFolder(), private reachesPrivate: Bool = true,
        pauses: [Int64] = [0, 0], attempt: Int = 10_000, countMax: Int64 = 10
    ) throws -> GatewayWorld {
        try GatewayWorld(in: scratch) {
            $0.requestsPerHour = nil
            var settings = WebhookSettings(reachesPrivate: reachesPrivate, countMax: countMax)
            settings.pauses = pauses
            settings.attemptMilliseconds = attempt
            settings.growthPause = 0
            $0.webhooks = settings
        }
    }

    /// Ticks until something has happened.
    private func ticked(_ world: GatewayWorld, _ hasHappened: () -> Bool) -> Bool {
        eventually(every: 10) {
            world.gateway.tickWebhooks()
            return hasHappened()
        }
    }

    private func add(
        _ client: Client, _ url: String, _ events: JSON = ["reminder.due", "milestone.reached"]
    ) throws -> (id: String, secret: String) {
        let made = client.call(
            "POST", "/api/v1/webhooks", ["url": .string(url), "events": events])
        #expect(made.status == 201, "\(made.text)")
        return (try #require(made.json["id"]?.string), try #require(made.json["secret"]?.string))
    }

    private func listed(_ client: Client, _ id: String) -> JSON? {
        client.get("/api/v1/webhooks").json.array?.first { $0["id"]?.string == id }
    }

    /// HMAC as RFC 2104 writes it.
    private func hmac(_ key: [UInt8], _ text: [UInt8]) -> [UInt8] {
        let block = key + [UInt8](repeating: 0, count: 64 - key.count)
        let inner = SHA256.hash(block.map { $0 ^ 0x36 } + text)
        return SHA256.hash(block.map { $0 ^ 0x5C } + inner)
    }

    private func base64(_ text: Substring) -> [UInt8] {
        let letters = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var bits = 0
        var (value, bytes): (UInt32, [UInt8]) = (0, [])
        for letter in text.utf8 where letter != UInt8(ascii: "=") {
            value = value << 6 | UInt32(letters.firstIndex(of: letter) ?? 0)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(bits)))
            }
        }
        return bytes
    }

    @Test func `the log says why the server failed`() throws {
        let world = try world()
        let ana = try world.logIn()
        _ = try add(ana, "http://127.0.0.1:9/")
        var db = try Connection.open(world.scratch.file("server.db"))
        try db.run("ALTER TABLE webhook RENAME TO lost")
        #expect(ana.get("/api/v1/webhooks").status == 500)
        #expect(world.notes.contains { $0.contains("FROM webhook WHERE") }, "\(world.notes)")
        let before = world.notes.count
        world.gateway.tickWebhooks()
        #expect(world.notes.count > before)
    }

    @Test func `a message is signed with the secret, which is shown once`() throws {
        // RFC 4231, test case 2.
        #expect(
            hexadecimal(hmac(Array("Jefe".utf8), Array("what do ya want for nothing?".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let receiver = try ModelServer([.json(204, .null)])
        let world = try world()
        let ana = try world.logIn()
        let (id, secret) = try add(ana, receiver.address + "/a/hook?key=1")
        #expect(listed(ana, id)?["secret"] == nil)
        let test = ana.call("POST", "/api/v1/webhooks/\(id)/test")
        #expect(test.status == 202)
        #expect(ticked(world) { listed(ana, id)?["last_attempt"]?["delivered"] == true })

        let request = try #require(receiver.requests.first)
        #expect(request.method == "POST" && request.path == "/a/hook" && request.query == "key=1")
        let message = try #require(request.field("webhook-id"))
        #expect(test.json["message_id"]?.string == message)
        let time = try #require(request.field("webhook-timestamp"))
        let signed = Array("\(message).\(time).".utf8) + request.body
        let given = try #require(request.field("webhook-signature"))
        #expect(given.hasPrefix("v1,"))
        let key = base64(secret.dropFirst(6))
        #expect(key.count == 32 && base64(given.dropFirst(3)) == hmac(key, signed))
        let body = try JSON.parse(request.body)
        #expect(body["type"] == "test" && body["webhook_id"]?.string == id)
    }

    @Test func `a message that fails is sent again, with the same id, and then no more`() throws {
        let receiver = try ModelServer([.json(500, .null), .json(503, .null), .json(200, .null)])
        let world = try world()
        let ana = try world.logIn()
        let (id, _) = try add(ana, receiver.address)
        #expect(ana.call("POST", "/api/v1/webhooks/\(id)/test").status == 202)
        #expect(ticked(world) { listed(ana, id)?["last_attempt"]?["delivered"] == true })
        #expect(listed(ana, id)?["waiting_messages"] == 0)
        for _ in 0..<20 { world.gateway.tickWebhooks() }
        #expect(receiver.requests.count == 3)
        #expect(Set(receiver.requests.compactMap { $0.field("webhook-id") }).count == 1)

        // One that never works is given up; ten of them in a row, and nothing more is sent.
        let broken = try ModelServer([.json(500, .null)])
        let (other, _) = try add(ana, broken.address)
        for count in 1...10 {
            #expect(ana.call("POST", "/api/v1/webhooks/\(other)/test").status == 202)
            #expect(ticked(world) { broken.requests.count == 3 * count })
            #expect(ticked(world) { listed(ana, other)?["waiting_messages"] == 0 })
        }
        #expect(listed(ana, other)?["stopped"] == "failing")
        #expect(listed(ana, other)?["last_attempt"]?["failure"] == "it answered 500")
        #expect(world.notes.isEmpty, "\(world.notes)")
    }

    @Test func `a slow receiver is left, and holds up no other account`() throws {
        let slow = try ModelServer([.never])
        let quick = try ModelServer([.json(200, .null)])
        let world = try world(pauses: [], attempt: 300)
        let (ana, ben) = (try world.logIn(), try world.logIn("ben@example.org"))
        var mine: [String] = []
        for _ in 0..<6 { mine.append(try add(ana, slow.address).id) }
        for id in mine { #expect(ana.call("POST", "/api/v1/webhooks/\(id)/test").status == 202) }
        let (id, _) = try add(ben, quick.address)
        #expect(ben.call("POST", "/api/v1/webhooks/\(id)/test").status == 202)
        #expect(ticked(world) { quick.requests.count == 1 })
        #expect(ticked(world) { mine.allSatisfy { listed(ana, $0)?["last_attempt"] != .null } })
        let failure = listed(ana, mine[0])?["last_attempt"]?["failure"]
        #expect(failure == "it did not answer in time")
    }

    @Test func `a redirect is not followed, and 410 ends it until a message is taken`() throws {
        let target = try ModelServer([.json(200, .null)])
        let moved = try ModelServer([
            .json(302, .null, [HTTPField("location", target.address + "/secret")])
        ])
        let world = try world(pauses: [])
        let ana = try world.logIn()
        let (id, _) = try add(ana, moved.address)
        #expect(ana.call("POST", "/api/v1/webhooks/\(id)/test").status == 202)
        #expect(ticked(world) { listed(ana, id)?["last_attempt"] != .null })
        #expect(listed(ana, id)?["last_attempt"]?["status"] == 302)
        #expect(moved.requests.count == 1 && target.requests.isEmpty)

        let gone = try ModelServer([.json(410, .null), .json(200, .null)])
        let (other, _) = try add(ana, gone.address)
        #expect(ana.call("POST", "/api/v1/webhooks/\(other)/test").status == 202)
        #expect(ticked(world) { listed(ana, other)?["stopped"] == "gone" })
        #expect(ana.call("POST", "/api/v1/webhooks/\(other)/test").status == 202)
        #expect(ticked(world) { listed(ana, other)?["stopped"] == .null })
    }

    @Test func `no address leads into the operator's network, however it is written`() throws {
        let receiver = try ModelServer([.json(200, .null)])
        let port = receiver.address.split(separator: ":").last ?? ""
        let world = try world(private: false, pauses: [])
        let ana = try world.logIn()
        for url in [
            receiver.address, "https://127.0.0.1:\(port)", "https://localhost:\(port)/",
            "https://[::1]:\(port)", "https://[::ffff:10.0.0.1]", "https://10.1.2.3/x",
            "https://169.254.169.254/latest/meta-data", "https://192.168.1.1", "ftp://example.org",
            "https://user@example.org", "https://", "https://example.org/#x", "", "x",
            "https://example.org/ a", "https://example.org:99999", "https:/x/example.org/a",
        ] {
            let refused = ana.call("POST", "/api/v1/webhooks", ["url": .string(url)])
            #expect(refused.status == 422 && refused.json["pointer"] == "#/url", "\(url)")
        }
        // These are found to be private, or nothing, when the connection is opened.
        for host in ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "nowhere.invalid"] {
            let (id, _) = try add(ana, "https://\(host):\(port)/")
            #expect(ana.call("POST", "/api/v1/webhooks/\(id)/test").status == 202)
            #expect(ticked(world) { listed(ana, id)?["last_attempt"] != .null })
            let failure = listed(ana, id)?["last_attempt"]?["failure"]
            // Whether there is a host of that name is not told.
            #expect(
                failure == "it cannot be reached, or not at an address of the public Internet",
                "\(host)")
        }
        #expect(receiver.requests.isEmpty)
    }

    @Test func `what waits is sent after a restart, and what was sent is not sent again`() throws {
        let scratch = ScratchFolder()
        let receiver = try ModelServer([.json(500, .null), .json(200, .null)])
        let first = try world(in: scratch, pauses: [60_000])
        let ana = try first.logIn()
        let (id, _) = try add(ana, receiver.address)
        #expect(ana.call("POST", "/api/v1/webhooks/\(id)/test").status == 202)
        #expect(ticked(first) { listed(ana, id)?["last_attempt"] != .null })
        #expect(listed(ana, id)?["waiting_messages"] == 1)
        first.stop()

        let second = try world(in: scratch, pauses: [60_000])
        second.gateway.tickWebhooks()
        #expect(receiver.requests.count == 1)
        second.stopClock(at: SystemClock.wallMilliseconds + 120_000)
        let again = try second.logIn()
        #expect(ticked(second) { listed(again, id)?["waiting_messages"] == 0 })
        #expect(Set(receiver.requests.compactMap { $0.field("webhook-id") }).count == 1)
        second.stop()
        let third = try world(in: scratch, pauses: [60_000])
        for _ in 0..<10 { third.gateway.tickWebhooks() }
        third.stop()
        #expect(receiver.requests.count == 2)
    }

    @Test func `a reminder is sent when it is due, once, unless what it asks for is there`() throws
    {
        let scratch = ScratchFolder()
        let receiver = try ModelServer([.json(200, .null)])
        let first = try world(in: scratch)
        let ana = try first.logIn()
        let now = SystemClock.wallMilliseconds
        first.stopClock(at: now)
        let (id, _) = try add(ana, receiver.address, ["reminder.due"])
        func time(in minutes: Int64) -> JSON {
            let minute = (now / 60_000 + minutes) % 1_440
            func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
            return .string("\(two(minute / 60)):\(two(minute % 60))")
        }
        for body in [
            ["kind": "water", "time": time(in: 3)],
            ["kind": "weight", "time": time(in: 3)],
        ] as [JSON] {
            #expect(ana.call("POST", "/api/v1/reminders", body).status == 201)
        }
        #expect(ana.call("POST", "/api/v1/weights", ["weight_kg": 80]).status == 201)
        for _ in 0..<10 { first.gateway.tickWebhooks() }
        #expect(receiver.requests.isEmpty)
        first.stopClock(at: now + 180_000)
        // The weight of this day, wherever midnight is.
        let isSameDay = (now + 180_000) / 86_400_000 == now / 86_400_000
        let expected = isSameDay ? 1 : 2
        #expect(ticked(first) { receiver.requests.count == expected })
        #expect(ticked(first) { listed(ana, id)?["waiting_messages"] == 0 })
        let body = try JSON.parse(try #require(receiver.requests.last).body)
        #expect(body["type"] == "reminder.due" && body["data"]?["time"] == time(in: 3))
        #expect(isSameDay ? body["data"]?["kind"] == "water" : true)
        // Not again: not later, and not after the replica and the process are gone.
        first.stopClock(at: now + 240_000)
        for _ in 0..<10 { first.gateway.tickWebhooks() }
        first.stop()
        Files.removeAll(first.folder)
        let second = try world(in: scratch)
        second.stopClock(at: now + 300_000)
        let again = try second.logIn()
        #expect(again.call("POST", "/api/v1/quick", ["line": "200 kcal snack"]).status < 300)
        for _ in 0..<20 { second.gateway.tickWebhooks() }
        second.stop()
        #expect(receiver.requests.count == expected)
    }

    @Test func `a streak is sent when it reaches a length, and not again the same day`() throws {
        let receiver = try ModelServer([.json(200, .null)])
        let world = try world()
        let ana = try world.logIn()
        let (id, _) = try add(ana, receiver.address, ["milestone.reached"])
        var meals: [String] = []
        let today = try #require(Day(number: SystemClock.wallMilliseconds / 86_400_000))
        for ago in 0..<3 {
            let day = today.advanced(by: -ago)
            meals.append(try ana.addMeal(["name": "Soup", "day": .string("\(day)")]))
        }
        #expect(ticked(world) { receiver.requests.count == 1 })
        #expect(ticked(world) { listed(ana, id)?["waiting_messages"] == 0 })
        let body = try JSON.parse(try #require(receiver.requests.first).body)
        #expect(body["type"] == "milestone.reached")
        #expect(body["data"] == ["kind": "streak", "days": 3])
        #expect(ana.call("DELETE", "/api/v1/meals/\(meals[1])").status == 204)
        for _ in 0..<10 { world.gateway.tickWebhooks() }
        #expect(ana.call("POST", "/api/v1/meals/\(meals[1])/restore").status == 200)
        for _ in 0..<20 { world.gateway.tickWebhooks() }
        #expect(receiver.requests.count == 1)
    }

    @Test func `a password that is set ends what waits, until the owner tests the address`() throws
    {
        let receiver = try ModelServer([.json(500, .null), .json(200, .null)])
        let world = try world(pauses: [60_000])
        let ana = try world.logIn()
        let (id, _) = try add(ana, receiver.address)
        #expect(ana.call("POST", "/api/v1/webhooks/\(id)/test").status == 202)
        #expect(ticked(world) { listed(ana, id)?["last_attempt"] != .null })
        #expect(listed(ana, id)?["waiting_messages"] == 1)
        let change: JSON = [
            "password": .string(GatewayWorld.password), "new_password": "another long phrase 7",
        ]
        #expect(ana.call("POST", "/v1/account/password", change).status == 204)
        #expect(listed(ana, id)?["stopped"] == "password")
        #expect(listed(ana, id)?["waiting_messages"] == 0)
        #expect(ana.call("POST", "/api/v1/webhooks/\(id)/test").status == 202)
        #expect(ticked(world) { listed(ana, id)?["stopped"] == .null })
        #expect(receiver.requests.count == 2)
    }

    @Test
    func `an address that is removed gets nothing more, and one account waits for itself alone`()
        throws
    {
        let slow = try ModelServer([.never])
        let quick = try ModelServer([.json(200, .null)])
        let world = try world(pauses: [], attempt: 500)
        let (ana, ben) = (try world.logIn(), try world.logIn("ben@example.org"))
        for (client, isRemoved) in [(ana, true), (ben, false)] {
            let (first, _) = try add(client, slow.address)
            let (second, _) = try add(client, quick.address)
            #expect(client.call("POST", "/api/v1/webhooks/\(first)/test").status == 202)
            // Of two messages of one millisecond either may be sent first.
            let sent = SystemClock.wallMilliseconds
            #expect(eventually(every: 1) { SystemClock.wallMilliseconds > sent })
            #expect(client.call("POST", "/api/v1/webhooks/\(second)/test").status == 202)
            if isRemoved {
                world.gateway.tickWebhooks()
                #expect(ana.call("DELETE", "/api/v1/webhooks/\(second)").status == 204)
                #expect(ticked(world) { listed(ana, first)?["last_attempt"] != .null })
                for _ in 0..<10 { world.gateway.tickWebhooks() }
                #expect(quick.requests.isEmpty)
            }
        }
        // One account waits for its slow receiver; the other is served meanwhile.
        #expect(ticked(world) { quick.requests.count == 1 })
    }

    @Test func `very many reminders of one minute are told of as far as there is room`() throws {
        let receiver = try ModelServer([.never])
        let world = try world(pauses: [], attempt: 10_000)
        let ana = try world.logIn()
        let now = SystemClock.wallMilliseconds / 60_000 * 60_000
        world.stopClock(at: now)
        let (id, _) = try add(ana, receiver.address, ["reminder.due"])
        let minute = (now / 60_000 + 2) % 1_440
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let time = JSON.string("\(two(minute / 60)):\(two(minute % 60))")
        for _ in 0..<130 {
            let made = ana.call("POST", "/api/v1/reminders", ["kind": "water", "time": time])
            #expect(made.status == 201)
        }
        world.stopClock(at: now + 120_000)
        #expect(ticked(world) { listed(ana, id)?["waiting_messages"] == 100 })
    }

    @Test func `only a person adds them, no more than allowed, and one key makes one`() throws {
        let world = try world(countMax: 2)
        let (ana, ben) = (try world.logIn(), try world.logIn("ben@example.org"))
        let key = [HTTPField("idempotency-key", "w1")]
        let body: JSON = ["url": "https://hooks.example.org/a"]
        let made = ana.call("POST", "/api/v1/webhooks", body, key)
        let again = ana.call("POST", "/api/v1/webhooks", body, key)
        #expect(made.status == 201 && made.json == again.json, "\(again.text)")
        let other = ana.call(
            "POST", "/api/v1/webhooks", ["url": "https://hooks.example.org/b"], key)
        #expect(other.problem == "idempotency_key", "\(other.text)")
        #expect(ana.call("POST", "/api/v1/webhooks", body).status == 201)
        #expect(ana.call("POST", "/api/v1/webhooks", body).status == 409)
        let id = try #require(made.json["id"]?.string)
        let script = ana.withToken("write")
        #expect(script.call("POST", "/api/v1/webhooks", body).problem == "not_allowed")
        #expect(script.get("/api/v1/webhooks").problem == "not_allowed")
        #expect(ben.call("DELETE", "/api/v1/webhooks/\(id)").status == 404)
        #expect(ben.call("POST", "/api/v1/webhooks/\(id)/test").status == 404)
        #expect(ben.get("/api/v1/webhooks").json == [])
        #expect(ana.call("DELETE", "/api/v1/webhooks/\(id)").status == 204)
        #expect(ana.call("DELETE", "/api/v1/webhooks/\(id)").status == 404)
        let trail = ana.get("/v1/account/audit").text
        #expect(trail.contains("webhook_added") && trail.contains("webhook_removed"))
    }
}
