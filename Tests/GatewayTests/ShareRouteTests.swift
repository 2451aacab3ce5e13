import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: NutritionAI's links show a frozen meal to anyone, until their owner or the time ends them.
/// Method: the whole life of a link by its three routes, beside what the server itself lists.
@Suite struct ShareRouteTests {
    private func meal(_ client: Client) throws -> String {
        try client.addMeal([
            "name": "Lentil soup", "note": "secret-note", "tags": ["secret-tag"],
            "items": [["name": "Lentils", "nutrients": ["energy_kcal": 230, "protein_g": 18]]],
        ])
    }

    @Test func `a link is made, opened, counted and ended`() throws {
        let world = try GatewayWorld()
        let (ana, ben) = (try world.logIn(), try world.logIn("ben@example.org"))
        let id = try meal(ana)
        let host = [HTTPField("host", "sync.example.org")]
        let made = ana.call("POST", "/api/share/meal/\(id)?days=2", nil, host)
        #expect(made.status == 201, "\(made.text)")
        let token = made.json["token"]?.string ?? ""
        #expect(made.json["url"]?.string == "http://sync.example.org/s/\(token)")
        _ = ana.call("PATCH", "/api/v1/meals/\(id)", ["name": "Changed later"])
        let stranger = Client(world: world, token: nil)
        let shown = stranger.get("/api/share/\(token)")
        #expect(shown.status == 200 && shown.json["share"]?["title"] == "Lentil soup")
        for secret in ["secret-note", "secret-tag", "ana@example.org", id, "Changed later"] {
            #expect(!shown.text.contains(secret), "\(secret)")
        }
        #expect(ana.get("/v1/shares").json["shares"]?.array?.first?["opens"] == 1)
        #expect(ben.call("DELETE", "/api/share/\(token)").status == 404)
        #expect(stranger.call("DELETE", "/api/share/\(token)").status == 401)
        #expect(ana.call("DELETE", "/api/share/\(token)").status == 204)
        #expect(ana.call("DELETE", "/api/share/\(token)").status == 404)
        #expect(stranger.get("/api/share/\(token)").status == 404)
        let events = ana.get("/v1/account/audit").json["entries"]?.array?.compactMap {
            $0["event"]?.string
        }
        #expect(events?.contains("shared") == true && events?.contains("share_revoked") == true)
    }

    @Test func `a link that was ended stays so when its request is repeated`() throws {
        let world = try GatewayWorld()
        let ana = try world.logIn()
        let id = try meal(ana)
        func make(_ key: String) -> HTTPResponse {
            ana.call(
                "POST", "/api/share/meal/\(id)", nil, [HTTPField("idempotency-key", key)])
        }
        let path = "/api/share/\(make("once").json["token"]?.string ?? "")"
        #expect(ana.call("DELETE", path).status == 204)
        let again = make("once")
        #expect(again.status == 410 && again.json["title"]?.string?.contains("new") == true)
        #expect(Client(world: world, token: nil).get(path).status == 404)
        #expect(make("twice").status == 201)
        #expect(ana.get("/v1/shares").json["shares"]?.array?.count == 1)
    }

    @Test func `no link outlives the token that made it`() throws {
        let world = try GatewayWorld()
        let ana = try world.logIn()
        let id = try meal(ana)
        let begun: Int64 = 1_900_000_000_000
        world.stopClock(at: begun)
        let later = try world.logIn()
        let made = later.call(
            "POST", "/v1/tokens", ["name": "script", "scope": "write", "days": 3])
        let script = Client(world: world, token: made.json["token"]?.string)
        let day: Int64 = 86_400_000
        for (client, days, end) in [(script, 90, 3), (script, 2, 2), (later, 90, 90)] {
            let answer = client.call("POST", "/api/share/meal/\(id)?days=\(days)")
            #expect(answer.status == 201, "\(answer.text)")
            let shares = later.get("/v1/shares").json["shares"]?.array ?? []
            let share = shares.first { $0["id"] == answer.json["id"] }
            #expect(share?["expires"]?.integer == begun + Int64(end) * day, "\(days)")
        }
    }

    @Test func `HEAD uses up no opening`() throws {
        let world = try GatewayWorld()
        let ana = try world.logIn()
        let made = ana.call("POST", "/api/share/meal/\(try meal(ana))")
        let path = "/api/share/\(made.json["token"]?.string ?? "")"
        let stranger = Client(world: world, token: nil)
        #expect(stranger.call("HEAD", path).status == 200)
        #expect(ana.get("/v1/shares").json["shares"]?.array?.first?["opens"] == 0)
        #expect(stranger.get(path).status == 200)
        #expect(ana.get("/v1/shares").json["shares"]?.array?.first?["opens"] == 1)
    }

    @Test func `the same key makes one link, which no one can guess`() throws {
        let world = try GatewayWorld()
        let ana = try world.logIn()
        let id = try meal(ana)
        let key = [HTTPField("idempotency-key", "once")]
        let tokens = (0..<3).map { _ in
            ana.call("POST", "/api/share/meal/\(id)", nil, key).json["token"]?.string ?? ""
        }
        #expect(Set(tokens).count == 1 && tokens[0].utf8.count == 64)
        let other = ana.call("POST", "/api/share/meal/\(id)").json["token"]?.string
        #expect(other != tokens[0])
        #expect(ana.get("/v1/shares").json["shares"]?.array?.count == 2)
        // Other days are another link.
        let longer = ana.call("POST", "/api/share/meal/\(id)?days=30", nil, key)
        #expect(longer.status == 201 && longer.json["token"]?.string != tokens[0])
        let ben = try world.logIn("ben@example.org")
        let his = ben.call("POST", "/api/share/meal/\(try meal(ben))", nil, key)
        #expect(his.json["token"]?.string != tokens[0])
    }

    @Test func `18 without more words a link ends after seven days, to the millisecond`() throws {
        let world = try GatewayWorld()
        let ana = try world.logIn()
        let id = try meal(ana)
        let begun: Int64 = 1_900_000_000_000
        world.stopClock(at: begun)
        // Tokens of before are of another time.
        let later = try world.logIn()
        let made = later.call("POST", "/api/share/meal/\(id)").json
        let week = begun + 7 * 86_400_000
        #expect(made["expiresAt"]?.string == "2030-03-24T17:46:40.000Z", "\(made.compact)")
        let stranger = Client(world: world, token: nil)
        for (time, status) in [(week - 1, 200), (week, 404), (week + 1, 404)] {
            world.stopClock(at: time)
            let path = "/api/share/\(made["token"]?.string ?? "")"
            #expect(stranger.get(path).status == status, "\(time - week)")
        }
    }

    @Test func `what is not there, not eaten or another's makes no link`() throws {
        let world = try GatewayWorld()
        let (ana, ben) = (try world.logIn(), try world.logIn("ben@example.org"))
        let id = try meal(ana)
        #expect(ben.call("POST", "/api/share/meal/\(id)").status == 404)
        #expect(ana.call("POST", "/api/share/meal/\(APIRoutes.exampleID)").status == 404)
        #expect(ana.call("POST", "/api/share/meal/\(id)?days=91").status == 400)
        _ = ana.call("POST", "/api/v1/meals/\(id)/unconsume")
        #expect(ana.call("POST", "/api/share/meal/\(id)").status == 409)
        _ = ana.call("DELETE", "/api/v1/meals/\(id)")
        #expect(ana.call("POST", "/api/share/meal/\(id)").status == 410)
        #expect(ana.get("/v1/shares").json["shares"]?.array?.isEmpty == true)
    }
}
