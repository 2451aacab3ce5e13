/// How a repeated `POST` becomes one entity: its id follows from the client's key, and the group of its
/// event from key and body. Both are in the log, so the rule holds on any node and after any crash.
import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologService

struct Idempotency: Hashable, Sendable {
    /// The id of what the request creates.
    let entity: Identifier
    /// The group of its event.
    let group: Identifier

    /// - Parameter key: The value of `Idempotency-Key`, 1 to 255 bytes.
    init(_ key: String, of account: Identifier, _ route: String, body: [UInt8]) {
        let name = "\(route) \(key)"
        entity = .v5(namespace: account, name: name)
        group = .v5(namespace: entity, name: hexadecimal(SHA256.hash(body)))
    }

    /// Reads a request's field; `nil` for none.
    ///
    /// - Parameter body: What must be the same for the same answer; `nil` for all bytes of the body, as they were
    ///   before they were compressed: a client that compresses it once more may get other bytes.
    static func read(
        _ request: HTTPRequest, of account: Identifier, _ route: String, body: [UInt8]? = nil
    ) throws(APIProblem) -> Idempotency? {
        guard let key = request.field("idempotency-key") else { return nil }
        guard (1...255).contains(key.utf8.count) else {
            throw APIProblem(.malformedRequest, "Idempotency-Key must have 1 to 255 bytes.")
        }
        let plain = body ?? (try? Bodies.decoded(request, bytesMax: Gateway.bodyBytesMax))
        // Parameters are part of what is asked, as the days of a share are.
        let query = request.query.isEmpty ? [] : Array("?\(request.query)".utf8)
        return Idempotency(key, of: account, route, body: (plain ?? request.body) + query)
    }

    /// The id of a part of what the request creates.
    func part(_ index: Int) -> Identifier { .v5(namespace: entity, name: "\(index)") }
}
