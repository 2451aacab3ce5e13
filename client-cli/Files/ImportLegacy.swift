import Macrolog
import MacrologArgumentParsing
import MacrologFormats
import MacrologTerminal

/// `import legacy`: meals, weigh-ins and a profile of an earlier system.
enum ImportLegacy {
    private static let user = Parameter.option(
        "user", .text("EMAIL|ID|none"),
        "Whose rows; none for those that belong to no one. Needed if the file has several people.")

    static let command = Verb(
        "import legacy", "Bring in what an earlier system kept of a person.",
        example: "import legacy dump.sql --user ana@example.org --dry-run",
        "import legacy earlier.json --user none",
        explanation: """
            Reads what pg_dump writes in its plain format, or JSON: profiles, goals, meals with their
            ingredients, weights and ketones; food logs also as an array or as the answer for a day.
            Columns and tables that are not read are named. Meals count only if the earlier system says that they
            were eaten. Importing a file again adds what is missing and changes nothing; what you
            changed or deleted here stays so. One `undo` undoes the whole import. Photos are not part
            of such files.
            """, run: run
    ) {
        ImportCSV.file
        user
        ImportCSV.weightUnit
        ImportCSV.dryRun
    }

    private static func run(_ arguments: ParsedArguments, _ home: inout Home) throws {
        let bytes = try InputFile.read(
            arguments[ImportCSV.file], arguments, bytesMax: LegacyImport.bytesMax)
        let source = try LegacyImport(
            bytes, weightUnit: arguments[ImportCSV.weightUnit] ?? .kilograms)
        let owner = try owner(source, arguments)
        let replica = try home.replica
        let isDry = arguments[ImportCSV.dryRun]
        let result =
            isDry
            ? (parts: try source.plan(in: replica, of: owner), group: nil)
            : try source.run(in: replica, of: owner)
        try ImportLines.tell(
            result, isDry: isDry, ifEmpty: "The file has nothing of that person.", &home)
        if owner != .none, source.ownerlessCount > 0 {
            home.warn(
                "\(counted(Int64(source.ownerlessCount), "row")) of the file belong to no one; to "
                    + "import them into this log, too: --user none")
        }
        try ImportLines.refuse(result.parts, arguments, isDry: isDry)
    }

    private static func owner(
        _ source: LegacyImport, _ arguments: ParsedArguments
    ) throws -> LegacyImport.Owner {
        let people = source.people
        guard let word = arguments[user] else {
            if people.isEmpty { return .none }
            if people.count == 1 { return .user(people[0].id) }
            throw arguments.usageError(
                of: user, "is needed: the file has rows of \(people.count) people",
                instead: "an address or an id of the file, such as \(shown(people[0]))")
        }
        if word.utf8.elementsEqual("none".utf8) { return .none }
        let found = people.filter { person in
            person.id.utf8.elementsEqual(word.utf8)
                || person.email?.lowercased().utf8.elementsEqual(word.lowercased().utf8) == true
        }
        guard found.count == 1 else {
            let known = people.prefix(3).map(shown).formattedList
            throw arguments.usageError(
                of: user, "\"\(printable(word))\" is no one in the file",
                instead: known.isEmpty ? "none" : "an address or an id, such as \(known)")
        }
        return .user(found[0].id)
    }

    private static func shown(_ person: LegacyImport.Person) -> String {
        printable(person.email ?? person.id)
    }
}
