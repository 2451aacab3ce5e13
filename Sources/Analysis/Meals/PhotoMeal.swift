/// A meal, its photos and a question about it, recorded together.
public import Macrolog
package import MacrologDiary
package import MacrologEvents
import MacrologLog
public import MacrologNutrition
import MacrologNutritionModels

extension Replica {
    /// Adds a meal with photos, and asks what it holds. All of it is one action, and without a provider and
    /// without a network it waits in the log.
    ///
    /// - Parameters:
    ///   - meal: A new meal; with a question it must not be eaten yet.
    ///   - items: Its parts.
    ///   - photos: JPEG, PNG or WebP files, at most 10 of 10 MiB. Place, time and names are removed.
    ///   - asks: Whether a model is asked about the first photo, or about the words where there is none.
    ///   - words: What the person says about it, up to 1,000 bytes.
    /// - Returns: The question, `nil` if none is asked, and what is unusual about the meal.
    /// - Throws: ``PhotoError``, ``EntryError`` and ``ProposalError``. Then nothing was recorded.
    @discardableResult
    public func add(
        _ meal: Meal, items: [MealItem] = [], photos: [[UInt8]], asks: Bool, words: String? = nil
    ) throws -> (question: MealQuestion?, findings: [Finding]) {
        if asks, !photos.isEmpty { try read { try $0.requireConsent() } }
        guard photos.count <= Self.photosMax else { throw PhotoError.tooMany(photos.count) }
        let cleaned = try photos.enumerated().map { at, photo in
            do { return try cleanPhoto(photo) } catch let error as PhotoError {
                throw PhotoError.unusable(error.text, file: at + 1)
            }
        }
        var meal = meal
        for photo in cleaned where !meal.photoHashes.contains(photo.photo.name) {
            meal.photoHashes.append(photo.photo.name)
        }
        return try write { [meal] diary in
            // While the file is held, so that no compaction removes what no event names yet.
            for photo in cleaned { try keep(photo) }
            for name in meal.photoHashes { try diary.forgetPhoto(name) }
            let findings = try diary.add(meal, items: items)
            guard asks else { return (nil, findings) }
            let photo = meal.photoHashes.first
            return (try diary.ask(about: meal.id, photo: photo, words: words), findings)
        }
    }
}

extension Diary {
    /// Adds a meal that is not eaten yet, with the parts that a provider proposed for it: for programs whose
    /// screens change the meal itself before it counts.
    ///
    /// - Parameters:
    ///   - provider: The interface that answered.
    ///   - group: Identifies the action.
    package mutating func add(
        _ meal: Meal, proposedBy answer: FoodAnswer, of provider: String, group: Identifier?
    ) throws {
        let question = MealQuestion(about: meal.id, id: newID())
        let device = try withStore { store throws(LogError) in store.log.device }
        let analysis = Analysis(
            id: Identities.answer(to: question.id, of: device), .success(answer), to: question,
            by: provider, milliseconds: 0)
        guard let analysis else { throw ProposalError.noProposal }
        var meal = meal
        meal.analysisID = analysis.id
        meal.isEstimated = true
        meal.reportedTotal = answer.reportedTotal
        meal.healthScore = answer.healthScore
        let today = try today()
        try record(
            [
                .add(meal, items: Proposal(analysis).items(of: meal.id), today: today),
                .add(analysis, today: today),
            ], group: group)
    }
}
