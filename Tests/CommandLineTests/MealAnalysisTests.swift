import Foundation
import MacrologHTTP
import MacrologJSON
import MacrologTestSupport
import Testing

/// From a photo to a meal that counts, in the words of the real program, with a provider that answers over a
/// socket.
@Suite struct MealAnalysisTests {
    private let computer: Computer

    init() throws {
        computer = try Computer()
        try TinyPhoto.write(1, to: computer, as: "lunch.jpg")
    }

    private func run(_ words: String...) throws -> Computer.Result { try computer.run(words) }

    private func json(_ words: String...) throws -> JSON {
        try JSON.parse(Array(computer.run(words + ["--json"]).output.utf8))
    }

    /// The id of the only meal.
    private func meal() throws -> String {
        try #require(try json("meal", "list").array?.first?["id"]?.string)
    }

    private func configure(_ models: ModelServer, _ interface: String = "gemini") throws {
        try Self.configure(models, interface, on: computer)
    }

    static func configure(_ models: ModelServer, _ interface: String, on computer: Computer) throws
    {
        let folder = computer.folder.appending(path: ".config/macrolog")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let lines = "interface = \(interface)\nmodel = some-model\naddress = \(models.address)/v1\n"
        try Data(lines.utf8).write(to: folder.appending(path: "analysis.conf"))
    }

    private func energyToday() throws -> JSON? { try json("day", "show")["totals"]?["energy_kcal"] }

    @Test func `without consent nothing is recorded, and the sentence says which command gives it`()
        throws
    {
        let refused = try run("add", "--photo", "lunch.jpg", "--analyze")
        #expect(refused.status == 77)
        #expect(refused.errors.contains("macrolog config set photo-consent yes allows it"))
        #expect(try json("meal", "list") == [])
        let none = try run("meal", "analyze")
        #expect(none.status == 78 && none.errors.contains("analysis.conf"))
    }

    @Test func `eating a meal before its proposal is confirmed warns that nothing of it counts`()
        throws
    {
        #expect(try run("add", "two eggs and toast", "--analyze").status == 0)
        let id = try meal()
        let early = try run("meal", "consume", id)
        #expect(early.status == 0 && early.errors.contains("not answered yet"), "\(early.errors)")
        #expect(try run("meal", "unconsume", id).errors == "")
        let models = try ModelServer([.json(200, PublishedInterface.gemini.answer(pancakes))])
        try configure(models)
        #expect(try run("meal", "analyze").status == 0)
        let eaten = try run("meal", "consume", id)
        #expect(eaten.errors.contains("then macrolog meal confirm"), "\(eaten.errors)")
        #expect(try !run("day", "show").output.contains(" 615 "))
        #expect(try run("meal", "unconsume", id).status == 0)
        #expect(try run("meal", "confirm", id).status == 0)
        #expect(try run("day", "show").output.contains(" 615 "))
        // A meal that has its parts is eaten without a word.
        #expect(try run("meal", "unconsume", id).status == 0)
        #expect(try run("meal", "consume", id).errors == "")
    }

    @Test func `a photo waits offline, is answered later, and counts when it is confirmed`() throws
    {
        #expect(try run("config", "set", "photo-consent", "yes").status == 0)
        let added = try run("add", "--photo", "lunch.jpg", "--analyze")
        #expect(added.status == 0, "\(added.errors)")
        #expect(added.output.contains("The question waits"))
        let id = try meal()
        #expect(try json("meal", "photo", "list", id).array?.count == 1)
        #expect(try run("meal", "confirm", id).status == 75)

        // A provider that is away loses nothing.
        let address = try ModelServer([.never])
        try configure(address)
        withExtendedLifetime(address) {}
        let models = try ModelServer([.json(200, PublishedInterface.gemini.answer(pancakes))])
        try configure(models)
        let answered = try run("meal", "analyze")
        #expect(answered.status == 0, "\(answered.errors)")
        #expect(answered.output.contains("Pancakes with blueberries & syrup"))
        #expect(answered.output.contains("macrolog meal confirm"))
        #expect(answered.errors.contains("another total"))
        #expect(models.requests.count == 1)
        #expect(try run("meal", "analyze").output == "No meal waits for an answer.\n")
        #expect(models.requests.count == 1)
        #expect(try energyToday() == nil || energyToday() == .null || energyToday() == 0)

        let confirmed = try run("meal", "confirm", id, "--grams", "1=125", "--without", "3")
        #expect(confirmed.status == 0, "\(confirmed.errors)")
        #expect(confirmed.output.contains("Confirmed: Pancakes with blueberries & syrup, 306 kcal"))
        #expect(try run("meal", "confirm", id).status == 65)
        let proposals = try json("meal", "proposals", id)
        #expect(proposals.array?.first?["nutrients"]?["energy_kcal"] == 615)
        #expect(proposals.array?.first?["total_mismatch"] == true)
        #expect(try run("meal", "proposals", id).output.contains("You confirmed it with changes"))

        // The same dish again: what was corrected is offered.
        let again = try run("add", "pancakes again", "--analyze")
        #expect(
            again.output.contains("You corrected this dish before"),
            "\(again.output)\(again.errors)")
        let second = try #require(
            try json("meal", "list").array?.first { $0["consumed"] == false }?["id"]?.string)
        #expect(try run("meal", "confirm", second, "--as-before").output.contains("306 kcal"))
        #expect(try run("undo").status == 0)
        #expect(try run("meal", "confirm", second).output.contains("615 kcal"))
    }

    @Test func `a proposal is confirmed at the meal's own time, and never beside typed values`()
        throws
    {
        let models = try ModelServer([.json(200, PublishedInterface.gemini.answer(pancakes))])
        try configure(models)
        #expect(
            try run("add", "pancakes", "--analyze", "--date", "2026-01-05", "--at", "08:00").status
                == 0)
        let all = try json("meal", "list", "--date", "2026-01-05")
        let planned = try #require(all.array?.first)
        let id = try #require(planned["id"]?.string)
        let none = try run(
            "meal", "confirm", id, "--without", "1", "--without", "2", "--without", "3")
        #expect(
            none.status == 65 && none.errors.contains("no part would be left"), "\(none.errors)")
        #expect(try run("meal", "edit", id, "--kcal", "50").status == 0)
        let twice = try run("meal", "confirm", id)
        #expect(twice.status == 65 && twice.errors.contains("--kcal n/a"), "\(twice.errors)")
        #expect(try run("meal", "consume", id).errors == "")
        #expect(try run("meal", "unconsume", id).status == 0)
        #expect(try run("meal", "edit", id, "--kcal", "n/a").status == 0)
        let confirmed = try json("meal", "confirm", id)
        #expect(confirmed["consumed_at"] == planned["occurred_at"], "\(confirmed.compact)")
        #expect(confirmed["totals"]?["sums"]?["energy_kcal"] == 615, "\(confirmed.compact)")
    }

    @Test func `what cannot be meant is refused before anything is written`() throws {
        #expect(try run("config", "set", "photo-consent", "yes").status == 0)
        try Data("<svg/>".utf8).write(to: computer.folder.appending(path: "no.jpg"))
        #expect(try run("add", "--photo", "no.jpg", "--analyze").status == 65)
        #expect(try run("add", "--photo", "missing.jpg", "--analyze").status == 66)
        #expect(try run("add", "--analyze").status == 64)
        #expect(try run("add", "Soup", "--analyze", "--kcal", "300").status == 64)
        #expect(try run("add", "Soup", "--analyze", "--grams", "300").status == 64)
        #expect(try run("meal", "confirm", "ffff").status == 66)
        #expect(try run("meal", "analyze", "--describe", "x").status == 78)
        #expect(try json("meal", "list") == [])
        // A photo without a question is a meal of which nothing is known yet.
        #expect(try run("add", "--photo", "lunch.jpg").status == 0)
        #expect(try run("add", "Soup", "--kcal", "300", "--photo", "lunch.jpg").status == 0)
        #expect(
            try json("meal", "list").array?.allSatisfy { $0["photos"]?.array?.count == 1 } == true)
        let id = try meal()
        for wrong in ["1", "0=5", "1=", "1=x", "1=99999", "1=1.2345", "=4", "1=-3"] {
            #expect(try run("meal", "confirm", id, "--grams", wrong).status == 64, "\(wrong)")
        }
    }

    static let advice: JSON = [
        "calories": 2_850, "protein_g": 195, "carbs_g": 350, "fat_g": 75,
        "reasoning": "Legs today.", "adjustments": ["Added 200 kcal"],
        "confidence": .number("0.85"),
        "preworkout_carbs_g": 60, "postworkout_protein_g": 40, "recovery_focus": "Sleep",
    ]

    @Test func `advice of a model is within bounds, or else the formulas say it and why`() throws {
        #expect(
            try run("goal", "set", "--kcal", "2000", "--p", "120", "--c", "220", "--f", "70").status
                == 0)
        // Its macronutrients come to 3,055 kcal.
        var wrong = Self.advice.object ?? []
        wrong[2] = JSON.Member("carbs_g", 400)
        let interface = PublishedInterface.openAI
        let models = try ModelServer([
            .json(200, interface.answer(Self.advice)), .json(200, interface.answer(.object(wrong))),
            .json(503, ["error": "busy"]), .json(200, interface.answer(.object(wrong))),
        ])
        try configure(models, "openai")
        let first = try json("coach", "advise", "--model")
        #expect(
            first["by"] == "model" && first["energy_kcal"] == 2_850 && first["failure"] == .null)
        #expect(first["confidence_percent"] == 85 && first["postworkout_protein_g"] == 40)
        // Exactly the coach's context was sent.
        let context = try JSON.parse(Array(try run("coach", "context").output.utf8))
        let body = try JSON.parse(try #require(models.requests.first).body)
        let sent = body["messages"]?.array?.last?["content"]?.array
        #expect(sent?.count == 1 && sent?.first?["text"]?.string == context.compact)

        let second = try json("coach", "advise", "--model")
        #expect(second["by"] == "formulas" && second["energy_kcal"] == 2_000)
        #expect(second["failure"]?.string?.contains("5 %") == true)
        let third = try run("coach", "advise", "--model")
        #expect(third.status == 0 && third.output.contains("By the formulas:"))
        #expect(third.errors.contains("no more questions now"))
        #expect(!third.errors.contains("lost"), "\(third.errors)")
        // What to do is about advice, and not about a meal.
        let fourth = try run("coach", "advise", "--model")
        #expect(fourth.errors.contains("ask again, or go by the formulas"), "\(fourth.errors)")
        #expect(!fourth.errors.contains("photo"), "\(fourth.errors)")
        #expect(models.requests.count == 4)
    }
    @Test func `what a model advised is recorded, and counts for the day once it is accepted`()
        throws
    {
        #expect(try run("coach", "accept").status == 66)
        #expect(
            try run("goal", "set", "--kcal", "2000", "--water", "2l", "--date", "2026-01-01").status
                == 0)
        let models = try ModelServer([
            .json(200, PublishedInterface.openAI.answer(Self.advice))
        ])
        try configure(models, "openai")
        let told = try run("coach", "advise", "--model").output
        for part in [
            "Before a workout: 60.0 g of carbohydrate", "After a workout: 40.0 g of protein",
            "Recovery: Sleep", "macrolog coach accept",
        ] { #expect(told.contains(part), "\(told)") }
        #expect(try run("log", "--json").output.contains("ai.recorded"))
        #expect(try run("goal", "show").output.contains("2,000 kcal"), "nothing counts yet")
        let accepted = try run("coach", "accept").output
        #expect(accepted.contains("2,850 kcal") && accepted.contains("195.0 g"), "\(accepted)")
        #expect(accepted.contains("Water"), "what a model does not set stays")
        #expect(try run("log", "--json").output.contains("ai.accepted"))
        #expect(try run("goal", "show", "--date", "tomorrow").output.contains("2,000 kcal"))
        #expect(try run("goal", "show", "--date", "yesterday").output.contains("2,000 kcal"))
        #expect(try run("undo").status == 0)
        #expect(try run("goal", "show").output.contains("2,000 kcal"))
    }

    @Test func `what a model advised for tomorrow is accepted for tomorrow alone`() throws {
        #expect(try run("goal", "set", "--kcal", "2000", "--date", "2026-01-01").status == 0)
        let models = try ModelServer([
            .json(200, PublishedInterface.openAI.answer(Self.advice))
        ])
        try configure(models, "openai")
        let told = try run("coach", "advise", "--model", "--date", "tomorrow").output
        #expect(told.contains("macrolog coach accept --date "), "\(told)")
        let refused = try run("coach", "accept")
        #expect(refused.status == 66 && refused.errors.contains("for that day"), "\(refused)")
        #expect(try run("goal", "show").output.contains("2,000 kcal"))
        let accepted = try run("coach", "accept", "--date", "tomorrow")
        #expect(accepted.output.contains("2,850 kcal"), "\(accepted)")
        #expect(try run("goal", "show").output.contains("2,000 kcal"))
    }
}
