/// Refreshing, listing and ending sessions.
import MacrologJSON
import MacrologEvents
import MacrologHTTP
import MacrologCryptography

extension SyncServer {
    /// `POST /v1/auth/refresh` with `refresh_token`: new tokens. The old one is used up, but
    /// returns the same answer again within a minute.
    func refresh(_ call: Call) throws(Problem) {
        let (now, reply) = (call.now, call.reply)
        let body = try Bodies.object(call.body)
        guard let text = body["refresh_token"]?.string,
            let token = Base64URL.decode(Array(text.utf8)), token.count == 32
        else { throw .wrongRefreshToken }
        let presented = secrets.digest(ofRefresh: token)
        let successor = secrets.successor(ofRefresh: token)
        let owner: Identifier?
        do throws(StoreError) {
            owner = try store.session(ofRefresh: presented)
        } catch {
            throw error.problem
        }
        guard let owner else { throw .wrongRefreshToken }
        if case let refusal = sessions.refusal(of: owner), refusal.kind == .accountDisabled {
            throw refusal
        }
        try limiters[.refreshBySession]?.charge(owner.bytes, now: now)
        let rotation = Rotation(
            presented: presented, successor: secrets.digest(ofRefresh: successor), now: now)
        store.rotate(rotation) { [self] result in
            switch result {
            case .success(.rotated(let session, _)):
                reply(
                    tokens(
                        session: session.id, account: session.account, refresh: successor,
                        now: now))
            case .success(.unknown):
                reply(Problem.wrongRefreshToken.response)
            case .success(.reused(let session)):
                end([session.id], of: session.space)
                record(.refreshReused, of: session.space, call)
                note(
                    ServerNote(
                        level: .warning, event: "refresh.reused",
                        facts: [("session_id", session.id.description)]))
                reply(Problem.wrongRefreshToken.response)
            case .failure(let error): reply(refuse(error))
            }
        }
    }

    /// `POST /v1/auth/logout`: ends the session of the access token.
    func logout(_ session: Session, _ call: Call) {
        revoke(session.id, of: session.space, .logout, call)
    }

    /// `GET /v1/devices`: the sessions of this account, and what their devices hold.
    func listDevices(_ session: Session, _ call: Call) throws(Problem) {
        let now = call.now
        let stored: [StoredSession]
        let epoch: UInt32
        do throws(StoreError) {
            stored = try store.sessions(of: session.space)
            epoch = try store.head(of: session.space).epoch
        } catch {
            throw error.problem
        }
        let devices = stored.filter { now < $0.expires }.map {
            $0.json(isCurrent: $0.id == session.id)
        }
        call.reply(
            .json(
                200,
                [
                    "epoch": .integer(Int64(epoch)), "now": .integer(now),
                    "devices": .array(devices),
                ]))
    }

    /// `PUT /v1/devices/{id}` with `name`: changes the label of a session of this account.
    func renameDevice(_ session: Session, _ call: Call) throws(Problem) {
        let reply = call.reply
        let label = try Self.label(try Bodies.object(call.body), "name")
        guard let id = Identifier(call.parameter) else { throw .notFound }
        store.rename(id, of: session.space, to: label) { [self] result in
            switch result {
            case .success(true): reply(HTTPResponse(status: 204))
            case .success(false): reply(Problem.notFound.response)
            case .failure(let error): reply(refuse(error))
            }
        }
    }

    /// `DELETE /v1/devices/{id}`: ends one session of this account.
    func revokeDevice(_ session: Session, _ call: Call) throws(Problem) {
        guard let id = Identifier(call.parameter) else { throw .notFound }
        revoke(id, of: session.space, .sessionEnded, call)
    }

    /// `DELETE /v1/devices`: ends all other sessions of this account.
    func revokeOtherDevices(_ session: Session, _ call: Call) {
        let reply = call.reply
        store.revokeAll(of: session.space, except: session.id, at: call.now) { [self] result in
            switch result {
            case .success(let ids):
                end(ids, of: session.space)
                record(.sessionEnded, of: session.space, call)
                note(
                    ServerNote(
                        level: .info, event: "revoke", facts: [("session_count", "\(ids.count)")]))
                reply(HTTPResponse(status: 204))
            case .failure(let error): reply(refuse(error))
            }
        }
    }

    private func record(_ event: AuditEvent, of space: Space, _ call: Call) {
        store.record(
            AuditEntry(event: event, network: network(of: call), now: call.now), of: space)
    }

    private func revoke(
        _ id: Identifier, of space: Space, _ event: AuditEvent, _ call: Call
    ) {
        let reply = call.reply
        store.revoke(id, of: space, at: call.now) { [self] result in
            switch result {
            case .success(true):
                end([id], of: space)
                record(event, of: space, call)
                note(
                    ServerNote(
                        level: .info, event: "revoke", facts: [("session_id", id.description)]))
                reply(HTTPResponse(status: 204))
            case .success(false): reply(Problem.notFound.response)
            case .failure(let error): reply(refuse(error))
            }
        }
    }

    /// The answer to an authenticated client.
    func tokens(
        session: Identifier, account: Identifier, refresh: [UInt8], now: Int64
    ) -> HTTPResponse {
        let access = AccessToken(
            session: session, account: account, issued: now / 1_000, id: random(12))
        return .json(
            200,
            [
                "access_token": .string(access.signed(by: secrets.tokens)),
                "token_type": "Bearer", "expires_in": .integer(AccessToken.lifetime),
                "refresh_token": .string(
                    String(decoding: Base64URL.encode(refresh), as: UTF8.self)),
                "account": .string(account.description), "session": .string(session.description),
            ])
    }

    /// An unguessable identifier.
    func newIdentifier() -> Identifier {
        var dice = Dice(random: random)
        return .v4(random: &dice)
    }
}

extension StoredSession {
    /// What its owner sees of it.
    func json(isCurrent: Bool) -> JSON {
        [
            "id": .string(id.description), "name": .string(label), "created": .integer(created),
            "last_seen": .integer(lastSeen), "current": .bool(isCurrent),
            "device": .optional(held?.device.description),
            "cursor": .optional(held?.cursor.rawValue), "scope": .optional(right?.scope.rawValue),
            "first_day": .optional(right?.firstDay), "expires": .integer(expires),
        ]
    }
}

/// The server's random bytes as a random number generator.
private struct Dice: RandomNumberGenerator {
    let random: @Sendable (Int) -> [UInt8]

    mutating func next() -> UInt64 { random(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
