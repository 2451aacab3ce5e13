/// `POST /v1/tokens`: a token for a script, a shortcut, or someone else who may read. It is listed and ended like a
/// session.
import MacrologEvents
package import MacrologHTTP
import MacrologJSON

extension SyncServer {
    /// Makes a token with `name`, `scope`, and `days` until it expires; with `first_day`, one for someone else.
    /// Its text is in this answer only.
    func createToken(_ session: Session, _ call: Call) throws(Problem) {
        let body = try Bodies.object(call.body)
        let label = try Self.label(body, "name")
        let token = NewToken(
            id: newIdentifier(), space: session.space, maker: session.id, label: label,
            right: try Self.right(body),
            expires: call.now + (try Self.days(body)) * 86_400_000,
            entry: AuditEntry(
                event: .tokenMade, network: network(of: call), device: label, now: call.now),
            now: call.now)
        try limiters[.shareByAccount]?.charge(session.accountRateKey, now: call.now)
        store.begin(token, sessionsMax: settings.sessionsMax) { [self] result in
            switch result {
            case .success(let ended?):
                end(ended, of: session.space)
                let access = AccessToken(
                    session: token.id, account: session.account, issued: call.now / 1_000,
                    expires: token.expires / 1_000, id: random(12))
                call.reply(
                    .json(
                        201,
                        [
                            "id": .string(token.id.description),
                            "token": .string(access.signed(by: secrets.tokens)),
                            "expires": .integer(token.expires),
                        ]))
            case .success(nil): call.reply(Problem.unauthorized.response)
            case .failure(let error): call.reply(refuse(error))
            }
        }
    }

    private static func right(_ body: JSON) throws(Problem) -> TokenRight {
        guard let scope = body["scope"]?.string.flatMap({ TokenRight.Scope(rawValue: $0) }) else {
            throw .invalid("scope", "scope must be read, write or quick.")
        }
        guard let first = body["first_day"], first != .null else {
            return TokenRight(scope: scope, firstDay: nil)
        }
        guard scope == .read else {
            throw .invalid(
                "scope", "A token with first_day is for someone else, and may only read.")
        }
        // From 1900 to 2200, as days since 1970.
        guard let day = first.integer, (-25_567...84_370).contains(day) else {
            throw .invalid("first_day", "first_day must be a number of days since 1970-01-01.")
        }
        return TokenRight(scope: scope, firstDay: day)
    }

    private static func days(_ body: JSON) throws(Problem) -> Int64 {
        guard let given = body["days"], given != .null else { return TokenLimits.days }
        guard let days = given.integer, (1...TokenLimits.daysMax).contains(days) else {
            throw .invalid("days", "days must be a number from 1 to \(TokenLimits.daysMax).")
        }
        return days
    }

    /// Notes in the audit trail that someone else read.
    package func noteUse(by caller: Caller, of request: HTTPRequest) {
        guard caller.right?.firstDay != nil else { return }
        store.record(
            AuditEntry(
                event: .tokenUsed, network: network(of: request), device: caller.label,
                now: clock()), of: caller.space)
    }
}

/// How long tokens last, in days.
package enum TokenLimits {
    /// Unless a request says otherwise.
    package static let days: Int64 = 90
    package static let daysMax: Int64 = 365
}
