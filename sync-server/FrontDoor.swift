/// What answers requests: the server itself, and the gateway where there is one.
import MacrologGateway
import MacrologHTTP
import MacrologService
import MacrologWire

struct FrontDoor: Sendable {
    let server: SyncServer
    /// `nil` with `--no-gateway`.
    let gateway: Gateway?

    /// Where a long body goes. It reads the store.
    func sink(for request: HTTPRequest) -> BodySink? {
        if let gateway = gateway(of: request) { return gateway.sink(for: request) }
        return server.sink(for: request)
    }

    /// Refuses a long body while no thread is free to ask where it goes.
    static let overloaded = BodySink.refusing(
        Problem.overloaded.response, bytesMax: MacrologWire.Limits.blobBytesMax)

    func respond(to request: HTTPRequest, reply: @escaping @Sendable (HTTPResponse) -> Void) {
        if let gateway = gateway(of: request) {
            gateway.respond(to: request, reply: reply)
        } else {
            server.respond(to: request, reply: reply)
        }
    }

    private func gateway(of request: HTTPRequest) -> Gateway? {
        gateway.flatMap { $0.owns(request) ? $0 : nil }
    }

    // MARK: Routes by number

    /// The number of the route of a request: those of the server come first; -1 for none.
    func route(of request: HTTPRequest) -> Int {
        guard gateway(of: request) != nil else { return Routes.index(of: request) ?? -1 }
        return APIRoutes.index(of: request).map { Routes.all.count + $0 } ?? -1
    }

    /// Method and path of a route.
    static func name(of route: Int) -> String {
        guard route >= 0 else { return "unknown" }
        return route < Routes.all.count
            ? Routes.all[route].name : APIRoutes.all[route - Routes.all.count].name
    }

    /// The path of a route, as documents have it.
    static func path(of route: Int) -> String {
        name(of: route).split(separator: " ").last.map(String.init) ?? ""
    }

    /// Whether the durations of a route are counted: how long polls and streams are held says nothing about the
    /// server.
    static func isTimed(_ route: Int) -> Bool { route >= 0 && timed[route] }

    private static let timed = (0..<(Routes.all.count + APIRoutes.all.count)).map {
        !["/v1/events", "/v1/live"].contains(path(of: $0))
    }
}
