/// A question to a model of a provider, and its answer, as plain values.
public import MacrologEvents
package import MacrologJSON

/// What a model is asked. The answer must be JSON of one form.
package struct ModelQuestion: Sendable {
    /// What the model is to do. Only these are instructions; everything else is material.
    package let instructions: String
    /// What the person wrote, or facts as JSON.
    package let text: String
    /// The picture; `nil` for a question about text.
    package let picture: Picture?
    /// The name of the answer's form: letters, digits and `_`.
    package let form: String
    /// The answer's form as JSON Schema.
    package let schema: JSON

    /// A picture without metadata.
    package struct Picture: Sendable {
        /// The media type, such as `image/jpeg`.
        let mediaType: String
        let bytes: [UInt8]
    }
}

/// What a model answered: JSON that no one has checked.
package struct ModelReply: Sendable {
    /// The document of the asked form, or of any other.
    let json: JSON
    /// The model as the provider names it; `nil` if it does not say.
    let model: String?
    /// How much was read and written, in the provider's tokens; 0 if it does not say.
    let tokens: Int64
}

/// Why a model gave no answer that can be used. Nothing was recorded from it.
public enum AnalysisError: ExplainedError, Hashable, Sendable {
    /// The provider cannot be reached.
    case offline(String)
    /// No answer within this many seconds.
    case slow(seconds: Int)
    /// The provider is overloaded, or the limit of the key is used up.
    case busy(status: Int)
    /// The provider does not accept the key.
    case keyRefused(status: Int, String)
    /// The provider does not accept the question: usually a wrong model or address.
    case notAccepted(status: Int, String)
    /// The model, or a filter of the provider, declined to answer.
    case declined(String)
    /// The answer ends in the middle.
    case cut
    /// The answer is longer than a description of a meal can be.
    case tooLong
    /// The answer is not of the published or the asked form; the text says where.
    case otherForm(String)

    /// The cause in words, and what a person can do about it.
    public var text: ErrorText {
        ErrorText(cannot: "analyse", explanation, hint: hint, isRetryable: isRetryable)
    }

    /// Why it failed.
    var explanation: String {
        switch self {
        case .offline(let why): "the provider cannot be reached: \(why)"
        case .slow(let seconds): "the provider did not answer within \(seconds) seconds"
        case .busy(let status): "the provider takes no more questions now (status \(status))"
        case .keyRefused(let status, let why):
            "the provider refuses the key (status \(status))" + Self.quoted(why)
        case .notAccepted(let status, let why):
            "the provider does not accept the question (status \(status))" + Self.quoted(why)
        case .declined(let why): "the model declined to answer" + Self.quoted(why)
        case .cut: "the model's answer is incomplete"
        case .tooLong: "the model's answer is too long"
        case .otherForm(let why): "the model's answer has another form: \(why)"
        }
    }

    /// What to do about it.
    var hint: String? {
        switch self {
        case .offline, .slow, .busy: "try again later; nothing is lost"
        case .keyRefused: "check the file with the key"
        case .notAccepted: "check the provider's address and the name of the model"
        case .declined, .cut, .tooLong, .otherForm:
            "take another photo, describe the meal, or type its values"
        }
    }

    /// Whether the same question may be answered later.
    var isRetryable: Bool {
        switch self {
        case .offline, .slow, .busy: true
        case .keyRefused, .notAccepted, .declined, .cut, .tooLong, .otherForm: false
        }
    }

    /// Whether this is what the model has to say about the question: asking again would be answered alike.
    package var isAnswer: Bool {
        switch self {
        case .declined, .cut, .tooLong, .otherForm: true
        case .offline, .slow, .busy, .keyRefused, .notAccepted: false
        }
    }

    private static func quoted(_ why: String) -> String { why.isEmpty ? "" : ": \(why)" }
}
