import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `nutrient add`, `list`, `pin`, `unpin`, `delete`: a person's own and pinned nutrients.
enum NutrientVerbs {
    static let key = Parameter.argument(
        "nutrient", .nutrientKey, "The nutrient: sodium, or x: and a name of your own.")
    static let name = Parameter.optionalArgument("name", .text, "The name.")
    static let unit = Parameter.option(
        "unit", .choice(CustomUnit.allCases.map { (word: $0.name.string, value: $0) }),
        "Its unit. Otherwise g.")

    static let add = Verb(
        "nutrient add", "Define a nutrient of your own.",
        example: "nutrient add x:omega_3 'Omega 3' --unit mg",
        explanation: """
            Its key is x: and up to 40 of a to z, 0 to 9 and _. Then --nutrient x:omega_3=250 sets the
            amount of a food, an item or a meal; otherwise it is unknown, not zero. The key identifies
            the nutrient: its name and the name of its unit can be changed, the numbers stay as they
            are.
            """,
        run: { arguments, home in
            let nutrient = arguments[key]
            let id = Identities.customNutrient(nutrient)
            let old = try home.replica.read { try $0.entity(CustomNutrient.self, id) }
            guard let called = arguments[name] ?? old?.name else {
                throw arguments.usageError(
                    of: name, "is missing", instead: "the name, such as 'Omega 3'")
            }
            var custom = old ?? CustomNutrient(nutrient, name: called)
            custom.name = called
            if let unit = arguments[unit] { custom.unit = unit }
            home.warn(try home.replica.write { try $0.put(custom) })
            try home.show(custom.json) { home in
                home.say(
                    "Stored \(printable(custom.name)), \(custom.key), in "
                        + "\((custom.unit ?? .grams).formatted)")
            }
        }
    ) {
        key
        name
        unit
    }

    static let list = Verb(
        "nutrient list", "List nutrients.", example: "nutrient list",
        explanation: "Pinned nutrients have a *: `day show` lists their amounts.",
        run: { arguments, home in
            let custom = try home.replica.read { try $0.entities(CustomNutrient.self) }
                .sorted { $0.key < $1.key }
            let pinned = try home.preferences.pinnedNutrients.map { UTF8Text($0) }
            let shown = try home.shown
            let rows =
                Nutrient.known.map { (nutrient: $0, isOwn: false) }
                + custom.compactMap { Nutrient(key: $0.key) }.map { (nutrient: $0, isOwn: true) }
            let json = rows.map { row in
                row.nutrient.json(
                    name: shown.name(of: row.nutrient), unit: shown.storedUnit(of: row.nutrient),
                    isPinned: pinned.contains(row.nutrient.key))
            }
            try home.show(.array(json)) { home in
                var table = Table(
                    Table.Column("nutrient"), Table.Column("name"), Table.Column("unit"))
                for row in rows {
                    let mark = pinned.contains(row.nutrient.key) ? "* " : ""
                    table.add(
                        Table.Cell(row.nutrient.key.string),
                        Table.Cell(mark + shown.name(of: row.nutrient)),
                        Table.Cell(shown.storedUnit(of: row.nutrient)))
                }
                home.say(table.lines(style: home.style, width: home.terminalWidth))
            }
        }
    ) {}

    static let pin = Verb(
        "nutrient pin", "Show a nutrient in every day.",
        example: "nutrient pin sodium",
        run: { arguments, home in
            try edit(arguments, &home) { pinned, key in
                if !pinned.contains(key) { pinned.append(key) }
            }
        }
    ) { key }

    static let unpin = Verb(
        "nutrient unpin", "Stop showing a nutrient in every day.", example: "nutrient unpin sodium",
        run: { arguments, home in
            try edit(arguments, &home) { pinned, key in
                pinned.removeAll { UTF8Text($0) == UTF8Text(key) }
            }
        }
    ) { key }

    private static func edit(
        _ arguments: ParsedArguments, _ home: inout Home, _ change: (inout [String], String) -> Void
    ) throws {
        let old = try home.preferences
        var preferences = old
        change(&preferences.pinnedNutrients, arguments[key].key.string)
        guard preferences.isChanged(since: old) else { return home.sayUnchanged() }
        home.warn(try home.replica.write { try $0.save(preferences) })
        home.assume(preferences)
        let pinned = preferences.pinnedNutrients
        try home.show(.array(pinned.map { .string($0) })) { home in
            let shown = try home.shown
            let names = pinned.compactMap { Nutrient(key: UTF8Text($0)) }.sorted()
                .map { printable(shown.name(of: $0)) }
            home.say(
                names.isEmpty ? "Nothing is pinned." : "Pinned: \(names.joined(separator: ", ")).")
        }
    }

    static let delete = Verb(
        "nutrient delete", "Delete a nutrient of your own.",
        example: "nutrient delete x:omega_3",
        explanation: "Recorded amounts stay.",
        run: { arguments, home in
            let id = Identities.customNutrient(arguments[key])
            try EntryKind.of(CustomNutrient.kind).delete([id], &home)
        }
    ) { key }
}

extension CustomUnit {
    /// `mg`, `µg`, `IU`
    var formatted: String {
        switch self {
        case .grams: "g"
        case .milligrams: "mg"
        case .micrograms: "µg"
        case .internationalUnits: "IU"
        }
    }
}

extension Form where Value == Nutrient {
    /// The key of a nutrient.
    static var nutrientKey: Form {
        let names = Nutrient.known.map { $0.key.string }
        return Form("NUTRIENT", completion: .words(names)) { word throws(BadValue) in
            guard let nutrient = Nutrient(key: UTF8Text(word)) else {
                throw BadValue(
                    "is not a nutrient",
                    instead: "one of \(names.formattedList), or x: and a name of your own in small "
                        + "letters")
            }
            return nutrient
        }
    }
}
