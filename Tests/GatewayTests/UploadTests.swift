import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: no sender of photos takes the places or the analyses of others, however slowly it sends, and a restart gives
/// nothing back.
/// Method: forms whose last byte is held back, from accounts and from networks of people without one.
@Suite struct UploadTests {
    /// A form of which some bytes have arrived.
    private struct Dripping {
        let sink: BodySink

        init(_ world: GatewayWorld, token: String? = nil, from peer: String = "192.0.2.1") throws {
            var fields = [
                HTTPField("content-type", "multipart/form-data; boundary=x"),
                HTTPField("content-length", "5000"),
            ]
            if let token { fields.append(HTTPField("authorization", "Bearer \(token)")) }
            let request = HTTPRequest(
                method: "POST", path: "/analyze-food-image", fields: fields, peer: peer)
            sink = try #require(world.gateway.sink(for: request))
            Array("--x\r\n".utf8).withUnsafeBytes { sink.take($0) }
        }

        /// The answer when the body ends here.
        func answer() -> HTTPResponse {
            let done = Monitor<HTTPResponse?>(nil)
            sink.finish { response in
                done.withLock { $0 = response }
                done.wakeOne()
            }
            return done.wait { $0 }
        }
    }

    private let image: (name: String, bytes: [UInt8]) = ("image", PNGSample.file())

    @Test func `what is refused by its header is refused before its body`() throws {
        let world = try AnalysingWorld([AnalysingWorld.answer()]).world
        let ana = try world.logIn()
        func sink(_ type: String, _ token: String?) throws -> BodySink {
            var fields = [HTTPField("content-type", type), HTTPField("content-length", "500000")]
            if let token { fields.append(HTTPField("authorization", "Bearer \(token)")) }
            return try #require(
                world.gateway.sink(
                    for: HTTPRequest(
                        method: "POST", path: "/photos", fields: fields, peer: "192.0.2.1")))
        }
        let form = "multipart/form-data; boundary=x"
        #expect(try sink("text/plain", ana.token).isRefusal)
        #expect(try sink(form, ana.withToken("read").token).isRefusal)
        #expect(try sink(form, nil).isRefusal)
        let taken = try sink(form, ana.token)
        #expect(!taken.isRefusal)
        taken.cancel()
    }

    @Test func `an account that holds its forms back keeps no other from sending`() throws {
        let analysing = try AnalysingWorld([AnalysingWorld.answer()])
        let world = analysing.world
        let (ana, ben) = (try world.logIn(), try world.logIn("ben@example.org"))
        #expect(ana.agree() == 200 && ben.agree() == 200)
        // From two addresses, and by a token besides the session.
        let held = [
            try Dripping(world, token: ana.token),
            try Dripping(world, token: ana.withToken("write").token, from: "192.0.2.2"),
        ]
        for _ in 0..<20 {
            let answer = try Dripping(world, token: ana.token).answer()
            #expect(answer.status == 503 && answer.field("retry-after") != nil)
        }
        #expect(ben.send("/analyze-food-image", [image]).status == 200)
        // What is cut off or answered gives its place back.
        held[0].sink.cancel()
        #expect(ana.send("/analyze-food-image", [image]).status == 200)
        #expect(held[1].answer().problem == "malformed_request")
        for _ in 0..<5 { #expect(ana.send("/analyze-food-image", [image]).status == 200) }
    }

    @Test func `strangers are counted before their forms are read, and leave places for accounts`()
        throws
    {
        let analysing = try AnalysingWorld([AnalysingWorld.answer()], perDay: 15, strangers: true)
        let world = analysing.world
        let ana = try world.logIn()
        #expect(ana.agree() == 200)
        // A customer with 65,536 networks of IPv6 is one sender, with a fifth of the strangers' analyses.
        for network in 1...3 {
            try Dripping(world, from: "2001:db8:7:\(network)::1").sink.cancel()
        }
        let fourth = try Dripping(world, from: "2001:db8:7:4::1").answer()
        #expect(fourth.problem == "too_many_requests", "\(fourth.text)")
        // Each of these networks holds two places, until strangers have their half of all.
        var statuses: [Int] = []
        var held: [Dripping] = []
        for network in 1...6 {
            held.append(try Dripping(world, from: "192.0.2.\(network)"))
            held.append(try Dripping(world, from: "192.0.2.\(network)"))
        }
        for form in held.suffix(4) { statuses.append(form.answer().status) }
        #expect(statuses == [503, 503, 503, 503])
        #expect(ana.send("/analyze-food-image", [image]).status == 200)
        #expect(analysing.models.requests.count == 1)
        for form in held.prefix(8) { form.sink.cancel() }
    }

    @Test func `a restart does not begin the day of analyses again, and the next day does`() throws
    {
        let scratch = ScratchFolder()
        let words: JSON = ["description": "pancakes"]
        func world() throws -> AnalysingWorld {
            try AnalysingWorld(
                [AnalysingWorld.answer()], in: scratch, perDay: 2, strangers: true)
        }
        func stranger(_ analysing: AnalysingWorld, _ last: Int) -> Client {
            Client(world: analysing.world, token: nil, peer: "192.0.2.\(last)")
        }
        let first = try world()
        let now = SystemClock.wallMilliseconds
        first.world.stopClock(at: now)
        let ana = try first.world.logIn()
        for _ in 0..<2 { #expect(ana.call("POST", "/api/analyze", words).status == 201) }
        for last in 1...2 {
            #expect(stranger(first, last).call("POST", "/api/analyze", words).status == 200)
        }
        first.world.stop()

        let second = try world()
        second.world.stopClock(at: now + 60_000)
        let again = try second.world.logIn()
        let refused = again.call("POST", "/api/analyze", words)
        #expect(refused.problem == "too_many_requests", "\(refused.text)")
        #expect(refused.field("retry-after") == "\(86_400 - 60)")
        #expect(
            stranger(second, 3).call("POST", "/api/analyze", words).problem == "too_many_requests")
        #expect(second.models.requests.isEmpty)
        second.world.stopClock(at: now + 86_400_000)
        let tomorrow = try second.world.logIn()
        #expect(tomorrow.call("POST", "/api/analyze", words).status == 201)
        // Another account has a day of its own.
        let ben = try second.world.logIn("ben@example.org")
        #expect(ben.call("POST", "/api/analyze", words).status == 201)
    }
}
