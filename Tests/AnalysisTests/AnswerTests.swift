import Foundation
import MacrologAnalysis
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologSystem
import MacrologTestSupport
import Testing

func encoded(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

/// What is believed of an answer, and what is not.
@Suite struct AnswerTests {
    private func answer(_ document: JSON) throws -> FoodAnswer {
        let server = try ModelServer([.json(200, PublishedInterface.openAI.answer(document))])
        return try AskedProvider(.openAI, server).provider.answer(FoodQuestion(description: "x"))
    }

    private func item(
        grams: JSON = nil, _ energy: JSON, _ protein: JSON, _ carbs: JSON,
        _ fat: JSON, fiber: JSON = nil
    ) -> JSON {
        [
            "name": "Rice", "grams": grams, "calories": energy, "protein": protein,
            "carbs": carbs, "fat": fat, "fiber": fiber,
        ]
    }

    @Test("Every member that is missing, null, of another type, negative or too large is named")
    func wrongMembers() throws {
        let cases: [(JSON, String)] = [
            (pancakes.setting("found", nil), "found is not text"),
            (pancakes.setting("found", "Food"), "found is not food, no_food or unclear"),
            (pancakes.setting("dish", 7), "dish is not text"),
            (pancakes.setting("items", nil), "items is not a list of at most 100"),
            (pancakes.setting("items", []), "items is empty"),
            (
                pancakes.setting("items", .array(Array(repeating: item(1, 0, 0, 0), count: 101))),
                "items is not a list of at most 100"
            ),
            (
                pancakes.setting("items", [item(100, 0, 25, 0), item(-1, 0, 0, 0)]),
                "items/1/calories is not a number from 0 to 5000"
            ),
            (
                pancakes.setting("items", [item("595", 9, 85, 19)]),
                "items/0/calories is not a number from 0 to 5000"
            ),
            (
                pancakes.setting("items", [item(.number("1e300"), 9, 85, 19)]),
                "items/0/calories is not a number from 0 to 5000"
            ),
            (
                pancakes.setting("items", [item(100, nil, 25, 0)]),
                "items/0/protein is not a number from 0 to 1000"
            ),
            (
                pancakes.setting("items", [item(100, 0, 1_001, 0)]),
                "items/0/carbs is not a number from 0 to 1000"
            ),
            (
                pancakes.setting("items", [item(grams: 10_001, 100, 0, 25, 0)]),
                "items/0/grams is not a number from 0 to 10000"
            ),
            (pancakes.setting("total", [1]), "total is not an object"),
            (pancakes.setting("total", [:]), "total/calories is not a number from 0 to 500000"),
            (
                pancakes.setting("confidence", .number("1.01")),
                "confidence is not a number from 0 to 1"
            ),
            (pancakes.setting("health_score", 11), "health_score is not a number from 0 to 10"),
            ([pancakes], "found is not text"), ("pancakes", "found is not text"),
        ]
        for (document, why) in cases {
            do {
                _ = try answer(document)
                Issue.record("taken: \(document.compact.prefix(120))")
            } catch let error as AnalysisError {
                #expect(error == .otherForm(why))
            }
        }
    }

    @Test(
        "Energy beyond 15 % of 4 P + 4 C + 9 F is doubted, with fibre either way; small amounts are not"
    )
    func energy() throws {
        // 4·10 + 4·50 + 9·10 = 330 kcal: 388.2 is the border.
        func isDoubted(_ items: JSON...) throws -> Bool {
            try answer(pancakes.setting("items", .array(items))).isInconsistent
        }
        #expect(try !isDoubted(item(388, 10, 50, 10)))
        #expect(try isDoubted(item(389, 10, 50, 10)))
        #expect(try isDoubted(item(280, 10, 50, 10)))
        #expect(try !isDoubted(item(20, 0, 0, 0)))
        #expect(try isDoubted(item(21, 0, 0, 0)))
        // Bran: 45 of the 65 g are fibre.
        #expect(try !isDoubted(item(252, 16, 65, 4, fiber: 45)))
        #expect(try isDoubted(item(252, 16, 65, 4)))
        // More than it weighs.
        #expect(try isDoubted(item(grams: 50, 330, 10, 50, 10)))
        #expect(try !isDoubted(item(grams: 70, 330, 10, 50, 10)))
        // The sums decide, and not each item.
        #expect(try !isDoubted(item(350, 10, 50, 10), item(310, 10, 50, 10)))
    }

    @Test("A total is doubted when it differs by more than rounding, and it is never used")
    func totals() throws {
        let close = pancakes.setting(
            "total", ["calories": 618, "protein": 9, "carbs": .number("93.9"), "fat": 19])
        #expect(try !answer(close).hasTotalMismatch)
        let wrong = try answer(
            close.setting("total", ["calories": 900, "protein": 9, "carbs": 93, "fat": 19]))
        #expect(wrong.hasTotalMismatch && wrong.totals[.energy] == 615_000)
    }

    @Test("No food and unclear pictures have no items, and low confidence is known")
    func unsure() throws {
        let none = try answer(pancakes.setting("found", "no_food").setting("confidence", 0))
        #expect(
            none.found == .noFood && none.items.isEmpty && !none.hasTotalMismatch && none.isUnsure)
        // Nothing is said of a meal that is none.
        #expect(none.dish == nil && none.healthScore == nil && none.reportedTotal.isEmpty)
        #expect(
            try answer(pancakes.setting("found", "unclear").setting("items", [])).found == .unclear)
        #expect(try answer(pancakes.setting("confidence", .number("0.4999"))).isUnsure)
        #expect(try !answer(pancakes.setting("confidence", .number("0.5"))).isUnsure)
    }

    @Test("Pictures of every length are sent byte for byte")
    func base64() throws {
        let server = try ModelServer([.json(200, PublishedInterface.openAI.answer(pancakes))])
        let provider = try AskedProvider(.openAI, server).provider
        for count in 0..<7 {
            let pixels = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 83 + 250) }
            let photo = PNGSample.file(pixels: pixels)
            _ = try provider.answer(try FoodQuestion(photo: photo))
            let body = try #require(server.requests.last).body
            #expect(String(decoding: body, as: UTF8.self).contains(encoded(photo)))
        }
        #expect(throws: (any Error).self) { try FoodQuestion(photo: Array("GIF89a".utf8)) }
    }
}

/// The settings of a provider, as a file has them.
@Suite struct ProviderSettingsTests {
    private let scratch = ScratchFolder()

    private func problem(_ lines: String) -> String {
        do throws(ProviderSettingsError) {
            _ = try ProviderSettings(lines: lines)
            return ""
        } catch { return "\(error)" }
    }

    @Test("A file of lines, with a key that only its owner may read")
    func file() throws {
        let key = scratch.file("key")
        try WholeFile.replace(key, with: Array("sk-1\n".utf8))
        let settings = try ProviderSettings(
            lines: "# mine\ninterface = gemini\r\n model=gemini-2.5-flash \nkey-file = \(key)\n\n")
        #expect(settings.interface == .gemini && settings.model == "gemini-2.5-flash")
        _ = try ProviderSettings(
            lines: "interface = openai\nmodel = llava:7b\naddress = http://127.0.0.1:11434/v1")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        #expect(
            problem("interface = gemini\nmodel = m\nkey-file = \(key)").hasSuffix(
                "it must be a file that belongs to its user alone"))
    }

    @Test("A line that is wrong is named, with what to write")
    func wrongLines() {
        let names = "interface, address, model, key-file, plain-http"
        #expect(problem("interface: gemini") == "line 1: write NAME = VALUE with one of \(names)")
        #expect(problem("\nkey = sk-1") == "line 2: write NAME = VALUE with one of \(names)")
        #expect(problem("model = a\nmodel = b") == "line 2: model is there twice")
        #expect(problem("model = a") == "interface: must be one of openai, gemini, anthropic")
        #expect(problem("interface = openai") == "model: is missing: write model = NAME")
        #expect(
            problem("interface = openai\nmodel = a b").hasPrefix("model: must be 1 to 80 letters"))
        #expect(
            problem("interface = openai\nmodel = a").hasPrefix(
                "key-file: is missing: https://api.openai.com"))
        #expect(
            problem("interface = openai\nmodel = a\nkey-file = /nowhere/key")
                == "key-file: /nowhere/key does not exist")
        #expect(problem("interface = openai\nmodel = a\naddress = ftp://x").hasPrefix("address: "))
        let lan =
            "interface = openai\nmodel = a\naddress = http://192.168.1.5:11434/v1\nplain-http = "
        #expect(problem(lan + "no").hasPrefix("address: "))
        #expect(problem(lan + "perhaps") == "plain-http: must be yes or no")
        #expect(problem(lan + "yes") == "")
    }
}
