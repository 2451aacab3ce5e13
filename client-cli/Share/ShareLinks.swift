import Macrolog
import MacrologArgumentParsing
import MacrologDrawing
import MacrologFaces
import MacrologJSON
import MacrologTerminal

/// `share meal`, `share day`, `share range`: a link at which everyone sees it, for some days.
enum ShareLinks {
    private static let days = Parameter.option(
        "days", .integer("DAYS", in: 1...90), otherwise: "7",
        "For how many days it can be seen, to the second.")
    private static let opensMax = Parameter.option(
        "max-opens", .integer("COUNT", in: 1...Share.opensMax),
        "How often it can be opened. Programs that draw a preview of the link count, too.")

    private static let explanation = """
        The server keeps a frozen copy: what share image draws, and nothing else. Changes that you make
        later are not shown. Everyone who has the link sees it, until it expires or you revoke it. The link is
        printed once: the server does not know it.
        """

    static let meal = verb(
        .meal, "a meal", "share meal 3f2a", "share meal 3f2a --days 1 --max-opens 3",
        Parameter.argument("meal", .text("MEAL"), "A meal, by the last digits of its id."))
    static let day = verb(
        .day, "what you ate on a day", "share day yesterday", "share day 2026-11-20 --days 30",
        Parameter.argument("day", .text("DAY"), "A day, such as yesterday or 2026-11-20."))
    static let range = verb(
        .range, "what you ate on some days", "share range -6..today",
        "share range 2026-11-14..2026-11-20",
        Parameter.argument(
            "range", .text("FIRST..LAST"),
            "Two days: 2026-11-14..2026-11-20, of at most 31 days."))

    private static func verb(
        _ kind: Share.Kind, _ shown: String, _ example: String, _ other: String,
        _ what: Parameter<String>
    ) -> Verb {
        Verb(
            "share \(kind.rawValue)", "Make a link at which others see \(shown).",
            example: example, other, explanation: explanation,
            run: { try await make(kind, what, $0, &$1) }
        ) {
            what
            days
            opensMax
        }
    }

    private static func make(
        _ kind: Share.Kind, _ what: Parameter<String>, _ arguments: ParsedArguments,
        _ home: inout Home
    ) async throws {
        if kind == .day, arguments[what].firstRange(of: "..") == nil {
            _ = try home.typedDay(arguments[what], what, arguments)
        }
        let account = try home.account
        guard try account.session != nil else { throw AccountError.loggedOut }
        let share = try home.share(arguments[what], what, arguments)
        guard share.kind == kind else {
            throw arguments.usageError(
                of: what, "is a \(share.kind.rawValue)",
                instead: "macrolog share \(share.kind.rawValue)")
        }
        let card = try home.drawn(share.card, as: .png, .light, 1, arguments)
        guard card.count <= Share.cardBytesMax else {
            throw CommandError(
                .dataErr,
                "\(arguments.command): its card has \(card.count) bytes, which is too many; share "
                    + "less of it")
        }
        let limit = arguments[opensMax]
        let link = try await account.share(
            document: Array(share.json.compact.utf8), card: card,
            seconds: arguments[days] * 86_400, opensMax: limit ?? 0)
        try home.show(
            ShareJSON.made(link.face(opensMax: limit), link: link.link, showing: share)
        ) { home in
            let times = limit.map { ", \(counted($0, "time")) at most" } ?? ""
            home.say("Shared \(share.title) until \(localTimeText(link.expires))\(times):")
            home.say(link.link)
        }
    }
}

/// `share list`: what is shown to others now.
enum ShareList {
    static let command = Verb(
        "share list", "List what you show to others.", example: "share list",
        explanation: "Asks the server. What has expired is not listed.", run: run)

    private static func run(_ arguments: ParsedArguments, _ home: inout Home) async throws {
        let shares = try await home.account.shares()
        try home.show(ShareJSON.list(shares.map(\.face))) { home in
            guard !shares.isEmpty else { return home.say("Nothing is shared.") }
            var table = Table(
                Table.Column("id"), Table.Column("what"), Table.Column("until"),
                Table.Column("opened", .right))
            for share in shares {
                let opens = share.opensMax.map { "\(share.opens) of \($0)" } ?? "\(share.opens)"
                table.add(
                    Table.Cell(share.id.lastDigits(Identifier.shortDigitsMin)),
                    Table.Cell(printable(share.title)), Table.Cell(localTimeText(share.expires)),
                    Table.Cell(opens))
            }
            home.say(table.lines(style: home.style, width: home.terminalWidth))
        }
    }
}

/// `share revoke`: no one sees it any more.
enum ShareRevoke {
    private static let share = Parameter.argument(
        "share", .text("SHARE"), "The last digits of its id, as share list shows.")

    static let command = Verb(
        "share revoke", "Stop showing something to others.", example: "share revoke 3f2a",
        explanation: "Its link shows nothing from now on, and the server deletes what it kept.",
        run: run
    ) {
        share
    }

    private static func run(_ arguments: ParsedArguments, _ home: inout Home) async throws {
        let account = try home.account
        let found = try find(arguments[share], try await account.shares(), arguments)
        try await account.endShare(found.id)
        try home.show(ShareJSON.revoked(found.face)) { home in
            home.say("No longer shared: \(printable(found.title))")
        }
    }

    private static func find(
        _ word: String, _ shares: [ShareFacts], _ arguments: ParsedArguments
    ) throws -> ShareFacts {
        try arguments.theOnly(
            shares.endingIn(word, id: \.id), share, id: \.id,
            none: "no share has an id that ends with \(printable(word)): macrolog share list",
            several: "shares have such an id", instead: "more of its digits")
    }
}

extension SharedLink {
    fileprivate func face(opensMax: Int64?) -> ShareFace {
        ShareFace(id: id, expires: expires, opens: 0, opensMax: opensMax)
    }
}

extension ShareFacts {
    fileprivate var face: ListedShareFace {
        ListedShareFace(
            title: title, kind: kind, created: created,
            share: ShareFace(id: id, expires: expires, opens: opens, opensMax: opensMax))
    }
}
