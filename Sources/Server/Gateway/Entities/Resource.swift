/// The routes that every kind of entity has: list, create, show, change, delete, restore, history. One handler
/// for all kinds; what differs is declared.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition

/// A kind of entity as a resource.
struct Resource<E: Entity>: Sendable {
    /// The last segment of the path of all: `water`.
    let name: String
    /// The plural, in a sentence.
    let plural: String
    /// The singular, in a sentence, without its article.
    var singular: String = E.kind.title
    /// A body that creates one.
    let example: JSON
    /// A body that changes one.
    let change: JSON
    /// Fields that a request does not set.
    var without: [UTF8Text] = []
    /// Fields that are shown in another form than they are sent.
    var hidden: [UTF8Text] = []
    /// The id that follows from the content, where it does; then a second one changes the members of
    /// the first that it has. `nil` for a kind without.
    var sharedID: (@Sendable (E, borrowing Diary) throws -> Identifier?)?
    /// Where one stays, in a sentence, because a change would leave its id to another: `on its day`. `nil` for a
    /// kind that is found otherwise.
    var stays: String?
    /// Refuses one that the others leave no place for, as it becomes, and as it was before if it was.
    var check: @Sendable (E, _ old: E?, borrowing Diary) throws -> Void = { _, _, _ in }
    /// How one is shown.
    let json: @Sendable (E, borrowing Diary) throws -> JSON

    private var path: String { "/api/v1/\(name)" }
    private var one: PathPattern { PathPattern("\(path)/{id}") }
    private var schema: Schema { .entity(E.kind, without: without) }
    private var shown: Schema { .shown(E.kind, without: hidden) }

    /// The routes, after the one that lists.
    func routes(listing list: APIRoute) -> [APIRoute] {
        let noun = singular.withArticle
        var creating = APIRoute(
            "POST", PathPattern(path), "Adds \(noun).", body: schema,
            answers: [.init(201, shown)], example: example, .write { try create(&$0, $1) })
        creating.namesInBody = sharedID != nil
        return [
            list, creating,
            APIRoute(
                "GET", one, "Shows \(noun).", answers: [.init(200, shown)],
                problems: [.deleted], .read { try show($0, $1) }),
            APIRoute(
                "PATCH", one, "Changes the members that are sent; null clears one.",
                body: schema.asPatch, answers: [.init(200, shown)], example: change,
                .write { try change(&$0, $1) }),
            APIRoute(
                "DELETE", one, "Deletes \(noun).", answers: [.init(204)],
                .write { try delete(&$0, $1) }),
            APIRoute(
                "POST", PathPattern("\(path)/{id}/restore"), "Restores a deleted \(singular).",
                answers: [.init(200, shown)],
                .write { diary, call in
                    try checkRestored(call.id(), diary)
                    try diary.restoreIfDeleted(E.self, call.id())
                    try call.requireMatch(try json(try diary.found(E.self, call), diary))
                    return try show(diary, call)
                }),
            APIRoute(
                "GET", PathPattern("\(path)/{id}/history"),
                "Lists the events of \(noun), oldest first.", query: [.limit, .cursor],
                answers: [.init(200, .events)],
                .read { try HistoryRoutes.history($0, $1, EntityKey(E.kind.name, $1.id())) }),
        ]
    }

    private func show(_ diary: borrowing Diary, _ call: APICall) throws -> APIAnswer {
        .entity(try json(try diary.found(E.self, call), diary))
    }

    private func create(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let given: E = try diary.new(E.self, .zero, call.body)
        try diary.requireWhole(of: given)
        if let id = try sharedID?(given, diary) {
            let old = try diary.entity(E.self, id)
            if let old, try sharedID?(old, diary) == id {
                try call.requireMatch(try json(old, diary))
                // The same thing once more: what is sent changes it, and the rest stays. What is added is in use.
                var fields = try diary.changed(old, by: call.body).fields
                if call.body["archived"] == nil { fields["archived"] = nil }
                guard let entity = E(id: id, fields: fields) else { throw APIProblem.failed() }
                try diary.saveChange(entity, of: old)
                return try created(diary, id)
            }
            // One that was moved or renamed since keeps the id, and is another thing.
            if old == nil {
                guard let entity = E(id: id, fields: given.fields) else {
                    throw APIProblem.failed()
                }
                try diary.put(entity)
                return try created(diary, id)
            }
        }
        let id = try diary.create(E.kind, call) { diary, id in
            let entity = try diary.new(E.self, id, call.body)
            try check(entity, nil, diary)
            return .add(entity, today: try diary.today())
        }
        return try created(diary, id)
    }

    private func created(_ diary: borrowing Diary, _ id: Identifier) throws -> APIAnswer {
        .created(try json(try diary.require(E.self, id), diary), at: "\(path)/\(id)")
    }

    private func change(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let old = try diary.found(E.self, call)
        try call.requireMatch(try json(old, diary))
        let entity = try diary.changed(old, by: call.body)
        if let stays, try sharedID?(entity, diary) != sharedID?(old, diary) {
            let noun = singular.withArticle
            let one: String = noun.prefix(1).uppercased() + noun.dropFirst()
            throw APIProblem(
                .conflict, "\(one) stays \(stays): delete it, and add another one.")
        }
        try check(entity, old, diary)
        try diary.save(entity)
        return try show(diary, call)
    }

    /// Refuses what comes back into a place that another one has taken meanwhile.
    private func checkRestored(_ id: Identifier, _ diary: borrowing Diary) throws {
        guard try diary.isDeleted(E.self, id),
            let deleted = try diary.entity(E.self, id, includingDeleted: true)
        else { return }
        try check(deleted, nil, diary)
    }

    private func delete(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        try call.requireMatch(try json(try diary.found(E.self, call), diary))
        try diary.delete(E.self, call.id())
        return .nothing
    }
}

extension String {
    /// A noun with its indefinite article: `an activity`.
    var withArticle: String { (first.map { "aeiou".contains($0) } == true ? "an " : "a ") + self }
}

extension Resource {
    /// The routes of entries that belong to a day.
    ///
    /// - Parameter all: Those of some days.
    func datedRoutes(
        _ all: @escaping @Sendable (borrowing Diary, ClosedRange<Day>) throws -> [E],
        key: @escaping @Sendable (E) -> PageKey
    ) -> [APIRoute] {
        routes(
            listing: APIRoute(
                "GET", PathPattern(path), "Lists the \(plural) of some days, by day and time.",
                query: [.from, .to, .limit, .cursor], answers: [.init(200, .page(shown))],
                .read { diary, call in
                    let found = try all(diary, try diary.span(of: call))
                    return try Page(call, of: found, key: key).answer { try json($0, diary) }
                }))
    }

    /// The routes of those that belong to no day.
    func listedRoutes(
        _ all: @escaping @Sendable (borrowing Diary) throws -> [E]
    ) -> [APIRoute] {
        routes(
            listing: APIRoute(
                "GET", PathPattern(path), "Lists all \(plural).", query: [.limit, .cursor],
                answers: [.init(200, .page(shown))],
                .read { diary, call in
                    try Page(call, of: try all(diary)) { PageKey(.earliest, nil, $0.id) }
                        .answer { try json($0, diary) }
                }))
    }
}

extension Resource where E: DayEntry {
    /// The routes of entries that belong to a day.
    func datedRoutes() -> [APIRoute] {
        datedRoutes {
            try $0.entities(E.self, on: $1)
        } key: {
            PageKey($0.day, $0.occurredAt, $0.id)
        }
    }
}

extension Resource where E: ListedEntity {
    /// The routes of those that belong to no day.
    func listedRoutes() -> [APIRoute] { listedRoutes { try $0.entities(E.self) } }
}
