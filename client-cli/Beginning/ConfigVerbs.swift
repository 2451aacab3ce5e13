import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `config get` and `config set`: how things are shown and counted.
enum ConfigVerbs {
    private static let names = PreferenceSettings.all.map { (word: $0.name, value: $0.name) }

    static let name = Parameter.optionalArgument(
        "name", .choice(names), "The setting. Otherwise all of them.")
    static let setName = Parameter.argument("name", .choice(names), "The setting.")
    static let value = Parameter.argument(
        "value", .text, "The value; default resets it.")

    static let get = Verb(
        "config get", "Show settings.", example: "config get",
        "config get weight-unit",
        explanation: """
            Settings belong to you and not to a device: they are synced like everything else. With a
            name, only the value is printed, in the form that `config set` reads.
            """, run: get
    ) { name }

    static let set = Verb(
        "config set", "Change a setting.",
        example: "config set energy-unit kj", "config set day-start 04:00",
        "config set meal-slots breakfast=05:00-10:59,lunch=11:00-14:59,dinner=17:00-21:59",
        "config set pinned-nutrients sodium,iron", "config set show-streaks no",
        "config set decimal default",
        explanation: PreferenceSettings.all.map { setting in
            "  \(padded(setting.name, to: 18))\(setting.option.specification.help)"
        }.flatMap { wrappedHanging($0, indent: 20) }.joined(separator: "\n"), run: set
    ) {
        setName
        value
    }

    private static func get(_ arguments: ParsedArguments, _ home: inout Home) throws {
        let preferences = try home.preferences
        let shown = Shown(preferences: preferences)
        guard let name = arguments[name], let setting = find(name) else {
            let json = SettingJSON.list(PreferenceSettings.all.map(\.field), of: preferences)
            return try home.show(json) {
                $0.say(PreferenceSettings.all.lines(preferences, shown, isSet: false))
            }
        }
        try home.show(setting.described(preferences, shown)) { home in
            home.say(setting.value(in: preferences, shown) ?? setting.otherwise ?? "")
        }
    }

    private static func set(_ arguments: ParsedArguments, _ home: inout Home) throws {
        guard let setting = find(arguments[setName]) else { return }
        let old = try home.preferences
        var new = old
        if arguments[value] == "default" {
            setting.clear(&new)
        } else {
            do throws(BadValue) {
                try setting.form.read(arguments[value]).apply(&new, old)
            } catch {
                throw arguments.usageError(
                    of: value, "\"\(printable(arguments[value]))\" \(error.problem)",
                    instead: error.instead)
            }
        }
        guard new.isChanged(since: old) else { return home.sayUnchanged() }
        home.warn(try home.replica.write { try $0.save(new) })
        home.assume(new)
        let shown = Shown(preferences: new)
        try home.show(setting.described(new, shown)) { home in
            let now = setting.value(in: new, shown) ?? setting.otherwise ?? "not set"
            let before = setting.value(in: old, Shown(preferences: old)) ?? setting.otherwise
            home.say("\(setting.name) is \(now)" + (before.map { ", it was \($0)." } ?? "."))
        }
    }

    private static func find(_ name: String) -> Setting<Preferences>? {
        PreferenceSettings.all.first { $0.name == name }
    }
}

/// A line that begins with a name; its text wraps with a hanging indent.
private func wrappedHanging(_ line: String, indent: Int) -> [String] {
    let text = String(line.dropFirst(indent))
    return wrapped(text, to: 76 - indent).enumerated().map { index, part in
        (index == 0 ? String(line.prefix(indent)) : String(repeating: " ", count: indent)) + part
    }
}

extension Setting {
    fileprivate func described(_ entity: E, _ shown: Shown) -> JSON {
        SettingJSON.one(
            field, of: entity, named: name, text: value(in: entity, shown) ?? otherwise)
    }
}

extension Array {
    /// `  energy-unit       kcal`: one line for each setting that has a value, or for each.
    func lines<E: Entity>(_ entity: E, _ shown: Shown, isSet: Bool) -> [String]
    where Element == Setting<E> {
        compactMap { setting in
            let value = setting.value(in: entity, shown)
            guard !isSet || value != nil else { return nil }
            let text =
                value
                ?? setting.otherwise.map { "\($0)  (default)" } ?? "–"
            return "  \(padded(setting.name, to: 18))\(text)"
        }
    }
}
