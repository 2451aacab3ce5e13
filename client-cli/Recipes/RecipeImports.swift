import MacrologArgumentParsing
import MacrologTerminal
import MacrologFormats
import MacrologJSON
import Macrolog
import MacrologFaces

/// `recipe import`: imports recipes from web pages and other programs.
enum RecipeImports {
    static let file = Parameter.argument("file", .file, "The file; - for standard input.")
    static let dryRun = Parameter.flag("dry-run", "Show the result without importing.")
    static let restoresDeleted = Parameter.flag(
        "restore-deleted", "Bring back recipes of the file that you have deleted.")

    static let command = Verb(
        "recipe import", "Import recipes from a page, from Mealie or from Tandoor.",
        example: "recipe import chili.html", "recipe import recipe.json --dry-run",
        explanation: """
            A page, or JSON, with schema.org's Recipe; or the JSON that Mealie and Tandoor export. An
            ingredient with exactly the name of one of your foods becomes that food. Of the others the
            text is kept, and the amount if it is unambiguous; their nutrients are unknown until you
            set them. Where none are known, those that the page states for a serving count, as an
            ingredient of their own. Importing a file again changes nothing, and what you have deleted
            stays deleted, unless you add --restore-deleted.
            """, run: run
    ) {
        file
        dryRun
        restoresDeleted
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let bytes = try InputFile.read(arguments[file], arguments, bytesMax: RecipeFile.bytesMax)
        let source = try RecipeImport(bytes, restoresDeleted: arguments[restoresDeleted])
        let isDry = arguments[dryRun]
        let replica = try home.replica
        let rows = isDry ? try source.plan(in: replica) : try source.run(in: replica)
        try home.show(.array(rows.map { face($0).json(isDry: isDry) })) { home in
            for row in rows { home.say(try lines(row, isDry: isDry, &home)) }
        }
        for row in rows {
            for notice in row.notices { home.warn("\(row.name): \(notice)") }
        }
        let deleted = rows.count { $0.outcome.outcome == .deleted }
        if deleted > 0 {
            home.warn(
                "\(counted(Int64(deleted), "recipe")) deleted here and left so; "
                    + "--restore-deleted imports \(deleted == 1 ? "it" : "them")")
        }
        let problems = rows.flatMap { row -> [RowFinding] in
            if case .rejected(let problems) = row.outcome.outcome { problems } else { [] }
        }
        guard !problems.isEmpty else { return }
        throw CommandError(
            .dataErr,
            problems.map {
                "\(arguments.command): \($0.column ?? "recipe") \($0.problem): \($0.hint)"
            }
            .joined(separator: "\n"))
    }

    private static func word(_ outcome: ImportRow.Outcome) -> String {
        switch outcome {
        case .new: "new"
        case .same: "same"
        case .changed: "changed"
        case .deleted: "deleted"
        case .rejected: "rejected"
        }
    }

    private static func lines(
        _ row: RecipeImport.Row, isDry: Bool, _ home: inout Home
    ) throws -> [String] {
        let verb =
            switch row.outcome.outcome {
            case .new: isDry ? "Would add" : "Stored"
            case .same: "The same as before:"
            case .changed: isDry ? "Would change" : "Changed"
            case .deleted: "Deleted before, and left deleted:"
            case .rejected: "Refused:"
            }
        var heading = "\(verb) \(home.style.paint(printable(row.name), .bold))"
        if row.outcome.outcome == .deleted { return [heading] }
        heading += ", \(counted(Int64(row.ingredients.count), "ingredient"))"
        if case .new = row.outcome.outcome, !isDry {
            heading += "  \(try home.shortID(.recipe, row.id))"
        }
        let shown = try home.shown
        let known = row.ingredients.filter { $0.food != nil }
        let others = row.ingredients.filter { $0.food == nil }
        var lines = [heading]
        for part in known {
            let amount = part.item.amount.map { printable(shown.amount($0)) } ?? "1 serving"
            lines.append("  your food  \(printable(part.line)): \(amount)")
        }
        for part in others {
            let kind = part.item.amount == nil ? "text only" : "unknown  "
            lines.append("  \(kind)  \(printable(part.line))")
        }
        return lines
    }

    private static func face(_ row: RecipeImport.Row) -> RecipeImportFace {
        RecipeImportFace(
            id: row.id, name: row.name, outcome: word(row.outcome.outcome),
            ingredients: row.ingredients.map { ($0.line, $0.food, $0.item) }, notices: row.notices)
    }
}
