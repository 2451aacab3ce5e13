public import MacrologEvents
public import MacrologJSON
public import MacrologNutrition

/// The rows of a file that was imported, or would be.
public struct ImportFace: Sendable {
    /// Rows, counted by what becomes of them.
    public typealias Counts = (
        new: Int, changed: Int, same: Int, deleted: Int, rejected: Int, excluded: Int
    )
    /// The lines of the file, by what becomes of them.
    public typealias Lines = (
        new: [Int], same: [Int], changed: [Int], deleted: [Int], rejected: [Int]
    )

    let kind: UTF8Text
    let isDry: Bool
    let rows: Counts
    let lines: Lines
    let group: Identifier?
    let notices: [String]
    let problems: [String]
    let warnings: [String]
    let entries: [(line: Int, outcome: String, entry: JSON)]

    /// - Parameters:
    ///   - kind: What the rows become.
    ///   - isDry: Whether nothing was recorded.
    ///   - group: The action that everything was recorded under.
    ///   - notices: What the person should know about the file as a whole.
    ///   - problems: Why rows were rejected.
    ///   - warnings: What is unusual about rows that were imported.
    ///   - entries: What a dry run would store: the line, what becomes of it, and the entry.
    public init(
        of kind: UTF8Text, isDry: Bool, rows: Counts, lines: Lines, group: Identifier?,
        notices: [String], problems: [String], warnings: [String],
        entries: [(line: Int, outcome: String, entry: JSON)] = []
    ) {
        self.kind = kind
        self.isDry = isDry
        self.rows = rows
        self.lines = lines
        self.group = group
        self.notices = notices
        self.problems = problems
        self.warnings = warnings
        self.entries = entries
    }

    /// The rows with their lines.
    public var json: JSON {
        func count(_ value: Int) -> JSON { .integer(Int64(value)) }
        func numbers(_ lines: [Int]) -> JSON { .array(lines.map { count($0) }) }
        let imported = rows.new + rows.changed + rows.same
        return [
            "dry_run": .bool(isDry), "kind": .text(kind),
            "row_count": count(imported + rows.deleted + rows.rejected + rows.excluded),
            "rows_new": count(rows.new), "rows_changed": count(rows.changed),
            "rows_same": count(rows.same), "rows_deleted": count(rows.deleted),
            "rows_rejected": count(rows.rejected), "rows_excluded": count(rows.excluded),
            "group_id": .optional(group), "notices": .strings(notices),
            "new_lines": numbers(lines.new), "same_lines": numbers(lines.same),
            "changed_lines": numbers(lines.changed), "deleted_lines": numbers(lines.deleted),
            "rejected_lines": numbers(lines.rejected), "problems": .strings(problems),
            "warnings": .strings(warnings),
            "rows": .array(
                entries.map {
                    [
                        "line_number": count($0.line), "outcome": .string($0.outcome),
                        "entry": $0.entry,
                    ]
                }),
        ]
    }

    /// The rows of a file with several kinds of them, recorded under one action.
    public static func json(of faces: [ImportFace], _ group: Identifier?) -> JSON {
        ["imports": .array(faces.map { $0.json }), "group_id": .optional(group)]
    }

    /// The rows of foods, and those of their portions if the file has any.
    public func json(portions: ImportFace?) -> JSON {
        json.adding([JSON.Member("portions", portions?.json ?? .null)])
    }
}

/// A recipe that was imported, or would be.
public struct RecipeImportFace: Sendable {
    let id: Identifier
    let name: String
    let outcome: String
    let ingredients: [(line: String, food: String?, item: RecipeItem)]
    let notices: [String]

    /// - Parameters:
    ///   - outcome: What becomes of it, in a word.
    ///   - ingredients: Each with its line, and with the name of the food that it is of.
    ///   - notices: What was changed or dropped of its text.
    public init(
        id: Identifier, name: String, outcome: String,
        ingredients: [(line: String, food: String?, item: RecipeItem)], notices: [String]
    ) {
        self.id = id
        self.name = name
        self.outcome = outcome
        self.ingredients = ingredients
        self.notices = notices
    }

    /// The recipe and its ingredients.
    public func json(isDry: Bool) -> JSON {
        let items = ingredients.map { found -> JSON in
            [
                "line": .string(found.line), "food": .optional(found.food),
                "item": found.item.json,
            ]
        }
        return [
            "dry_run": .bool(isDry), "id": .id(id), "name": .string(name),
            "outcome": .string(outcome), "ingredients": .array(items),
            "notices": .strings(notices),
        ]
    }
}
