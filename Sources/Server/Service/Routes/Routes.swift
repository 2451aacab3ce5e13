/// All routes of the server, as the table of `docs/protocol/http.md`. Nothing else lists their paths.
import MacrologEvents
import MacrologWire
import MacrologHTTP

package enum Routes {
    /// Every route; the most frequent one first.
    package static let all = sync + blobs + live + accounts + shares + persons + [health, ready]

    /// The problems that any route may answer with.
    package static let problems: Set<ProblemKind> = [
        .malformedRequest, .tooLarge, .internal, .busy, .storageFull,
    ]

    private static let sync = [
        Route(
            "POST", "/v1/sync", "Pushes events of a device and pulls those that it lacks.",
            body: .cbor("sync-request"), bodyBytesMax: Limits.messageBytesMax,
            rates: [.pushByAccount, .pullBySession], answers: [.init(200, .cbor("sync-answer"))],
            problems: [
                .malformedEvent, .eventQuota, .dotReuse, .expectedSeq, .divergent, .epochChanged,
                .unsupportedVersion,
            ], handler: .session(SyncServer.sync)),
        Route(
            "POST", "/v1/heal", "Gives the server back what it lost, page by page.",
            body: .cbor("heal-request"), bodyBytesMax: Limits.messageBytesMax,
            rates: [.pushByAccount], answers: [.init(200, .cbor("heal-answer"))],
            problems: [.malformedEvent, .eventQuota, .divergent, .unsupportedVersion],
            handler: .session(SyncServer.recover)),
        Route(
            "POST", "/v1/digest", "Answers the digests of parts of the log.",
            body: .cbor("digest-request"), bodyBytesMax: Limits.messageBytesMax,
            rates: [.pullBySession], answers: [.init(200, .cbor("digest-answer"))],
            problems: [.unsupportedVersion],
            handler: .session(SyncServer.digest)),
    ]

    private static let blobs = [
        Route(
            "GET", "/v1/blobs/{sha256}", "Answers a blob or one range of it.",
            rates: [.blobBySession],
            answers: [.init(200, .bytes), .init(206, .bytes), .init(304)],
            problems: [.rangeNotSatisfiable], handler: .session(SyncServer.download)),
        Route(
            "HEAD", "/v1/blobs/{sha256}", "Says whether the server has a blob.",
            rates: [.blobBySession], answers: [.init(200, .bytes), .init(304)],
            handler: .session(SyncServer.download)),
        Route(
            "PUT", "/v1/blobs/{sha256}", "Stores a blob, whole or from some byte on.",
            body: .bytes, bodyBytesMax: Limits.blobBytesMax, rates: [.blobBySession],
            answers: [.init(201), .init(202), .init(204)],
            problems: [.wrongHash, .quota, .superseded, .expectedOffset],
            handler: .upload(SyncServer.upload)),
    ]

    private static let live = [
        Route(
            "GET", "/v1/events", "Waits until the log is longer, at most for the given time.",
            takesQuery: true, rates: [.pullBySession],
            answers: [.init(200, .json(["head"])), .init(204)], problems: [.superseded],
            handler: .session(SyncServer.poll)),
        Route(
            "GET", "/v1/live", "Sends an event whenever the log has grown.",
            rates: [.pullBySession], answers: [.init(200, .events)],
            handler: .session(SyncServer.stream)),
    ]

    private static let accounts = [
        Route(
            "POST", "/v1/auth/register", "Creates an account, if the address has none.",
            body: .json(["email", "password", "invitation?"]),
            rates: [.registerByNetwork, .loginByNetwork],
            answers: [.init(202, .json(["status"]))],
            problems: [.invalidField, .registrationClosed, .invitation],
            handler: .open(SyncServer.register)),
        Route(
            "POST", "/v1/auth/login", "Begins a session.",
            body: .json(["email", "password", "device", "code?"]),
            rates: attempts + [.codeByAccount], answers: [.init(200, tokens)],
            problems: [
                .invalidField, .wrongCredentials, .codeRequired, .wrongCode, .accountDisabled,
            ],
            handler: .open(SyncServer.login)),
        Route(
            "POST", "/v1/auth/refresh", "Exchanges a refresh token for new tokens.",
            body: .json(["refresh_token"]), rates: [.refreshBySession],
            answers: [.init(200, tokens)], problems: [.wrongRefreshToken],
            handler: .refreshToken(SyncServer.refresh)),
        Route(
            "POST", "/v1/auth/logout", "Ends this session.", answers: [.init(204)],
            problems: [.notFound], handler: .session(SyncServer.logout)),
        Route(
            "GET", "/v1/devices", "Lists the account's sessions and their receipts.",
            answers: [.init(200, .json(["epoch", "now", "devices"]))],
            handler: .session(SyncServer.listDevices)),
        Route(
            "DELETE", "/v1/devices", "Ends all other sessions of the account.",
            answers: [.init(204)], handler: .session(SyncServer.revokeOtherDevices)),
        Route(
            "PUT", "/v1/devices/{id}", "Renames the device of a session of the account.",
            body: .json(["name"]), answers: [.init(204)], problems: [.invalidField],
            handler: .session(SyncServer.renameDevice)),
        Route(
            "DELETE", "/v1/devices/{id}", "Ends a session of the account.", answers: [.init(204)],
            handler: .session(SyncServer.revokeDevice)),
        Route(
            "POST", "/v1/tokens", "Makes a token for a script, or for someone else who may read.",
            body: .json(["name", "scope", "first_day?", "days?"]), rates: [.shareByAccount],
            answers: [.init(201, .json(["id", "token", "expires"]))], problems: [.invalidField],
            handler: .session(SyncServer.createToken)),
    ]

    /// What a person does with the account itself.
    private static let persons = [
        Route(
            "POST", "/v1/auth/reset", "Sets a password with the operator's reset code.",
            body: .json(["email", "code", "password"]), rates: attempts, answers: [.init(204)],
            problems: [.invalidField, .wrongCode], handler: .open(SyncServer.resetPassword)),
        Route(
            "POST", "/v1/account/password", "Changes the password, and ends all other sessions.",
            body: .json(["password", "new_password"]), rates: attempts, answers: [.init(204)],
            problems: [.invalidField, .wrongCredentials],
            handler: .session(SyncServer.changePassword)),
        Route(
            "POST", "/v1/account/totp", "Begins a second factor, which is not asked for yet.",
            body: .json(["password"]), rates: attempts,
            answers: [.init(200, .json(["secret", "uri"]))],
            problems: [.invalidField, .wrongCredentials, .secondFactor],
            handler: .session(SyncServer.beginSecondFactor)),
        Route(
            "POST", "/v1/account/totp/confirm", "Confirms the second factor with a first code.",
            body: .json(["code"]), rates: [.codeByAccount],
            answers: [.init(200, .json(["recovery_codes"]))],
            problems: [.invalidField, .wrongCode, .secondFactor],
            handler: .session(SyncServer.confirmSecondFactor)),
        Route(
            "POST", "/v1/account/totp/disable", "Ends the second factor.",
            body: .json(["password", "code?"]), rates: attempts + [.codeByAccount],
            answers: [.init(204)],
            problems: [.invalidField, .wrongCredentials, .codeRequired, .wrongCode],
            handler: .session(SyncServer.endSecondFactor)),
        Route(
            "GET", "/v1/account/audit", "Lists what happened to the account.",
            rates: [.pullBySession], answers: [.init(200, .json(["entries"]))],
            handler: .session(SyncServer.listAudit)),
        Route(
            "GET", "/v1/account/export", "Answers what the server knows beside events and blobs.",
            rates: [.pullBySession],
            answers: [
                .init(
                    200, .json(["account", "sessions", "entries", "blobs", "shares", "webhooks"]))
            ],
            handler: .session(SyncServer.exportAccount)),
        Route(
            "POST", "/v1/account/delete", "Deletes the account and everything in it.",
            body: .json(["password", "code?"]), rates: attempts + [.codeByAccount],
            answers: [.init(204)],
            problems: [.invalidField, .wrongCredentials, .codeRequired, .wrongCode],
            handler: .session(SyncServer.deleteAccount)),
    ]

    /// What a person shows to others, and what others see.
    private static let shares = [
        Route(
            "POST", "/v1/shares", "Shows a document and its card to everyone who has a token.",
            body: .cbor("share-request"), bodyBytesMax: Limits.messageBytesMax,
            rates: [.shareByAccount],
            answers: [
                .init(200, .json(["id", "expires"])), .init(201, .json(["id", "expires"])),
            ],
            problems: [.shareQuota, .unsupportedVersion],
            handler: .session(SyncServer.createShare)),
        Route(
            "GET", "/v1/shares", "Lists what the account shows to others.",
            rates: [.pullBySession], answers: [.init(200, .json(["shares"]))],
            handler: .session(SyncServer.listShares)),
        Route(
            "DELETE", "/v1/shares/{id}", "Ends a share of the account.", answers: [.init(204)],
            handler: .session(SyncServer.revokeShare)),
        Route(
            "GET", "/s/card/{token}", "Answers the card of a share.", takesQuery: true,
            rates: [.openByNetwork], answers: [.init(200, .png)],
            handler: .open(SyncServer.showCard)),
        Route(
            "HEAD", "/s/card/{token}", "Says whether a share has a card now.", takesQuery: true,
            rates: [.openByNetwork], answers: [.init(200, .png)],
            handler: .open(SyncServer.showCard)),
        Route(
            "GET", "/s/{token}", "Shows a share as a page, or as JSON.", takesQuery: true,
            rates: [.openByNetwork],
            answers: [
                .init(200, .html), .init(200, .json(["share", "expires", "card"])),
                .init(404, .html),
            ], handler: .open(SyncServer.showShare)),
        Route(
            "HEAD", "/s/{token}", "Says whether a share can be opened.", takesQuery: true,
            rates: [.openByNetwork],
            answers: [
                .init(200, .html), .init(200, .json(["share", "expires", "card"])),
                .init(404, .html),
            ], handler: .open(SyncServer.showShare)),
    ]

    private static let health = Route(
        "GET", "/health", "Says that the server answers.", takesQuery: true,
        answers: [.init(200, .text)], handler: .open(SyncServer.health))

    private static let ready = Route(
        "GET", "/ready", "Says whether the server can do its work.", takesQuery: true,
        answers: [.init(200, .text)], handler: .open(SyncServer.ready))

    /// The rates of an attempt to prove who one is.
    private static let attempts: [RateLimit] = [
        .loginByNetwork, .loginByEmailAndNetwork, .loginByEmail, .loginByAccount,
    ]

    private static let tokens = Route.Content.json([
        "access_token", "token_type", "expires_in", "refresh_token", "account", "session",
    ])
}
