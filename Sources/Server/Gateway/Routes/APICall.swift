/// A request that its route has let in: its parameters as values, and its body as JSON of the declared form.
import MacrologEvents
import MacrologFormats
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologService

struct APICall: Sendable {
    let request: HTTPRequest
    let route: APIRoute
    /// The parameters of path and query.
    let parameters: [String: APIParameter.Value]
    /// `null` for a route without a body.
    var body: JSON
    /// Who asks; `nil` on a route for anyone.
    var caller: Caller?
    /// What makes a repeated `POST` the same; `nil` if the client names none.
    var idempotency: Idempotency?
    /// Whether it is `HEAD`, which is answered as `GET` is: nothing may change or count.
    var isHead = false

    func id(_ name: String = "id") -> Identifier {
        guard case .id(let id) = parameters[name] else { preconditionFailure("declared") }
        return id
    }

    func day(_ name: String) -> Day? {
        if case .day(let day) = parameters[name] { day } else { nil }
    }

    /// A time of the body, in milliseconds since 1970 UTC.
    func instant(_ member: String) -> Int64? {
        body[member]?.string.flatMap { EntityInput.moment($0) }?.instant
    }

    func integer(_ name: String) -> Int64? {
        if case .integer(let number) = parameters[name] { number } else { nil }
    }

    func text(_ name: String) -> String? {
        if case .text(let text) = parameters[name] { text } else { nil }
    }

    func flag(_ name: String) -> Bool {
        if case .flag(let flag) = parameters[name] { flag } else { false }
    }
}
