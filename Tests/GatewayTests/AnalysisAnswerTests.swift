import MacrologAnalysis
import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: what an app reads where a model gives no meal is about that, and says nothing that is the operator's.
/// Method: providers that see no food, say nothing of it, or are not there.
@Suite struct AnalysisAnswerTests {
    private let image: (name: String, bytes: [UInt8]) = ("image", PNGSample.file())

    @Test func `a picture without food has no name, no score and no total, and says so`() throws {
        func document(_ found: JSON) -> JSON {
            .object(
                (pancakes.object ?? []).map { $0.key == "found" ? JSON.Member("found", found) : $0 }
            )
        }
        let analysing = try AnalysingWorld([
            AnalysingWorld.answer(document("no_food")), AnalysingWorld.answer(document("unclear")),
        ])
        let ana = try analysing.world.logIn()
        #expect(ana.agree() == 200)
        for found in ["no_food", "unclear"] as [JSON] {
            let json = ana.send("/analyze-food-image", [image]).json
            #expect(json["found"] == found && json["totalMismatch"] == false, "\(json.compact)")
            #expect(json["dishName"] == "" && json["ingredients"] == [], "\(json.compact)")
            let none: JSON = ["calories": 0, "carbs": 0, "protein": 0, "fats": 0]
            #expect(json["reportedTotal"] == none, "\(json.compact)")
            let total = JSON.object((none.object ?? []) + [JSON.Member("healthScore", 0)])
            #expect(json["total"] == total, "\(json.compact)")
        }
    }

    @Test func `a food without a score reads 0`() throws {
        let members = (pancakes.object ?? []).map {
            $0.key == "health_score" ? JSON.Member($0.key, .null) : $0
        }
        let analysing = try AnalysingWorld([AnalysingWorld.answer(.object(members))])
        let ana = try analysing.world.logIn()
        #expect(ana.agree() == 200)
        let json = ana.send("/analyze-food-image", [image]).json
        #expect(json["total"]?["healthScore"] == 0, "\(json.compact)")
    }

    @Test func `where the provider is, only the operator reads, and nothing waits`() throws {
        let settings = try ProviderSettings(
            .openAI, address: "http://127.0.0.1:9/v1", model: "llava:7b")
        let provider = Provider(settings) { _ in }
        let world = try GatewayWorld {
            $0.requestsPerHour = nil
            $0.analysis = AnalysisSettings(provider: provider)
        }
        let answer = try world.logIn().call("POST", "/api/analyze", ["description": "soup"])
        #expect(answer.problem == "analysis_unavailable", "\(answer.text)")
        #expect(answer.text.contains("try again later"), "\(answer.text)")
        #expect(!answer.text.contains("127.0.0.1") && !answer.text.contains("lost"))
        #expect(world.notes.contains { $0.contains("127.0.0.1") }, "\(world.notes)")
    }
}
