public import MacrologEvents
import MacrologWire
import MacrologHTTP

/// A share that was made, and the address at which everyone sees it.
public struct SharedLink: Hashable, Sendable {
    /// Its id, with which its owner ends it: ``Account/endShare(_:)``.
    public let id: Identifier
    /// Everyone who has it sees what is shared. The server cannot tell it again.
    public let link: String
    /// Until when it can be seen, in milliseconds since 1970 UTC.
    public let expires: Int64
}

// What a person shows to others through the server (`protocol.md` §6.12). Each asks the server, and throws
// ``AccountError``.

extension Account {
    /// Shows a frozen document and its card to everyone who has the link.
    ///
    /// - Parameters:
    ///   - document: JSON as `docs/protocol/share.md` describes it, of at most 32,768 bytes.
    ///   - card: A PNG file of 1200 by 630 pixels, of at most 262,144 bytes.
    ///   - seconds: For how long, 1 to 7,776,000 (90 days).
    ///   - opensMax: How often it can be opened; 1 to 1,000,000; 0 for no limit.
    public func share(
        document: [UInt8], card: [UInt8], seconds: Int64, opensMax: Int64
    ) async throws -> SharedLink {
        guard let session = try session else { throw AccountError.loggedOut }
        let origin = try origin(session.server)
        // The same token when it is tried again, so that a lost answer makes no second share.
        let token = (0..<ShareRequest.tokenBytes).map { _ in UInt8.random(in: 0...255) }
        let share = ShareRequest(
            token: token, seconds: seconds, opensMax: opensMax,
            origin: UTF8Text(origin.description), document: document, card: card)
        let made = try await asking { token, transport throws(SyncError) in
            try ShareExchange.created(
                Self.send(ShareExchange.create(share, accessToken: token), transport))
        }
        return SharedLink(
            id: made.id, link: "\(origin)/s/\(hexadecimal(token))", expires: made.expires)
    }

    /// What the account shows to others now, the latest first.
    public func shares() async throws -> [ShareFacts] {
        try await asking { token, transport throws(SyncError) in
            try ShareExchange.shares(Self.send(ShareExchange.list(accessToken: token), transport))
        }
    }

    /// Ends a share: no one sees it any more.
    public func endShare(_ id: Identifier) async throws {
        try await asking { token, transport throws(SyncError) in
            _ = try AccountExchange.success(
                Self.send(ShareExchange.revoke(id, accessToken: token), transport))
        }
    }
}
