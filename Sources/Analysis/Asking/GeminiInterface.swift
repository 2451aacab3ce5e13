/// Gemini's `generateContent` with an inline image and a JSON schema
/// (ai.google.dev/api/generate-content).
import MacrologHTTP
import MacrologJSON

struct GeminiInterface: ModelInterface {
    let usualAddress = "https://generativelanguage.googleapis.com/v1beta"

    func request(_ question: ModelQuestion, model: String, key: String?) -> HTTPRequest {
        var parts: [JSON] = [["text": .string(question.text)]]
        if let picture = question.picture {
            parts.append([
                "inlineData": [
                    "mimeType": .string(picture.mediaType),
                    "data": .string(Base64.text(picture.bytes)),
                ]
            ])
        }
        let body: JSON = [
            "systemInstruction": ["parts": [["text": .string(question.instructions)]]],
            "contents": [["role": "user", "parts": .array(parts)]],
            "generationConfig": [
                "responseMimeType": "application/json", "responseJsonSchema": question.schema,
            ],
        ]
        return .json(
            "/models/\(model):generateContent", body,
            key.map { [HTTPField("x-goog-api-key", $0)] } ?? [])
    }

    func reply(_ body: JSON, to question: ModelQuestion) throws(AnalysisError) -> ModelReply {
        if let reason = body["promptFeedback"]?["blockReason"]?.string {
            throw .declined(Words.clean(reason, bytesMax: 60))
        }
        guard let candidate = body["candidates"]?.array?.first else {
            throw .otherForm("candidates[0] is missing")
        }
        switch candidate["finishReason"]?.string {
        case nil, "STOP": break
        case "MAX_TOKENS": throw .cut
        case let reason?: throw .declined(Words.clean(reason, bytesMax: 60))
        }
        // Parts that are thoughts are no part of the answer.
        let texts = (candidate["content"]?["parts"]?.array ?? []).filter {
            $0["thought"]?.bool != true
        }.compactMap { $0["text"]?.string }
        guard !texts.isEmpty else { throw .otherForm("candidates[0].content has no text") }
        let usage = body["usageMetadata"]
        return ModelReply(
            json: try ReplyText.document(texts.joined()), model: body["modelVersion"]?.string,
            tokens: Tokens.sum(
                usage?["promptTokenCount"], usage?["candidatesTokenCount"],
                usage?["thoughtsTokenCount"]))
    }
}
