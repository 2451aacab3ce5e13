import Foundation
import Macrolog
import MacrologAnalysis
import MacrologDiary
import MacrologEngine
import MacrologEvents
import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologSystem
import MacrologTestSupport
import Synchronization
import Testing

/// A gateway whose operator has a provider, which answers from a list.
struct AnalysingWorld {
    let world: GatewayWorld
    let models: ModelServer

    init(
        _ answers: [ModelServer.Answer], in scratch: ScratchFolder = ScratchFolder(),
        perDay: Int64 = 50, strangers: Bool = false, configured: Bool = true
    ) throws {
        let models = try ModelServer(answers)
        self.models = models
        let settings = try ProviderSettings(
            .openAI, address: models.address + "/v1", model: "llava:7b")
        let provider = Provider(settings) { _ in }
        world = try GatewayWorld(in: scratch) {
            $0.requestsPerHour = nil
            guard configured else { return }
            $0.analysis = AnalysisSettings(
                provider: provider, perDay: perDay, takesStrangers: strangers)
        }
    }

    static func answer(_ document: JSON = pancakes) -> ModelServer.Answer {
        .json(200, PublishedInterface.openAI.answer(document))
    }
}

extension Client {
    /// A client with a token of a scope.
    func withToken(_ scope: JSON) -> Client {
        let answer = call("POST", "/v1/tokens", ["name": "script", "scope": scope])
        return Client(world: world, token: answer.json["token"]?.string)
    }

    /// Sends a form.
    func send(
        _ target: String, _ parts: [(name: String, bytes: [UInt8])], _ fields: [HTTPField] = [],
        boundary: String = "----form7", end: String = "--\r\n"
    ) -> HTTPResponse {
        var body: [UInt8] = []
        for part in parts {
            body += Array(
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"".utf8)
            body += Array("; filename=\"a;name=\\\"b.png\"\r\n\r\n".utf8) + part.bytes + [13, 10]
        }
        body += Array("--\(boundary)\(end)".utf8)
        return raw(target, body, type: "multipart/form-data; boundary=\(boundary)", fields)
    }

    func raw(
        _ target: String, _ body: [UInt8], type: String, _ fields: [HTTPField] = []
    ) -> HTTPResponse {
        var all = fields + [HTTPField("content-type", type)]
        if let token { all.append(HTTPField("authorization", "Bearer \(token)")) }
        return world.send(
            HTTPRequest(method: "POST", path: target, fields: all, body: body, peer: "192.0.2.1"))
    }

    func agree(_ agrees: Bool = true) -> Int {
        call("PATCH", "/api/v1/preferences", ["photo_ai_consent": .bool(agrees)]).status
    }
}

/// Photos over REST: consent, the earlier systems' shapes, nothing that counts before it is confirmed, and what is refused.
@Suite struct AnalysisTests {
    private let image: (name: String, bytes: [UInt8]) = ("image", PNGSample.file())

    @Test(
        "CarbCal's sample: nothing leaves before consent; then 615, 93, 9 and 19, and the stated total is flagged"
    )
    func carbCal() throws {
        let analysing = try AnalysingWorld([AnalysingWorld.answer()])
        let ana = try analysing.world.logIn()
        let refused = ana.send("/analyze-food-image", [image])
        #expect(refused.status == 428 && refused.problem == "consent_required")
        #expect(refused.text.contains("photo_ai_consent"))
        #expect(analysing.models.requests.isEmpty)

        #expect(ana.agree() == 200)
        let answer = ana.send("/analyze-food-image", [image])
        #expect(answer.status == 200, "\(answer.text)")
        let json = answer.json
        #expect(json["dishName"] == "Pancakes with blueberries & syrup")
        #expect(
            json["ingredients"]?.array?.first
                == ["name": "Pancakes", "calories": 595, "carbs": 85, "protein": 9, "fats": 19])
        #expect(
            json["total"]
                == ["calories": 615, "carbs": 93, "protein": 9, "fats": 19, "healthScore": 7])
        #expect(json["totalMismatch"] == true && json["reportedTotal"]?["protein"] == 11)
        // It is the picture that was sent, without what is not the picture.
        #expect(analysing.models.requests.count == 1)
        // Nothing was recorded; the audit trail says what it cost.
        #expect(ana.get("/food-logs").json["logs"] == [])
        #expect(ana.get("/api/meals").json["meals"] == [])
        func entry() -> JSON? {
            let trail = ana.get("/v1/account/audit").json
            return trail.object?.first { $0.value.array != nil }?.value.array?.first {
                $0["event"] == "analysed"
            }
        }
        #expect(eventually(every: 10) { entry() != nil })
        #expect(entry()?["device"] == "openai, 1200 tokens")
        // Consent that is withdrawn holds at once.
        #expect(ana.agree(false) == 200)
        #expect(ana.send("/analyze-food-image", [image]).status == 428)
        #expect(analysing.models.requests.count == 1)
    }

    @Test("A token may have photos analysed if it may write, and any other asks no model")
    func tokens() throws {
        let analysing = try AnalysingWorld([AnalysingWorld.answer(), AnalysingWorld.answer()])
        let ana = try analysing.world.logIn()
        #expect(ana.agree() == 200)
        for scope in ["read", "quick"] as [JSON] {
            let script = ana.withToken(scope)
            #expect(script.send("/analyze-food-image", [image]).status == 403, "\(scope)")
            #expect(
                script.call("POST", "/api/analyze", ["description": "soup"]).status == 403,
                "\(scope)")
        }
        #expect(analysing.models.requests.isEmpty)
        #expect(ana.withToken("write").send("/analyze-food-image", [image]).status == 200)
    }

    @Test(
        "NutritionAI: an analysed meal counts once it is consumed, and one key makes one meal and one question"
    )
    func nutritionAI() throws {
        let analysing = try AnalysingWorld([AnalysingWorld.answer()])
        let ana = try analysing.world.logIn()
        // Words need no consent: the person has just typed them for this.
        let key = [HTTPField("idempotency-key", "a1")]
        let words: JSON = ["description": "pancakes"]
        let made = ana.call("POST", "/api/analyze", words, key)
        #expect(made.status == 201, "\(made.text)")
        let id = try #require(made.json["id"]?.string)
        #expect(made.json["isConsumed"] == false && made.json["calories"] == 615)
        #expect(
            made.json["items"]?.array?.compactMap { $0["name"]?.string } == [
                "Pancakes", "Blueberries", "Syrup",
            ])
        let again = ana.call("POST", "/api/analyze", words, key)
        #expect(again.status == 201 && again.json["id"]?.string == id)
        #expect(analysing.models.requests.count == 1)
        #expect(
            ana.call("POST", "/api/analyze", ["description": "soup"], key).problem
                == "idempotency_key")
        #expect(ana.get("/api/meals").json["meals"]?.array?.count == 1)

        #expect(ana.get("/api/v1/day").json["totals"]?["energy_kcal"] != 615)
        #expect(ana.call("POST", "/api/meals/\(id)/consume", [:]).status == 200)
        #expect(ana.get("/api/v1/day").text.contains("615"))
        let native = ana.get("/api/v1/meals/\(id)").json
        #expect(native["estimated"] == true && native["analysis_id"]?.string != nil)
        #expect(native["reported_total"]?["protein_g"] == 11)
    }

    @Test("What the model cannot see, declines or answers badly is a problem, and records nothing")
    func failures() throws {
        let analysing = try AnalysingWorld([
            AnalysingWorld.answer(["found": "food"]), .json(200, PublishedInterface.openAI.refusal),
            .json(429, ["error": "x"], [HTTPField("retry-after", "99")]),
            .json(401, ["error": "sk-1"]),
            AnalysingWorld.answer(
                [
                    "found": "no_food", "dish": "", "items": [],
                    "total": ["calories": 0, "protein": 0, "carbs": 0, "fat": 0], "confidence": 1,
                ]),
        ])
        let ana = try analysing.world.logIn()
        let words: JSON = ["description": "stone"]
        let other = ana.call("POST", "/api/analyze", words)
        #expect(other.status == 502 && other.problem == "analysis_failed")
        #expect(other.text.contains("dish is not text"))
        #expect(ana.call("POST", "/api/analyze", words).text.contains("I cannot help with that."))
        #expect(ana.call("POST", "/api/analyze", words).problem == "analysis_unavailable")
        let key = ana.call("POST", "/api/analyze", words)
        #expect(key.status == 503 && !key.text.contains("sk-1"))
        #expect(ana.call("POST", "/api/analyze", words).text.contains("saw no food"))
        #expect(ana.get("/api/meals").json["meals"] == [])
        #expect(analysing.world.notes.isEmpty, "\(analysing.world.notes)")
    }

    @Test(
        "An account has as many analyses a day as the operator allows, and strangers only where they are let in"
    )
    func limits() throws {
        let analysing = try AnalysingWorld([AnalysingWorld.answer()], perDay: 2)
        let ana = try analysing.world.logIn()
        let bob = try analysing.world.logIn("bob@example.org")
        let words: JSON = ["description": "soup"]
        #expect(ana.call("POST", "/api/analyze", words).status == 201)
        #expect(ana.call("POST", "/api/analyze", words).status == 201)
        let third = ana.call("POST", "/api/analyze", words)
        #expect(third.problem == "too_many_requests" && third.field("retry-after") != nil)
        #expect(bob.call("POST", "/api/analyze", words).status == 201)
        let stranger = Client(world: analysing.world, token: nil)
        #expect(stranger.send("/analyze-food-image", [image]).problem == "unauthorized")
        #expect(analysing.models.requests.count == 3)

        let open = try AnalysingWorld([AnalysingWorld.answer()], perDay: 1, strangers: true)
        let anyone = Client(world: open.world, token: nil)
        let shown = anyone.send("/analyze-food-image", [image])
        #expect(shown.status == 200 && shown.json["total"]?["calories"] == 615, "\(shown.text)")
        #expect(anyone.send("/analyze-food-image", [image]).problem == "too_many_requests")
        // A wrong token is no stranger.
        #expect(
            Client(world: open.world, token: "x").send("/analyze-food-image", [image]).status == 401
        )

        let none = try AnalysingWorld([AnalysingWorld.answer()], configured: false)
        let client = try none.world.logIn()
        #expect(client.send("/analyze-food-image", [image]).problem == "analysis_unavailable")
    }

    @Test("Forms that lie and pictures that bomb are refused with what to send, and nothing leaves")
    func forms() throws {
        let analysing = try AnalysingWorld([AnalysingWorld.answer()])
        let ana = try analysing.world.logIn()
        #expect(ana.agree() == 200)
        let target = "/analyze-food-image"
        let form = "multipart/form-data; boundary=x"
        let cases: [(HTTPResponse, Int, String)] = [
            (ana.raw(target, [], type: form), 400, "does not occur"),
            (ana.raw(target, Array("--x\r\n".utf8), type: form), 400, "ends before"),
            (ana.raw(target, Array("--x--".utf8), type: form), 422, "image is missing"),
            (ana.raw(target, Array("--x--".utf8), type: "multipart/form-data"), 400, "no boundary"),
            (
                ana.raw(target, Array("--x\r\nfoo\r\n\r\n1\r\n--x--".utf8), type: form), 400,
                "no colon"
            ),
            (
                ana.raw(target, Array("--x\r\nA: b\r\n\r\n1\r\n--x--".utf8), type: form), 400,
                "no name"
            ),
            (
                ana.raw(
                    target,
                    Array(
                        "--x\r\nContent-Disposition: form-data; name=\"image\"\r\nContent-Transfer-Encoding: base64\r\n\r\niVBO\r\n--x--"
                            .utf8),
                    type: form), 400, "is encoded"
            ), (ana.send(target, [image], end: "\r\n"), 400, "ends before"),
            (ana.send(target, [image, image]), 400, "two parts"),
            (ana.send(target, [("image", [])]), 422, "image cannot be used"),
            (ana.send(target, [("image", Array("<svg/>".utf8))]), 422, "image cannot be used"),
            (
                ana.send(target, [("image", Array(PNGSample.file().dropLast(9)))]), 422,
                "image cannot be used"
            ),
            (
                ana.send(target, [("image", PNGSample.file(width: 60_000, height: 60_000))]), 422,
                "image cannot be used"
            ),
            (
                ana.send(target, [("image", [UInt8](repeating: 7, count: 10_485_761))]), 413,
                "smaller"
            ),
            (ana.send(target, [image, ("description", [0xFF])]), 422, "description must be"),
            (
                ana.send(target, [image, ("description", [UInt8](repeating: 65, count: 1_001))]),
                422, "description must be"
            ),
            (ana.raw(target, [1], type: "image/png"), 415, "multipart/form-data"),
            (ana.call("POST", "/api/analyze", [:]), 422, "image or description"),
            (ana.raw("/api/analyze", Array("{".utf8), type: "application/json"), 400, "not JSON"),
        ]
        for (index, (answer, status, text)) in cases.enumerated() {
            #expect(
                answer.status == status && answer.text.contains(text), "\(index): \(answer.text)")
            #expect(answer.problem != nil, "\(index)")
        }
        #expect(analysing.models.requests.isEmpty)
        #expect(analysing.world.notes.isEmpty, "\(analysing.world.notes)")
        #expect(ana.send(target, [("other", [1]), image]).status == 200)
    }

    @Test(
        "A form that arrives piece by piece is received whole; one that is refused is not received")
    func pieces() throws {
        let analysing = try AnalysingWorld([AnalysingWorld.answer()])
        let world = analysing.world
        let ana = try world.logIn()
        #expect(ana.agree() == 200)
        let body =
            Array("--x\r\nContent-Disposition: form-data; name=\"image\"\r\n\r\n".utf8)
            + image.bytes + Array("\r\n--x--\r\n".utf8)
        func status(_ token: String, length: Int) -> Int {
            let request = HTTPRequest(
                method: "POST", path: "/analyze-food-image",
                fields: [
                    HTTPField("authorization", "Bearer \(token)"),
                    HTTPField("content-type", "multipart/form-data; boundary=x"),
                    HTTPField("content-length", "\(length)"),
                ], peer: "192.0.2.1")
            guard let sink = world.gateway.sink(for: request) else { return 0 }
            for piece in body.chunked(7) { piece.withUnsafeBytes { sink.take($0) } }
            let done = Monitor<Int?>(nil)
            sink.finish { response in
                done.withLock { $0 = response.status }
                done.wakeOne()
            }
            return done.wait { $0 }
        }
        #expect(status(ana.token ?? "", length: body.count) == 200)
        #expect(status("x", length: body.count) == 401)
        #expect(status(ana.token ?? "", length: 1 << 30) == 413)
        #expect(analysing.models.requests.count == 1)
    }

    @Test(
        "Two devices that answer one question make two proposals, of which both show the surer, and one meal"
    )
    func twoDevices() async throws {
        let analysing = try AnalysingWorld([AnalysingWorld.answer()])
        let world = analysing.world
        let phone = try await world.device("phone")
        let laptop = try await world.device("laptop")
        let meal = phone.replica.newID()
        let question = try phone.replica.write { diary in
            try diary.add(Meal(id: meal, on: diary.localDate(), isConsumed: false))
            return try diary.ask(about: meal, words: "pancakes")
        }
        _ = try await phone.sync()
        _ = try await laptop.sync()
        #expect(try laptop.replica.read { try $0.openQuestions() } == [question])
        for (device, confidence) in [(phone, "0.6"), (laptop, "0.9")] {
            let document = pancakes.replacing("confidence", .number(confidence)).replacing(
                "dish", .string("by \(confidence)"))
            let models = try ModelServer([AnalysingWorld.answer(document)])
            let provider = Provider(
                try ProviderSettings(.openAI, address: models.address, model: "m"))
            _ = try device.replica.answer(question, photo: nil, by: provider)
        }
        // Each confirms what it sees, before it knows of the other.
        for device in [phone, laptop] {
            try device.replica.write { try $0.confirm(meal, at: nil) }
        }
        for device in [phone, laptop, phone] { _ = try await device.sync() }
        for device in [phone, laptop] {
            let proposals = try device.replica.read { try $0.proposals(for: meal) }
            #expect(proposals.map(\.dish) == ["by 0.9", "by 0.6"])
            let detail = try #require(try device.replica.meal(meal))
            #expect(detail.items.count == 3 && detail.totals[.energy] == 615_000)
        }
        #expect(try phone.replica.read { try $0.openQuestions() }.isEmpty)
    }
}

extension JSON {
    fileprivate func replacing(_ key: String, _ value: JSON) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.map { $0.key == key ? Member(key, value) : $0 })
    }
}

extension [UInt8] {
    fileprivate func chunked(_ count: Int) -> [[UInt8]] {
        stride(from: 0, to: self.count, by: count).map {
            Array(self[$0..<Swift.min($0 + count, self.count)])
        }
    }
}
