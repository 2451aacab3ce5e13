package import JSON

// A log's shape as JSON: a bundle. Its keys are told in the manual of `doctor`.

extension LogShape {
    /// What is wrong with a bundle.
    package struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
        /// Where it is not what it should be.
        package let place: String

        package var description: String { "the bundle cannot be read: \(place)" }
    }

    /// The bundle, an event a line.
    ///
    /// - Parameter facts: What else should be known, beside the log.
    package func write(facts: [JSON.Member], to sink: (String) throws -> Void) rethrows {
        let head: [JSON.Member] =
            [
                JSON.Member("macrolog_bundle", .integer(Self.version)),
                JSON.Member("this", .int(this)), JSON.Member("ranks", .ints(ranks)),
                JSON.Member("epoch", .int(epoch)), JSON.Member("cursor", .integer(cursor)),
                JSON.Member("digests_sound_up_to", .integer(soundUpTo)),
                JSON.Member("conflicts", .integer(conflicts)),
                JSON.Member("entities", .integer(entities)),
                JSON.Member("taking_new_name", .bool(isLeaving)),
                JSON.Member("had_another_name", .bool(hasFormerName)),
                JSON.Member("fork", .optional(fork)), JSON.Member("orphans", .integer(orphans)),
                JSON.Member(
                    "damaged",
                    .array(damaged.map { .array([.int($0.device), .integer($0.seq)]) })),
                JSON.Member(
                    "clock_marks",
                    .array(
                        marks.map {
                            .array([.integer($0.seq), .int($0.boot), .integer($0.offset)])
                        })),
            ] + facts
        try sink("{\n")
        for member in head {
            try sink("\(JSON.string(member.key).compact): \(member.value.compact),\n")
        }
        try sink("\"events\": [")
        for (index, event) in events.enumerated() {
            try sink("\(index == 0 ? "" : ",")\n\(event.json.compact)")
        }
        try sink("\n]\n}\n")
    }

    /// Reads a bundle.
    package init(bundle bytes: [UInt8]) throws {
        let json = try JSON.parse(bytes)
        guard let version = json["macrolog_bundle"]?.integer else {
            throw Malformed(place: "it is not a bundle of macrolog doctor")
        }
        guard version == Self.version else {
            throw Malformed(place: "it is of version \(version), and this reads \(Self.version)")
        }
        self.init()
        this = try json.required("this", \.int)
        ranks = try json.required("ranks", \.ints)
        epoch = try json.required("epoch", \.int)
        soundUpTo = try json.required("digests_sound_up_to", \.integer)
        conflicts = try json.required("conflicts", \.integer)
        entities = try json.required("entities", \.integer)
        isLeaving = try json.required("taking_new_name", \.bool)
        hasFormerName = try json.required("had_another_name", \.bool)
        fork = json["fork"]?.integer
        orphans = try json.required("orphans", \.integer)
        damaged = try json.required("damaged", \.array).map {
            let pair = try $0.numbers(2, "damaged")
            return Name(device: Int(pair[0]), seq: pair[1])
        }
        marks = try json.required("clock_marks", \.array).map {
            let mark = try $0.numbers(3, "clock_marks")
            return Mark(seq: mark[0], boot: Int(mark[1]), offset: mark[2])
        }
        for (index, event) in try json.required("events", \.array).enumerated() {
            do {
                events.append(try Event(event))
            } catch let error as Malformed {
                throw Malformed(place: "event \(index): \(error.place)")
            }
        }
        let devices = events.map(\.device) + events.compactMap(\.origin?.device) + [this]
        guard Set(ranks) == Set(ranks.indices), devices.allSatisfy(ranks.indices.contains) else {
            throw Malformed(place: "a device has no rank")
        }
    }
}

extension LogShape.Event {
    fileprivate var json: JSON {
        var members = [
            JSON.Member("event", .array([.int(device), .integer(seq)])),
            JSON.Member("base", .array([.int(epoch), .integer(base)])),
            JSON.Member("wall", .integer(wall)),
        ]
        if let seal {
            members.append(
                JSON.Member(
                    "seal",
                    .array([
                        .integer(seal.n), .integer(seal.milliseconds), .integer(seal.counter),
                    ])))
        }
        members.append(JSON.Member("type", .string(type)))
        if version != 1 { members.append(JSON.Member("version", .integer(version))) }
        if let group { members.append(JSON.Member("group", .int(group))) }
        if let origin {
            members.append(
                JSON.Member("origin", .array([.int(origin.device), .integer(origin.seq)])))
        }
        if !extras.isEmpty {
            members.append(
                JSON.Member(
                    "extras",
                    .array(extras.map { .array([.integer($0.key), .string($0.value.text)]) })))
        }
        members.append(JSON.Member("changes", .array(changes.map(\.json))))
        return .object(members)
    }

    fileprivate init(_ json: JSON) throws {
        let name = try json.required("event", { $0 }).numbers(2, "event")
        let base = try json.required("base", { $0 }).numbers(2, "base")
        let seal = try json["seal"]?.numbers(3, "seal")
        let origin = try json["origin"]?.numbers(2, "origin")
        self.init(
            device: Int(name[0]), seq: name[1], epoch: Int(base[0]), base: base[1],
            wall: try json.required("wall", \.integer),
            seal: seal.map {
                LogShape.SealShape(n: $0[0], milliseconds: $0[1], counter: $0[2])
            },
            type: try json.required("type", \.string), version: json["version"]?.integer ?? 1,
            group: json["group"]?.int,
            origin: origin.map { LogShape.Name(device: Int($0[0]), seq: $0[1]) },
            extras: try (json["extras"]?.array ?? []).map { extra in
                guard let pair = extra.array, pair.count == 2, let key = pair[0].integer else {
                    throw LogShape.Malformed(place: "extras")
                }
                return LogShape.Extra(key: key, value: try LogShape.ValueShape(pair[1]))
            },
            changes: try json.required("changes", \.array).map { try LogShape.Change($0) })
        guard changes.count > 0, seq > 0, self.base >= 0, (seal?[0] ?? 1) > 0 else {
            throw LogShape.Malformed(place: "a number is out of range")
        }
    }
}

extension LogShape.Change {
    fileprivate var json: JSON {
        .array([.string(kind), .int(entity)] + operations.map(\.json))
    }

    fileprivate init(_ json: JSON) throws {
        guard let items = json.array, items.count > 2, let kind = items[0].string,
            let entity = items[1].int
        else { throw LogShape.Malformed(place: "changes") }
        self.init(
            kind: kind, entity: entity,
            operations: try items.dropFirst(2).map { try LogShape.Operation($0) })
    }
}

extension LogShape.Operation {
    fileprivate var json: JSON {
        switch self {
        case .set(let fields):
            .array(["set"] + fields.flatMap { [.string($0.name), .string($0.value.text)] })
        case .add(let field): .array(["add", .string(field.name), .string(field.value.text)])
        case .remove(let field):
            .array(["remove", .string(field.name), .string(field.value.text)])
        case .delete: .array(["delete"])
        case .restore: .array(["restore"])
        case .unknown(let verb, let arguments):
            .array([.integer(verb)] + arguments.map { .string($0.text) })
        }
    }

    fileprivate init(_ json: JSON) throws {
        let items = json.array ?? []
        let fields = try stride(from: 1, to: items.count - 1, by: 2).map { index in
            guard let name = items[index].string else {
                throw LogShape.Malformed(place: "a field has no name")
            }
            return LogShape.Field(name: name, value: try LogShape.ValueShape(items[index + 1]))
        }
        switch (items.first?.string, items.count) {
        case ("set", 3...) where items.count % 2 == 1: self = .set(fields)
        case ("add", 3): self = .add(fields[0])
        case ("remove", 3): self = .remove(fields[0])
        case ("delete", 1): self = .delete
        case ("restore", 1): self = .restore
        default:
            guard let verb = items.first?.integer, verb > 4 else {
                throw LogShape.Malformed(place: "an operation that is none")
            }
            self = .unknown(
                verb: verb, arguments: try items.dropFirst().map { try LogShape.ValueShape($0) })
        }
    }
}

extension LogShape.ValueShape {
    /// `text 12 #3`: a text of twelve bytes, the fourth value that its field has had.
    fileprivate var text: String {
        length == 0 ? "\(kind.rawValue) #\(token)" : "\(kind.rawValue) \(length) #\(token)"
    }

    fileprivate init(_ json: JSON) throws {
        let words = (json.string ?? "").split(separator: " ")
        guard (2...3).contains(words.count), let kind = Kind(rawValue: String(words[0])),
            words[words.count - 1].hasPrefix("#"),
            let token = Int(words[words.count - 1].dropFirst()), token >= 0,
            let length = words.count == 3 ? Int(words[1]) : 0, (0...16_384).contains(length)
        else { throw LogShape.Malformed(place: "a value's shape") }
        self.init(kind: kind, length: length, token: token)
    }
}

extension JSON {
    fileprivate static func int(_ value: Int) -> JSON { .integer(Int64(value)) }
    fileprivate static func ints(_ values: [Int]) -> JSON { .array(values.map { .int($0) }) }

    fileprivate var int: Int? { integer.flatMap { Int(exactly: $0) } }

    fileprivate var ints: [Int]? {
        guard let array else { return nil }
        let ints = array.compactMap(\.int)
        return ints.count == array.count ? ints : nil
    }

    fileprivate func required<T>(_ key: String, _ read: (JSON) -> T?) throws -> T {
        guard let value = self[key], let read = read(value) else {
            throw LogShape.Malformed(place: "\(key) is missing, or is something else")
        }
        return read
    }

    fileprivate func numbers(_ count: Int, _ place: String) throws -> [Int64] {
        let numbers = (array ?? []).compactMap(\.integer)
        // Places and counts are small; times may be negative.
        guard numbers.count == count, array?.count == count,
            numbers.first.map({ $0 >= 0 && $0 < 1 << 40 }) == true
        else { throw LogShape.Malformed(place: place) }
        return numbers
    }
}
