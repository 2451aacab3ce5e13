import MacrologEvents
import MacrologHTTP
import MacrologJSON
import Synchronization

// What a person does with the account itself (`protocol.md` §8). Each asks the server, and throws
// ``AccountError``.

extension Account {
    /// Changes the password. All other sessions end.
    ///
    /// - Throws: ``AccountError/refused(_:)`` for a wrong old password; ``AccountError/invalid(_:)``
    ///   for a new one that is too short or too easy to guess.
    public func changePassword(from old: String, to new: String) async throws {
        try await change("/v1/account/password", ["password": old, "new_password": new])
    }

    /// Begins a second factor, which nothing asks for until it is confirmed.
    ///
    /// - Returns: Its secret in base32, and as an address that an authenticator app reads.
    /// - Throws: ``AccountError/refused(_:)`` for a wrong password.
    public func beginSecondFactor(password: String) async throws -> (secret: String, uri: String) {
        let answer = try await change("/v1/account/totp", ["password": password])
        guard let secret = answer["secret"]?.string, let uri = answer["uri"]?.string else {
            throw AccountError(SyncError(.malformed(detail: "a second factor without a secret")))
        }
        return (secret, uri)
    }

    /// Confirms a second factor with a code of the app: from now on logging in needs one.
    ///
    /// - Returns: The recovery codes, each of which works once in place of a code.
    /// - Throws: ``AccountError/refused(_:)`` for a wrong code.
    public func confirmSecondFactor(code: String) async throws -> [String] {
        let answer = try await change("/v1/account/totp/confirm", ["code": code])
        guard let codes = answer["recovery_codes"]?.array?.compactMap(\.string) else {
            throw AccountError(SyncError(.malformed(detail: "a second factor without codes")))
        }
        return codes
    }

    /// Ends the second factor: from now on the password alone logs in.
    ///
    /// - Parameter code: A code of the app, or a recovery code.
    /// - Throws: ``AccountError/refused(_:)`` for a wrong password or code.
    public func endSecondFactor(password: String, code: String?) async throws {
        try await change("/v1/account/totp/disable", ["password": password, "code": code])
    }

    /// What happened to the account, the latest first.
    public func audit() async throws -> [AccountEvent] {
        let answer = try await change("/v1/account/audit", [:], method: "GET")
        return (answer["entries"]?.array ?? []).compactMap { entry in
            guard let at = entry["at"]?.integer, let event = entry["event"]?.string else {
                return nil
            }
            return AccountEvent(
                at: at, event: event, network: entry["network"]?.string,
                device: entry["device"]?.string)
        }
    }

    /// Everything that the server knows of the account besides events and photos.
    ///
    /// - Returns: A JSON document for people, and the names (SHA-256) of the photos that the server has;
    ///   ``photo(_:)`` fetches each.
    public func export() async throws -> (json: String, photos: [[UInt8]]) {
        let answer = try await change("/v1/account/export", [:], method: "GET")
        let names = (answer["blobs"]?.array ?? []).compactMap { $0["name"]?.string }
        return (answer.pretty, photos: names.compactMap(BlobExchange.name))
    }

    /// Deletes the account on the server, and logs this device out. What is recorded here stays, and no
    /// server is known to have it.
    ///
    /// - Parameter code: The code of the second factor, for an account with one.
    /// - Throws: ``AccountError/refused(_:)`` for a wrong password or code.
    public func delete(password: String, code: String?) async throws {
        try await change("/v1/account/delete", ["password": password, "code": code])
        // Also where the session cannot be removed now: the account is gone.
        let forgotten = Result { try forgetServer() }
        try replacement.withLock { _ in try sessions.save(nil) }
        try forgotten.get()
    }

    /// Asks something of the account. A refusal is about the password or the code, not the session.
    @discardableResult
    private func change(
        _ path: String, _ members: KeyValuePairs<String, String?>, method: String = "POST"
    ) async throws -> JSON {
        do {
            return try await asking { token, transport throws(SyncError) in
                let request = AccountExchange.account(method, path, members, accessToken: token)
                let answer = try AccountExchange.success(Self.send(request, transport))
                guard !answer.body.isEmpty else { return .null }
                guard let json = try? JSON.parse(answer.body) else {
                    throw SyncError(.notTheServer(status: answer.status))
                }
                return json
            }
        } catch AccountError.notAllowed(let cause) where cause.hint == nil {
            throw AccountError.refused(cause)
        }
    }
}

/// An entry of an account's audit trail.
public struct AccountEvent: Hashable, Sendable {
    /// When, in milliseconds since 1970 UTC.
    public let at: Int64
    /// What, such as `login` or `password_changed`.
    public let event: String
    /// From which network, such as `192.0.2.0/24`; `nil` for the server's operator.
    public let network: String?
    /// The name of the session's device, if there is one.
    public let device: String?
}
