/// The server's log on standard error: one JSON object a line, which never identifies a person and
/// never contains a token or an event.
import MacrologHTTP
import MacrologHTTPServer
import MacrologJSON
import MacrologService
import MacrologSystem

struct LogLines: Sendable {
    private let least: ServerNote.Level

    /// Drops records below a level.
    init(from least: ServerNote.Level) {
        self.least = least
    }

    func write(_ note: ServerNote) { write(note.level, note.event, note.facts) }

    func write(_ level: ServerNote.Level, _ event: StaticString, _ facts: [(StaticString, String)])
    {
        guard level >= least else { return }
        let members =
            [
                JSON.Member("logged_at", .string(SystemClock.utc)),
                JSON.Member("level", .string("\(level)")),
                JSON.Member("event", .string("\(event)")),
            ] + facts.map { Self.member("\($0.0)", $0.1) }
        Standard.error(JSON.object(members).compact + "\n")
    }

    /// Passes a request to the service and logs the outcome: failures always, the rest at `debug`.
    func answer(_ request: HTTPRequest, _ server: SyncServer, _ reply: Reply) {
        guard least == .debug else {
            return server.respond(to: request) { response in
                if response.status >= 500 { note(.warning, request, response) }
                reply.send(response)
            }
        }
        server.respond(to: request) { response in
            note(response.status >= 500 ? .warning : .debug, request, response)
            reply.send(response)
        }
    }

    private func note(_ level: ServerNote.Level, _ request: HTTPRequest, _ response: HTTPResponse) {
        write(
            level, "request",
            [
                ("method", request.method),
                // The path as received may hold an id of a session or of a photo.
                ("path", Routes.route(of: request)?.path.pattern ?? "unknown"),
                ("status", "\(response.status)"), ("request_bytes", "\(request.body.count)"),
                ("response_bytes", "\(response.body.count)"),
            ])
    }

    /// A fact by the convention of `docs/JSON.md`: counts and sizes are numbers.
    private static func member(_ key: String, _ text: String) -> JSON.Member {
        let isNumber = key == "status" || key.hasSuffix("_count") || key.hasSuffix("_bytes")
        let number = isNumber ? Int64(text) : nil
        return JSON.Member(key, number.map { .integer($0) } ?? .string(text))
    }
}
