package import MacrologHTTP
import MacrologHTTPServer
package import MacrologJSON
import Synchronization

/// A provider on this computer that answers as the published interfaces do: one response after the
/// other, the last one for ever.
package final class ModelServer: Sendable {
    package enum Answer: Sendable {
        case json(Int, JSON, [HTTPField] = [])
        case bytes(Int, [UInt8])
        /// None until the server stops.
        case never
    }

    private let server: Server
    private let state: Arc

    fileprivate final class Arc: Sendable {
        let answers: Mutex<[Answer]>
        let requests = Mutex<[HTTPRequest]>([])
        let held = Mutex<[Reply]>([])
        init(_ answers: [Answer]) { self.answers = Mutex(answers) }
    }

    package init(_ answers: [Answer]) throws {
        let state = Arc(answers)
        self.state = state
        var configuration = Configuration()
        configuration.port = 0
        configuration.bodyBytesMax = 32 << 20
        server = try Server.start(configuration) { request, reply in
            state.requests.withLock { $0.append(request) }
            let answer = state.answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            switch answer {
            case .json(let status, let json, let fields):
                reply.send(
                    HTTPResponse(
                        status: status,
                        fields: [HTTPField("content-type", "application/json")] + fields,
                        body: Array(json.compact.utf8)))
            case .bytes(let status, let bytes):
                reply.send(HTTPResponse(status: status, body: bytes))
            case .never: state.held.withLock { $0.append(reply) }
            }
        }
    }

    deinit {
        for reply in state.held.withLock({ $0 }) { reply.send(HTTPResponse(status: 503)) }
        server.stop(deadlineMilliseconds: 1_000)
    }

    /// What was asked so far.
    package var requests: [HTTPRequest] { state.requests.withLock { $0 } }

    package var address: String { "http://127.0.0.1:\(server.port)" }
}

/// The sample of CarbCal's document as a model's answer: its total is not the sum of its items.
package let pancakes: JSON = [
    "found": "food", "dish": "Pancakes with blueberries & syrup",
    "items": [
        [
            "name": "Pancakes", "grams": 250, "calories": 595, "protein": 9, "carbs": 85, "fat": 19,
            "fiber": nil,
        ],
        [
            "name": "Blueberries", "grams": 15, "calories": 8, "protein": 0, "carbs": 2, "fat": 0,
            "fiber": .number("0.4"),
        ],
        [
            "name": "Syrup", "grams": nil, "calories": 12, "protein": 0, "carbs": 6, "fat": 0,
            "fiber": nil,
        ],
    ], "total": ["calories": 615, "protein": 11, "carbs": 93, "fat": 21], "health_score": 7,
    "confidence": .number("0.82"),
]

/// The interfaces of providers, by the names that settings have for them.
package enum PublishedInterface: String, CaseIterable, Sendable {
    case openAI = "openai"
    case gemini, anthropic

    /// A response with a document, as the interface publishes it.
    package func answer(_ document: JSON) -> JSON {
        answer(text: document.compact, input: document)
    }

    /// A response with a model's text, or with the input of a tool.
    package func answer(text: String, input: JSON) -> JSON {
        switch self {
        case .openAI:
            [
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1_790_000_000,
                "model": "some-model-2026",
                "choices": [
                    [
                        "index": 0,
                        "message": [
                            "role": "assistant", "content": .string(text), "refusal": nil,
                            "annotations": [],
                        ], "logprobs": nil, "finish_reason": "stop",
                    ]
                ],
                "usage": [
                    "prompt_tokens": 1_000, "completion_tokens": 200, "total_tokens": 1_200,
                ],
            ]
        case .gemini:
            [
                "candidates": [
                    [
                        "content": [
                            "parts": [
                                ["text": "The user shows …", "thought": true],
                                ["text": .string(text)],
                            ], "role": "model",
                        ], "finishReason": "STOP", "index": 0,
                    ]
                ],
                "usageMetadata": [
                    "promptTokenCount": 1_000, "candidatesTokenCount": 150,
                    "thoughtsTokenCount": 50, "totalTokenCount": 1_200,
                ], "modelVersion": "some-model-2026", "responseId": "r1",
            ]
        case .anthropic:
            [
                "id": "msg_1", "type": "message", "role": "assistant", "model": "some-model-2026",
                "content": [
                    ["type": "text", "text": "Here is the meal."],
                    ["type": "tool_use", "id": "toolu_1", "name": "meal", "input": input],
                ], "stop_reason": "tool_use", "stop_sequence": nil,
                "usage": ["input_tokens": 1_000, "output_tokens": 200],
            ]
        }
    }

    /// How a model declines.
    package var refusal: JSON {
        switch self {
        case .openAI:
            [
                "choices": [
                    [
                        "index": 0,
                        "message": [
                            "role": "assistant", "content": nil,
                            "refusal": "I cannot help with that.",
                        ], "finish_reason": "stop",
                    ]
                ]
            ]
        case .gemini:
            ["promptFeedback": ["blockReason": "SAFETY", "safetyRatings": []]]
        case .anthropic:
            [
                "type": "message", "role": "assistant", "content": [], "stop_reason": "refusal",
                "usage": ["input_tokens": 900, "output_tokens": 1],
            ]
        }
    }

    /// A response that reached its limit of tokens, with what looks like a whole answer.
    package var cutByLimit: JSON {
        switch self {
        case .openAI:
            [
                "choices": [
                    [
                        "message": ["role": "assistant", "content": .string(pancakes.compact)],
                        "finish_reason": "length",
                    ]
                ]
            ]
        case .gemini:
            [
                "candidates": [
                    [
                        "content": ["parts": [["text": .string(pancakes.compact)]]],
                        "finishReason": "MAX_TOKENS",
                    ]
                ]
            ]
        case .anthropic:
            [
                "type": "message",
                "content": [["type": "tool_use", "name": "meal", "input": pancakes]],
                "stop_reason": "max_tokens",
            ]
        }
    }

    /// An error with a message.
    package func error(_ message: String) -> JSON {
        switch self {
        case .openAI:
            ["error": ["message": .string(message), "type": "invalid_request_error", "code": nil]]
        case .gemini:
            ["error": ["code": 400, "message": .string(message), "status": "INVALID_ARGUMENT"]]
        case .anthropic:
            [
                "type": "error",
                "error": ["type": "invalid_request_error", "message": .string(message)],
                "request_id": "req_1",
            ]
        }
    }
}
