public import MacrologEvents

extension Kind {
    /// A body mass.
    public static let weighIn = Kind(
        "weigh_in", title: "weigh-in", added: "weight.logged", day: WeighIn.localDate.spec,
        sharedIDs: [WeighIn.sharedID]
    ) {
        WeighIn.localDate
        WeighIn.grams
        WeighIn.bodyFatBasisPoints
        WeighIn.note
        WeighIn.source
        WeighIn.externalIDs
    }
}

/// A body mass on a day.
public struct WeighIn: Entity {
    /// `weigh_in` in events: its fields with their units and bounds.
    public static let kind = Kind.weighIn
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let localDate = SharedFields.localDate
    static let grams = Field.number(
        "weight_g", .grams, 2_000...650_000, soft: 20_000...350_000
    ).required(else: 0)
    static let bodyFatBasisPoints = Field.number("body_fat_bp", .basisPoints, 200...7_500)
    static let note = SharedFields.note
    static let source = Field<WeighSource?>.choice("source")
    static let externalIDs = SharedFields.externalIDs

    static let sharedID = SharedID(
        "weigh_in/{day}", for: "the only weigh-in of a day, where a rule allows one")

    /// Reads the stored fields; `nil` when the day or the weight is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A weight, in grams from 2,000 to 650,000.
    public init(id: Identifier, on localDate: LocalDate, grams: Int64) {
        self.id = id
        fields = ValueMap()
        self.localDate = localDate
        self.grams = grams
    }

    /// The day it counts for, with its instant and zone.
    public var localDate: LocalDate {
        get { fields[Self.localDate] }
        set { fields[Self.localDate] = newValue }
    }

    /// The weight, in grams from 2,000 to 650,000.
    public var grams: Int64 {
        get { fields[Self.grams] }
        set { fields[Self.grams] = newValue }
    }

    /// Body fat, in basis points from 200 to 7,500.
    public var bodyFatBasisPoints: Int64? {
        get { fields[Self.bodyFatBasisPoints] }
        set { fields[Self.bodyFatBasisPoints] = newValue }
    }

    /// A note, up to 4,000 bytes.
    public var note: String? {
        get { fields[Self.note] }
        set { fields[Self.note] = newValue }
    }

    /// How it was entered.
    public var source: WeighSource? {
        get { fields[Self.source] }
        set { fields[Self.source] = newValue }
    }

    /// Its names in other systems, up to 20 of 120 bytes.
    public var externalIDs: [String] {
        get { fields[Self.externalIDs] }
        set { fields[Self.externalIDs] = newValue }
    }
}
