/// The limits promised by `protocol.md` §9; a test compares both.
package enum Limits {
    /// The newest protocol version that this build supports.
    public static let protocolVersion: Int64 = 1
    /// The oldest supported version: the one before the newest, as soon as there are two.
    public static let protocolVersionOldest: Int64 = 1
    /// The range of supported versions.
    public static var protocolVersions: ClosedRange<Int64> {
        protocolVersionOldest...protocolVersion
    }
    /// Bytes of one encoded event body.
    public static let eventBytesMax = 65_536
    /// UTF-8 bytes of one text, and bytes of one byte string inside a value.
    public static let textBytesMax = 16_384
    /// UTF-8 bytes of a kind, a field name or an event type.
    public static let nameBytesMax = 64
    /// Nesting depth of arrays and maps, counted from the outermost item.
    public static let depthMax = 16
    /// Entries of one map inside an event.
    public static let mapEntriesMax = 64
    /// Changes of one event, each to a different entity.
    public static let changesMax = 64
    /// Operations of one change.
    public static let operationsMax = 64
    /// Events of one page, in either direction.
    public static let pageEventsMax = 500
    /// Bytes of the events of one page, in either direction, before compression.
    public static let pageBytesMax = 262_144
    /// Bytes of a blob.
    public static let blobBytesMax = 10_485_760
    /// Ranges of one digest request, to find where two logs differ.
    public static let digestRangesMax = 16
    /// Parts of one such range; a range of at most this number of events is requested event by
    /// event.
    public static let digestPartsMax = 32
    /// Seconds for which a share can be seen: ninety days.
    public static let shareSecondsMax: Int64 = 7_776_000
    /// How often a share can be opened, where that is limited.
    public static let shareOpensMax: Int64 = 1_000_000
    /// Bytes of the address of the server in a share.
    public static let shareOriginBytesMax = 512
    /// Bytes of the document of a share.
    public static let shareDocumentBytesMax = 32_768
    /// Bytes of the card of a share.
    public static let shareCardBytesMax = 262_144
    /// Bytes of a request or answer body, after decompression.
    public static let messageBytesMax = 1_048_576
}
