/// Pages of other origins: which of them a browser lets ask (CORS).
import MacrologHTTP

extension Gateway {
    /// The answer to the question of a browser whether a page may ask; `nil` for any other request.
    func preflight(_ request: HTTPRequest) -> HTTPResponse? {
        guard request.method == "OPTIONS", request.field("access-control-request-method") != nil,
            isAllowed(request.field("origin"))
        else { return nil }
        return HTTPResponse(
            status: 204,
            fields: [
                HTTPField("access-control-allow-methods", "GET, POST, PUT, PATCH, DELETE"),
                HTTPField(
                    "access-control-allow-headers",
                    "authorization, content-type, idempotency-key, if-match, if-none-match, prefer, "
                        + "x-client-version"),
                HTTPField("access-control-max-age", "600"),
            ])
    }

    func withOrigin(of request: HTTPRequest, _ reply: @escaping Reply) -> Reply {
        guard !settings.origins.isEmpty else { return reply }
        guard let origin = request.field("origin"), isAllowed(origin) else {
            return { reply($0.adding([HTTPField("vary", "origin")])) }
        }
        return {
            reply(
                $0.adding([
                    HTTPField("access-control-allow-origin", origin),
                    HTTPField(
                        "access-control-expose-headers",
                        "etag, link, location, retry-after, ratelimit-limit, "
                            + "ratelimit-remaining, ratelimit-reset"),
                    HTTPField("vary", "origin"),
                ]))
        }
    }

    private func isAllowed(_ origin: String?) -> Bool {
        origin.map { settings.origins.contains($0) } ?? false
    }
}
