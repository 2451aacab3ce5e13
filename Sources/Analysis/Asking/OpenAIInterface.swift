/// Chat completions as OpenAI publishes them, with an image and structured output
/// (platform.openai.com/docs/api-reference/chat/create). Ollama and llama.cpp answer the same.
import MacrologHTTP
import MacrologJSON

struct OpenAIInterface: ModelInterface {
    let usualAddress = "https://api.openai.com/v1"

    func request(_ question: ModelQuestion, model: String, key: String?) -> HTTPRequest {
        var parts: [JSON] = [["type": "text", "text": .string(question.text)]]
        if let picture = question.picture {
            let url = "data:\(picture.mediaType);base64,\(Base64.text(picture.bytes))"
            parts.append(["type": "image_url", "image_url": ["url": .string(url)]])
        }
        let body: JSON = [
            "model": .string(model),
            "messages": [
                ["role": "system", "content": .string(question.instructions)],
                ["role": "user", "content": .array(parts)],
            ],
            "response_format": [
                "type": "json_schema",
                "json_schema": [
                    "name": .string(question.form), "strict": true, "schema": question.schema,
                ],
            ],
        ]
        // A server on this computer needs no key.
        let fields = key.map { [HTTPField("authorization", "Bearer \($0)")] } ?? []
        return .json("/chat/completions", body, fields)
    }

    func reply(_ body: JSON, to question: ModelQuestion) throws(AnalysisError) -> ModelReply {
        guard let choice = body["choices"]?.array?.first, let message = choice["message"] else {
            throw .otherForm("choices[0].message is missing")
        }
        if let refusal = message["refusal"]?.string {
            throw .declined(Words.clean(refusal, bytesMax: 200))
        }
        switch choice["finish_reason"]?.string {
        case "length": throw .cut
        case "content_filter": throw .declined("its filter stopped it")
        default: break
        }
        guard let text = message["content"]?.string else {
            throw .otherForm("choices[0].message.content is no text")
        }
        let usage = body["usage"]
        return ModelReply(
            json: try ReplyText.document(text), model: body["model"]?.string,
            tokens: Tokens.sum(usage?["prompt_tokens"], usage?["completion_tokens"]))
    }
}
