/// The routes as one page for people, without a script.
import MacrologHTTP
import MacrologJSON

enum APIPage {
    static let answer = APIAnswer.document(
        html, type: "text/html; charset=utf-8",
        fields: [
            HTTPField("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'"),
            HTTPField("x-content-type-options", "nosniff"),
        ])

    private static let html = """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Macrolog: the interface</title>
        <style>
        :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
        html { background: Canvas; color: CanvasText; }
        body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
        section { border-top: 1px solid #8886; padding: .5rem 0 1rem; }
        h2 { font: 600 1rem ui-monospace, monospace; overflow-wrap: anywhere; }
        pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .75rem; border: 1px solid #8886; border-radius: .4rem; }
        </style></head><body><main>
        <h1>The interface of this server</h1>
        <p>Send <code>Authorization: Bearer</code> and the access token of a login. The same as
        <a href="/openapi.json">OpenAPI 3.1</a>.</p>
        \(APIRoutes.all.map(section).joined(separator: "\n"))
        </main></body></html>

        """

    private static func section(_ route: APIRoute) -> String {
        let query = route.query.map { "<li><code>\($0.name)</code> \(sentence($0.summary))</li>" }
        let example = route.example.map { "<pre>\(escaped($0.pretty))</pre>" } ?? ""
        return """
            <section><h2>\(escaped(route.name))</h2><p>\(sentence(route.summary))</p>
            \(query.isEmpty ? "" : "<ul>\(query.joined())</ul>")\(example)</section>
            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// A sentence in which names stand between backticks.
    private static func sentence(_ text: String) -> String {
        escaped(text).replacing(/`([^`]+)`/) { "<code>\($0.1)</code>" }
    }
}
