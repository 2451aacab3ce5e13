import MacrologTerminal

/// A parameter of a verb: an argument, an option or a flag, and the type of its value.
///
/// A parameter is declared once, listed in its ``Command``, and asked for by itself:
/// `words[weight]`. What it yields depends on how it was declared:
///
/// | declared with                | typed as            | yields    |
/// |------------------------------|---------------------|-----------|
/// | `.argument`                  | `80.2kg`            | `Value`   |
/// | `.optionalArgument`          | nothing or `80.2kg` | `Value?`  |
/// | `.arguments`                 | `a b c`             | `[Value]` |
/// | `.option`                    | `--note TEXT`       | `Value?`  |
/// | `.option(…, otherwise: "7")` | `--days 14`         | `Value`   |
/// | `.requiredOption`            | `--map a=b`         | `Value`   |
/// | `.options`                   | `--tag a --tag b`   | `[Value]` |
/// | `.flag`                      | `--force`           | `Bool`    |
public struct Parameter<Value>: Sendable {
    /// The text for help, errors, completion and the manual.
    public let specification: Specification
    /// The value of the words typed for it. Each word has passed `specification.check`.
    let value: @Sendable ([String]) throws(BadValue) -> Value
}

/// The properties of a parameter that do not depend on the type of its value.
public struct Specification: Sendable {
    /// How it is written on the command line.
    public enum Kind: Sendable { case argument, option, flag }

    /// How many words it takes.
    public enum Count: Sendable { case one, optional, many, atLeastOne }

    /// How it is written on the command line.
    public let kind: Kind
    /// Lower case, without dashes: `body-fat`.
    public let name: String
    /// The letter of `-n`, if there is one.
    public let short: Character?
    /// How many words it takes. A flag is always `optional`.
    public let count: Count
    /// The placeholder of the value in help: `GRAMS`. Empty for a flag.
    public let placeholder: String
    /// One sentence.
    public let help: String
    /// The default value, as it would be typed.
    public let otherwise: String?
    /// The values that a shell may offer.
    public let completion: Completion
    /// Refuses a word that is not a value.
    public let check: @Sendable (String) throws(BadValue) -> Void

    /// How a person writes it: `WEIGHT`, `--note`.
    public var label: String { kind == .argument ? placeholder : "--\(name)" }

    /// Whether leaving it out is a mistake.
    public var isRequired: Bool { count == .one || count == .atLeastOne }

    /// Whether it may be typed more than once.
    public var repeats: Bool { count == .many || count == .atLeastOne }

    /// How it appears in a usage line: `WEIGHT`, `[WEIGHT]`, `[WORD...]`, `--map COLUMNS`.
    public var usage: String {
        let core =
            switch kind {
            case .argument: placeholder
            case .option: "--\(name) \(placeholder)"
            case .flag: "--\(name)"
            }
        return switch count {
        case .one: core
        case .optional: "[\(core)]"
        case .many: "[\(core)...]"
        case .atLeastOne: "\(core)..."
        }
    }
}

extension Parameter {
    /// A word that must be there. In help it is called by its name in capitals.
    public static func argument(_ name: String, _ form: Form<Value>, _ help: String) -> Parameter {
        Parameter(.argument, name, form, .one, help) { words throws(BadValue) in
            try form.read(words[0])
        }
    }

    /// A word that may be left out; those after it may then be left out too.
    public static func optionalArgument<Typed>(
        _ name: String, _ form: Form<Typed>, _ help: String
    ) -> Parameter where Value == Typed? {
        Parameter(.argument, name, form, .optional, help) { words throws(BadValue) in
            words.isEmpty ? nil : try form.read(words[0])
        }
    }

    /// All remaining words. It comes last.
    public static func arguments<Typed>(
        _ name: String, _ form: Form<Typed>, _ help: String, atLeastOne: Bool = false
    ) -> Parameter where Value == [Typed] {
        Parameter(.argument, name, form, atLeastOne ? .atLeastOne : .many, help) {
            words throws(BadValue) in try form.readAll(words)
        }
    }

    /// `--name VALUE` or `--name=VALUE`, which may be left out.
    public static func option<Typed>(
        _ name: String, short: Character? = nil, _ form: Form<Typed>, _ help: String
    ) -> Parameter where Value == Typed? {
        Parameter(.option, name, short: short, form, .optional, help) { words throws(BadValue) in
            words.isEmpty ? nil : try form.read(words[0])
        }
    }

    /// `--name VALUE`; when left out it is as if `otherwise` had been typed.
    public static func option(
        _ name: String, short: Character? = nil, _ form: Form<Value>, otherwise: String,
        _ help: String
    ) -> Parameter {
        Parameter(.option, name, short: short, form, .optional, help, otherwise: otherwise) {
            words throws(BadValue) in try form.read(words.first ?? otherwise)
        }
    }

    /// `--name VALUE`, without which the verb cannot work.
    public static func requiredOption(
        _ name: String, short: Character? = nil, _ form: Form<Value>, _ help: String
    ) -> Parameter {
        Parameter(.option, name, short: short, form, .one, help) { words throws(BadValue) in
            try form.read(words[0])
        }
    }

    /// `--name VALUE`, as often as wanted.
    public static func options<Typed>(
        _ name: String, short: Character? = nil, _ form: Form<Typed>, _ help: String
    ) -> Parameter where Value == [Typed] {
        Parameter(.option, name, short: short, form, .many, help) { words throws(BadValue) in
            try form.readAll(words)
        }
    }

    private init<Typed>(
        _ kind: Specification.Kind, _ name: String, short: Character? = nil, _ form: Form<Typed>,
        _ count: Specification.Count, _ help: String, otherwise: String? = nil,
        value: @escaping @Sendable ([String]) throws(BadValue) -> Value
    ) {
        specification = Specification(
            kind: kind, name: name, short: short, count: count,
            placeholder: kind == .argument ? name.asciiCapitals : form.placeholder, help: help,
            otherwise: otherwise, completion: form.completion,
            check: { word throws(BadValue) in _ = try form.read(word) })
        self.value = value
    }
}

extension Parameter where Value == Bool {
    /// `--name`: true when typed. It may be repeated, without effect.
    public static func flag(
        _ name: String, short: Character? = nil, _ help: String
    ) -> Parameter {
        Parameter(
            specification: Specification(
                kind: .flag, name: name, short: short, count: .optional, placeholder: "",
                help: help, otherwise: nil, completion: .nothing, check: { _ in }),
            value: { words in !words.isEmpty })
    }
}
