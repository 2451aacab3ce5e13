package import MacrologEvents
package import MacrologHTTP
import MacrologJSON
package import MacrologSystem

/// The tokens of a session at a server, and its account.
package struct SessionTokens: Equatable, Sendable {
    /// The account, the same for all devices of a person.
    package let account: String
    /// Authorizes requests; the server decides on its short lifetime.
    @Secret package private(set) var accessToken: String
    /// Is exchanged for the next pair of tokens, once.
    @Secret package private(set) var refreshToken: String

    /// Collects the parts.
    package init(account: String, accessToken: String, refreshToken: String) {
        self.account = account
        self.accessToken = accessToken
        self.refreshToken = refreshToken
    }
}

/// What a server says about a session of an account.
package struct SessionFacts: Equatable, Sendable {
    /// The id of the session.
    package let id: Identifier
    /// The person's name for the device.
    package let name: String
    /// When it began, in milliseconds since 1970 UTC.
    package let created: Int64
    /// When it was last used, in milliseconds since 1970 UTC.
    package let lastSeen: Int64
    /// Whether it is the session of the request.
    package let isCurrent: Bool
    /// The device ID in the log; `nil` while it has never synced.
    package let device: Identifier?
    /// The number up to which it was last known to hold the log; `nil` while it has never synced.
    package let cursor: Int64?
    /// Whether it is a token for the web interface, and no device.
    package let isToken: Bool
}

/// What a server says about all sessions of an account.
package struct SessionList: Equatable, Sendable {
    /// The epoch of the log to which the cursors belong; `nil` from servers that send no cursors.
    package let epoch: Int64?
    /// The server's clock, in milliseconds since 1970 UTC.
    package let now: Int64?
    /// The sessions, oldest first.
    package let sessions: [SessionFacts]
}

/// Accounts as plain HTTP messages (`protocol.md` §8). Pure.
package enum AccountExchange {
    /// Requests a new account.
    package static func register(
        email: String, password: String, invitation: String? = nil
    ) -> HTTPRequest {
        post(
            "/v1/auth/register",
            body(["email": email, "password": password, "invitation": invitation]))
    }

    /// Requests a session for this device.
    package static func logIn(
        email: String, password: String, code: String? = nil, deviceName: String
    ) -> HTTPRequest {
        post(
            "/v1/auth/login",
            body(["email": email, "password": password, "device": deviceName, "code": code]))
    }

    /// Requests a new password with the operator's code.
    package static func reset(email: String, code: String, password: String) -> HTTPRequest {
        post("/v1/auth/reset", body(["email": email, "code": code, "password": password]))
    }

    /// Requests something of the account itself, such as `POST /v1/account/password`.
    package static func account(
        _ method: String, _ path: String, _ members: KeyValuePairs<String, String?>,
        accessToken: String
    ) -> HTTPRequest {
        guard method == "POST" else { return authorized(method, path, accessToken) }
        var request = post(path, body(members))
        request.fields.append(HTTPField("authorization", "Bearer \(accessToken)"))
        return request
    }

    /// An object of the members that are there.
    private static func body(_ members: KeyValuePairs<String, String?>) -> JSON {
        .object(members.compactMap { key, value in value.map { JSON.Member(key, .string($0)) } })
    }

    /// Requests the next pair of tokens.
    package static func refresh(_ refreshToken: String) -> HTTPRequest {
        post("/v1/auth/refresh", ["refresh_token": .string(refreshToken)])
    }

    /// Ends the session.
    package static func logOut(accessToken: String) -> HTTPRequest {
        var request = post("/v1/auth/logout", [:])
        request.fields.append(HTTPField("authorization", "Bearer \(accessToken)"))
        return request
    }

    /// Requests the list of devices that are logged in.
    package static func listDevices(accessToken: String) -> HTTPRequest {
        authorized("GET", "/v1/devices", accessToken)
    }

    /// Ends one session of the account.
    package static func revoke(_ session: Identifier, accessToken: String) -> HTTPRequest {
        authorized("DELETE", "/v1/devices/\(session)", accessToken)
    }

    /// Changes the name that people see for a session of the account.
    package static func rename(
        _ session: Identifier, to name: String, accessToken: String
    ) -> HTTPRequest {
        var request = authorized("PUT", "/v1/devices/\(session)", accessToken)
        request.fields.append(HTTPField("content-type", "application/json"))
        let body: JSON = ["name": .string(name)]
        request.body = Array(body.compact.utf8)
        return request
    }

    private static func authorized(
        _ method: String, _ path: String, _ accessToken: String
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, path: path,
            fields: [
                HTTPField("accept", "application/json"),
                HTTPField("authorization", "Bearer \(accessToken)"),
            ], body: [])
    }

    /// The sessions that an answer to ``listDevices(accessToken:)`` lists.
    package static func devices(
        _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> SessionList {
        let response = try success(result)
        guard let answer = try? JSON.parse(response.body), let list = answer["devices"]?.array
        else { throw SyncError(.notTheServer(status: response.status)) }
        var devices: [SessionFacts] = []
        for entry in list {
            guard let id = entry["id"]?.string.flatMap({ Identifier($0) }),
                let name = entry["name"]?.string, let created = entry["created"]?.integer,
                let lastSeen = entry["last_seen"]?.integer
            else { throw SyncError(.malformed(detail: "a device without id, name or times")) }
            devices.append(
                SessionFacts(
                    id: id, name: name, created: created, lastSeen: lastSeen,
                    isCurrent: entry["current"] == true,
                    device: entry["device"]?.string.flatMap { Identifier($0) },
                    cursor: entry["cursor"]?.integer,
                    isToken: entry["scope"]?.string != nil))
        }
        return SessionList(
            epoch: answer["epoch"]?.integer, now: answer["now"]?.integer, sessions: devices)
    }

    /// The session that an answer to `login` or `refresh` grants.
    package static func tokens(
        _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> SessionTokens {
        let response = try success(result)
        guard let answer = try? JSON.parse(response.body),
            let account = answer["account"]?.string,
            let access = answer["access_token"]?.string,
            let refresh = answer["refresh_token"]?.string
        else { throw SyncError(.notTheServer(status: response.status)) }
        return SessionTokens(account: account, accessToken: access, refreshToken: refresh)
    }

    /// The response, if the server did what was requested.
    @discardableResult
    package static func success(
        _ result: Result<HTTPResponse, TransportError>
    ) throws(SyncError) -> HTTPResponse {
        switch result {
        case .success(let response) where (200...299).contains(response.status): return response
        case .success(let response): throw SyncExchange.syncError(response)
        case .failure(let error): throw SyncError(.transport(error))
        }
    }

    static func post(_ path: String, _ body: JSON) -> HTTPRequest {
        HTTPRequest(
            method: "POST", path: path,
            fields: [
                HTTPField("content-type", "application/json"),
                HTTPField("accept", "application/json"),
            ], body: Array(body.compact.utf8))
    }
}
