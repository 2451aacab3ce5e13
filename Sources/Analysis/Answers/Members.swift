/// The members of a model's answer: each of the form that was asked for, or an error that names it.
import MacrologJSON

struct Members {
    private let json: JSON
    /// Where they are, such as `items/0/`.
    private let place: String

    init(_ json: JSON, at place: String = "") {
        self.json = json
        self.place = place
    }

    func text(_ name: String) throws(AnalysisError) -> String {
        guard let text = json[name]?.string else { throw wrong(name, "text") }
        return text
    }

    /// A cleaned text; `nil` where it is null, missing or empty.
    func optionalText(_ name: String, bytesMax: Int) throws(AnalysisError) -> String? {
        guard let value = json[name], value != .null else { return nil }
        let line = Words.clean(try text(name), bytesMax: bytesMax)
        return line.isEmpty ? nil : line
    }

    /// Texts, each cleaned and at most `bytesMax` long.
    func texts(_ name: String, countMax: Int, bytesMax: Int) throws(AnalysisError) -> [String] {
        var texts: [String] = []
        for element in try elements(name, countMax: countMax) {
            guard let text = element.string else { throw wrong(name, "a list of texts") }
            let line = Words.clean(text, bytesMax: bytesMax)
            if !line.isEmpty { texts.append(line) }
        }
        return texts
    }

    /// A number × 10^places.
    func number(_ name: String, places: Int, max: Int64) throws(AnalysisError) -> Int64 {
        guard let number = json[name]?.scaled(places), (0...max).contains(number) else {
            throw wrong(name, "a number from 0 to \(JSON.decimal(max, scale: places).compact)")
        }
        return number
    }

    /// A number × 10^places; `nil` where it is null or missing.
    func optionalNumber(_ name: String, places: Int, max: Int64) throws(AnalysisError) -> Int64? {
        guard let value = json[name], value != .null else { return nil }
        return try number(name, places: places, max: max)
    }

    func object(_ name: String) throws(AnalysisError) -> Members {
        guard let value = json[name], value.object != nil else { throw wrong(name, "an object") }
        return Members(value, at: "\(place)\(name)/")
    }

    func list(_ name: String, countMax: Int) throws(AnalysisError) -> [Members] {
        var list: [Members] = []
        for element in try elements(name, countMax: countMax) {
            list.append(Members(element, at: "\(place)\(name)/\(list.count)/"))
        }
        return list
    }

    private func elements(_ name: String, countMax: Int) throws(AnalysisError) -> [JSON] {
        guard let elements = json[name]?.array, elements.count <= countMax else {
            throw wrong(name, "a list of at most \(countMax)")
        }
        return elements
    }

    private func wrong(_ name: String, _ wish: String) -> AnalysisError {
        .otherForm("\(place)\(name) is not \(wish)")
    }
}
