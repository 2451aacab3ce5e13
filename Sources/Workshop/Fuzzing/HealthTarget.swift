/// Input: `export.xml` of Apple's Health app, as a person may choose any file to import.
import Macrolog
import MacrologFormats
import MacrologNutrition

extension FuzzTarget {
    /// The first byte is how many bytes come at once, the rest is the file.
    static let health = FuzzTarget("health", inputBytesMax: 4_096) { input in
        guard let first = input.first else { return }
        let bytes = input.dropFirst()
        func read(_ size: Int) throws -> [ImportPart]? {
            var rest = bytes
            guard
                let file = try? HealthImport(
                    {
                        defer { rest = rest.dropFirst(size) }
                        return rest.isEmpty ? nil : Array(rest.prefix(size))
                    }, preferences: try Diary.shared.replica.preferences())
            else { return nil }
            return try file.plan(in: Diary.shared.replica)
        }
        let parts = try read(Int(first) + 1)
        let whole = try read(4_096)
        try promise(parts?.map(\.rows) == whole?.map(\.rows), "pieces of any size say the same")
        for part in parts ?? [] {
            try promise(part.summary.group == nil, "a forecast records nothing")
            try promise(part.rows.count == part.summary.total, "each row is counted once")
            for row in part.rows {
                guard case .rejected(let problems) = row.outcome else { continue }
                try promise(!problems.isEmpty, "each rejection has a reason")
            }
        }
    }
}
