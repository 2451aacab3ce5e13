/// Forms of objects that a document has several times stand in it once, under a name.
import MacrologJSON

struct SharedForms {
    /// The named forms, as `components/schemas` has them.
    private(set) var members: [JSON.Member] = []
    /// How often each form occurs, and its name once it has one, by its text.
    private var counts: [String: Int] = [:]
    private var names: [String: String] = [:]
    private var taken: Set<String>

    /// Shorter ones are not named, in bytes.
    private static let bytesMin = 200

    /// - Parameter reserved: Names that other forms have.
    init(reserved: Set<String>) { taken = reserved }

    /// A document with references in the place of what it has several times.
    mutating func shortened(_ document: JSON) -> JSON {
        count(document)
        return replaced(document)
    }

    private mutating func count(_ json: JSON) {
        if let text = Self.form(json) {
            counts[text, default: 0] += 1
            // What is in a form that will be named occurs once.
            guard counts[text] == 1 else { return }
        }
        for part in json.array ?? json.object?.map(\.value) ?? [] { count(part) }
    }

    private mutating func replaced(_ json: JSON) -> JSON {
        guard let text = Self.form(json), counts[text, default: 0] > 1 else {
            return inner(json)
        }
        if names[text] == nil {
            let form = inner(json)
            let name = free(json["title"]?.string ?? "form")
            names[text] = name
            members.append(JSON.Member(name, form))
        }
        return ["$ref": .string("#/components/schemas/\(names[text] ?? "")")]
    }

    private mutating func inner(_ json: JSON) -> JSON {
        switch json {
        case .array(let parts): .array(parts.map { replaced($0) })
        case .object(let members):
            .object(members.map { JSON.Member($0.key, replaced($0.value)) })
        default: json
        }
    }

    /// A name that no form has: `meal`, and `meal_2` for another form of that title.
    private mutating func free(_ title: String) -> String {
        let name = title.replacing(" ", with: "_")
        let all = [name] + (2...1_000).lazy.map { "\(name)_\($0)" }
        let free = all.first { !taken.contains($0) } ?? name
        taken.insert(free)
        return free
    }

    /// The text of the form of an object; `nil` for anything else, and for a short one.
    private static func form(_ json: JSON) -> String? {
        guard json["type"]?.string == "object", json["properties"]?.object != nil else {
            return nil
        }
        let text = json.compact
        return text.utf8.count < bytesMin ? nil : text
    }
}
