public import MacrologJSON

/// Files that were written as JSON.
public enum FileJSON {
    /// What a file may hold, counted.
    public enum Count: Sendable {
        case events(Int64)
        case entities(Int64)
        case rows(Int64)
        case days(Int64)
        case pages(Int64)
    }

    /// A file that was written, and what it holds.
    public static func written(_ path: String, _ counts: [Count]) -> JSON {
        .object([JSON.Member("file", .string(path))] + counts.map { $0.member })
    }

    /// The files of a picture: `file`, and for a second or third `png_file` or `pdf_file`.
    ///
    /// - Parameter files: Their formats, `svg`, `png` or `pdf`, and their paths; one at least.
    public static func pictures(_ files: [(format: String, path: String)]) -> JSON {
        let first = files.prefix(1).map { JSON.Member("file", .string($0.path)) }
        return .object(
            first + files.dropFirst().map { JSON.Member($0.format + "_file", .string($0.path)) })
    }
}

extension FileJSON.Count {
    fileprivate var member: JSON.Member {
        switch self {
        case .events(let count): JSON.Member("event_count", .integer(count))
        case .entities(let count): JSON.Member("entity_count", .integer(count))
        case .rows(let count): JSON.Member("row_count", .integer(count))
        case .days(let count): JSON.Member("day_count", .integer(count))
        case .pages(let count): JSON.Member("page_count", .integer(count))
        }
    }
}
