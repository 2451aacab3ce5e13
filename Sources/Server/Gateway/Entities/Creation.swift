/// Creating, changing and deleting an entity of any kind for a request: with the id that the client's key
/// decides, once, and against the state that the client has seen.
import MacrologDiary
import MacrologEvents
import MacrologJSON
import MacrologNutrition
import MacrologNutritionModels

extension Diary {
    /// Creates an entity of a request, unless the same request has created it before.
    ///
    /// - Parameter draft: Makes the draft of an entity with an id.
    /// - Returns: The id, whether created now or earlier.
    /// - Throws: ``APIProblem`` if the client's key was used for another body.
    mutating func create(
        _ kind: Kind, _ call: APICall, draft: (inout Diary, Identifier) throws -> Draft
    ) throws -> Identifier {
        guard let idempotency = call.idempotency else {
            let id = newID()
            try record([try draft(&self, id)])
            return id
        }
        let id = idempotency.entity
        if let first = try firstEvent(of: EntityKey(kind.name, id)) {
            guard first.group == idempotency.group else {
                throw APIProblem(
                    .idempotencyKey,
                    "This Idempotency-Key was used for another body; send a new key.")
            }
            return id
        }
        try record([try draft(&self, id)], group: idempotency.group)
        return id
    }

    /// An entity of a request, deleted ones with a problem of their own.
    func found<E: Entity>(_ type: E.Type, _ call: APICall) throws -> E {
        let entity = try require(type, call.id())
        try requireWhole(of: entity)
        return entity
    }

    /// The fields of an entity after a change.
    func changed<E: Entity>(_ old: E, by body: JSON) throws -> E {
        let input = try EntityInput(body, of: E.kind)
        try requireNamed(input, of: E.kind, instead: old.fields, at: "")
        var fields = input.applied(to: old.fields)
        if E.kind.dayField?.shape == .localDate, input.moment != nil {
            let date = fields["local_date"].flatMap { LocalDate($0) }
            fields["local_date"] = try localDate(input, from: date).value
        }
        guard let new = E(id: old.id, fields: fields) else {
            throw APIProblem.invalid("", "A member that is required was null.")
        }
        return new
    }

    /// The day and the clock of a body, as this person's days are counted.
    private func localDate(_ input: EntityInput, from old: LocalDate?) throws -> LocalDate {
        let dayStart = try preferences().dayStartMinutes ?? 0
        return try input.localDate(from: old, dayStart: dayStart) { try localDate(at: $0) }
    }

    /// Records a change; none where nothing is different, so that what was never set stays so.
    mutating func saveChange<E: Entity>(_ new: E, of old: E) throws {
        if new.fields != old.fields { try save(new) }
    }

    /// A new entity with the members of a body.
    func new<E: Entity>(
        _ type: E.Type, _ id: Identifier, _ body: JSON, at pointer: String = "",
        with given: ValueMap = ValueMap()
    ) throws -> E {
        let input = try EntityInput(body, of: E.kind, at: pointer)
        try requireNamed(input, of: E.kind, at: pointer)
        var fields = input.applied(to: given)
        if E.kind.dayField?.shape == .localDate {
            fields["local_date"] = try localDate(input, from: nil).value
        }
        guard let new = E(id: id, fields: fields) else {
            throw APIProblem.invalid(pointer, "A member that is required is missing.")
        }
        return new
    }
}
