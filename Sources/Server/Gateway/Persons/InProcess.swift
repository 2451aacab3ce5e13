/// How a replica of the gateway reaches the server: by its routes, with a session of its own, and without a
/// socket.
import MacrologEngine
import MacrologHTTP
import MacrologService
import MacrologSystem
import Synchronization

/// The session of the gateway for one account, begun when it is first needed and whenever it has ended.
final class GatewayPass: Sendable {
    /// What the owner sees in the list of devices.
    static let label = "web and API"

    private let server: SyncServer
    private let caller: Caller
    private let token = Mutex<String?>(nil)

    init(_ server: SyncServer, of caller: Caller) {
        self.server = server
        self.caller = caller
    }

    /// The answer to a request with the session's token; with a new token if that one is refused.
    func answer(to request: HTTPRequest) -> HTTPResponse {
        do throws(MacrologService.Problem) {
            if let known = token.withLock({ $0 }) {
                let answer = ask(request, known)
                guard answer.status == 401 else { return answer }
            }
            let new = try renewed()
            token.withLock { $0 = new }
            return ask(request, new)
        } catch {
            return server.answer(error)
        }
    }

    private func renewed() throws(MacrologService.Problem) -> String {
        try awaited { server.gatewayToken(for: caller, label: Self.label, then: $0) }.get()
    }

    private func ask(_ request: HTTPRequest, _ token: String) -> HTTPResponse {
        var request = request
        request.fields.removeAll { $0.name == "authorization" }
        request.fields.append(HTTPField("authorization", "Bearer \(token)"))
        return awaited { server.respond(to: request, reply: $0) }
    }
}

/// What is given later, waited for on this thread.
func awaited<Value: Sendable>(
    _ begin: (@escaping @Sendable (Value) -> Void) -> Void
) -> Value {
    let waiting = Monitor<Value?>(nil)
    begin { value in
        waiting.withLock { $0 = value }
        waiting.wakeOne()
    }
    return waiting.wait { $0 }
}

/// The transport of a replica of the gateway.
struct InProcess: Transport {
    let pass: GatewayPass

    func send(_ request: HTTPRequest, heldSeconds: Int64) throws(TransportError) -> HTTPResponse {
        pass.answer(to: request)
    }

    /// No exchange is held, so none is worth cancelling.
    func cancel() {}
}

/// A session that says where the account is; its tokens are those of ``GatewayPass``.
struct InProcessSession: SessionStore {
    let account: String

    func load() throws -> Session? {
        Session(
            server: "http://localhost", email: "", account: account, accessToken: "",
            refreshToken: "")
    }

    func save(_: Session?) throws {}
}
