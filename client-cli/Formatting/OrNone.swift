import MacrologArgumentParsing

extension Form {
    /// What a form reads, or `n/a` for none.
    static func orNone<Wrapped: Sendable>(_ form: Form<Wrapped>) -> Form
    where Value == Wrapped? {
        Form(form.placeholder, completion: form.completion) { word throws(BadValue) in
            word == "n/a" || word == "-" ? nil : try form.read(word)
        }
    }
}
