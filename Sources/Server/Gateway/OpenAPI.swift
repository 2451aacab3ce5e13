/// The routes as an OpenAPI 3.1 document, from the table that also routes them.
import MacrologHTTP
package import MacrologJSON

package enum OpenAPI {
    /// The document.
    package static let document: JSON = {
        var forms = SharedForms(reserved: ["problem"])
        let shortened = forms.shortened(.object(paths))
        return document(shortened, forms.members + [JSON.Member("problem", problem)])
    }()

    private static func document(_ paths: JSON, _ schemas: [JSON.Member]) -> JSON {
        .object([
            JSON.Member("openapi", "3.1.0"),
            JSON.Member(
                "info",
                [
                    "title": "Macrolog", "version": "0.1.0",
                    "summary": "A food and weight log for several devices.",
                    "description": """
                    docs/JSON.md explains the keys of the answers. Numbers are decimal, days are YYYY-MM-DD, times are RFC 3339,
                    and lengths of text count bytes of UTF-8.
                    """,
                ]),
            JSON.Member("security", [["bearer": []]]),
            JSON.Member("paths", paths),
            JSON.Member(
                "components",
                [
                    "securitySchemes": ["bearer": ["type": "http", "scheme": "bearer"]],
                    "schemas": .object(schemas), "responses": .object(refusals),
                ]),
        ])
    }

    private static var paths: [JSON.Member] {
        var seen: [PathPattern] = []
        for route in APIRoutes.all where !seen.contains(route.path) { seen.append(route.path) }
        return seen.map { path in
            JSON.Member(
                path.text,
                .object(
                    APIRoutes.all.filter { $0.path == path }.map {
                        JSON.Member(asciiLowercased($0.method), operation($0))
                    }))
        }
    }

    private static func operation(_ route: APIRoute) -> JSON {
        var members = [JSON.Member("summary", .string(route.summary))]
        let parameters =
            route.path.parameters.compactMap { APIParameter.ofPaths[$0] }.map {
                parameter($0, "path")
            }
            + route.query.map { parameter($0, "query") }
            + (route.method == "POST" && route.isWrite ? [idempotencyKey] : [])
            + (route.seesVersions ? [ifNoneMatch] : []) + (route.keepsVersions ? [ifMatch] : [])
        if !parameters.isEmpty { members.append(JSON.Member("parameters", .array(parameters))) }
        if let body = route.body {
            members.append(JSON.Member("requestBody", self.body(body, route)))
        }
        if !route.upload.isEmpty { members.append(JSON.Member("requestBody", form(route.upload))) }
        members.append(JSON.Member("responses", responses(of: route)))
        if !route.needsAccount, route.upload.isEmpty { members.append(JSON.Member("security", [])) }
        return .object(members)
    }

    private static func parameter(_ parameter: APIParameter, _ place: String) -> JSON {
        [
            "name": .string(parameter.name), "in": .string(place),
            "description": .string(parameter.summary),
            "required": .bool(parameter.isRequired), "schema": parameter.schema,
            "example": .string(parameter.example),
        ]
    }

    private static let idempotencyKey: JSON = [
        "name": "Idempotency-Key", "in": "header", "required": false,
        "description": "Makes a repeated request the same: one entity, however often it is sent.",
        "schema": ["type": "string", "minLength": 1, "maxLength": 255],
    ]

    private static let ifMatch: JSON = [
        "name": "If-Match", "in": "header", "required": false,
        "description":
            "The ETag of what is to be changed; refuses with 412 if it is another one by now.",
        "schema": ["type": "string"],
    ]
    private static let ifNoneMatch: JSON = [
        "name": "If-None-Match", "in": "header", "required": false,
        "description":
            "The ETag of what the client has; answers 304, without a body, if it is the same by now.",
        "schema": ["type": "string"],
    ]

    private static func body(_ schema: Schema, _ route: APIRoute) -> JSON {
        let content = JSON.object(
            [JSON.Member("schema", schema.json(isOpen: route.ignoresUnknown))]
                + (route.example.map { [JSON.Member("example", $0)] } ?? []))
        return [
            "required": true,
            "content": .object(
                [JSON.Member("application/json", content)]
                    + (route.takesForm
                        ? [JSON.Member("application/x-www-form-urlencoded", content)] : [])),
        ]
    }

    private static func form(_ parts: [Schema.Member]) -> JSON {
        [
            "required": true,
            "content": [
                "multipart/form-data": ["schema": Schema.object(parts).json(isOpen: true)]
            ],
        ]
    }

    private static func responses(of route: APIRoute) -> JSON {
        let answers = route.answers.map { answer in
            JSON.Member(
                "\(answer.status)",
                .object(
                    [
                        JSON.Member(
                            "description", .string(answer.status == 204 ? "Done." : "The answer."))
                    ]
                        + (answer.schema.map {
                            [
                                JSON.Member(
                                    "content",
                                    [
                                        "application/json": ["schema": $0.json()]
                                    ])
                            ]
                        } ?? [])
                        + (route.seesVersions && answer.status != 204
                            ? [JSON.Member("headers", ["ETag": tag])] : [])))
        }
        let unchanged: [JSON.Member] =
            route.seesVersions
            ? [
                JSON.Member(
                    "304", ["description": "The client has it already.", "headers": ["ETag": tag]])
            ] : []
        let problems = problems(of: route).map { status, kinds in
            reference("\(status)", to: kinds.joined(separator: "."))
        }
        return .object(answers + unchanged + problems + [reference("414", to: tooLong)])
    }

    /// The kinds of problems of a route, by their status.
    private static func problems(of route: APIRoute) -> [(status: Int, kinds: [String])] {
        Set(route.allProblems.map(\.status)).sorted().map { status in
            (status, route.allProblems.filter { $0.status == status }.map(\.rawValue).sorted())
        }
    }

    private static let tooLong = "address_too_long"

    private static func reference(_ key: String, to response: String) -> JSON.Member {
        JSON.Member(key, ["$ref": .string("#/components/responses/\(response)")])
    }

    /// The responses that routes have in common: with problems of some kinds.
    private static var refusals: [JSON.Member] {
        let all = Set(APIRoutes.all.flatMap { problems(of: $0).map(\.kinds) })
        return all.map { ($0.joined(separator: "."), $0) }.sorted { $0.0 < $1.0 }.map {
            name, kinds in
            JSON.Member(
                name,
                [
                    "description": .string(kinds.joined(separator: ", ")),
                    "content": [
                        "application/problem+json": [
                            "schema": ["$ref": "#/components/schemas/problem"]
                        ]
                    ],
                ])
        } + [JSON.Member(tooLong, ["description": "An address over 2,048 bytes."])]
    }

    private static let tag: JSON = [
        "description": "The version of what is answered.",
        "schema": ["type": "string"],
    ]

    /// RFC 9457.
    private static let problem: JSON = [
        "type": "object",
        "properties": [
            "type": ["type": "string", "description": "urn:macrolog:problem: and its name."],
            "title": ["type": "string", "description": "What is wrong, and what to send."],
            "status": ["type": "integer"],
            "pointer": ["type": "string", "description": "The member of the body."],
            "parameter": ["type": "string", "description": "The parameter of the address."],
        ],
        "required": ["type", "title", "status"],
    ]
}
