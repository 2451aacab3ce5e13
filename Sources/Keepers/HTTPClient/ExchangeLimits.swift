/// What one request and its answer may cost.
package struct ExchangeLimits: Equatable, Sendable {
    /// How long connecting may take, TLS included.
    package var connectMilliseconds: Int
    /// How long the whole exchange may take.
    package var exchangeMilliseconds: Int
    /// After how many seconds without a byte the exchange is given up. A long poll needs more than
    /// the server holds it.
    package var stallSeconds: Int
    /// How many bytes of body are accepted, counted after decompression.
    package var bodyBytesMax: Int

    /// The limits of an ordinary exchange: 10 s, 60 s, 30 s, 8 MiB.
    package init(
        connectMilliseconds: Int = 10_000, exchangeMilliseconds: Int = 60_000,
        stallSeconds: Int = 30, bodyBytesMax: Int = 8 * 1_024 * 1_024
    ) {
        self.connectMilliseconds = connectMilliseconds
        self.exchangeMilliseconds = exchangeMilliseconds
        self.stallSeconds = stallSeconds
        self.bodyBytesMax = bodyBytesMax
    }

    /// How many bytes the head of an answer may have.
    static let headBytesMax = 65_536
}
