import MacrologArgumentParsing
import MacrologJSON
import Macrolog

/// How screens say that a newer version of Macrolog wrote what this one keeps and can't show.
enum NewerVersion {
    /// What a person should know, and may do.
    static let sentence =
        "edited by a newer version: some of it can't be shown here. Editing is safe, and leaves "
        + "that as it is"

    /// The mark and what it means, beneath a list.
    static let mark = "+"
    static let legend =
        "+ edited by a newer version, which can show more. Editing here leaves that as it is."
}

extension NewerParts? {
    /// The members that say so in JSON.
    var members: [JSON.Member] {
        [
            JSON.Member("edited_by_newer_version", .bool(self != nil)),
            JSON.Member("unknown_fields", .array((self?.fields ?? []).map { .text($0) })),
        ]
    }
}
