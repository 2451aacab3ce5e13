/// The content of an access token, and when it is accepted.
import MacrologJSON
import MacrologEvents
import MacrologCryptography

struct AccessToken {
    /// How long a token is valid, in seconds: 30 days.
    static let lifetime: Int64 = 30 * 86_400
    /// The clock skew tolerated between issuer and verifier, in seconds.
    static let leeway: Int64 = 60
    /// The issuer, and the audience.
    private static let issuer = "macrolog"

    let session: Identifier
    let account: Identifier
    /// Seconds since 1970 UTC.
    let issued: Int64
    /// Seconds since 1970 UTC.
    let expires: Int64
    /// Identifies this token.
    let id: [UInt8]

    /// The token as text.
    func signed(by key: TokenKey) -> String {
        let claims: JSON = [
            "iss": .string(Self.issuer), "aud": .string(Self.issuer),
            "sub": .string(account.description), "sid": .string(session.description),
            "jti": .string(String(decoding: Base64URL.encode(id), as: UTF8.self)),
            "iat": .integer(issued), "exp": .integer(expires),
        ]
        return String(decoding: key.sign(Array(claims.compact.utf8)), as: UTF8.self)
    }

    /// Reads a token that was signed by the key and is not from the future; `nil` for any other.
    /// Expiry is checked at each use, with ``expires``.
    ///
    /// - Parameter now: Milliseconds since 1970 UTC.
    init?(_ token: [UInt8], key: TokenKey, now: Int64) {
        guard let payload = key.verify(token), let claims = try? JSON.parse(payload),
            let issuer = claims["iss"]?.string, UTF8Text(issuer) == UTF8Text(Self.issuer),
            let audience = claims["aud"]?.string, UTF8Text(audience) == UTF8Text(Self.issuer),
            let account = claims["sub"]?.string.flatMap({ Identifier($0) }),
            let session = claims["sid"]?.string.flatMap({ Identifier($0) }),
            let id = claims["jti"]?.string.flatMap({ Base64URL.decode(Array($0.utf8)) }),
            let issued = claims["iat"]?.integer, let expires = claims["exp"]?.integer,
            expires > issued, expires <= issued + TokenLimits.daysMax * 86_400,
            issued - Self.leeway <= now / 1_000
        else { return nil }
        self.init(session: session, account: account, issued: issued, expires: expires, id: id)
    }

    /// - Parameter expires: A token of a session lasts ``lifetime``.
    init(
        session: Identifier, account: Identifier, issued: Int64, expires: Int64? = nil, id: [UInt8]
    ) {
        self.session = session
        self.account = account
        self.issued = issued
        self.expires = expires ?? issued + Self.lifetime
        self.id = id
    }
}
