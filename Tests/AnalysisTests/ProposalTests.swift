import MacrologAnalysis
import MacrologDiary
import MacrologEvents
import MacrologJSON
import MacrologNutrition
import MacrologTestSupport
import Macrolog
import Testing

/// From a photo to a meal that counts, on one device.
@Suite struct ProposalTests {
    private let scratch = ScratchFolder()
    private let replica: Replica

    init() throws { replica = try Replica.open(at: scratch.file("log.db")) }

    /// A meal that is not eaten yet, with or without a photo.
    private func meal(_ name: String? = nil, photo: [UInt8]? = nil) throws -> Identifier {
        let id = replica.newID()
        try replica.write { diary in
            try diary.add(Meal(id: id, on: diary.localDate(), dishName: name, isConsumed: false))
        }
        if let photo { try replica.attachPhoto(photo, to: id) }
        return id
    }

    private func agree(_ agrees: Bool? = true) throws {
        try replica.write { diary in
            var preferences = try diary.preferences()
            preferences.consentsToPhotoAnalysis = agrees
            try diary.save(preferences)
        }
    }

    private var energyToday: Int64? {
        get throws {
            try replica.read { diary in
                try diary.summary(of: diary.today()).totals[.energy]
            }
        }
    }

    private func answer(_ documents: JSON...) throws -> AskedProvider {
        try AskedProvider(
            .gemini,
            try ModelServer(documents.map { .json(200, PublishedInterface.gemini.answer($0)) }))
    }

    private func count() throws -> Int64 { try replica.syncStatus().unsealed }

    @Test("Nothing is asked about a photo before consent, and nothing leaves when it is withdrawn")
    func consent() throws {
        let photo = PNGSample.file()
        let id = try meal(photo: photo)
        let hash = try replica.require(Meal.self, id).photoHashes[0]
        let before = try count()
        #expect(throws: ProposalError.consentRequired) {
            try replica.write { try $0.ask(about: id, photo: hash) }
        }
        #expect(try count() == before)
        try agree()
        let question = try replica.write { try $0.ask(about: id, photo: hash) }
        try agree(false)
        let server = try ModelServer([.json(200, PublishedInterface.gemini.answer(pancakes))])
        let asked = try AskedProvider(.gemini, server)
        #expect(throws: ProposalError.consentRequired) {
            try replica.answer(question, photo: photo, by: asked.provider)
        }
        #expect(server.requests.isEmpty)
        try agree()
        #expect(try replica.answer(question, photo: photo, by: asked.provider).outcome == .ok)
        #expect(server.requests.count == 1)
    }

    @Test("Nothing counts before it is confirmed; then the sum of the parts does, once")
    func sequence() throws {
        try agree()
        let id = try meal(photo: PNGSample.file())
        let hash = try replica.require(Meal.self, id).photoHashes[0]
        let question = try replica.write { try $0.ask(about: id, photo: hash, words: "brunch") }
        #expect(try replica.read { try $0.openQuestions() } == [question])
        #expect(throws: ProposalError.waiting) { try replica.write { try $0.confirm(id, at: nil) } }

        let asked = try answer(pancakes)
        let proposal = try replica.answer(
            question, photo: try replica.photo(hash), by: asked.provider)
        #expect(proposal.outcome == .ok && proposal.totals[.protein] == 9_000)
        #expect(proposal.hasTotalMismatch && proposal.model == "some-model-2026")
        #expect(try replica.read { try $0.openQuestions() }.isEmpty)
        #expect(try energyToday == nil)
        #expect(try replica.meal(id)?.items.isEmpty == true)

        try replica.write { try $0.confirm(id, at: 1_790_000_000_000) }
        #expect(try energyToday == 615_000)
        let detail = try #require(try replica.meal(id))
        #expect(detail.items.map(\.name) == ["Pancakes", "Blueberries", "Syrup"])
        #expect(detail.meal.dishName == "Pancakes with blueberries & syrup")
        #expect(detail.meal.reportedTotal?[.protein] == 11_000 && detail.meal.healthScore == 7)
        #expect(detail.meal.isEstimated == true && detail.meal.source == .photo)
        #expect(try !replica.read { try $0.isCorrected(detail) })
        #expect(throws: ProposalError.confirmed) {
            try replica.write { try $0.confirm(id, at: nil) }
        }
        // One action: an undo makes it a proposal again, and it can be confirmed once more.
        try replica.undo()
        #expect(try energyToday == nil)
        #expect(try replica.meal(id)?.items.isEmpty == true)
        try replica.write { try $0.confirm(id, at: nil) }
        #expect(try energyToday == 615_000)
        #expect(try replica.meal(id)?.items.count == 3)
        // What was proposed stays visible beside what a person makes of it.
        var item = try #require(try replica.meal(id)?.items.first)
        item[.energy] = 400_000
        try replica.save(item)
        let proposals = try replica.read { try $0.proposals(for: id) }
        #expect(proposals == [proposal] && proposals[0].totals[.energy] == 615_000)
        let changed = try #require(try replica.meal(id))
        #expect(try replica.read { try $0.isCorrected(changed) })
    }

    @Test(
        "A confirmation with changes: parts left out, another mass, another name; impossible ones are refused whole"
    )
    func changes() throws {
        let id = try meal("brunch")
        let question = try replica.write { try $0.ask(about: id, words: "pancakes") }
        _ = try replica.answer(question, photo: nil, by: try answer(pancakes).provider)
        var changes = ProposalChanges()
        changes.masses = [4: 100_000]
        let before = try count()
        #expect(throws: ProposalError.noSuchPart(4, of: 3)) {
            try replica.write { try $0.confirm(id, changes, at: nil) }
        }
        changes.masses = [1: 1, 3: 10_000]
        #expect(throws: ProposalError.unknownMass(3)) {
            try replica.write { try $0.confirm(id, changes, at: nil) }
        }
        changes.takesEarlier = true
        #expect(throws: ProposalError.noEarlierMeal) {
            try replica.write { try $0.confirm(id, changes, at: nil) }
        }
        #expect(try count() == before)
        changes = ProposalChanges()
        changes.masses = [1: 125_000]
        changes.without = [3]
        changes.name = "Half of it"
        try replica.write { [changes] in try $0.confirm(id, changes, at: nil) }
        let detail = try #require(try replica.meal(id))
        #expect(detail.meal.dishName == "Half of it")
        #expect(detail.items.map { $0.nutrients[.energy] } == [297_500, 8_000])
        #expect(detail.items.map { $0.isEditedByUser ?? false } == [true, false])

        // The same dish again: what was corrected is offered, and can be taken.
        let again = try meal()
        let second = try replica.write { try $0.ask(about: again, words: "more pancakes") }
        let dish = pancakes.setting("dish", "PANCAKES, with blueberries & Syrup")
        let proposal = try replica.answer(second, photo: nil, by: try answer(dish).provider)
        let offered = try replica.read {
            try $0.correctedMeal(of: proposal.dish ?? "", except: again)
        }
        #expect(offered?.meal.id == id)
        changes = ProposalChanges()
        changes.takesEarlier = true
        try replica.write { [changes] in try $0.confirm(again, changes, at: nil) }
        let taken = try #require(try replica.meal(again))
        #expect(taken.items.map(\.name) == ["Pancakes", "Blueberries"])
        #expect(taken.items[0].amount?.milligrams == 125_000)
        #expect(Set(taken.items.map(\.id)).isDisjoint(with: detail.items.map(\.id)))
    }

    @Test(
        "A question stays open while the provider is away, and closes when it says what it would say again"
    )
    func open() throws {
        let id = try meal()
        let question = try replica.write { try $0.ask(about: id, words: "soup") }
        let server = try ModelServer([
            .json(503, ["error": "down"]), .json(503, ["error": "down"]),
            .json(503, ["error": "down"]), .json(401, ["error": "key"]),
            .json(200, PublishedInterface.openAI.refusal),
        ])
        let asked = try AskedProvider(.openAI, server)
        for _ in 0..<2 {
            #expect(throws: AnalysisError.self) {
                try replica.answer(question, photo: nil, by: asked.provider)
            }
            #expect(try replica.read { try $0.openQuestions() } == [question])
        }
        let proposal = try replica.answer(question, photo: nil, by: asked.provider)
        #expect(proposal.outcome == .failed && proposal.items.isEmpty)
        #expect(proposal.failure?.contains("I cannot help with that.") == true)
        #expect(try replica.read { try $0.openQuestions() }.isEmpty)
        #expect(throws: ProposalError.noProposal) {
            try replica.write { try $0.confirm(id, at: nil) }
        }
        // Asked again, another answer is better than none.
        let second = try replica.write { try $0.ask(about: id, words: "tomato soup") }
        _ = try replica.answer(second, photo: nil, by: try answer(pancakes).provider)
        #expect(try replica.read { try $0.proposals(for: id) }.map(\.outcome) == [.ok, .failed])
        // A meal that is eaten or deleted meanwhile is asked about no more.
        for end in 0..<2 {
            let other = try meal("tea")
            try replica.write { try $0.ask(about: other, words: "tea") }
            if end == 0 {
                try replica.write { try $0.markConsumed(other) }
            } else {
                try replica.delete(Meal.self, other)
            }
            #expect(try replica.read { try $0.openQuestions() }.isEmpty)
        }
        #expect(throws: ProposalError.nothingToAsk) {
            try replica.write { try $0.ask(about: id, words: " \n\u{200B}") }
        }
    }

    @Test("The surer of several answers is shown, and one device answers a question once")
    func several() throws {
        let id = try meal()
        let question = try replica.write { try $0.ask(about: id, words: "pancakes") }
        let unsure = pancakes.setting("confidence", .number("0.3")).setting("dish", "Crêpes")
        _ = try replica.answer(question, photo: nil, by: try answer(unsure).provider)
        let second = try replica.answer(question, photo: nil, by: try answer(pancakes).provider)
        var all = try replica.read { try $0.proposals(for: id) }
        #expect(all == [second])
        // Another question about the same meal.
        let more = try replica.write { try $0.ask(about: id, words: "crêpes") }
        let third = try replica.answer(more, photo: nil, by: try answer(unsure).provider)
        all = try replica.read { try $0.proposals(for: id) }
        #expect(all == [second, third] && third.isUnsure)
    }

    @Test
    func `a meal of another day that is confirmed was eaten at its own time, one of today now`()
        throws
    {
        let now = replica.now
        for (date, eaten) in [
            (LocalDate(day: try #require(Day("2026-01-05"))), nil),
            (try replica.read { try $0.localDate(at: 1_767_600_000_000) }, 1_767_600_000_000),
            (try replica.read { try $0.localDate() }, now),
        ] as [(LocalDate, Int64?)] {
            let id = replica.newID()
            let question = try replica.write { diary in
                try diary.add(Meal(id: id, on: date, isConsumed: false))
                return try diary.ask(about: id, words: "pancakes")
            }
            _ = try replica.answer(question, photo: nil, by: try answer(pancakes).provider)
            try replica.write { try $0.confirm(id) }
            let meal = try replica.require(Meal.self, id)
            #expect(meal.isConsumed && (meal.consumedAt == nil) == (eaten == nil), "\(date)")
            guard let eaten, let consumed = meal.consumedAt else { continue }
            #expect((eaten..<eaten + 60_000).contains(consumed), "\(date)")
        }
    }

    @Test func `a confirmation that would count nothing, or count twice, is refused whole`() throws
    {
        let id = try meal("brunch")
        let question = try replica.write { try $0.ask(about: id, words: "pancakes") }
        _ = try replica.answer(question, photo: nil, by: try answer(pancakes).provider)
        var changes = ProposalChanges()
        changes.without = [1, 2, 3]
        #expect(throws: ProposalError.noPartLeft) {
            try replica.write { try $0.confirm(id, changes) }
        }
        var meal = try replica.require(Meal.self, id)
        meal[.energy] = 50_000
        try replica.save(meal)
        #expect(throws: ProposalError.hasValues) { try replica.write { try $0.confirm(id) } }
        #expect(try energyToday == nil)
        // What the proposal does not know counts as well.
        meal[.energy] = nil
        meal[.caffeine] = 80_000_000
        try replica.save(meal)
        try replica.write { try $0.confirm(id) }
        #expect(try energyToday == 615_000)
    }
}
