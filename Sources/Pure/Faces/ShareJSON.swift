public import MacrologEvents
public import MacrologJSON
import MacrologNutrition

extension Share {
    /// The document that a server keeps and shows; `docs/protocol/share.md` describes it.
    public var json: JSON {
        .object([
            JSON.Member("version", .string(Self.version)),
            JSON.Member("kind", .string(kind.rawValue)),
            JSON.Member("from", .day(days.lowerBound)), JSON.Member("to", .day(days.upperBound)),
            JSON.Member("slot", .optional(slot)), JSON.Member("title", .string(title)),
            JSON.Member("text", .string(text())),
            JSON.Member("energy_unit", .string(energyUnit.symbol)),
            JSON.Member(
                "nutrients",
                .object(
                    Nutrient.main.map { JSON.Member($0.jsonKey, .amount(amounts[$0], of: $0)) })),
            JSON.Member("incomplete", .strings(incomplete.map { $0.key.string })),
            JSON.Member("logged_days", .optional(loggedDays.map { Int64($0) })),
            JSON.Member("diet_score", score.map { $0.json } ?? .null),
            JSON.Member("parts", .array(parts.map { $0.json })),
            JSON.Member("left_out_count", .integer(Int64(partsLeftOut))),
        ])
    }

    /// The version of the document.
    public static let version = "1"
}

extension Share.Part {
    fileprivate var json: JSON {
        .object([
            JSON.Member("title", .string(title)),
            JSON.Member("energy_kcal", .amount(energy, of: .energy)),
        ])
    }
}

extension Share.Score {
    fileprivate var json: JSON {
        .object([
            JSON.Member("diet", .text(diet.name)), JSON.Member("score", .integer(Int64(points))),
            JSON.Member("band", .string(DietScore.Band(points).name)),
        ])
    }
}

/// What a server shows of an account to others, as JSON.
public enum ShareJSON {
    /// A link was made, at which others see a document.
    public static func made(_ share: ShareFace, link: String, showing shown: Share) -> JSON {
        .object(
            share.members + [
                JSON.Member("link", .string(link)), JSON.Member("document", shown.json),
            ])
    }

    /// What is shown now.
    public static func list(_ shares: [ListedShareFace]) -> JSON {
        ["shared": .array(shares.map { $0.json })]
    }

    /// What is no longer shown.
    public static func revoked(_ share: ListedShareFace) -> JSON { ["unshared": share.json] }
}

/// A share as a server knows it. Times are milliseconds since 1970 UTC.
public struct ShareFace: Sendable {
    /// Names it for its owner.
    public let id: Identifier
    /// Until when it can be seen.
    public let expires: Int64
    /// How often it was opened.
    public let opens: Int64
    /// How often it can be opened; `nil` for no limit.
    public let opensMax: Int64?

    /// Memberwise initializer.
    public init(id: Identifier, expires: Int64, opens: Int64, opensMax: Int64?) {
        (self.id, self.expires, self.opens, self.opensMax) = (id, expires, opens, opensMax)
    }

    fileprivate var members: [JSON.Member] {
        [
            JSON.Member("share_id", .id(id)), JSON.Member("expires_at", .instant(expires)),
            JSON.Member("opening_count", .integer(opens)),
            JSON.Member("opening_max_count", .optional(opensMax)),
        ]
    }
}

/// A share with what it shows.
public struct ListedShareFace: Sendable {
    /// The title of its document.
    public let title: String
    /// `meal`, `day` or `range`.
    public let kind: String
    /// When it was made.
    public let created: Int64
    /// What the server knows of it.
    public let share: ShareFace

    /// Memberwise initializer.
    public init(title: String, kind: String, created: Int64, share: ShareFace) {
        (self.title, self.kind, self.created, self.share) = (title, kind, created, share)
    }

    fileprivate var json: JSON {
        .object(
            share.members + [
                JSON.Member("title", .string(title)), JSON.Member("kind", .string(kind)),
                JSON.Member("created_at", .instant(created)),
            ])
    }
}
