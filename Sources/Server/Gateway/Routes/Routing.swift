/// From a request to its route: `404`, `405` with `Allow`, parameters as values, and a body of the
/// declared form.
import MacrologEvents
package import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologService

extension APIRoutes {
    /// The first segments of all paths.
    private static let beginnings: [[UInt8]] = Set(
        all.compactMap { route in
            if case .literal(let text)? = route.path.segments.first { text } else { nil }
        }
    ).map { Array($0.utf8) }

    /// Whether a path belongs to the gateway, whether or not there is something.
    static func own(_ path: String) -> Bool {
        // Asked for every request of a device, too: its bytes are compared where they are.
        var path = path
        return path.withUTF8 { path in
            let slash = UInt8(ascii: "/")
            let first = path.drop { $0 == slash }.prefix { $0 != slash }
            return beginnings.contains { $0.count == first.count && first.elementsEqual($0) }
        }
    }

    /// The index in ``all`` of the route of a request; `nil` if there is none.
    package static func index(of request: HTTPRequest) -> Int? {
        (try? find(request))?.index
    }

    /// The route of a request, and what stands in place of the path's parameters. A path of literal
    /// segments counts before one with parameters, in the order of the table.
    static func match(
        _ request: HTTPRequest
    ) throws(APIProblem) -> (route: APIRoute, path: [String]) {
        let (index, path) = try find(request)
        return (all[index], path)
    }

    /// Why a request is refused before anyone's log is opened; `nil` for one that is not. Of its sender
    /// nothing is checked.
    package static func refusal(of request: HTTPRequest) -> HTTPResponse? {
        do {
            let (route, path) = try match(request)
            try route.checkAccept(request)
            _ = try route.parameters(path, request.query)
            let body = try route.body(of: request)
            for kind in Kind.all where !route.ignoresUnknown {
                _ = try EntityInput(body, of: kind)
            }
            _ = try Idempotency.read(request, of: .zero, route.name)
            return nil
        } catch let problem as APIProblem {
            return problem.response
        } catch let problem as MacrologService.Problem {
            return problem.response
        } catch {
            return APIProblem.failed().response
        }
    }

    private static func find(
        _ request: HTTPRequest
    ) throws(APIProblem) -> (index: Int, path: [String]) {
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var found: PathPattern?
        for index in all.indices {
            if let found, all[index].path != found { continue }
            guard let path = all[index].path.match(Array(parts)) else { continue }
            let method = request.method == "HEAD" ? "GET" : request.method
            if all[index].method == method { return (index, path) }
            found = all[index].path
        }
        guard let found else { throw .notFound }
        let methods = all.filter { $0.path == found }.map(\.method)
        throw .method(methods.contains("GET") ? methods + ["HEAD"] : methods)
    }
}

extension APIRoute {
    /// The parameters of a request, each of its declared form.
    func parameters(
        _ path: [String], _ query: String
    ) throws(APIProblem) -> [String: APIParameter.Value] {
        var values: [String: APIParameter.Value] = [:]
        for (name, text) in zip(self.path.parameters, path) {
            values[name] = try APIParameter.ofPaths[name]?.value(try Self.decoded(text, name))
        }
        for (name, text) in try Self.pairs(query) {
            guard let parameter = self.query.first(where: { $0.name == name }) else {
                if ignoresUnknown { continue }
                let names = self.query.map(\.name).joined(separator: ", ")
                throw .parameter(
                    name,
                    "\(name.prefix(40)) is no parameter here; "
                        + (names.isEmpty ? "leave the query out." : "this address takes \(names)."))
            }
            guard values[name] == nil else { throw .parameter(name, "Send \(name) once.") }
            values[name] = try parameter.value(text)
        }
        for parameter in self.query where parameter.isRequired && values[parameter.name] == nil {
            throw .parameter(parameter.name, "\(parameter.name) is missing.")
        }
        return values
    }

    /// The body of a request, decompressed and checked; null for a route without one.
    func body(of request: HTTPRequest) throws -> JSON {
        guard let schema = body else {
            try requireNothing(request)
            return .null
        }
        let bytes = try Bodies.decoded(request, bytesMax: Gateway.bodyBytesMax)
        let json: JSON
        if bytes.isEmpty, method == "POST", request.field("content-type") == nil,
            !schema.members.contains(where: \.isRequired)
        {
            json = [:]
        } else if Bodies.isType("application/json", request)
            || Bodies.isType("application/merge-patch+json", request)
        {
            do throws(JSONError) { json = try JSON.parse(bytes) } catch {
                throw APIProblem.noJSON(error)
            }
        } else if takesForm, Bodies.isType("application/x-www-form-urlencoded", request) {
            json = try Self.form(bytes)
        } else {
            throw APIProblem(
                .unsupportedMediaType,
                takesForm
                    ? "The body must be application/json, or a form: line=300 kcal lunch."
                    : "The body must be application/json.")
        }
        try schema.check(json, at: "", ignoresUnknown: ignoresUnknown)
        return json
    }

    /// A form as an object, whose members are there once, like those of JSON.
    private static func form(_ bytes: [UInt8]) throws(APIProblem) -> JSON {
        var (members, names): ([JSON.Member], Set<String>) = ([], [])
        for (name, value) in try pairs(String(decoding: bytes, as: UTF8.self)) {
            guard names.insert(name).inserted else {
                throw .invalid("/\(name.prefix(40))", "Send \(name.prefix(40)) once.")
            }
            members.append(JSON.Member(name, .string(value)))
        }
        return .object(members)
    }

    /// Refuses members that would be dropped. The earlier systems' apps send some.
    private func requireNothing(_ request: HTTPRequest) throws {
        guard refusesBodies, !request.body.isEmpty else { return }
        let json = try? JSON.parse(try Bodies.decoded(request, bytesMax: Gateway.bodyBytesMax))
        guard json == .null || json?.object?.isEmpty == true else {
            throw APIProblem.invalid("", "\(name) reads no body: send none.")
        }
    }

    /// `a=1&b=two%20words`.
    private static func pairs(
        _ query: String
    ) throws(APIProblem) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for pair in query.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try decoded(String(halves[0]), "query")
            pairs.append((name, try decoded(halves.count == 2 ? String(halves[1]) : "", name)))
        }
        return pairs
    }

    /// Without percent encoding; a plus is a space.
    private static func decoded(_ text: String, _ name: String) throws(APIProblem) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                // `UInt8` would take a sign, too.
                guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                    let value = UInt8(digits, radix: 16)
                else {
                    throw .parameter(name, "\(name) has a % that is not followed by two digits.")
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw .parameter(name, "\(name) is not UTF-8 text.")
        }
        return decoded
    }
}

extension APIProblem {
    static let tooLarge = APIProblem(
        .tooLarge, "The body is longer than \(Gateway.bodyBytesMax) bytes; send less at once.")
}
