import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

// An action that was undone or redone, in words.

extension Home {
    /// `edit of Soup (440 → 400 kcal)`, `addition of weigh-in of 2026-11-20`.
    mutating func sentence(_ action: UndoResult) throws -> String {
        // An import of many transactions also notes that it began and ended.
        let entities = action.entities.filter { $0.kind != "import_batch" }
        let count = Int64(entities.count)
        if action.type == "import.started" {
            return "import of \(counted(count, "entry", "entries"))"
        }
        let verb = action.type.string.lastPart
        let done = Self.actions[action.type] ?? Self.verbs[verb] ?? "change of %"
        guard let main = entities.first else {
            // Everything was already as the action would make it, as when a shown value was kept.
            guard action.type != "undo" else { return "an action that changed nothing" }
            let noun = action.type.string.prefix { $0 != "." }.map { $0 == "_" ? " " : $0 }
            return done.replacing("%", with: "a " + printable(String(noun)))
                + " that changed nothing"
        }
        let parts: Set<UTF8Text> = [Kind.mealItem.name, Kind.recipeItem.name]
        // The parts of a meal or recipe go without saying, unless they are what was changed.
        let others = entities.dropFirst().filter {
            !parts.contains($0.kind) || $0.kind == main.kind
        }
        let subject = try title(of: main) + (others.isEmpty ? "" : " and \(others.count) more")
        let sentence = done.replacing("%", with: subject)
        guard ["edited", "moved"].contains(verb) else { return sentence }
        // When a meal was eaten follows its date.
        let isMoved = action.fields.contains { $0.field == "local_date" }
        let changes = try changes(
            action.fields.filter {
                $0.entity == main && !(isMoved && $0.field == "consumed_at")
            })
        return changes.isEmpty ? sentence : "\(sentence) (\(changes))"
    }

    /// An entity by its name: `Soup`, `weigh-in of 2026-11-20`, `profile`.
    mutating func title(of entity: EntityKey) throws -> String {
        let kind = Kind.named(entity.kind)
        let word = kind?.title ?? printable(entity.kind.string)
        let thing = try nameOfThing(entity)
        let name = try thing ?? storedName(entity)
        switch kind {
        case .meal?, .mealItem?, .food?, .recipe?, .recipeItem?, .mealTemplate?:
            guard let name else { return "\(word) \(entity.id.lastDigits(4))" }
            // A meal without a name is known by its day.
            return (thing == nil && name.hasPrefix("of ") ? "\(word) " : "") + printable(name)
        case .profile?, .preferences?: return word
        default: return word + (name.map { " \(printable($0))" } ?? "")
        }
    }

    /// The name in the fields of an entity that may be deleted.
    mutating func storedName(_ entity: EntityKey) throws -> String? {
        let fields = try replica.read { try $0.fields(of: entity) }
        for field: UTF8Text in ["dish_name", "name", "label", "title"] {
            if case .text(let text)? = fields?[field], !text.string.isEmpty { return text.string }
        }
        for field: UTF8Text in ["local_date", "date", "start_date"] {
            guard let value = fields?[field] else { continue }
            if let date = LocalDate(value) { return "of \(date.day)" }
            if let day = value.int.flatMap({ Day(number: $0) }) { return "of \(day)" }
        }
        return nil
    }

    /// `440 → 400 kcal, name Soup → Stew`; a number when there are many.
    private mutating func changes(_ fields: [UndoResult.ChangedField]) throws -> String {
        guard fields.count <= 3 else { return counted(Int64(fields.count), "field") }
        let shown = try shown
        return fields.map { change in
            let values = [change.old, change.new].map {
                $0 == .null
                    ? "unknown" : formatted($0, of: change.field, in: change.entity.kind, shown)
            }
            let name = shownTitle(of: change.field, in: change.entity.kind)
            return (name == "energy" ? "" : "\(name) ") + arrow(from: values[0], to: values[1])
        }.joined(separator: ", ")
    }

    /// Two values, with a common unit written once: `440 → 400 kcal`.
    private func arrow(from old: String, to new: String) -> String {
        let (left, right) = (old.split(separator: " "), new.split(separator: " "))
        guard left.count == 2, right.count == 2, left[1] == right[1] else {
            return "\(old) → \(new)"
        }
        return "\(left[0]) → \(new)"
    }

    /// What an action of a type did; % is its subject.
    private static let actions: [UTF8Text: String] = [
        "meal.consumed": "marking % as eaten", "meal.unconsumed": "marking % as planned",
        "photo.attached": "photo of %", "photo.removed": "removal of a photo of %",
        "day.completed": "marking % as complete", "day.skipped": "marking % as skipped",
        "day.reopened": "marking % as open", "day.noted": "note of %",
        // Of an import it is not the first event.
        "energy_day.imported": "addition of %",
    ]

    /// What an action did, by the verb of its type.
    private static let verbs: [String: String] = [
        "edited": "edit of %", "deleted": "deletion of %", "restored": "restoration of %",
        "moved": "move of %", "ended": "end of %", "cancelled": "cancellation of %",
        "started": "start of %", "renamed": "renaming of %", "added": "addition of %",
        "item_added": "addition of %", "portion_added": "addition of %", "set": "addition of %",
        "logged": "addition of %", "imported": "import of %", "recorded": "addition of %",
        "item_edited": "edit of %", "portion_edited": "edit of %",
        "item_deleted": "deletion of %", "portion_deleted": "deletion of %",
        "item_restored": "restoration of %", "portion_restored": "restoration of %",
    ]
}

extension String {
    /// The part of an event's type after the last point: `edited`.
    fileprivate var lastPart: String { split(separator: ".").last.map(String.init) ?? self }
}
