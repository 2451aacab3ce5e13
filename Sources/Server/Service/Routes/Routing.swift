/// From a request to its route: `404`, `405` with `Allow`, the sender, the length and the type of
/// the body, and then the route's handler.
import MacrologEvents
package import MacrologHTTP

extension Routes {
    /// The routes of one path.
    private struct Place {
        let path: Route.Path
        let routes: [(method: String, index: Int)]
        let takesQuery: Bool

        init(_ path: Route.Path, in all: [Route]) {
            self.path = path
            let indices = all.indices.filter { all[$0].path == path }
            routes = indices.map { (all[$0].method, $0) }
            takesQuery = indices.contains { all[$0].takesQuery }
        }

        /// The value of `Allow`.
        var allow: String { routes.map(\.method).joined(separator: ", ") }
    }

    private static let places: [Place] = {
        var paths: [Route.Path] = []
        for route in all where !paths.contains(route.path) { paths.append(route.path) }
        return paths.map { Place($0, in: all) }
    }()

    /// The route of a request, by its index in ``all``, and what stands in place of the path's
    /// parameter.
    static func match(
        _ request: HTTPRequest
    ) throws(Problem) -> (index: Int, parameter: String) {
        for place in places {
            guard let parameter = place.path.match(request.path) else { continue }
            guard request.query.isEmpty || place.takesQuery else { throw .query }
            for route in place.routes where route.method == request.method {
                return (route.index, parameter)
            }
            throw .method(place.allow)
        }
        throw request.query.isEmpty ? .notFound : .query
    }

    /// The route of a request, whatever its query; `nil` if there is none.
    package static func route(of request: HTTPRequest) -> Route? {
        var request = request
        request.query = ""
        return (try? match(request)).map { all[$0.index] }
    }
}

extension SyncServer {
    /// Answers one request, immediately or later, on this thread or another. Never throws: every
    /// failure becomes a response with a status and a sentence.
    package func respond(to request: HTTPRequest, reply: @escaping Answer) {
        noteProxy(request)
        if let sink = request.sink { return sink.finish(reply) }
        do throws(Problem) {
            try serve(request, reply)
        } catch {
            reply(error.response)
        }
    }

    /// Receives the body of a request piece by piece; `nil` for a body that may be kept in memory:
    /// a short one, or one of an authenticated sender.
    package func sink(for request: HTTPRequest) -> BodySink? {
        var bytesMax = Limits.messageBytesMax
        do throws(Problem) {
            let (index, parameter) = try Routes.match(request)
            guard case .upload(let upload) = Routes.all[index].handler else {
                try checkLength(request, Routes.all[index])
                return nil
            }
            bytesMax = Routes.all[index].bodyBytesMax
            let now = clock()
            let session = try sessions.authenticate(request, now: now)
            let call = Call(
                request: request, parameter: parameter, body: [], now: now, reply: { _ in })
            return try upload(self)(session, call)
        } catch {
            // The refusal is sent after the body has been read: an earlier answer would be lost.
            let refusal = error.response
            return BodySink(
                bytesMax: Int64(bytesMax), take: { _ in }, finish: { $0(refusal) }, cancel: {})
        }
    }

    /// Refuses a long body of an unauthenticated sender before it is read: otherwise ten thousand
    /// connections that each hold back the last byte would fill the memory.
    private func checkLength(_ request: HTTPRequest, _ route: Route) throws(Problem) {
        guard let length = request.field("content-length").flatMap({ Int64($0) }),
            length > Bodies.strangerBytesMax
        else { return }
        if route.right == .session { _ = try sessions.authenticate(request, now: clock()) }
        guard length <= route.bodyBytesMax else { throw .tooLarge(route.bodyBytesMax) }
    }

    private func serve(_ request: HTTPRequest, _ reply: @escaping Answer) throws(Problem) {
        let (index, parameter) = try Routes.match(request)
        let now = clock()
        func call() throws(Problem) -> Call {
            Call(
                request: request, parameter: parameter,
                body: try body(of: request, Routes.all[index]), now: now, reply: reply)
        }
        switch Routes.all[index].handler {
        case .open(let handle), .refreshToken(let handle):
            try handle(self)(try call())
        case .session(let handle):
            let session = try sessions.authenticate(request, now: now)
            try handle(self)(session, try call())
        case .upload(let upload):
            let session = try sessions.authenticate(request, now: now)
            let sink = try upload(self)(session, try call())
            request.body.withUnsafeBytes { sink.take($0) }
            sink.finish(reply)
        }
    }

    /// The decompressed body, after its length and its type are checked.
    private func body(of request: HTTPRequest, _ route: Route) throws(Problem) -> [UInt8] {
        guard request.body.count <= route.bodyBytesMax else { throw .tooLarge(route.bodyBytesMax) }
        switch route.body {
        case .cbor, .json: break
        default: return []
        }
        guard let type = route.body?.mediaType, Bodies.isType(type, request) else {
            throw .mediaType(route.body.map { "\($0.mediaType)" } ?? "")
        }
        return try Bodies.decoded(request, bytesMax: route.bodyBytesMax)
    }

    /// The answer to a monitoring client.
    func health(_ call: Call) {
        call.reply(
            HTTPResponse(
                status: 200,
                fields: [HTTPField("content-type", "\(Route.Content.text.mediaType)")],
                body: Array("ok\n".utf8)))
    }
}

extension Problem {
    fileprivate static let query = malformed(
        "Leave the query out: only GET /v1/events takes one.")
}
