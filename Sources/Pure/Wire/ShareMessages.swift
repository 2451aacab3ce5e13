package import MacrologEvents

/// The request of `POST /v1/shares`: what a person shows to others, under a token of the device's choice.
package struct ShareRequest: Hashable, Sendable {
    /// Bytes of a token.
    public static let tokenBytes = 32

    /// The protocol's version.
    public var version: Int64
    /// ``tokenBytes`` unpredictable bytes. Who has them sees what is shared.
    public var token: [UInt8]
    /// How long it can be seen, in seconds: 1 to ``Limits/shareSecondsMax``.
    public var seconds: Int64
    /// How often it can be opened: 1 to ``Limits/shareOpensMax``; 0 for as often as one likes.
    public var opensMax: Int64
    /// The address of the server as the device reaches it, which a page needs to name its picture.
    public var origin: UTF8Text
    /// The document as JSON, 1 to ``Limits/shareDocumentBytesMax`` bytes.
    public var document: [UInt8]
    /// Its card as a PNG file, 1 to ``Limits/shareCardBytesMax`` bytes.
    public var card: [UInt8]

    /// Memberwise initializer.
    public init(
        version: Int64 = Limits.protocolVersion, token: [UInt8], seconds: Int64, opensMax: Int64,
        origin: UTF8Text, document: [UInt8], card: [UInt8]
    ) {
        self.version = version
        self.token = token
        self.seconds = seconds
        self.opensMax = opensMax
        self.origin = origin
        self.document = document
        self.card = card
    }

    /// Encodes the message.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: 512 + document.count + card.count)
        writer.map(7)
        writer.int(0)
        writer.int(version)
        writer.int(1)
        writer.byteString(token)
        writer.int(2)
        writer.int(seconds)
        writer.int(3)
        writer.int(opensMax)
        writer.int(4)
        writer.text(origin)
        writer.int(5)
        writer.byteString(document)
        writer.int(6)
        writer.byteString(card)
        return writer.bytes
    }

    /// Decodes the message, strictly.
    ///
    /// - Parameter versions: The supported protocol versions.
    public static func decoded(
        _ bytes: [UInt8], versions: ClosedRange<Int64> = Limits.protocolVersions
    ) throws(CBORError) -> ShareRequest {
        try CBORReader.read(bytes, as: "share-request") { reader throws(CBORError) in
            let start = reader.offset
            let pairs = try reader.map()
            try reader.expectKey(0)
            let version = try reader.version(of: versions)
            guard pairs == 7 else { throw reader.error(.shape, at: start) }
            try reader.expectKey(1)
            let token = try octets(tokenBytes...tokenBytes, &reader)
            try reader.expectKey(2)
            let seconds = try reader.int(in: 1...Limits.shareSecondsMax)
            try reader.expectKey(3)
            let opensMax = try reader.int(in: 0...Limits.shareOpensMax)
            try reader.expectKey(4)
            let origin = try reader.text(limit: Limits.shareOriginBytesMax)
            try reader.expectKey(5)
            let document = try octets(1...Limits.shareDocumentBytesMax, &reader)
            try reader.expectKey(6)
            let card = try octets(1...Limits.shareCardBytesMax, &reader)
            return ShareRequest(
                version: version, token: token, seconds: seconds, opensMax: opensMax,
                origin: origin, document: document, card: card)
        }
    }

    /// A byte string whose length is within bounds.
    private static func octets(
        _ counts: ClosedRange<Int>, _ reader: inout CBORReader
    ) throws(CBORError) -> [UInt8] {
        let start = reader.offset
        let octets = try reader.byteString(limit: counts.upperBound)
        guard octets.count >= counts.lowerBound else { throw reader.error(.shape, at: start) }
        return octets
    }
}
