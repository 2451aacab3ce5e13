import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// Finds the stored food that a person means by its name, or by its id.
enum FoodNames {
    /// The food with a name: the only one with exactly this name, in the typed case if others
    /// differ in case only; failing that, the only one whose name and brand have words with the
    /// typed prefixes; the food with a barcode; the food whose id ends so. `nil` when there is none.
    ///
    /// - Parameters:
    ///   - evenArchived: Whether it may be an archived food: if no other one is found, or none of
    ///     exactly this name.
    ///   - instead: What to type if several have it.
    static func find<Value>(
        _ name: String, _ parameter: Parameter<Value>, _ arguments: ParsedArguments,
        _ diary: borrowing Diary,
        evenArchived: Bool = false, instead: String = "more of the name, or its id"
    ) throws -> Food? {
        // It is recorded without confirmation, so nothing is guessed here.
        var all = try diary.foods(matching: name, limit: 50, forgiving: false)
        func isExact(_ food: Food) -> Bool {
            food.name.lowercased().utf8.elementsEqual(name.lowercased().utf8)
        }
        // A search without letters and digits finds all.
        if SearchText(name).words.isEmpty { all.removeAll { !isExact($0) } }
        var near = all.filter { $0.isArchived != true }
        if evenArchived, !near.contains(where: isExact) {
            if near.isEmpty || all.contains(where: isExact) { near = all }
        }
        if near.isEmpty, let food = try identified(by: name, diary) { return food }
        let exact = near.filter(isExact)
        let typed = exact.filter { $0.name == name }
        let found = exact.isEmpty ? near : typed.count == 1 ? typed : exact
        guard found.count > 1 else { return found.first }
        let ids = try diary.shortIDs(of: .food, for: found.map(\.id))
        let list = found.prefix(8).map { "  \(ids[$0.id] ?? "")  \(printable($0.fullName))" }
        throw arguments.usageError(
            of: parameter,
            "\"\(printable(name))\" matches \(found.count) foods:\n"
                + list.joined(separator: "\n") + "\n\(arguments.command): that is ambiguous",
            instead: instead)
    }

    /// The only food whose id ends with a word. The word has a decimal digit: "beef" and "decade" are
    /// more likely names.
    static func identified(by text: String, _ diary: borrowing Diary) throws -> Food? {
        guard text.utf8.contains(where: { (48...57).contains($0) }),
            let reference = try? Form<Reference>.id.read(text)
        else { return nil }
        let ids = try diary.ids(of: .food, endingIn: reference.text)
        return ids.count == 1 ? try diary.entity(Food.self, ids[0]) : nil
    }

    /// The food for a typed word: by the end of its id, else by its name.
    static func require<Value>(
        _ text: String, _ parameter: Parameter<Value>, _ arguments: ParsedArguments,
        _ diary: borrowing Diary
    ) throws -> Food {
        if let reference = try? Form<Reference>.id.read(text) {
            let ids = try diary.ids(of: .food, endingIn: reference.text)
            if ids.count == 1 { return try diary.require(Food.self, ids[0]) }
        }
        let found = try find(text, parameter, arguments, diary, evenArchived: true)
        guard let food = found else {
            throw CommandError(
                .noInput,
                "\(arguments.command): there is no food called \"\(printable(text))\"; "
                    + "see: macrolog food search")
        }
        return food
    }
}

extension Food {
    /// The name, followed by the brand.
    var fullName: String {
        guard let brand, !brand.isEmpty else { return name }
        return "\(name), \(brand)"
    }
}
