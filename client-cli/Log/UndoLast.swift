import MacrologArgumentParsing
import MacrologJSON
import Macrolog
import MacrologFaces

/// `undo`: undoes the last action of this device.
enum UndoLast {
    static let count = Parameter.optionalArgument(
        "n", .integer("N", in: 1...100), "How many actions.")

    static let command = Verb(
        "undo", "Undo what this device did last.", example: "undo", "undo 3", "undo --of a17",
        explanation: """
            Nothing recorded is removed: new events reverse the action on every device. What was
            changed since stays as it is: an action of which nothing is left counts, and is passed
            over. An import is undone as one action. --of undoes any earlier action, also another
            device's: name one of its events. `redo` applies an undone action again.
            """, run: run
    ) {
        count
        UndoOf.event
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        guard let event = arguments[UndoOf.event] else {
            return try repeated(arguments[count] ?? 1, "undo", &home) { try $0.undo(passing: $1) }
        }
        guard !arguments.has(count) else {
            throw arguments.usageError(combining: "N", "--of")
        }
        try UndoOf.run(event, arguments: arguments, home: &home)
    }

    /// Undoes or redoes `count` actions, and reports what was done even if one of them fails. One of
    /// which later changes have left nothing counts, and is passed over.
    ///
    /// - Parameters:
    ///   - command: `undo` or `redo`.
    ///   - once: Undoes or redoes one action, and passes over a number of them.
    static func repeated(
        _ count: Int64, _ command: String, _ home: inout Home,
        _ once: (inout Diary, Int) throws -> UndoResult
    ) throws {
        let verb = command == "undo" ? "Undid" : "Redid"
        var undone: [UndoResult] = []
        var passed = 0
        while undone.count + passed < count {
            do {
                undone.append(try home.replica.write { try once(&$0, passed) })
            } catch let error as HistoryError where error.code == .supersededByLaterEdits {
                passed += 1
                guard undone.count + passed == count else { continue }
                try tell(undone, verb, &home)
                throw CommandError(
                    .dataErr,
                    "\(error.explanation): edit it instead, or type macrolog \(command) "
                        + "\(passed + 1) for the action before it",
                    code: "superseded_by_later_edits")
            } catch let error as HistoryError where !undone.isEmpty {
                try tell(undone, verb, &home)
                throw error
            }
        }
        try tell(undone, verb, &home)
    }

    /// - Parameter verb: `Undid` or `Redid`.
    static func tell(_ undone: [UndoResult], _ verb: String, _ home: inout Home) throws {
        if undone.contains(where: \.leavesConflictResolved) {
            home.warn(
                "a conflict that was resolved is not asked about again: edit the entry for another value"
            )
        }
        if home.isJSON {
            home.output.write(JSON.array(undone.map(\.json)).pretty + "\n")
            return
        }
        var reported: Set<UndoResult.Skipped> = []
        for action in undone {
            home.say("\(verb): \(try home.sentence(action)).")
            let skipped = action.skipped.filter { reported.insert($0).inserted }.byEntity
            let isShared = action.entities.isEmpty && verb == "Undid"
            for entry in skipped.prefix(Self.skippedMax) {
                if isShared {
                    try home.warn(ofShared: entry)
                } else {
                    home.warn(
                        "skipped, because another change wrote it: "
                            + "\(try home.formattedEntity(entry.entity)), \(entry.titles)")
                }
            }
            let rest = skipped.dropFirst(Self.skippedMax)
            if !rest.isEmpty {
                let fields = Int64(rest.reduce(0) { $0 + $1.cells.count })
                let others =
                    "\(counted(fields, "more field")) of "
                    + counted(Int64(rest.count), "entry", "entries")
                home.warn(
                    isShared
                        ? "kept, because other devices did the same: \(others)"
                        : "skipped, because other changes wrote them: \(others)")
            }
        }
    }

    /// How many entities with skipped fields are named: of an import there may be ten thousand.
    private static let skippedMax = 10
}

/// What an action left as it is in one entity.
private struct SkippedEntry {
    let entity: EntityKey
    var cells: [CellKey]

    /// `energy, protein and fat`
    var titles: String { GoalPart.listed(cells.map { $0.title(in: entity.kind) }) }
}

extension [UndoResult.Skipped] {
    /// By entity, in the order of their first cells.
    fileprivate var byEntity: [SkippedEntry] {
        var entries: [SkippedEntry] = []
        var places: [EntityKey: Int] = [:]
        for skipped in self {
            if let place = places[skipped.entity] {
                entries[place].cells.append(skipped.cell)
            } else {
                places[skipped.entity] = entries.count
                entries.append(SkippedEntry(entity: skipped.entity, cells: [skipped.cell]))
            }
        }
        return entries
    }
}

extension Home {
    /// Says which events of other devices keep an entity as an undone action had it: for each cell the last one that
    /// wrote it.
    fileprivate mutating func warn(ofShared entry: SkippedEntry) throws {
        let (device, entity) = (try replica.device, entry.entity)
        let others = try replica.read { try $0.history(of: entity) }.map { $0.event }
            .filter { $0.dot.device != device }
        var kept: [(event: Event, cells: SkippedEntry)] = []
        for cell in entry.cells {
            let last = others.last { event in
                event.changes.contains { change in
                    change.entity == entity && change.operations.contains { $0.sets(cell) }
                }
            }
            guard let last else { continue }
            if let place = kept.firstIndex(where: { $0.event.dot == last.dot }) {
                kept[place].cells.cells.append(cell)
            } else {
                kept.append((last, SkippedEntry(entity: entity, cells: [cell])))
            }
        }
        var notation = try replica.read { try $0.notation() }
        let receipts = try replica.syncStatus().receipts?.devices ?? []
        for (event, written) in kept {
            let name = notation.write(event.dot)
            let known = receipts.first { $0.device == event.dot.device }
            // What was added or deleted as a whole needs no list of its fields.
            let fields = written.cells.contains(.life) ? "" : ", \(written.titles),"
            warn(
                "\(try formattedEntity(entity))\(fields) stays as it is: \(name) of "
                    + "\(known?.name ?? "another device") did the same (\(event.type.string)); "
                    + "to undo that as well: macrolog undo --of \(name)")
        }
    }
}

extension CellOperation {
    /// Whether it writes a cell.
    fileprivate func sets(_ cell: CellKey) -> Bool {
        switch (self, cell) {
        case (.set(let fields), .field(let name)): fields[name] != nil
        case (.add(let field, let element), .member(let other, let wanted)),
            (.remove(let field, let element), .member(let other, let wanted)):
            field == other && element == wanted
        case (.delete, .life), (.restore, .life): true
        default: false
        }
    }
}
