package import MacrologEvents

extension EntityState {
    /// The values of all fields, and for each set an array of its elements.
    package var allFields: ValueMap {
        if stamp != nil { return whole }
        var fields = self.fields
        // Set elements come last, those of one field together.
        var last: UTF8Text?
        for entry in writes.entries.reversed() {
            guard case .member(let field, _) = entry.key else { break }
            guard last != field else { continue }
            last = field
            let elements = members(field)
            if !elements.isEmpty { fields[field] = .array(elements) }
        }
        return fields
    }
}
