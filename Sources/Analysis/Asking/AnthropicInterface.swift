/// Anthropic's messages with an image, and a tool that the model must use, whose input is the answer
/// (docs.anthropic.com/en/api/messages).
import MacrologHTTP
import MacrologJSON

struct AnthropicInterface: ModelInterface {
    let usualAddress = "https://api.anthropic.com/v1"

    private static let version = "2023-06-01"
    /// How much the model may write; the interface requires a limit.
    private static let tokensMax: Int64 = 4_096

    func request(_ question: ModelQuestion, model: String, key: String?) -> HTTPRequest {
        var parts: [JSON] = []
        if let picture = question.picture {
            parts.append([
                "type": "image",
                "source": [
                    "type": "base64", "media_type": .string(picture.mediaType),
                    "data": .string(Base64.text(picture.bytes)),
                ],
            ])
        }
        parts.append(["type": "text", "text": .string(question.text)])
        let body: JSON = [
            "model": .string(model), "max_tokens": .integer(Self.tokensMax),
            "system": .string(question.instructions),
            "messages": [["role": "user", "content": .array(parts)]],
            "tools": [
                [
                    "name": .string(question.form), "description": "Takes the answer.",
                    "input_schema": question.schema,
                ]
            ],
            "tool_choice": ["type": "tool", "name": .string(question.form)],
        ]
        return .json(
            "/messages", body,
            [HTTPField("anthropic-version", Self.version)]
                + (key.map { [HTTPField("x-api-key", $0)] } ?? []))
    }

    func reply(_ body: JSON, to question: ModelQuestion) throws(AnalysisError) -> ModelReply {
        switch body["stop_reason"]?.string {
        case "max_tokens", "model_context_window_exceeded": throw .cut
        case "refusal": throw .declined("")
        default: break
        }
        guard let content = body["content"]?.array else {
            throw .otherForm("content is missing")
        }
        let used = content.first {
            $0["type"]?.string == "tool_use" && $0["name"]?.string == question.form
        }
        guard let input = used?["input"] else {
            // A model that answers in words has declined.
            let words = content.compactMap { $0["text"]?.string }.joined(separator: " ")
            throw words.isEmpty
                ? .otherForm("content has no tool_use")
                : .declined(Words.clean(words, bytesMax: 200))
        }
        let usage = body["usage"]
        return ModelReply(
            json: input, model: body["model"]?.string,
            tokens: Tokens.sum(usage?["input_tokens"], usage?["output_tokens"]))
    }
}
