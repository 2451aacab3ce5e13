import MacrologHTTP
import MacrologJSON
import MacrologSeal
import MacrologService
import Testing

/// Goal: a session ends when it is ended, at once and everywhere; a lost answer ends none; and a
/// stolen refresh token betrays itself.
/// Method: the service called as a function, with a clock that the test moves.
@Suite struct SessionTests {
    private func refresh(_ hub: TestHub, _ token: String) -> HTTPResponse {
        hub.post("/v1/auth/refresh", ["refresh_token": .string(token)])
    }

    private func isAlive(_ hub: TestHub, _ token: String) -> Bool {
        hub.call("GET", "/v1/devices", token: token).status == 200
    }

    @Test func `logging out ends the session with the next request and no other one`() throws {
        let hub = try TestHub()
        let phone = try hub.login(device: "phone")
        let laptop = try hub.login(device: "laptop")
        #expect(isAlive(hub, phone.access) && isAlive(hub, laptop.access))
        #expect(hub.post("/v1/auth/logout", [:], token: phone.access).status == 204)
        #expect(!isAlive(hub, phone.access))
        #expect(refresh(hub, phone.refresh).status == 401)
        #expect(isAlive(hub, laptop.access))
        let device = TestDevice(1)
        #expect(hub.sync(device.request, token: phone.access).status == 401)
        #expect(hub.sync(device.request, token: laptop.access).status == 200)
    }

    @Test func `a session can be ended from another device of the account only`() throws {
        let hub = try TestHub()
        let phone = try hub.login(device: "phone")
        hub.advance(seconds: 1)
        let laptop = try hub.login(device: "laptop")
        let stranger = try hub.login("ben@example.org")
        let devices = try JSON.parse(hub.call("GET", "/v1/devices", token: phone.access).body)
        #expect(
            devices["devices"]?.array?.map { $0["name"]?.string } == ["phone", "laptop"])
        #expect(devices["devices"]?.array?.map { $0["current"]?.bool } == [true, false])
        // Another's session, an unknown one and nonsense: the same answer.
        let answers = [laptop.session, "00000000-0000-4000-8000-000000000000", "x", ""].map {
            hub.call("DELETE", "/v1/devices/\($0)", token: stranger.access)
        }
        #expect(answers.allSatisfy { $0.status == 404 && $0.body == answers[0].body })
        #expect(isAlive(hub, laptop.access))
        let ended = hub.call("DELETE", "/v1/devices/\(laptop.session)", token: phone.access)
        #expect(ended.status == 204)
        #expect(!isAlive(hub, laptop.access) && isAlive(hub, phone.access))
        let again = hub.call("DELETE", "/v1/devices/\(laptop.session)", token: phone.access)
        #expect(again.status == 404)
    }

    @Test func `all other sessions can be ended at once`() throws {
        let hub = try TestHub()
        let phone = try hub.login()
        let others = try (0..<3).map { try hub.login(device: "tablet \($0)") }
        let stranger = try hub.login("ben@example.org")
        for other in others { #expect(isAlive(hub, other.access)) }
        #expect(hub.call("DELETE", "/v1/devices", token: phone.access).status == 204)
        for other in others { #expect(!isAlive(hub, other.access)) }
        #expect(isAlive(hub, phone.access) && isAlive(hub, stranger.access))
    }

    @Test func `a refresh token works once and gives a working pair`() throws {
        let hub = try TestHub()
        let first = try hub.login()
        let second = try Tokens(refresh(hub, first.refresh))
        #expect(second.refresh != first.refresh && second.session == first.session)
        #expect(second.account == first.account)
        #expect(isAlive(hub, second.access) && isAlive(hub, first.access))
        let third = try Tokens(refresh(hub, second.refresh))
        #expect(isAlive(hub, third.access))
    }

    @Test func `a token whose answer was lost gives the same successor for a minute`() throws {
        let hub = try TestHub()
        let first = try hub.login()
        let second = try Tokens(refresh(hub, first.refresh))
        hub.advance(seconds: 60)
        let again = try Tokens(refresh(hub, first.refresh))
        #expect(again.refresh == second.refresh)
        #expect(isAlive(hub, again.access))
        _ = try Tokens(refresh(hub, again.refresh))
    }

    @Test func `a token used again after a minute ends the whole session`() throws {
        let hub = try TestHub()
        let first = try hub.login()
        let second = try Tokens(refresh(hub, first.refresh))
        hub.advance(seconds: 61)
        #expect(refresh(hub, first.refresh).status == 401)
        #expect(!isAlive(hub, first.access) && !isAlive(hub, second.access))
        #expect(refresh(hub, second.refresh).status == 401)
    }

    @Test func `a token used again after its successor was used ends the whole session`() throws {
        let hub = try TestHub()
        let first = try hub.login()
        let second = try Tokens(refresh(hub, first.refresh))
        let third = try Tokens(refresh(hub, second.refresh))
        #expect(refresh(hub, first.refresh).status == 401)
        #expect(!isAlive(hub, third.access))
        #expect(refresh(hub, third.refresh).status == 401)
    }

    /// Two copies of one client that refresh in any order, with answers lost at random.
    @Test func `however two copies of a client interleave, a lost answer alone ends nothing`()
        throws
    {
        for seed in 0..<40 as Range<UInt64> {
            var dice = SplitMix(state: seed)
            let hub = try TestHub()
            var token = try hub.login().refresh
            for _ in 0..<6 {
                // One client, whose answers are lost now and then, and who tries again in time.
                let answer = refresh(hub, token)
                #expect(answer.status == 200, "seed \(seed)")
                if dice.next() % 2 == 0 { token = try Tokens(answer).refresh }
                hub.advance(seconds: Int64(dice.next() % 60))
                let retry = try Tokens(refresh(hub, token))
                token = retry.refresh
                hub.advance(seconds: 3_600)
            }
            // A thief who has the current token: whoever comes second ends it for both.
            let stolen = token
            let owner = try Tokens(refresh(hub, token))
            hub.advance(seconds: 61)
            #expect(refresh(hub, stolen).status == 401, "seed \(seed)")
            #expect(!isAlive(hub, owner.access), "seed \(seed)")
        }
    }

    @Test func `refresh tokens end after ninety idle days and sessions after a year`() throws {
        let hub = try TestHub()
        let day: Int64 = 86_400
        let idle = try hub.login(device: "idle")
        var busy = try hub.login(device: "busy")
        for _ in 0..<4 {
            hub.advance(seconds: 89 * day)
            busy = try Tokens(refresh(hub, busy.refresh))
        }
        #expect(refresh(hub, idle.refresh).status == 401)
        #expect(isAlive(hub, busy.access))
        hub.advance(seconds: 10 * day)
        #expect(!isAlive(hub, busy.access))
        #expect(refresh(hub, busy.refresh).status == 401)
    }

    @Test func `an access token ends after thirty days, give or take a minute`() throws {
        let hub = try TestHub()
        let token = try hub.login().access
        hub.advance(seconds: 30 * 86_400 + 59)
        #expect(isAlive(hub, token))
        hub.advance(seconds: 1)
        #expect(!isAlive(hub, token))
    }

    @Test func `a token of another server, of another time, or changed is no token`() throws {
        let hub = try TestHub()
        let token = try hub.login().access
        let other = try TestHub()
        _ = try other.login()
        for forged in [
            token + "x", String(token.dropLast()), token.uppercased(), "", "null",
            token.replacing(".", with: ".."), " " + token,
            // The Kelvin sign is canonically equal to K.
            token.replacing("K", with: "\u{212A}").replacing("e", with: "\u{435}"),
        ] {
            #expect(!isAlive(hub, forged), "\(forged)")
            #expect(isAlive(hub, token))
        }
        let key = TokenKey(seed: [UInt8](repeating: 9, count: 32))
        let now = hub.clock.now / 1_000
        let session = try Tokens(
            hub.post(
                "/v1/auth/login",
                [
                    "email": "ana@example.org", "password": .string(password), "device": "x",
                ]))
        func claims(_ change: (inout [String: JSON]) -> Void) -> String {
            var claims: [String: JSON] = [
                "iss": "macrolog", "aud": "macrolog", "sub": .string(session.account),
                "sid": .string(session.session), "jti": "AAAA", "iat": .integer(now),
                "exp": .integer(now + 30 * 86_400),
            ]
            change(&claims)
            let object = JSON.object(claims.map { JSON.Member($0.key, $0.value) })
            return String(decoding: key.sign(Array(object.compact.utf8)), as: UTF8.self)
        }
        #expect(isAlive(hub, claims { _ in }))
        #expect(!isAlive(hub, claims { $0["aud"] = "other" }))
        #expect(!isAlive(hub, claims { $0["iss"] = "other" }))
        #expect(!isAlive(hub, claims { $0["exp"] = .integer(now + 40 * 86_400) }))
        #expect(!isAlive(hub, claims { $0["sub"] = "00000000-0000-4000-8000-000000000000" }))
        #expect(!isAlive(hub, claims { $0["sid"] = "00000000-0000-4000-8000-000000000000" }))
        #expect(!isAlive(hub, claims { $0["sid"] = nil }))
        for (offset, isGood) in [(60, true), (61, false)] as [(Int64, Bool)] {
            let token = claims {
                $0["iat"] = .integer(now + offset)
                $0["exp"] = .integer(now + offset + 30 * 86_400)
            }
            #expect(isAlive(hub, token) == isGood)
        }
    }

    @Test func `every door but four asks who is there, and says no more than that`() throws {
        let hub = try TestHub()
        for (method, path) in [
            ("POST", "/v1/sync"), ("POST", "/v1/auth/logout"), ("GET", "/v1/devices"),
            ("DELETE", "/v1/devices"),
            ("DELETE", "/v1/devices/00000000-0000-4000-8000-000000000000"),
        ] {
            for field in [nil, "Bearer", "Bearer ", "Basic YTpi", "bearer x"] as [String?] {
                let answer = hub.send(
                    HTTPRequest(
                        method: method, path: path,
                        fields: field.map { [HTTPField("authorization", $0)] } ?? []))
                #expect(answer.status == 401 && problem(answer) == "unauthorized")
                #expect(answer.field("www-authenticate") == "Bearer")
            }
        }
    }
}
