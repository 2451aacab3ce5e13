import MacrologHTTP
import MacrologJSON
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: what a session asked for is not done after that session has ended.
/// Method: an answer that is not taken holds up what the account asks next, and the session ends meanwhile.
@Suite struct EndedSessionTests {
    /// Holds up what follows in the lane of an account, until it ends.
    private final class Hold: Sendable {
        private enum Step { case waits, holds, over }
        private let step = Monitor(Step.waits)
        private let client: Client

        init(_ client: Client) {
            self.client = client
            client.world.send(client.request("GET", "/api/v1/day")) { [step] _ in
                step.withLock { $0 = $0 == .waits ? .holds : $0 }
                step.wakeAll()
                _ = step.wait { $0 == .over ? true : nil }
            }
        }

        deinit { end() }

        /// Returns when all that was asked before has been done.
        func reach() { _ = step.wait { $0 == .waits ? nil : true } }

        func end() {
            step.withLock { $0 = .over }
            step.wakeAll()
        }
    }

    /// An answer that comes later.
    private final class Later: Sendable {
        private let answer = Monitor<HTTPResponse?>(nil)

        init(_ world: GatewayWorld, _ request: HTTPRequest) {
            world.send(request) { [answer] response in
                answer.withLock { $0 = response }
                answer.wakeAll()
            }
        }

        func get() -> HTTPResponse { answer.wait { $0 } }
    }

    private func photo(_ client: Client) -> HTTPRequest {
        let head = "--x\r\nContent-Disposition: form-data; name=\"image\"\r\n\r\n"
        var request = client.request("POST", "/photos")
        request.fields.append(HTTPField("content-type", "multipart/form-data; boundary=x"))
        request.body = Array(head.utf8) + PNGSample.file() + Array("\r\n--x--\r\n".utf8)
        return request
    }

    @Test(arguments: ["meal", "photo", "live"])
    func `what waits for its turn is not done after its session has ended`(what: String) throws {
        let world = try GatewayWorld()
        let (phone, page) = (try world.logIn(), try world.logIn(device: "page"))
        let hold = Hold(phone)
        hold.reach()
        let request =
            switch what {
            case "meal": page.request("POST", "/api/v1/meals", ["name": "Soup"])
            case "photo": photo(page)
            default:
                page.request(
                    "GET", "/api/v1/day", nil, [HTTPField("accept", "text/event-stream")])
            }
        let waiting = Later(world, request)
        #expect(page.call("POST", "/v1/auth/logout").status == 204)
        hold.end()
        let refused = waiting.get()
        #expect(refused.status == 401 && refused.problem == "unauthorized", "\(refused.text)")
        #expect(phone.get("/api/v1/log").body.isEmpty)
    }

    @Test func `what a model answers is not recorded after the session has ended`() throws {
        let analysing = try AnalysingWorld([AnalysingWorld.answer()])
        let world = analysing.world
        let (phone, page) = (try world.logIn(), try world.logIn(device: "page"))
        let first = Hold(phone)
        first.reach()
        let words: JSON = ["description": "pancakes"]
        let waiting = Later(world, page.request("POST", "/api/analyze", words))
        // Its turn is after the question, and before the answer.
        let second = Hold(phone)
        first.end()
        second.reach()
        #expect(page.call("POST", "/v1/auth/logout").status == 204)
        second.end()
        let refused = waiting.get()
        #expect(refused.status == 401, "\(refused.text)")
        #expect(analysing.models.requests.count == 1)
        #expect(phone.get("/api/v1/log").body.isEmpty)
    }
}
