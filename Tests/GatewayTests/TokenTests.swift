import MacrologEvents
import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologTestSupport
import Testing

/// Goal: a token does what it was made for, and nothing else, until it ends.
/// Method: every route is asked with tokens of each kind; the audit trail and the list of sessions are read.
@Suite struct TokenTests {
    private func token(
        _ client: Client, _ scope: String, _ more: [JSON.Member] = []
    ) throws -> (client: Client, id: String) {
        let answer = client.call(
            "POST", "/v1/tokens",
            .object(
                [JSON.Member("name", .string(scope)), JSON.Member("scope", .string(scope))] + more))
        #expect(answer.status == 201, "\(answer.text)")
        return (
            Client(world: client.world, token: answer.json["token"]?.string),
            answer.json["id"]?.string ?? ""
        )
    }

    @Test func `of all routes a token may ask those of its scope, and none of the server's`() throws
    {
        let ana = try GatewayWorld().logIn()
        let read = try token(ana, "read").client
        let write = try token(ana, "write").client
        let quick = try token(ana, "quick").client
        for route in APIRoutes.all where route.needsAccount {
            let path = route.path.parameters.reduce(route.path.text) {
                $0.replacing("{\($1)}", with: APIRoutes.example(of: $1))
            }
            func ask(_ client: Client) -> Int {
                client.call(route.method, path, route.example ?? (route.body == nil ? nil : [:]))
                    .status
            }
            // A webhook outlives the token that made it.
            if route.path.text.hasPrefix("/api/v1/webhooks") {
                #expect([read, write, quick].allSatisfy { ask($0) == 403 }, "\(route.name)")
                continue
            }
            #expect((ask(read) == 403) == route.isWrite, "read: \(route.name)")
            #expect((ask(quick) == 403) == (route.name != "POST /api/v1/quick"), "\(route.name)")
            if !route.isWrite { #expect(ask(write) != 403, "write: \(route.name)") }
        }
        for path in ["/v1/devices", "/v1/account/audit", "/v1/account/export", "/v1/shares"] {
            for client in [read, write, quick] {
                #expect(client.get(path).status == 401, "\(path)")
            }
        }
        #expect(
            write.call("POST", "/v1/tokens", ["name": "x", "scope": "write"]).status == 401)
    }

    @Test(arguments: ["300 kcal lunch", "weight 80.2", "water 250 ml"])
    func `a token that reads nothing gets the id alone, whatever became of the entry`(
        line: String
    ) throws {
        let ana = try GatewayWorld().logIn()
        let quick = try token(ana, "quick").client
        func record() -> HTTPResponse {
            quick.call(
                "POST", "/api/v1/quick", ["line": .string(line)],
                [HTTPField("idempotency-key", "once")])
        }
        let made = record()
        let path = made.field("location") ?? ""
        #expect(made.status == 201 && made.json.object?.map(\.key) == ["id"], "\(made.text)")
        #expect(path.hasSuffix(made.json["id"]?.string ?? "-"))
        #expect(ana.call("PATCH", path, ["day": "2026-01-02"]).status == 200)
        let changed = record()
        #expect(changed.status == 201 && changed.text == made.text)
        #expect(changed.field("etag") == made.field("etag"))
        #expect(ana.call("DELETE", path).status == 204)
        #expect(record().text == made.text)
        #expect(ana.call("POST", "/api/v1/quick", ["line": .string(line)]).json["day"] != nil)
    }

    @Test func `a token is listed and ended like a session`() throws {
        let ana = try GatewayWorld().logIn()
        let (script, id) = try token(ana, "write", [JSON.Member("days", 3)])
        _ = try script.addMeal(["name": "Soup"])
        let listed = ana.get("/v1/devices").json["devices"]?.array?.first {
            $0["id"]?.string == id
        }
        #expect(listed?["scope"] == "write" && listed?["name"] == "write")
        #expect(ana.call("DELETE", "/v1/devices/\(id)").status == 204)
        #expect(script.get("/api/v1/day").status == 401)
        let events = ana.get("/v1/account/audit").json["entries"]?.array?.compactMap {
            $0["event"]?.string
        }
        #expect(events?.contains("token_made") == true)
        #expect(events?.contains("token_used") == false)
    }

    @Test(arguments: [
        (#"{"name": "x", "scope": "all"}"#, "scope"),
        (#"{"name": "", "scope": "read"}"#, "name"),
        (#"{"name": "x", "scope": "read", "days": 0}"#, "days"),
        (#"{"name": "x", "scope": "read", "days": 366}"#, "days"),
        (#"{"name": "x", "scope": "read", "days": "9"}"#, "days"),
        (#"{"name": "x", "scope": "write", "first_day": 20000}"#, "scope"),
        (#"{"name": "x", "scope": "read", "first_day": 99999999}"#, "first_day"),
    ])
    func `what is no token is refused, with what to send`(body: String, field: String) throws {
        let ana = try GatewayWorld().logIn()
        let answer = ana.call("POST", "/v1/tokens", try JSON.parse(Array(body.utf8)))
        #expect(answer.status == 400 && answer.json["field"]?.string == field, "\(answer.text)")
        #expect(ana.get("/v1/devices").json["devices"]?.array?.count == 1)
    }

    @Test func `a coach sees chosen days onward, each time in the owner's trail, until the end`()
        throws
    {
        let ana = try GatewayWorld().logIn()
        for day in ["2026-11-09", "2026-11-10", "2026-11-11"] {
            _ = try ana.addMeal([
                "name": .string("Soup of \(day)"), "day": .string(day),
                "nutrients": ["energy_kcal": 300],
            ])
        }
        #expect(
            ana.call(
                "POST", "/api/v1/weights", ["day": "2026-11-09", "weight_kg": .number("80.2")]
            ).status == 201)
        #expect(
            ana.call(
                "POST", "/api/v1/fasts",
                ["started_at": "2026-11-09T18:00:00Z", "ended_at": "2026-11-11T10:00:00Z"]
            ).status == 201)
        let first = try #require(Day("2026-11-10"))
        let (coach, id) = try token(
            ana, "read", [JSON.Member("first_day", .integer(first.number))])
        #expect(coach.get("/api/v1/day/2026-11-10").status == 200)
        #expect(coach.get("/api/v1/day/2026-11-09").status == 403)
        #expect(coach.get("/api/v1/stats?from=2026-11-10&to=2026-11-11").status == 200)
        #expect(coach.get("/api/v1/stats?from=2026-11-09&to=2026-11-11").status == 403)
        #expect(coach.get("/api/v1/trends?days=366").status == 403)
        // What is computed from earlier days says nothing of them.
        #expect(coach.get("/api/v1/day/2026-11-10?explain=true").status == 403)
        for path in ["/api/v1/day/2026-11-11", "/api/v1/stats?from=2026-11-10&to=2026-11-11"] {
            let (seen, whole) = (coach.get(path).json, ana.get(path).json)
            for name in ["weight_trend_kg", "streak_days", "longest_streak_days"] {
                #expect(seen[name] == whole[name].map { _ in .null }, "\(path) \(name)")
            }
            #expect(whole["weight_trend_kg"] != .null && whole["streak_days"] != .null)
            #expect(seen["fasts"] == whole["fasts"].map { _ in [] })
            #expect((whole["fasts"]?.array?.count ?? 1) == 1)
        }
        for path in ["/api/v1/meals?to=2026-11-11", "/api/v1/export/meals.csv"] {
            let text = coach.get(path).text
            #expect(text.contains("2026-11-10") && !text.contains("2026-11-09"), "\(text)")
        }
        let live = [HTTPField("accept", "text/event-stream")]
        #expect(coach.call("GET", "/api/v1/day/2026-11-09", nil, live).status == 403)
        for path in [
            "/api/v1/export/json", "/api/v1/log", "/api/v1/weight-trend", "/api/v1/profile",
            "/api/v1/meals/\(APIRoutes.exampleID)", "/api/v1/coach/messages", "/api/meals",
        ] {
            #expect(coach.get(path).status == 403, "\(path)")
        }
        #expect(
            eventually {
                let entries = ana.get("/v1/account/audit").json["entries"]?.array ?? []
                return entries.count { $0["event"] == "token_used" && $0["device"] == "read" } == 11
            })
        #expect(ana.call("DELETE", "/v1/devices/\(id)").status == 204)
        #expect(coach.get("/api/v1/day/2026-11-10").status == 401)
        // Without a number of days, the trends have as many as the token shows twice.
        let today = try #require(Day(ana.get("/api/v1/day").json["day"]?.string ?? ""))
        let since = today.advanced(by: -5).number
        let (late, _) = try token(ana, "read", [JSON.Member("first_day", .integer(since))])
        let trends = late.get("/api/v1/trends")
        #expect(trends.json["from"]?.string == "\(today.advanced(by: -2))", "\(trends.text)")
        #expect(late.get("/api/v1/trends?days=4").status == 403)
    }

    @Test func `a coach's table of meals has no column of a nutrient of earlier days`() throws {
        let ana = try GatewayWorld().logIn()
        for name in ["taurine", "secretine"] {
            let body: JSON = [
                "nutrient": .string("x:\(name)"), "name": .string(name), "unit": "mg",
            ]
            #expect(ana.call("POST", "/api/v1/nutrients", body).status == 201)
        }
        for (day, name) in [("2026-11-09", "x:secretine"), ("2026-11-10", "x:taurine")] {
            _ = try ana.addMeal([
                "name": "Soup", "day": .string(day),
                "nutrients": [
                    "energy_kcal": 300,
                    "own_nutrients": [["nutrient": .string(name), "number": 2]],
                ],
            ])
        }
        let first = try #require(Day("2026-11-10"))
        let (coach, _) = try token(
            ana, "read", [JSON.Member("first_day", .integer(first.number))])
        let path = "/api/v1/export/meals.csv"
        let (seen, whole) = (coach.get(path).text, ana.get(path).text)
        #expect(seen.contains("taurine") && !seen.contains("secretine"), "\(seen)")
        #expect(whole.contains("taurine") && whole.contains("secretine"), "\(whole)")
    }

    // Pages.

    private func cookie(_ response: HTTPResponse) -> String {
        (response.field("set-cookie") ?? "").split(separator: ";").first.map(String.init) ?? ""
    }

    @Test func `a page logs in with a cookie that counts for pages of this server only`() throws {
        let world = try GatewayWorld()
        _ = try world.logIn()
        let stranger = Client(world: world, token: nil)
        let answer = stranger.call(
            "POST", "/api/auth/login",
            [
                "email": "ana@example.org", "password": .string(GatewayWorld.password),
                "cookie": true,
            ])
        #expect(answer.status == 200 && answer.json["token"] == .null, "\(answer.text)")
        let set = answer.field("set-cookie") ?? ""
        for word in ["__Host-", "HttpOnly", "Secure", "SameSite=Strict", "Path=/"] {
            #expect(set.contains(word), "\(set)")
        }
        let sent = HTTPField("cookie", "a=b; " + cookie(answer))
        let host = HTTPField("host", "sync.example.org")
        func ask(_ method: String, _ fields: [HTTPField]) -> Int {
            stranger.call(
                method, method == "GET" ? "/api/v1/day" : "/api/v1/meals",
                method == "GET" ? nil : ["name": "Soup"], [sent, host] + fields
            ).status
        }
        let same = HTTPField("sec-fetch-site", "same-origin")
        #expect(ask("GET", [same]) == 200 && ask("POST", [same]) == 201)
        #expect(ask("POST", [HTTPField("origin", "http://sync.example.org")]) == 201)
        #expect(ask("GET", [HTTPField("sec-fetch-site", "none")]) == 200)
        for fields in [
            [], [HTTPField("origin", "http://evil.example")],
            [HTTPField("sec-fetch-site", "cross-site")],
            [HTTPField("sec-fetch-site", "same-site")], [HTTPField("sec-fetch-site", "none")],
            [
                HTTPField("sec-fetch-site", "cross-site"),
                HTTPField("origin", "http://sync.example.org"),
            ],
        ] {
            #expect(ask("POST", fields) == 403, "\(fields)")
        }
        // No other name counts, and of two cookies of the name neither.
        let own = cookie(answer)
        for (text, status) in [
            ("a=b;\t\(own) ", 200), ("__Host- macrolog" + own.dropFirst(15), 401),
            ("_ _Host-macrolog" + own.dropFirst(15), 401), ("\(own); \(own)", 401),
            ("__Host-macrolog=x; \(own)", 401), ("__host-macrolog" + own.dropFirst(15), 401),
        ] {
            let fields = [HTTPField("cookie", text), host, same]
            #expect(stranger.call("GET", "/api/v1/day", nil, fields).status == status, "\(text)")
        }
        let two = [HTTPField("cookie", own), HTTPField("cookie", own), host, same]
        #expect(stranger.call("GET", "/api/v1/day", nil, two).status == 401)
        let out = stranger.call("POST", "/api/auth/logout", nil, [sent, host, same])
        #expect(out.status == 204 && out.field("set-cookie")?.contains("Max-Age=0") == true)
        #expect(ask("GET", [same]) == 401)
    }

    @Test func `HEAD answers what GET would, without doing anything else`() throws {
        let ana = try GatewayWorld().logIn()
        let id = try ana.addMeal(["name": "Soup"])
        for path in ["/api/v1/day", "/api/v1/meals/\(id)", "/openapi.json", "/api"] {
            let (get, head) = (ana.get(path), ana.call("HEAD", path))
            #expect(head.status == 200 && head.field("etag") == get.field("etag"), "\(path)")
        }
        let wrong = ana.call("HEAD", "/api/v1/undo")
        #expect(wrong.status == 405 && wrong.field("allow") == "POST")
        #expect(ana.call("PUT", "/api/v1/day").field("allow") == "GET, HEAD")
        let live = ana.call("HEAD", "/api/v1/day", nil, [HTTPField("accept", "text/event-stream")])
        #expect(live.stream == nil && live.field("content-type") == "application/json")
    }

    @Test(arguments: [
        ("/api/v1/day", "text/html", 406), ("/api/v1/day", "application/json;q=0", 406),
        ("/api/v1/day", "text/html, */*;q=0.1", 200), ("/api/v1/day", "application/*", 200),
        ("/api/v1/export/meals.csv", "application/json", 406),
        ("/api/v1/export/meals.csv", "text/csv", 200), ("/api", "text/html", 200),
        ("/api/v1/log", "application/x-ndjson", 200), ("/api/v1/meals", "text/event-stream", 406),
    ])
    func `a form of answer that there is not is refused`(
        path: String, accept: String, status: Int
    ) throws {
        let ana = try GatewayWorld().logIn()
        let answer = ana.call("GET", path, nil, [HTTPField("accept", accept)])
        #expect(answer.status == status, "\(answer.text.prefix(200))")
    }

    @Test(arguments: [
        ("1.9.9", 426), ("2.0", 200), ("2", 200), ("10.0.0", 200), ("2.0.1", 200), ("v2", 400),
        ("1.2.3.4", 400), ("", 400), ("99999999", 400),
    ])
    func `an app that is too old learns which version it needs`(
        version: String, status: Int
    ) throws {
        let ana = try GatewayWorld { $0.clientVersionMin = ClientVersion("2.0.0") }.logIn()
        let answer = ana.call(
            "GET", "/api/v1/day", nil, [HTTPField("x-client-version", version)])
        #expect(answer.status == status, "\(answer.text)")
        if status == 426 { #expect(answer.json["version_min"] == "2.0.0") }
        #expect(ana.get("/api/v1/day").status == 200)
    }
}
