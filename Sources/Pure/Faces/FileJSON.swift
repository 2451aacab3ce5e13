package import MacrologJSON

/// Files that were written as JSON.
package enum FileJSON {
    /// What a file may hold, counted.
    package enum Count: Sendable {
        case events(Int64)
        case entities(Int64)
        case rows(Int64)
    }

    /// A file that was written, and what it holds.
    package static func written(_ path: String, _ counts: [Count]) -> JSON {
        .object([JSON.Member("file", .string(path))] + counts.map { $0.member })
    }

    /// The files of a chart, of which one at least was written.
    package static func chart(svg: String?, png: String?) -> JSON {
        guard let svg else { return ["file": .optional(png)] }
        let file = JSON.Member("file", .string(svg))
        return .object([file] + (png.map { [JSON.Member("png_file", .string($0))] } ?? []))
    }
}

extension FileJSON.Count {
    fileprivate var member: JSON.Member {
        switch self {
        case .events(let count): JSON.Member("event_count", .integer(count))
        case .entities(let count): JSON.Member("entity_count", .integer(count))
        case .rows(let count): JSON.Member("row_count", .integer(count))
        }
    }
}
