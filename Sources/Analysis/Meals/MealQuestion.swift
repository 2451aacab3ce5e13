/// Questions about meals wait in the log until a device that has a provider answers them.
public import Macrolog
public import MacrologDiary
public import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels

/// What is asked about a meal: of its photo, of what the person wrote, or of both.
public struct MealQuestion: Hashable, Sendable {
    /// The id of the question.
    public let id: Identifier
    /// The meal.
    public let meal: Identifier
    /// The SHA-256 of the photo; `nil` for a question about words.
    public let photo: [UInt8]?
    /// What the person wrote.
    public let words: String?

    /// A question that was answered at once, so that it is in no log.
    init(about meal: Identifier, id: Identifier) {
        (self.id, self.meal) = (id, meal)
        (photo, words) = (nil, nil)
    }

    init?(_ analysis: Analysis) {
        guard let meal = analysis.mealID, analysis.status == .wanted else { return nil }
        id = analysis.id
        self.meal = meal
        photo = analysis.photoHash
        words = analysis.words
    }
}

/// Why a question cannot be asked, or a proposal not be confirmed. Nothing was recorded.
public enum ProposalError: ExplainedError, Hashable, Sendable {
    /// The person has not agreed that photos leave the device.
    case consentRequired
    /// The meal has neither a photo nor words.
    case nothingToAsk
    /// The photo is not on this device.
    case photoMissing
    /// There is no proposal.
    case noProposal
    /// The question was not answered yet.
    case waiting
    /// The meal counts already.
    case confirmed
    /// There is no such part; the proposal has this many.
    case noSuchPart(Int, of: Int)
    /// The mass of a part is unknown, so that it cannot be changed.
    case unknownMass(Int)
    /// The parts of the meal were recorded before.
    case hasParts
    /// Values were typed for the meal itself, and would count beside those of its parts.
    case hasValues
    /// All parts are left out.
    case noPartLeft
    /// No meal of that dish was confirmed with other numbers.
    case noEarlierMeal

    /// The cause in words, and what a person can do about it.
    public var text: ErrorText {
        ErrorText(cannot: operation, explanation, hint: hint, isRetryable: isRetryable)
    }

    /// What was attempted, as it follows "cannot".
    var operation: String {
        switch self {
        case .consentRequired, .nothingToAsk, .photoMissing: "analyse the meal"
        case .noProposal, .waiting, .confirmed, .noSuchPart, .unknownMass, .hasParts, .hasValues,
            .noPartLeft, .noEarlierMeal:
            "confirm the meal"
        }
    }

    /// Why it failed.
    var explanation: String {
        switch self {
        case .consentRequired: "photos may not be sent to a provider of models yet"
        case .nothingToAsk: "the meal has no photo and no description"
        case .photoMissing: "the photo is not on this device"
        case .noProposal: "the meal has no proposal"
        case .waiting: "the question about the meal is not answered yet"
        case .confirmed: "the meal is confirmed, and counts"
        case .noSuchPart(let number, let count):
            "the proposal has no part \(number), but \(count) part\(count == 1 ? "" : "s")"
        case .unknownMass(let number): "the mass of part \(number) is unknown"
        case .hasParts: "the meal has parts already, which are not those of a proposal"
        case .hasValues: "the meal has values of its own, and both they and its parts would count"
        case .noPartLeft: "no part would be left, and the meal would count as nothing"
        case .noEarlierMeal: "no meal of that dish was confirmed with other numbers"
        }
    }

    /// What to do about it.
    var hint: String? {
        switch self {
        case .consentRequired: "allow it in the preferences first"
        case .nothingToAsk: "attach a photo, or describe the meal"
        case .photoMissing: "sync the device that added it"
        case .noProposal: "have it analysed, or type its values"
        case .waiting: "have the waiting questions answered first"
        case .confirmed: "change it as any meal"
        case .noSuchPart: "name one of them"
        case .unknownMass: "confirm it, then change its values"
        case .hasParts: "change the parts themselves"
        case .hasValues: "make them unknown and confirm it, or keep them and consume it"
        case .noPartLeft: "keep one, or type the meal's own values and consume it"
        case .noEarlierMeal: "confirm the proposal"
        }
    }

    /// Whether the same call may succeed later without intervention.
    var isRetryable: Bool { self == .waiting || self == .photoMissing }
}

extension Diary {
    /// Records a question about a meal, which counts for nothing until its answer is confirmed.
    ///
    /// - Parameters:
    ///   - photo: The SHA-256 of one of its photos.
    ///   - words: What the person says about it, up to 1,000 bytes.
    /// - Throws: ``ProposalError/nothingToAsk``, and ``ProposalError/consentRequired`` for a photo.
    @discardableResult
    public mutating func ask(
        about meal: Identifier, photo: [UInt8]? = nil, words: String? = nil
    ) throws -> MealQuestion {
        let words = words.map { Words.clean($0, bytesMax: FoodQuestion.descriptionBytesMax) }
        guard photo != nil || words?.isEmpty == false else { throw ProposalError.nothingToAsk }
        if photo != nil { try requireConsent() }
        var changed = try require(Meal.self, meal)
        guard !changed.isConsumed else { throw ProposalError.confirmed }
        var asked = Analysis(id: newID(), status: .wanted)
        asked.mealID = meal
        asked.photoHash = photo
        asked.words = words
        changed.analysisID = asked.id
        try add(asked)
        try save(changed)
        guard let question = MealQuestion(asked) else { throw ProposalError.nothingToAsk }
        return question
    }

    /// The questions that wait for an answer, oldest first. What was eaten or deleted meanwhile is not
    /// asked about.
    public func openQuestions() throws -> [MealQuestion] {
        let open = try withStore { store throws(LogError) in try store.openQuestions() }
        return try open.compactMap { MealQuestion($0) }.filter { question in
            let meal = try entity(Meal.self, question.meal)
            return meal?.isConsumed == false && meal?.analysisID == question.id
        }
    }

    /// Refuses where the person has not agreed that photos leave the device.
    public func requireConsent() throws {
        guard try preferences().consentsToPhotoAnalysis == true else {
            throw ProposalError.consentRequired
        }
    }

    /// Records what a provider answered to a question, or why that is no answer. A second answer of this
    /// device to the same question takes the place of the first.
    ///
    /// - Parameters:
    ///   - result: The answer; an error is recorded if the model would say the same again.
    ///   - milliseconds: How long it took.
    /// - Throws: The error, if the question should be asked again.
    @discardableResult
    public mutating func record(
        _ result: Result<FoodAnswer, AnalysisError>, to question: MealQuestion, by provider: String,
        milliseconds: Int64
    ) throws -> Proposal {
        let device = try withStore { store throws(LogError) in store.log.device }
        let answer = Analysis(
            id: Identities.answer(to: question.id, of: device), result, to: question,
            by: provider, milliseconds: milliseconds)
        guard let answer else {
            _ = try result.get()
            throw ProposalError.noProposal
        }
        try put(answer)
        return Proposal(answer)
    }
}

extension Replica {
    /// Asks a provider a question that waits, and records the answer. Blocks while it waits for the
    /// provider; other threads and programs can use the replica meanwhile.
    ///
    /// - Parameter photo: The photo of the question, if it has one.
    /// - Throws: ``AnalysisError`` if the question remains open; ``ProposalError``.
    @discardableResult
    public func answer(
        _ question: MealQuestion, photo: [UInt8]?, by provider: Provider
    ) throws -> Proposal {
        let food: FoodQuestion
        if question.photo == nil {
            food = FoodQuestion(description: question.words ?? "")
        } else {
            // The consent is read when the photo leaves, and not when the question was recorded.
            try read { try $0.requireConsent() }
            guard let photo else { throw ProposalError.photoMissing }
            food = try FoodQuestion(photo: photo, description: question.words)
        }
        releaseFile()
        let begun = now
        let result = Result { () throws(AnalysisError) in try provider.answer(food) }
        let milliseconds = max(0, now - begun)
        return try write { diary in
            try diary.record(
                result, to: question, by: provider.settings.interface.rawValue,
                milliseconds: milliseconds)
        }
    }
}
