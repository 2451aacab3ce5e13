import MacrologEvents
import MacrologHTTP
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: what a row of the table of routes says is what the server does, column by column.
/// Method: every test walks ``Routes/all`` with requests that are served but for one thing.
@Suite struct RouteTests {
    /// A server without limits, and an account of it.
    private func served() throws -> (server: TestServer, account: ServedAccount) {
        let server = try TestServer { $0.rates = .none }
        return (server, try ServedAccount(server))
    }

    @Test func `each route serves its request with an answer that it declares`() throws {
        for route in Routes.all {
            let (server, account) = try served()
            for request in try account.requests(route) {
                // ``TestServer/send(_:)`` compares every answer with the row.
                let answer = server.send(request)
                answer.stream?.end()
                #expect(answer.status < 300, "\(route.name): \(answer.status)")
            }
            #expect(!route.summary.isEmpty && route.summary.hasSuffix("."))
        }
    }

    @Test func `no two routes have one name, and the hot route is first`() {
        #expect(Set(Routes.all.map(\.name)).count == Routes.all.count)
        #expect(Routes.all.first?.name == "POST /v1/sync")
    }

    // Method and path.

    @Test func `another method at a path is refused with those that it has`() throws {
        let (server, account) = try served()
        let all = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", ""]
        for (path, routes) in Dictionary(grouping: Routes.all, by: \.path) {
            let allowed = Routes.all.filter { $0.path == path }.map(\.method)
            for method in all where !allowed.contains(method) {
                for token in [nil, "x", account.tokens.access] {
                    var request = try #require(try account.requests(routes[0], token: token).first)
                    request.method = method
                    request.query = ""
                    let answer = server.send(request)
                    let what = "\(method) \(path.pattern)"
                    #expect(answer.status == 405 && problem(answer) == "method_not_allowed")
                    let allow = answer.fields.filter { $0.name == "allow" }.map(\.value)
                    #expect(allow == [allowed.joined(separator: ", ")], "\(what)")
                }
            }
        }
    }

    @Test func `a path beside the table is nothing at all`() throws {
        let (server, account) = try served()
        let nothing = server.call("GET", "/v1/nothing", token: account.tokens.access)
        for route in Routes.all where route.path.parameter == nil {
            let path = route.path.pattern
            let others = [
                path + "x", path.uppercased(), "/" + path, String(path.dropLast()), path + "?",
            ]
            for other in others {
                let answer = server.call(route.method, other, token: account.tokens.access)
                #expect(answer.status == 404 && answer.body == nothing.body, "\(other)")
            }
        }
    }

    @Test func `a query is refused where the route takes none`() throws {
        for route in Routes.all where !route.takesQuery {
            let (server, account) = try served()
            for var request in try account.requests(route) {
                for query in ["x=1", "after=0"] {
                    request.query = query
                    let answer = server.send(request)
                    #expect(answer.status == 400, "\(route.name)?\(query)")
                    #expect(problem(answer) == "malformed_request", "\(route.name)?\(query)")
                }
                request.query = ""
                let answer = server.send(request)
                answer.stream?.end()
                #expect(answer.status < 300, "\(route.name)")
            }
        }
    }

    // Bodies.

    @Test func `a body a byte longer than the limit is refused before it is kept`() throws {
        let (server, account) = try served()
        for route in Routes.all {
            for var request in try account.requests(route) {
                request.body = []
                request.fields.removeAll { $0.name == "content-length" }
                let over = route.bodyBytesMax + 1
                request.fields.append(HTTPField("content-length", "\(over)"))
                let sink = try #require(server.server.sink(for: request), "\(route.name)")
                let answered = Answered()
                sink.finish { answered.set($0) }
                #expect(answered.get().status == 413, "\(route.name)")
                checkDeclared(answered.get(), to: request)
                // Without a socket no one asks for a sink.
                request.body = [UInt8](repeating: 0x20, count: over)
                let answer = server.send(request)
                #expect(answer.status == 413 && problem(answer) == "too_large", "\(route.name)")
            }
        }
    }

    @Test func `a body at the limit may be kept for a session, and one of a stranger at 16 KiB`()
        throws
    {
        let (server, account) = try served()
        for route in Routes.all where route.body != .bytes {
            func sink(_ length: Int, token: String?) throws -> BodySink? {
                var request = try #require(try account.requests(route, token: token).first)
                request.fields.removeAll { $0.name == "content-length" }
                request.fields.append(HTTPField("content-length", "\(length)"))
                return server.server.sink(for: request)
            }
            let token = account.tokens.access
            #expect(try sink(route.bodyBytesMax, token: token) == nil, "\(route.name)")
            #expect(try sink(16_384, token: nil) == nil, "\(route.name)")
            let refusing = try #require(try sink(16_385, token: nil), "\(route.name)")
            let answered = Answered()
            refusing.finish { answered.set($0) }
            #expect(answered.get().status == (route.right == .session ? 401 : 413), "\(route.name)")
        }
    }

    @Test func `a body of another type or coding than the route's is refused`() throws {
        let (server, account) = try served()
        for route in Routes.all {
            for request in try account.requests(route) where route.body != nil {
                for coding in ["br", "deflate", "gzip, gzip", "zstd, gzip", "x-gzip", "", "*"] {
                    var coded = request
                    coded.fields.append(HTTPField("content-encoding", coding))
                    #expect(server.send(coded).status == 415, "\(route.name) \(coding)")
                }
                guard route.body != .bytes else { continue }
                for type in ["", "text/plain", "application/json", "application/cbor"]
                where type != "\(route.body?.mediaType ?? "")" {
                    var typed = request
                    typed.fields.removeAll { $0.name == "content-type" }
                    if !type.isEmpty { typed.fields.append(HTTPField("content-type", type)) }
                    let answer = server.send(typed)
                    #expect(answer.status == 415, "\(route.name) \(type)")
                    #expect(problem(answer) == "unsupported_media_type", "\(route.name) \(type)")
                }
            }
        }
    }

    @Test func `a member of a JSON body that is missing or no text is named`() throws {
        let (server, account) = try served()
        for route in Routes.all {
            guard case .json(let members) = route.body else { continue }
            for var request in try account.requests(route) {
                let whole = String(decoding: request.body, as: UTF8.self)
                for member in members where !member.hasSuffix("?") {
                    request.body = Array(
                        whole.replacing("\"\(member)\":\"", with: "\"x\":\"").utf8)
                    let answer = server.send(request)
                    let isToken = member == "refresh_token"
                    #expect(
                        problem(answer) == (isToken ? "wrong_refresh_token" : "invalid_field"),
                        "\(route.name) \(member)")
                }
            }
        }
    }

    // Rates.

    @Test(arguments: RateLimit.allCases)
    func `a rate that is used up stops the routes that declare it, and no other`(
        limit: RateLimit
    ) throws {
        let folder = ScratchFolder()
        let account: ServedAccount
        do {
            let server = try TestServer(folder: folder) { $0.rates = .none }
            account = try ServedAccount(server)
            server.server.close()
        }
        let server = try TestServer(folder: folder) {
            $0.rates = .none
            $0.rates[limit] = Rate(burst: 0, interval: 60_000)
        }
        // Who logs out, or sets another password, has no session to ask with any more.
        let last = ["POST /v1/auth/reset", "POST /v1/auth/logout"]
        for route in Routes.all.filter({ !last.contains($0.name) })
            + Routes.all.filter({ last.contains($0.name) })
        {
            var isStopped = false
            for request in try account.requests(route) {
                let answer = server.send(request)
                answer.stream?.end()
                guard answer.status == 429 else { continue }
                isStopped = true
                #expect(answer.field("retry-after") == "60", "\(route.name)")
            }
            // A code that need not be given is not in these requests.
            let needsCode = limit != .codeByAccount || route.name == "POST /v1/account/totp/confirm"
            #expect(
                isStopped == (route.rates.contains(limit) && needsCode), "\(route.name)")
        }
    }
}
