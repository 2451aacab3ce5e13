package import MacrologHTTP
package import MacrologJSON

extension Account {
    /// Makes a token for the web interface: for a script, or for someone else who may read. It is listed by
    /// ``devices()`` and ended by ``revoke(_:)``.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 bytes without control characters.
    ///   - scope: `read`, `write`, or `quick`, which records one line and reads nothing.
    ///   - firstDay: For someone else, who may read days from this one on, in days since 1970-01-01; each use is in
    ///     the account's audit trail.
    ///   - days: For how long, 1 to 365.
    /// - Returns: The token, which the server cannot tell again.
    /// - Throws: ``AccountError``.
    public func makeToken(
        named name: String, scope: String, firstDay: Int64? = nil, days: Int64
    ) async throws -> String {
        try await asking { token, transport throws(SyncError) in
            try AccountExchange.token(
                Self.send(
                    AccountExchange.makeToken(
                        [
                            "name": .string(name), "scope": .string(scope),
                            "first_day": .optional(firstDay), "days": .integer(days),
                        ], accessToken: token), transport))
        }
    }
}

extension AccountExchange {
    /// Requests a token for the web interface.
    package static func makeToken(_ facts: JSON, accessToken: String) -> HTTPRequest {
        var request = post("/v1/tokens", facts)
        request.fields.append(HTTPField("authorization", "Bearer \(accessToken)"))
        return request
    }

    /// What an answer to ``makeToken(_:accessToken:)`` says.
    package static func token(
        _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> String {
        let response = try success(result)
        guard let token = (try? JSON.parse(response.body))?["token"]?.string else {
            throw SyncError(.malformed(detail: "an answer without a token"))
        }
        return token
    }
}
