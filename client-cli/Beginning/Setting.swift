import MacrologArgumentParsing
import MacrologJSON
public import Macrolog

/// A setting of a person: its name, the field that it writes, and how it is shown. `init`,
/// `onboard`, `config` and `profile` all use the same list.
public struct Setting<E: Entity>: Sendable {
    /// Its name on the command line: `energy-unit`.
    let name: String
    /// The field it writes.
    public let field: UTF8Text
    /// A description in one sentence.
    let help: String
    /// The default, in words; `nil` if there is none.
    let otherwise: String?
    /// `--energy-unit kj`
    let option: Parameter<Edit<E>?>
    /// Applies a typed value.
    let form: Form<Edit<E>>
    /// Unsets it.
    let clear: @Sendable (inout E) -> Void
    /// How it is shown, if that differs from its field.
    private let text: (@Sendable (E) -> String?)?

    /// - Parameters:
    ///   - put: Writes the value, or unsets it.
    ///   - text: The value as it would be typed; by default, the field as histories show it.
    init<Value: Sendable>(
        _ name: String, _ field: UTF8Text, _ form: Form<Value>, _ help: String,
        otherwise: String? = nil, text: (@Sendable (E) -> String?)? = nil,
        put: @escaping @Sendable (inout E, Value?) -> Void
    ) {
        self.init(
            name, field,
            Form(form.placeholder, completion: form.completion) { word throws(BadValue) in
                let value = try form.read(word)
                return Edit { entity, _ in put(&entity, value) }
            }, help, otherwise: otherwise, text: text, clear: { put(&$0, nil) })
    }

    /// A number with a unit, whose meaning may depend on other preferences.
    init(
        _ name: String, _ field: UTF8Text, _ form: Form<Typed>, _ help: String,
        otherwise: String? = nil, put: @escaping @Sendable (inout E, Int64?) -> Void
    ) {
        self.init(
            name, field,
            Form(form.placeholder, completion: form.completion) { word throws(BadValue) in
                let typed = try form.read(word)
                return Edit { entity, preferences throws(BadValue) in
                    put(&entity, try typed.checked(preferences))
                }
            }, help, otherwise: otherwise, text: nil, clear: { put(&$0, nil) })
    }

    /// One of the words of a field.
    init<C: Choice>(
        _ name: String, _ field: UTF8Text, _ type: C.Type, _ help: String, otherwise: C? = nil,
        put: @escaping @Sendable (inout E, C?) -> Void
    ) {
        self.init(
            name, field, Form<C>.word(type), help, otherwise: otherwise?.name.string, put: put)
    }

    private init(
        _ name: String, _ field: UTF8Text, _ form: Form<Edit<E>>, _ help: String,
        otherwise: String?,
        text: (@Sendable (E) -> String?)?, clear: @escaping @Sendable (inout E) -> Void
    ) {
        self.name = name
        self.field = field
        self.help = help
        self.otherwise = otherwise
        self.form = form
        self.text = text
        self.clear = clear
        option = .option(name, form, help)
    }

    /// Whether it has a value.
    func isSet(in entity: E) -> Bool { entity.fields[field]?.isNull == false }

    /// The value in words; `nil` if it is not set.
    func value(in entity: E, _ shown: Shown) -> String? {
        guard isSet(in: entity), let value = entity.fields[field] else { return nil }
        if let text { return text(entity) }
        return formatted(value, of: field, in: E.kind.name, shown)
    }

    /// Applies the option, if it was typed.
    func apply(_ arguments: ParsedArguments, to entity: inout E, _ preferences: Preferences) throws
    {
        guard let edit = arguments[option] else { return }
        do throws(BadValue) {
            try edit.apply(&entity, preferences)
        } catch {
            throw arguments.usageError(of: option, error.problem, instead: error.instead)
        }
    }
}

/// Applies a typed value to an entity, once it is known how the person writes numbers.
struct Edit<E: Entity>: Sendable {
    let apply: @Sendable (inout E, Preferences) throws(BadValue) -> Void

    init(_ apply: @escaping @Sendable (inout E, Preferences) throws(BadValue) -> Void) {
        self.apply = apply
    }
}

extension [Setting<Profile>] {
    var options: [Specification] { map(\.option.specification) }
}

extension [Setting<Preferences>] {
    var options: [Specification] { map(\.option.specification) }
}

extension Form where Value: Choice {
    /// One of the words of a field.
    static func word(_ type: Value.Type) -> Form {
        .choice(type.allCases.map { (word: $0.name.string, value: $0) })
    }
}

extension Form where Value == Bool {
    /// `yes` or `no`.
    static var yesOrNo: Form { .choice([(word: "yes", value: true), (word: "no", value: false)]) }
}
