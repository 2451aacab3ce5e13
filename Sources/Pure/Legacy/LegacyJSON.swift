/// JSON of an earlier system: an object of tables, an array of food logs as CarbCal's app encodes them, or the food
/// logs of a day as its server answered.
import MacrologJSON

extension LegacyFile {
    static func contents(json bytes: [UInt8]) throws(LegacyError) -> LegacyContents {
        let json: JSON
        do throws(JSONError) { json = try JSON.parse(bytes) } catch {
            throw LegacyError(
                line: error.line, "the file is not JSON: \(error.problem)", "export it once more")
        }
        var contents = LegacyContents()
        if let elements = json.array {
            try addLogs(elements, to: &contents)
        } else {
            for table in json.object ?? [] {
                // CarbCal's answer names the day of its logs; other programs call other things logs.
                if key(table.key).utf8.elementsEqual("logs".utf8), json["date"] != nil {
                    try addLogs([json], to: &contents)
                } else {
                    try addTable(table, to: &contents)
                }
            }
        }
        return contents
    }

    /// A member that is an array of objects, or one object.
    private static func addTable(
        _ table: JSON.Member, to contents: inout LegacyContents
    ) throws(LegacyError) {
        let elements = table.value.object == nil ? table.value.array ?? [] : [table.value]
        guard let kind = kind(ofTable: table.key) else {
            if table.value.array != nil, elements.contains(where: { $0.object != nil }) {
                contents.passOver(table.key)
            }
            return
        }
        for (index, row) in elements.enumerated() {
            guard let members = row.object else {
                throw LegacyError(
                    line: index + 1, "\(table.key) has an element that is no object", expected)
            }
            var cells: [String: JSON] = [:]
            for member in members { cells[contents.key(member.key)] = member.value }
            contents.rows.append(
                LegacyRow(kind: kind, table: key(table.key), line: index + 1, cells: cells))
        }
    }

    /// Food logs, or days each with its `logs`. Those of a day have its date, and are named by it and by the dish
    /// where they have no id.
    private static func addLogs(
        _ elements: [JSON], to contents: inout LegacyContents
    ) throws(LegacyError) {
        var counts: [String: Int] = [:]
        for (index, element) in elements.enumerated() {
            guard let members = element.object else {
                throw LegacyError(
                    line: index + 1, "the file is no object of tables and no array of food logs",
                    expected)
            }
            let ofDay = members.first { key($0.key).utf8.elementsEqual("logs".utf8) }
            let date = members.first { key($0.key).utf8.elementsEqual("date".utf8) }
            let logs = ofDay.map { $0.value.array ?? [] } ?? [element]
            for log in logs {
                guard let members = log.object else {
                    throw LegacyError(
                        line: index + 1, "logs has an element that is no object", expected)
                }
                var cells: [String: JSON] = [:]
                for member in members { cells[contents.key(member.key)] = member.value }
                if ofDay != nil {
                    if cells["date"] == nil, let date { cells["date"] = date.value }
                    if cells["id"] == nil, let day = cells["date"]?.string {
                        let name = "\(day)/\(cells["dishname"]?.string ?? "")"
                        counts[name, default: 0] += 1
                        cells["id"] = .string("\(name)/\(counts[name] ?? 1)")
                    }
                }
                contents.rows.append(
                    LegacyRow(
                        kind: .meals, table: "foodlogs", line: contents.rows.count + 1,
                        cells: cells))
            }
        }
    }
}
