/// The interface of a provider: a question as a request, and a response as an answer. It sends nothing.
import MacrologHTTP
import MacrologJSON

/// One published interface.
protocol ModelInterface: Sendable {
    /// Where the provider is, unless the settings name another place.
    var usualAddress: String { get }

    /// The request for a question. Its path is below the provider's address.
    func request(_ question: ModelQuestion, model: String, key: String?) -> HTTPRequest

    /// Reads a response with status 200.
    func reply(_ body: JSON, to question: ModelQuestion) throws(AnalysisError) -> ModelReply
}

/// The interfaces that can be chosen.
public enum ProviderInterface: String, CaseIterable, Sendable {
    /// Chat completions, which OpenAI publishes and most local servers speak, too.
    case openAI = "openai"
    /// Gemini's `generateContent`.
    case gemini
    /// Anthropic's messages.
    case anthropic

    var interface: any ModelInterface {
        switch self {
        case .openAI: OpenAIInterface()
        case .gemini: GeminiInterface()
        case .anthropic: AnthropicInterface()
        }
    }
}

extension HTTPRequest {
    static func json(_ path: String, _ body: JSON, _ fields: [HTTPField]) -> HTTPRequest {
        HTTPRequest(
            method: "POST", path: path,
            fields: [HTTPField("content-type", "application/json")] + fields,
            body: Array(body.compact.utf8))
    }
}

/// What the interfaces have in common.
enum ReplyText {
    /// The document in a model's text. Models without a forced form like to put it between fences.
    static func document(_ text: String) throws(AnalysisError) -> JSON {
        var body = text[...]
        if body.hasPrefix("```") {
            body = body.drop { $0 != "\n" }
            if let fence = body.firstRange(of: "```") { body = body[..<fence.lowerBound] }
        }
        do throws(JSONError) { return try JSON.parse(String(body)) } catch {
            // A text that ends within its JSON was cut, whatever the provider says.
            throw error.isAtEnd(of: body) ? .cut : .otherForm("it is not JSON")
        }
    }

    /// What a provider says of an error: `{"error": {"message": …}}`, or `{"error": …}`.
    static func complaint(_ body: [UInt8]) -> String {
        guard let json = try? JSON.parse(body), let error = json["error"] else { return "" }
        return Words.clean(error["message"]?.string ?? error.string ?? "", bytesMax: 200)
    }
}

extension JSONError {
    /// Whether the text ended too early.
    fileprivate func isAtEnd(of text: Substring) -> Bool {
        var (last, lines) = (1, 1)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\n") { (last, lines) = (1, lines + 1) } else { last += 1 }
        }
        return line >= lines && column >= last
    }
}
