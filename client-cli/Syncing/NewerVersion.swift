import MacrologArgumentParsing
import Macrolog

/// How screens mark entries from a newer version of Macrolog that this version keeps but can't
/// show.
enum NewerVersion {
    /// The explanation for a person, and what they may do.
    static let sentence =
        "edited by a newer version: some of it cannot be shown here. Editing is safe, and leaves "
        + "that as it is"

    /// The mark and its meaning, below a list.
    static let mark = "+"
    static let legend =
        "+ edited by a newer version, which can show more. Editing here leaves that as it is."
}
