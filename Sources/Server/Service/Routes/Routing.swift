/// From a request to its route: `404`, `405` with `Allow`, the sender, the length and the type of
/// the body, and then the route's handler.
import MacrologEvents
import MacrologWire
package import MacrologHTTP

extension Routes {
    /// A path, with the places of its routes in ``all``. Rows are read where they stand: the hot
    /// route copies none.
    private struct Place {
        let path: Route.Path
        let indices: [Int]
        let takesQuery: Bool
    }

    private static let places: [Place] = {
        var paths: [Route.Path] = []
        for route in all where !paths.contains(route.path) { paths.append(route.path) }
        return paths.map { path in
            let indices = all.indices.filter { all[$0].path == path }
            return Place(
                path: path, indices: indices, takesQuery: indices.contains { all[$0].takesQuery })
        }
    }()

    /// The route of a request, by its index in ``all``, and what stands in place of the path's
    /// parameter.
    static func match(
        _ request: HTTPRequest
    ) throws(Problem) -> (index: Int, parameter: String) {
        for place in places.indices {
            guard let parameter = places[place].path.match(request.path) else { continue }
            guard request.query.isEmpty || places[place].takesQuery else { throw .query }
            if let index = index(at: place, request.method) { return (index, parameter) }
            throw .method(places[place].indices.map { all[$0].method }.joined(separator: ", "))
        }
        throw request.query.isEmpty ? .notFound : .query
    }

    private static func index(at place: Int, _ method: String) -> Int? {
        places[place].indices.first { all[$0].method == method }
    }

    /// The index in ``all`` of the route of a request, whatever its query; `nil` if there is none.
    package static func index(of request: HTTPRequest) -> Int? {
        let place = places.indices.first { places[$0].path.match(request.path) != nil }
        return place.flatMap { index(at: $0, request.method) }
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
            reply(answer(error))
        }
    }

    /// Whether ``respond(to:reply:)`` returns without having waited for another machine: a push of a session that is
    /// known, whose answer comes later.
    package func isQueued(_ request: HTTPRequest) -> Bool {
        store.queuesPushes && request.path == "/v1/sync" && SyncRequest.hasEvents(request.body)
            && sessions.knows(request, now: clock())
    }

    /// Receives the body of a request piece by piece; `nil` for a body that may be kept in memory:
    /// a short one, or one of an authenticated sender. It reads the store.
    package func sink(for request: HTTPRequest) -> BodySink? {
        var bytesMax = Limits.messageBytesMax
        do throws(Problem) {
            let (index, parameter) = try Routes.match(request)
            guard case .upload(let upload) = Routes.all[index].handler else {
                try checkLength(request, of: index)
                return nil
            }
            bytesMax = Routes.all[index].bodyBytesMax
            let now = clock()
            let session = try sessions.authenticate(request, now: now)
            let call = Call(
                request: request, parameter: parameter, body: [], now: now, reply: { _ in })
            return try upload(self)(session, call)
        } catch {
            return .refusing(answer(error), bytesMax: bytesMax)
        }
    }

    /// Refuses a long body of an unauthenticated sender before it is read: otherwise ten thousand
    /// connections that each hold back the last byte would fill the memory.
    private func checkLength(_ request: HTTPRequest, of index: Int) throws(Problem) {
        guard let length = request.field("content-length").flatMap({ Int64($0) }),
            length > Bodies.strangerBytesMax
        else { return }
        if Routes.all[index].right == .session {
            _ = try sessions.authenticate(request, now: clock())
        }
        let bytesMax = Routes.all[index].bodyBytesMax
        guard length <= bytesMax else { throw .tooLarge(bytesMax) }
    }

    private func serve(_ request: HTTPRequest, _ reply: @escaping Answer) throws(Problem) {
        let (index, parameter) = try Routes.match(request)
        let now = clock()
        switch Routes.all[index].handler {
        case .open(let handle), .refreshToken(let handle):
            let body = try body(of: request, index)
            try handle(self)(
                Call(request: request, parameter: parameter, body: body, now: now, reply: reply))
        case .session(let handle):
            let session = try sessions.authenticate(request, now: now)
            let body = try body(of: request, index)
            try handle(self)(
                session,
                Call(request: request, parameter: parameter, body: body, now: now, reply: reply))
        case .upload(let upload):
            let session = try sessions.authenticate(request, now: now)
            let body = try body(of: request, index)
            let sink = try upload(self)(
                session,
                Call(request: request, parameter: parameter, body: body, now: now, reply: reply))
            request.body.withUnsafeBytes { sink.take($0) }
            sink.finish(reply)
        }
    }

    /// The decompressed body of a message, after its length and its type are checked.
    private func body(of request: HTTPRequest, _ index: Int) throws(Problem) -> [UInt8] {
        let bytesMax = Routes.all[index].bodyBytesMax
        guard request.body.count <= bytesMax else { throw .tooLarge(bytesMax) }
        guard let type = Routes.all[index].messageType else { return [] }
        guard Bodies.isType(type, request) else { throw .mediaType("\(type)") }
        return try Bodies.decoded(request, bytesMax: bytesMax)
    }

    /// The answer to a monitoring client.
    func health(_ call: Call) {
        call.reply(.text("ok\n"))
    }
}

extension Problem {
    fileprivate static let query = malformed(
        "Leave the query out: only GET /v1/events takes one.")
}
