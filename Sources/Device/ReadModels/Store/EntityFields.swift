package import MacrologEvents

extension EntityState {
    /// The values of all fields, and for each set an array of its elements.
    package var allFields: ValueMap { allFields { _ in true } }

    /// The same, where a domain says which fields hold sets: elements of any other are in none
    /// (`protocol.md` §7.1).
    package func allFields(isSet: (UTF8Text) -> Bool) -> ValueMap {
        if stamp != nil { return whole }
        var fields = self.fields
        // Set elements come last, those of one field together.
        var last: UTF8Text?
        for entry in writes.entries.reversed() {
            guard case .member(let field, _) = entry.key else { break }
            guard last != field else { continue }
            last = field
            guard isSet(field) else { continue }
            let elements = members(field)
            if !elements.isEmpty { fields[field] = .array(elements) }
        }
        return fields
    }
}
