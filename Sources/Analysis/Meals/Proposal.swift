/// What models proposed for a meal, and what a person made of it.
public import MacrologDiary
public import MacrologEvents
import MacrologLog
public import MacrologNutrition
import MacrologNutritionModels

/// The answer of one provider to a question about a meal. It counts for nothing.
public struct Proposal: Hashable, Sendable {
    /// How an answer ended.
    public enum Outcome: String, Hashable, Sendable {
        /// It found food.
        case ok
        /// It could not tell.
        case unclear
        /// It saw no food.
        case noFood = "no_food"
        /// The model declined, or its answer cannot be used.
        case failed
    }

    private let analysis: Analysis

    init(_ analysis: Analysis) { self.analysis = analysis }

    /// The id of the answer.
    public var id: Identifier { analysis.id }
    /// How it ended.
    public var outcome: Outcome {
        analysis.status.flatMap { Outcome(rawValue: $0.name.string) } ?? .failed
    }
    /// The name of the dish.
    public var dish: String? { analysis.dishName }
    /// What the meal consists of.
    public var items: [TemplateItem] { analysis.items }
    /// The sum of the items.
    public var totals: Nutrients { analysis.items.map(\.nutrients).sum }
    /// The total that the model stated; never used.
    public var reportedTotal: Nutrients? { analysis.reportedTotal }
    /// How healthy the model found it, 0 to 10.
    public var healthScore: Int64? { analysis.healthScore }
    /// How sure the model was, in basis points from 0 to 10,000.
    public var confidenceBasisPoints: Int64? { analysis.confidenceBasisPoints }
    /// Whether the stated total differs from the sum of the items.
    public var hasTotalMismatch: Bool { analysis.hasTotalMismatch == true }
    /// Whether energy, macronutrients and masses contradict each other.
    public var isInconsistent: Bool { analysis.isInconsistent == true }
    /// Whether the model was less sure than not.
    public var isUnsure: Bool { (confidenceBasisPoints ?? 0) < 5_000 }
    /// Which interface answered: `openai`, `gemini` or `anthropic`.
    public var provider: String? { analysis.provider }
    /// The model that answered.
    public var model: String? { analysis.model }
    /// Why the answer cannot be used.
    public var failure: String? { analysis.error }
    /// How long it took, in milliseconds.
    public var milliseconds: Int64? { analysis.latencyMilliseconds }
    /// How much the provider counted, in its tokens.
    public var tokens: Int64? { analysis.tokens }

    /// The question that it answers.
    var question: Identifier { analysis.questionID ?? analysis.id }

    /// The parts of a meal that it becomes.
    func items(of meal: Identifier) -> [MealItem] {
        items.enumerated().map { index, part in
            var item = part.item(id: Identities.analyzedItem(of: question, index), of: meal)
            item.position = String(String(10_001 + index).dropFirst())
            return item
        }
    }

    /// Whether it is shown before another: food first, then the surer one.
    fileprivate func isBetter(than other: Proposal) -> Bool {
        let (mine, theirs) = (outcome == .ok, other.outcome == .ok)
        guard mine == theirs else { return mine }
        let (sure, otherSure) = (confidenceBasisPoints ?? -1, other.confidenceBasisPoints ?? -1)
        return sure == otherSure ? id < other.id : sure > otherSure
    }
}

extension Analysis {
    /// What is recorded of a provider's answer; `nil` for an error after which the question stays open.
    init?(
        id: Identifier, _ result: Result<FoodAnswer, AnalysisError>, to question: MealQuestion,
        by provider: String, milliseconds: Int64
    ) {
        switch result {
        case .success(let answer):
            let status: AnalysisStatus =
                switch answer.found {
                case .food: .ok
                case .noFood: .noFood
                case .unclear: .unclear
                }
            self.init(id: id, status: status, items: answer.items)
            dishName = answer.dish
            reportedTotal = answer.items.isEmpty ? nil : answer.reportedTotal
            healthScore = answer.healthScore
            confidenceBasisPoints = answer.confidenceBasisPoints
            hasTotalMismatch = answer.hasTotalMismatch
            isInconsistent = answer.isInconsistent
            model = answer.model
            tokens = answer.tokens
        case .failure(let failure):
            guard failure.isAnswer else { return nil }
            self.init(id: id, status: .failed)
            error = Words.clean("\(failure)", bytesMax: 500)
        }
        mealID = question.meal
        questionID = question.id
        photoHash = question.photo
        self.provider = provider
        latencyMilliseconds = min(milliseconds, 3_600_000)
    }
}

extension Diary {
    /// What models proposed for a meal, the best first: food before none, the surer before the less sure.
    public func proposals(for meal: Identifier) throws -> [Proposal] {
        let all = try withStore { store throws(LogError) in try store.analyses(of: meal) }
        return all.filter { $0.status != nil && $0.status != .wanted }.map { Proposal($0) }
            .sorted { $0.isBetter(than: $1) }
    }

    /// Whether a question about a meal waits for an answer.
    public func isWaiting(_ meal: Identifier) throws -> Bool {
        try openQuestions().contains { $0.meal == meal }
    }

    /// The latest meal of a dish that a person confirmed with other parts or numbers than were proposed;
    /// `nil` if there is none.
    ///
    /// - Parameter meal: A meal that is left out.
    public func correctedMeal(of dish: String, except meal: Identifier) throws -> MealDetail? {
        let found = try withStore { store throws(LogError) in
            try store.meals(analyzedAs: dish)
        }
        for id in found where id != meal {
            guard let detail = try self.meal(id), detail.meal.isConsumed, !detail.items.isEmpty,
                try isCorrected(detail)
            else { continue }
            return detail
        }
        return nil
    }

    /// Whether the parts of a meal differ from those of the proposal that was confirmed.
    public func isCorrected(_ detail: MealDetail) throws -> Bool {
        guard
            let proposal = try proposals(for: detail.meal.id).first(where: {
                $0.id == detail.meal.analysisID
            })
        else { return false }
        return detail.items.map { TemplateItem($0) } != proposal.items
    }
}
