/// Asks the operator's provider on threads of its own, so that a slow model delays no other request.
package import MacrologAnalysis
import MacrologEvents
import MacrologHTTP
import MacrologService

/// The operator's provider of models, and what may be asked of it.
package struct AnalysisSettings: Sendable {
    let provider: Provider
    /// How many analyses an account may have in a day.
    let perDay: Int64
    /// Whether people without an account may send pictures, too: they agree by sending them.
    let takesStrangers: Bool

    /// Memberwise initializer.
    package init(provider: Provider, perDay: Int64 = 50, takesStrangers: Bool = false) {
        self.provider = provider
        self.perDay = perDay
        self.takesStrangers = takesStrangers
    }
}

final class Analyst: Sendable {
    let settings: AnalysisSettings
    private let lanes = Lanes(threads: 4, jobsMax: 64, perAccountMax: 8)
    /// The forms of each network of people without an account.
    private let strangers: Allowance
    private static let noAccount = Identifier(high: 0, low: 0)
    private static let dayMilliseconds: Int64 = 86_400_000

    init(_ settings: AnalysisSettings) {
        self.settings = settings
        // Of the analyses that all of them share, one network has a fifth.
        strangers = Allowance(
            countMax: max(1, settings.perDay / 5), milliseconds: Self.dayMilliseconds)
    }

    /// Counts a form of someone without an account, before it is read.
    ///
    /// - Parameter site: ``SyncServer/site(of:)``.
    func chargeStranger(_ site: [UInt8]) throws(APIProblem) {
        _ = try strangers.charge(.v5(namespace: Self.noAccount, name: hexadecimal(site)))
    }

    /// Asks, and calls back on another thread.
    func ask(
        _ question: FoodQuestion, of account: Identifier?,
        _ done: @escaping @Sendable (Result<FoodAnswer, AnalysisError>) -> Void
    ) throws(APIProblem) {
        let provider = settings.provider
        let isTaken = lanes.put(account ?? Self.noAccount) {
            done(Result { () throws(AnalysisError) in try provider.answer(question) })
        }
        guard isTaken else { throw .busy }
    }

    func close() { lanes.close() }
}

extension APIProblem {
    static let noProvider = APIProblem(
        .analysisUnavailable,
        "This server analyses no meals: its operator has configured no provider of models.")
    static let consentRequired = APIProblem(
        .consentRequired,
        "Photos are sent to a provider of models only when you agree: PATCH /api/v1/preferences with "
            + "{\"photo_ai_consent\": true}.")

    /// Why a model gave no answer. Nothing was recorded, and no question waits.
    init(_ error: AnalysisError) {
        switch error {
        case .offline:
            // Where the provider is, is for the operator alone.
            self.init(
                .analysisUnavailable,
                "The operator's provider of models cannot be reached; try again later.",
                reason: "an analysis failed: \(error.explanation)")
        case .slow, .busy: self.init(.analysisUnavailable, Self.sentence(error, "try again later"))
        // A person cannot change what the operator has configured.
        case .keyRefused, .notAccepted:
            self.init(.analysisUnavailable, "The operator's provider of models refuses to answer.")
        case .declined, .cut, .tooLong, .otherForm:
            self.init(.analysisFailed, Self.sentence(error, error.hint))
        }
    }

    private static func sentence(_ error: AnalysisError, _ hint: String?) -> String {
        let text = hint.map { "\(error.explanation); \($0)" } ?? error.explanation
        return text.prefix(1).uppercased() + text.dropFirst() + "."
    }
}
