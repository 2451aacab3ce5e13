import MacrologEvents

/// A field of a kind, declared once: what ``FieldSpec`` says of it, and its type in Swift.
///
/// `Content` is optional where a field may be unset. A required field, and one that means something when
/// it is not set, has a plain type.
struct Field<Content>: Sendable {
    private(set) var spec: FieldSpec
    fileprivate let read: @Sendable (Value?) -> Content
    /// `nil` removes the field.
    fileprivate let write: @Sendable (Content) -> Value?

    init(
        _ spec: FieldSpec, read: @escaping @Sendable (Value?) -> Content,
        write: @escaping @Sendable (Content) -> Value?
    ) {
        self.spec = spec
        self.read = read
        self.write = write
    }
}

extension ValueMap {
    /// The content of a field.
    subscript<Content>(field: Field<Content>) -> Content {
        get { field.read(self[field.spec.name]) }
        set { self[field.spec.name] = field.write(newValue) }
    }
}

/// What a declaration adds to a field.
extension Field {
    /// A field that an entity cannot do without.
    ///
    /// - Parameter fallback: What it reads as in an entity that lacks it; no such entity is made.
    func required<Wrapped: Sendable>(else fallback: Wrapped) -> Field<Wrapped>
    where Content == Wrapped? {
        var spec = spec
        spec.isRequired = true
        return plain(spec, fallback)
    }

    /// A field that an entity cannot do without, and that reads as `nil` where this version does not know
    /// its word.
    func required() -> Field {
        var field = self
        field.spec.isRequired = true
        return field
    }

    /// A field that reads as a value while it is not set.
    func otherwise<Wrapped: Sendable>(_ value: Wrapped) -> Field<Wrapped>
    where Content == Wrapped? {
        var spec = spec
        spec.unset = write(value)
        return plain(spec, value)
    }

    /// A field that reads as `nil` while it is not set, and then means a value.
    func assuming(_ value: Content) -> Field {
        var field = self
        field.spec.unset = write(value)
        return field
    }

    /// What people and JSON call it, where its name in events does not say.
    func shown(
        as title: UTF8Text? = nil, key: UTF8Text? = nil,
        _ presentation: FieldSpec.Presentation? = nil
    ) -> Field {
        var field = self
        if let title { field.spec.title = title }
        field.spec.key = key
        field.spec.presentation = presentation
        return field
    }

    private func plain<Wrapped: Sendable>(
        _ spec: FieldSpec, _ fallback: Wrapped
    ) -> Field<Wrapped> where Content == Wrapped? {
        Field<Wrapped>(
            spec, read: { [read] in read($0) ?? fallback }, write: { [write] in write($0) })
    }
}

// MARK: Numbers, text and bytes

extension Field {
    /// A whole number of a unit, within hard bounds; outside the soft bounds it is unusual.
    static func number(
        _ name: UTF8Text, _ unit: FieldUnit, _ hard: ClosedRange<Int64>,
        soft: ClosedRange<Int64>? = nil
    ) -> Field where Content == Int64? {
        integer(name, .number(unit, hard: hard, soft: soft))
    }

    /// Milliseconds since 1970-01-01 UTC.
    static func instant(_ name: UTF8Text) -> Field where Content == Int64? {
        integer(name, .instant)
    }

    static func flag(_ name: UTF8Text) -> Field where Content == Bool? {
        Field(FieldSpec(name, .flag), read: { $0?.bool }, write: { $0.map { .bool($0) } })
    }

    static func day(_ name: UTF8Text) -> Field where Content == Day? {
        Field(
            FieldSpec(name, .day), read: { $0?.int.flatMap { Day(number: $0) } },
            write: { $0.map { .int($0.number) } })
    }

    /// Text with a length in bytes; `lines` allows line feeds.
    static func text(
        _ name: UTF8Text, _ bytes: ClosedRange<Int>, lines: Bool = false
    ) -> Field where Content == String? {
        string(name, .text(bytes: bytes, lines: lines))
    }

    /// Text of a special form.
    static func string(_ name: UTF8Text, _ shape: FieldShape) -> Field where Content == String? {
        Field(
            FieldSpec(name, shape), read: { $0?.text?.string },
            write: { $0.map { .text(UTF8Text($0)) } })
    }

    /// A short word of the person's or of another program.
    static func word(_ name: UTF8Text, _ shape: FieldShape = .word) -> Field
    where Content == UTF8Text? {
        Field(FieldSpec(name, shape), read: { $0?.text }, write: { $0.map { .text($0) } })
    }

    /// A word of a fixed list; `nil` for one that this version does not know.
    static func choice<C: Choice>(_ name: UTF8Text) -> Field where Content == C? {
        Field(
            FieldSpec(name, .choice(C.names)), read: { $0?.text.flatMap { C(name: $0) } },
            write: { $0.map { .text($0.name) } })
    }

    /// The id of another entity.
    static func reference(_ name: UTF8Text) -> Field where Content == Identifier? {
        Field(
            FieldSpec(name, .reference), read: { $0?.bytes.flatMap { Identifier(bytes: $0) } },
            write: { $0.map { .bytes($0.bytes) } })
    }

    /// A SHA-256.
    static func hash(_ name: UTF8Text) -> Field where Content == [UInt8]? {
        Field(FieldSpec(name, .hash), read: { $0?.bytes }, write: { $0.map { .bytes($0) } })
    }

    private static func integer(_ name: UTF8Text, _ shape: FieldShape) -> Field
    where Content == Int64? {
        Field(FieldSpec(name, shape), read: { $0?.int }, write: { $0.map { .int($0) } })
    }
}

// MARK: Values with parts, lists and sets

extension Field {
    static func amount(_ name: UTF8Text) -> Field where Content == Amount? {
        Field(
            FieldSpec(name, .amount), read: { $0.flatMap { Amount($0) } },
            write: { $0.map { $0.value } })
    }

    static func shares(_ name: UTF8Text) -> Field where Content == MacroShares? {
        Field(
            FieldSpec(name, .shares), read: { $0.flatMap { MacroShares($0) } },
            write: { $0.map { $0.value } })
    }

    static func items(_ name: UTF8Text) -> Field where Content == [TemplateItem] {
        Field(
            FieldSpec(name, .items), read: { $0.flatMap { TemplateItem.list($0) } ?? [] },
            write: { TemplateItem.value($0) })
    }

    /// Texts: lines that change together, or a set when `elementsMax` is given.
    static func texts(
        _ name: UTF8Text, _ shape: FieldShape, elementsMax: Int? = nil
    ) -> Field where Content == [String] {
        Field(
            FieldSpec(name, shape, elementsMax: elementsMax),
            read: { ($0?.array ?? []).compactMap { $0.text?.string } },
            write: { $0.isEmpty ? nil : .array($0.map { .text(UTF8Text($0)) }) })
    }
}

extension Identifier {
    /// What names nothing.
    static let zero = Identifier(high: 0, low: 0)
}

// MARK: Fields of several kinds

/// Fields that mean the same in every kind that has them.
enum SharedFields {
    /// The day an entry counts for, with its instant and zone.
    static let localDate = Field<LocalDate?>(
        FieldSpec("local_date", .localDate), read: { $0.flatMap { LocalDate($0) } },
        write: { $0.map { $0.value } }
    ).shown(as: "date").required(else: LocalDate(day: .earliest))

    static let note = Field.text("note", 0...4_000, lines: true)

    /// Its names in other systems.
    static let externalIDs = Field.texts(
        "external_ids", .text(bytes: 1...120, lines: false), elementsMax: 20
    ).shown(key: "external_refs")
}
