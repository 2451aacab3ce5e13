import MacrologHTTP
import MacrologJSON
import MacrologCryptography
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: a session ends when it is ended, at once and everywhere; a lost answer ends none; and a
/// stolen refresh token betrays itself.
/// Method: the service called as a function, with a clock that the test moves.
@Suite(.onBothStores) struct SessionTests {
    private func refresh(_ server: TestServer, _ token: String) -> HTTPResponse {
        server.post("/v1/auth/refresh", ["refresh_token": .string(token)])
    }

    private func isAlive(_ server: TestServer, _ token: String) -> Bool {
        server.call("GET", "/v1/devices", token: token).status == 200
    }

    @Test func `logging out ends the session with the next request and no other one`() throws {
        let server = try TestServer()
        let phone = try server.login(device: "phone")
        let laptop = try server.login(device: "laptop")
        #expect(isAlive(server, phone.access) && isAlive(server, laptop.access))
        #expect(server.post("/v1/auth/logout", [:], token: phone.access).status == 204)
        #expect(!isAlive(server, phone.access))
        #expect(refresh(server, phone.refresh).status == 401)
        #expect(isAlive(server, laptop.access))
        let device = TestDevice(1)
        #expect(server.sync(device.request, token: phone.access).status == 401)
        #expect(server.sync(device.request, token: laptop.access).status == 200)
    }

    @Test func `the scheme of a token may be written in any case, and no other is taken`() throws {
        let server = try TestServer()
        let token = try server.login().access
        func status(_ field: String) -> Int {
            server.send(
                HTTPRequest(
                    method: "GET", path: "/v1/devices",
                    fields: [HTTPField("Authorization", field)])
            ).status
        }
        for scheme in ["Bearer", "bearer", "BEARER"] {
            #expect(status("\(scheme) \(token)") == 200, "\(scheme)")
        }
        for wrong in ["Basic \(token)", "Bearer", token, "Bearer\(token)", "bearer x\(token)"] {
            #expect(status(wrong) == 401, "\(wrong)")
        }
    }

    @Test func `a session can be ended from another device of the account only`() throws {
        let server = try TestServer()
        let phone = try server.login(device: "phone")
        server.advance(seconds: 1)
        let laptop = try server.login(device: "laptop")
        let stranger = try server.login("ben@example.org")
        let devices = try JSON.parse(server.call("GET", "/v1/devices", token: phone.access).body)
        #expect(
            devices["devices"]?.array?.map { $0["name"]?.string } == ["phone", "laptop"])
        #expect(devices["devices"]?.array?.map { $0["current"]?.bool } == [true, false])
        // Another's session, an unknown one and nonsense: the same answer.
        let answers = [laptop.session, "00000000-0000-4000-8000-000000000000", "x", ""].map {
            server.call("DELETE", "/v1/devices/\($0)", token: stranger.access)
        }
        #expect(answers.allSatisfy { $0.status == 404 && $0.body == answers[0].body })
        #expect(isAlive(server, laptop.access))
        let ended = server.call("DELETE", "/v1/devices/\(laptop.session)", token: phone.access)
        #expect(ended.status == 204)
        #expect(!isAlive(server, laptop.access) && isAlive(server, phone.access))
        let again = server.call("DELETE", "/v1/devices/\(laptop.session)", token: phone.access)
        #expect(again.status == 404)
    }

    @Test func `all other sessions can be ended at once`() throws {
        let server = try TestServer()
        let phone = try server.login()
        let others = try (0..<3).map { try server.login(device: "tablet \($0)") }
        let stranger = try server.login("ben@example.org")
        for other in others { #expect(isAlive(server, other.access)) }
        #expect(server.call("DELETE", "/v1/devices", token: phone.access).status == 204)
        for other in others { #expect(!isAlive(server, other.access)) }
        #expect(isAlive(server, phone.access) && isAlive(server, stranger.access))
    }

    @Test func `a refresh token works once and gives a working pair`() throws {
        let server = try TestServer()
        let first = try server.login()
        let second = try Tokens(refresh(server, first.refresh))
        #expect(second.refresh != first.refresh && second.session == first.session)
        #expect(second.account == first.account)
        #expect(isAlive(server, second.access) && isAlive(server, first.access))
        let third = try Tokens(refresh(server, second.refresh))
        #expect(isAlive(server, third.access))
    }

    @Test func `a token whose answer was lost gives the same successor for a minute`() throws {
        let server = try TestServer()
        let first = try server.login()
        let second = try Tokens(refresh(server, first.refresh))
        server.advance(seconds: 60)
        let again = try Tokens(refresh(server, first.refresh))
        #expect(again.refresh == second.refresh)
        #expect(isAlive(server, again.access))
        _ = try Tokens(refresh(server, again.refresh))
    }

    @Test func `a token used again after a minute ends the whole session`() throws {
        let server = try TestServer()
        let first = try server.login()
        let second = try Tokens(refresh(server, first.refresh))
        server.advance(seconds: 61)
        #expect(refresh(server, first.refresh).status == 401)
        #expect(!isAlive(server, first.access) && !isAlive(server, second.access))
        #expect(refresh(server, second.refresh).status == 401)
    }

    @Test func `a token used again after its successor was used ends the whole session`() throws {
        let server = try TestServer()
        let first = try server.login()
        let second = try Tokens(refresh(server, first.refresh))
        let third = try Tokens(refresh(server, second.refresh))
        #expect(refresh(server, first.refresh).status == 401)
        #expect(!isAlive(server, third.access))
        #expect(refresh(server, third.refresh).status == 401)
    }

    /// Two copies of one client that refresh in any order, with answers lost at random.
    @Test func `however two copies of a client interleave, a lost answer alone ends nothing`()
        throws
    {
        for seed in 0..<40 as Range<UInt64> {
            var dice = Dice(seed: seed)
            let server = try TestServer()
            var token = try server.login().refresh
            for _ in 0..<6 {
                // One client, whose answers are lost now and then, and who tries again in time.
                let answer = refresh(server, token)
                #expect(answer.status == 200, "seed \(seed)")
                if dice.next() % 2 == 0 { token = try Tokens(answer).refresh }
                server.advance(seconds: Int64(dice.next() % 60))
                let retry = try Tokens(refresh(server, token))
                token = retry.refresh
                server.advance(seconds: 3_600)
            }
            // A thief who has the current token: the second use ends it for both.
            let stolen = token
            let owner = try Tokens(refresh(server, token))
            server.advance(seconds: 61)
            #expect(refresh(server, stolen).status == 401, "seed \(seed)")
            #expect(!isAlive(server, owner.access), "seed \(seed)")
        }
    }

    @Test func `refresh tokens end after ninety idle days and sessions after a year`() throws {
        let server = try TestServer()
        let day: Int64 = 86_400
        let idle = try server.login(device: "idle")
        var busy = try server.login(device: "busy")
        for _ in 0..<4 {
            server.advance(seconds: 89 * day)
            busy = try Tokens(refresh(server, busy.refresh))
        }
        #expect(refresh(server, idle.refresh).status == 401)
        #expect(isAlive(server, busy.access))
        server.advance(seconds: 10 * day)
        #expect(!isAlive(server, busy.access))
        #expect(refresh(server, busy.refresh).status == 401)
    }

    @Test func `an access token ends after thirty days, give or take a minute`() throws {
        let server = try TestServer()
        let token = try server.login().access
        server.advance(seconds: 30 * 86_400 + 59)
        #expect(isAlive(server, token))
        server.advance(seconds: 1)
        #expect(!isAlive(server, token))
    }

    @Test func `a token of another server, of another time, or changed is no token`() throws {
        let server = try TestServer()
        let token = try server.login().access
        let other = try TestServer()
        _ = try other.login()
        for forged in [
            token + "x", String(token.dropLast()), token.uppercased(), "", "null",
            token.replacing(".", with: ".."), " " + token,
            // The Kelvin sign is canonically equal to K.
            token.replacing("K", with: "\u{212A}").replacing("e", with: "\u{435}"),
        ] {
            #expect(!isAlive(server, forged), "\(forged)")
            #expect(isAlive(server, token))
        }
        let key = TokenKey(seed: [UInt8](repeating: 9, count: 32))
        let now = server.clock.now / 1_000
        let session = try Tokens(
            server.post(
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
        #expect(isAlive(server, claims { _ in }))
        #expect(!isAlive(server, claims { $0["aud"] = "other" }))
        #expect(!isAlive(server, claims { $0["iss"] = "other" }))
        #expect(!isAlive(server, claims { $0["exp"] = .integer(now + 366 * 86_400) }))
        #expect(!isAlive(server, claims { $0["sub"] = "00000000-0000-4000-8000-000000000000" }))
        #expect(!isAlive(server, claims { $0["sid"] = "00000000-0000-4000-8000-000000000000" }))
        #expect(!isAlive(server, claims { $0["sid"] = nil }))
        for (offset, isGood) in [(60, true), (61, false)] as [(Int64, Bool)] {
            let token = claims {
                $0["iat"] = .integer(now + offset)
                $0["exp"] = .integer(now + offset + 30 * 86_400)
            }
            #expect(isAlive(server, token) == isGood)
        }
    }
}
