/// `/v1/shares`: what a person shows to others is made, listed and ended (`docs/protocol/share.md`).
import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologImages
import MacrologJSON
import MacrologSharePage

extension SyncServer {
    /// `POST /v1/shares`: keeps a document and its card, and shows them to everyone who has the token.
    /// The same request once more gives the same answer.
    func createShare(_ session: Session, _ call: Call) throws(Problem) {
        let share = try newShare(session, call)
        try limiters[.shareByAccount]?.charge(session.accountRateKey, now: call.now)
        store.add(share) { [self] result in
            switch result {
            case .success(.added): call.reply(.share(201, share.id, share.expires))
            case .success(.known(let id, let expires)): call.reply(.share(200, id, expires))
            case .success(.ended): call.reply(Problem.shareEnded.response)
            case .success(.taken): call.reply(Problem.tokenTaken.response)
            case .success(.noRoom): call.reply(Problem.sharesFull.response)
            case .failure(let error): call.reply(refuse(error))
            }
        }
    }

    /// A request, checked: who opens a share is served nothing that was not.
    private func newShare(_ session: Session, _ call: Call) throws(Problem) -> NewShare {
        let request: ShareRequest
        do throws(CBORError) {
            request = try ShareRequest.decoded(call.body, versions: settings.versions)
        } catch {
            throw problem(error, of: call.body, "share request")
        }
        do throws(ShareDocumentError) { _ = try ShareDocument(request.document) } catch {
            throw .malformed("The document of the share is not one: \(error).")
        }
        guard let origin = try? Origin(request.origin.string, allowingInsecure: true) else {
            throw .malformed(
                "The address of the share must be that of this server: https://sync.example.org.")
        }
        return NewShare(
            id: newIdentifier(), space: session.space,
            token: secrets.digest(ofShare: request.token), opensMax: request.opensMax,
            expires: call.now + request.seconds * 1_000, origin: origin.description,
            document: request.document, card: try card(request.card),
            entry: AuditEntry(event: .shared, network: network(of: call), now: call.now),
            now: call.now)
    }

    /// A picture of the right size, without anything that is not the picture.
    private func card(_ bytes: [UInt8]) throws(Problem) -> [UInt8] {
        let image: CleanImage
        do throws(ImageError) { image = try CleanImage(cleaning: bytes) } catch {
            throw .malformed("The card is no PNG picture: \(error.explanation).")
        }
        guard image.header.format == .png, image.header.width == 1_200, image.header.height == 630
        else { throw .malformed("The card must be a PNG picture of 1200 by 630 pixels.") }
        return image.bytes
    }

    /// `GET /v1/shares`: what can be seen now, the latest first.
    func listShares(_ session: Session, _ call: Call) throws(Problem) {
        try limiters[.pullBySession]?.charge(session.rateKey, now: call.now)
        do throws(StoreError) {
            let shares = try store.shares(of: session.space, now: call.now)
            call.reply(.json(200, ["shares": .array(shares.map { $0.json(isWhole: false) })]))
        } catch {
            throw error.problem
        }
    }

    /// `DELETE /v1/shares/{id}`: no one sees it any more, and nothing of it is kept but that its token was one.
    func revokeShare(_ session: Session, _ call: Call) throws(Problem) {
        guard let id = Identifier(call.parameter) else { throw .notFound }
        let entry = AuditEntry(event: .shareRevoked, network: network(of: call), now: call.now)
        store.removeShare(id, of: session.space, entry: entry) { [self] result in
            switch result {
            case .success(true): call.reply(HTTPResponse(status: 204))
            case .success(false): call.reply(Problem.notFound.response)
            case .failure(let error): call.reply(refuse(error))
            }
        }
    }
}

extension StoredShare {
    /// What its owner sees of it.
    ///
    /// - Parameter isWhole: Whether its document is part of it.
    func json(isWhole: Bool) -> JSON {
        let document = (try? JSON.parse(self.document)) ?? .null
        let members = ["kind", "title", "from", "to"].map {
            JSON.Member($0, document[$0] ?? .null)
        }
        return .object(
            [JSON.Member("id", .string(id.description))] + members + [
                JSON.Member("created", .integer(created)),
                JSON.Member("expires", .integer(expires)),
                JSON.Member("opens", .integer(opens)),
                JSON.Member("opens_max", .optional(opensMax == 0 ? nil : opensMax)),
            ] + (isWhole ? [JSON.Member("document", document)] : []))
    }
}

extension HTTPResponse {
    fileprivate static func share(
        _ status: Int, _ id: Identifier, _ expires: Int64
    ) -> HTTPResponse {
        .json(status, ["id": .string(id.description), "expires": .integer(expires)])
    }
}

extension Problem {
    fileprivate static let tokenTaken = malformed("Choose another token, at random.")
    fileprivate static let shareEnded = Problem(
        .malformedRequest, "That share was ended. Choose another token, at random.",
        members: [JSON.Member("ended", .bool(true))])
    fileprivate static let sharesFull = Problem(
        .shareQuota,
        "You show \(ShareLimits.countMax) things to others, which is the most; end one of them first.",
        members: [JSON.Member("shares_max", .integer(ShareLimits.countMax))])
}
