/// Input: a request to the web interface. First byte: which route. Second: the type of the body. Up to the first
/// line feed: what stands in place of the path's parameters and in the query, with a question mark between them. Then
/// the body.
import MacrologEvents
import MacrologGateway
import MacrologHTTP
import MacrologJSON

extension FuzzTarget {
    static let gateway = FuzzTarget("gateway") { input in
        guard input.count >= 2 else { return }
        let end = input[2...].firstIndex(of: 0x0A) ?? input.endIndex
        let halves = String(decoding: input[2..<end], as: UTF8.self).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let route = APIRoutes.all[Int(input[0]) % APIRoutes.all.count]
        let path = route.path.parameters.reduce(route.path.text) {
            $0.replacing("{\($1)}", with: String(halves[0]))
        }
        let types = ["application/json", "application/x-www-form-urlencoded", "text/plain"]
        let request = HTTPRequest(
            method: route.method, path: path, query: halves.count == 2 ? String(halves[1]) : "",
            fields: [HTTPField("content-type", types[Int(input[1]) % types.count])],
            body: Array(input[min(end + 1, input.endIndex)...]))
        guard let refusal = APIRoutes.refusal(of: request) else { return }
        try promise(
            (400..<500).contains(refusal.status), "a request is never an error of the server")
        guard let problem = try? JSON.parse(refusal.body) else {
            throw BrokenPromise(description: "a refusal is JSON")
        }
        let kind = problem["type"]?.string?.split(separator: ":").last.map(String.init) ?? ""
        let isKnown = APIProblemKind(rawValue: kind)?.status == refusal.status
        try promise(
            isKnown || problem["title"]?.string != nil, "a refusal says what is wrong")
        try promise(refusal.body.count < 8_192, "a refusal does not repeat the request")
    }
}
