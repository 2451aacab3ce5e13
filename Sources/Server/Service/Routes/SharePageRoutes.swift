/// `/s/{token}`: what others see of a share, as a page, as JSON, and as a picture. Wrong, expired and
/// revoked look the same.
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologCryptography
import MacrologSharePage
import MacrologSystem

extension SyncServer {
    /// `GET /s/{token}`: a page for browsers, JSON for who accepts only that. Each counts as one opening,
    /// and `HEAD` as none.
    func showShare(_ call: Call) throws(Problem) {
        let wanted = SharedForm(accepting: call.request.field("accept"))
        guard let share = try openShare(call) else { return call.reply(wanted.nothing) }
        let prefix = (try? Origin(share.origin, allowingInsecure: true))?.prefix ?? ""
        let answer = try wanted.answer(
            share, token: call.parameter, at: address(for: call.request, prefix: prefix))
        if call.request.method == "HEAD" { return call.reply(answer) }
        store.countOpening(of: share.id, now: call.now) { [self] result in
            switch result {
            case .success(true): call.reply(answer)
            case .success(false): call.reply(wanted.nothing)
            case .failure(let error): call.reply(refuse(error))
            }
        }
    }

    /// `GET /s/card/{token}`: the card. Where openings are limited, only soon after one that counted.
    func showCard(_ call: Call) throws(Problem) {
        try chargeOpening(call)
        guard let token = BlobKey.name(digits: call.parameter.utf8) else { throw .notFound }
        do throws(StoreError) {
            let card = try store.card(
                token: secrets.digest(ofShare: token),
                openedAfter: call.now - ShareLimits.cardGrace, now: call.now)
            guard let card else { return call.reply(Problem.notFound.response) }
            call.reply(
                HTTPResponse(
                    status: 200,
                    fields: [HTTPField("content-type", "image/png")] + SharedForm.guards,
                    body: card))
        } catch {
            throw error.problem
        }
    }

    private func openShare(_ call: Call) throws(Problem) -> OpenShare? {
        try chargeOpening(call)
        guard let token = BlobKey.name(digits: call.parameter.utf8) else { return nil }
        do throws(StoreError) {
            return try store.share(token: secrets.digest(ofShare: token), now: call.now)
        } catch {
            throw error.problem
        }
    }

    private func chargeOpening(_ call: Call) throws(Problem) {
        let network = Network.key(of: Network.address(of: call.request, proxies: settings.proxies))
        try limiters[.openByNetwork]?.charge(
            network, site: Network.site(of: network), now: call.now)
    }
}

/// The form in which a stranger wants to see a share.
private struct SharedForm {
    private let isJSON: Bool
    /// Whether a refusal is a page, too: a browser says that it takes one.
    private let isBrowser: Bool

    init(accepting accept: String?) {
        let names = asciiLowercased(accept ?? "").split(separator: ",").map { entry in
            entry.prefix { $0 != ";" }.filter { $0 != " " }
        }
        func accepts(_ type: String) -> Bool {
            names.contains { $0.utf8.elementsEqual(type.utf8) }
        }
        isBrowser = accepts("text/html")
        isJSON = !isBrowser && accepts("application/json")
    }

    /// The answer for a share that is not there, whatever the reason.
    var nothing: HTTPResponse {
        guard isBrowser else { return Problem.notFound.response }
        return Self.page(404, SharePage.nothing)
    }

    /// - Parameter address: That of this server.
    func answer(
        _ share: OpenShare, token: String, at address: String
    ) throws(Problem) -> HTTPResponse {
        do throws(ShareDocumentError) {
            let document = try ShareDocument(share.document)
            guard isJSON else {
                let page = SharePage(
                    document, origin: address, token: token,
                    end: SystemClock.utc(share.expires))
                return Self.page(200, page.html)
            }
        } catch {
            throw .failed("a share cannot be read: \(error)")
        }
        let answer: JSON = [
            "share": (try? JSON.parse(share.document)) ?? .null,
            "expires": .integer(share.expires),
            "card": .string("\(address)/s/card/\(token)"),
        ]
        var response = HTTPResponse.json(200, answer)
        response.fields += Self.guards
        return response
    }

    private static func page(_ status: Int, _ html: String) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: [
                HTTPField("content-type", "text/html; charset=utf-8"),
                HTTPField("content-security-policy", policy),
                HTTPField("content-language", "en"),
            ] + guards, body: Array(html.utf8))
    }

    /// What search engines, and other sites in a browser, may not do with a share.
    static let guards = [
        HTTPField("vary", "accept"),
        HTTPField("x-robots-tag", "noindex, nofollow, noarchive"),
        HTTPField("cross-origin-opener-policy", "same-origin"),
    ]

    /// Nothing but the one style of the page: no script, no form, no frame, no other site.
    private static let policy: String = {
        let hash = Base64URL.encode(sha256(Array(SharePage.style.utf8))).map { letter in
            letter == UInt8(ascii: "-")
                ? UInt8(ascii: "+") : letter == UInt8(ascii: "_") ? UInt8(ascii: "/") : letter
        }
        return "default-src 'none'; style-src 'sha256-\(String(decoding: hash, as: UTF8.self))='; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }()
}
