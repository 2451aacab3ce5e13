import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `measure log`, `list`, `edit`, `delete`, `restore`: lengths of the body. `height set`: the
/// person's height.
enum MeasureVerbs {
    static let place = Parameter.argument("place", .word(MeasureKind.self), "Where.")
    static let onePlace = Parameter.optionalArgument(
        "place", .word(MeasureKind.self), "The place on the body; otherwise all.")
    static let length = Parameter.argument("length", .length, "The length: 84cm or 33in.")
    static let newPlace = Parameter.option(
        "place", .word(MeasureKind.self), "The place on the body.")
    static let newLength = Parameter.option("length", .length, "The length.")
    static let newNote = Parameter.option("note", .anyText, "A note; '' for none.")
    static let time = Parameter.option("time", .moment, "When: 07:10.")
    static let note = Parameter.option("note", .text, "A note.")
    static let tall = Parameter.argument("height", .height, "178, 1.78m or 5ft10.")

    static let log = Verb(
        "measure log", "Log a body measurement.", example: "measure log waist 84cm",
        "measure log thigh 22.5in --date yesterday",
        explanation: """
            A number without a unit is in centimetres, or in inches if you chose feet for
            heights.
            """,
        run: { arguments, home in
            var measure = BodyMeasure(
                id: try home.replica.newID(),
                on: try home.entryDate(time: arguments[time], Self.time), of: arguments[place],
                millimeters: try home.value(length, arguments))
            measure.note = arguments[note]
            home.warn(try home.replica.write { try $0.add(measure) })
            try home.tell("Logged", measure)
        }
    ) {
        place
        length
        time
        note
    }

    static let list = Verb(
        "measure list", "List body measurements.", example: "measure list",
        "measure list waist --days 365",
        run: { arguments, home in
            let span = try home.day.lastDays(Int(arguments[EntryVerbs.days]))
            let wanted = arguments[onePlace]
            let measures = try home.replica.read { try $0.entities(BodyMeasure.self, on: span) }
                .filter { wanted == nil || $0.place == wanted }
            try home.show(.array(measures.map(\.json))) { home in
                try EntryVerbs.tell(measures, &home)
                guard wanted != nil, let first = measures.first else { return }
                let shown = Shown(preferences: try home.preferences)
                home.sayChange(
                    of: SampleSeries(measures.map { ($0.day, $0.millimeters) }),
                    from: first.day, shown.length)
            }
        }
    ) {
        onePlace
        EntryVerbs.days
    }

    static let edit = EntryVerbs.edit(
        of: BodyMeasure.self, example: "--length 83.5cm",
        [newPlace.specification, newLength.specification, newNote.specification]
    ) { measure, arguments, home in
        if let place = arguments[newPlace] { measure.place = place }
        if let length = try home.known(newLength, arguments) { measure.millimeters = length }
        if let note = arguments[newNote] { measure.note = note.isEmpty ? nil : note }
    }

    static let other = KindVerbs(of: BodyMeasure.self)

    static let setHeight = Verb(
        "height set", "Set your height.", example: "height set 180cm", "height set 5ft11",
        explanation: "A number without a unit is in centimetres.",
        run: { arguments, home in
            let old = try home.replica.read { try $0.profile() }
            var profile = old
            profile.heightMillimeters = try home.value(tall, arguments)
            guard profile != old else { return home.sayUnchanged() }
            home.warn(try home.replica.write { try $0.save(profile) })
            let height = profile.heightMillimeters ?? 0
            try home.show(BodyJSON.height(millimeters: height)) { home in
                let shown = Shown(preferences: try home.preferences)
                home.say("Your height is \(shown.height(height)).")
            }
        }
    ) { tall }
}

extension BodyMeasure: TabledEntry {
    static var group: String { "measure" }
    static var plural: String { "measures" }
    static var exampleID: String { "3a15" }
    static var columns: [Table.Column] {
        [Table.Column("place"), Table.Column("length", .decimal), Table.Column("note")]
    }

    func cells(_ shown: Shown) -> [Table.Cell] {
        [
            Table.Cell(placeName), Table.Cell(shown.length(millimeters)),
            Table.Cell(note ?? ""),
        ]
    }

    func formatted(_ shown: Shown) -> String { "\(placeName) \(shown.length(millimeters))" }
}
