/// The time and size limits of one exchange.
package struct ExchangeLimits: Equatable, Sendable {
    /// The time limit for connecting, including TLS.
    package var connectMilliseconds: Int
    /// The time limit for the whole exchange.
    package var exchangeMilliseconds: Int
    /// The number of seconds without a byte after which the exchange is aborted. A long poll needs
    /// more than the time for which the server holds it.
    package var stallSeconds: Int
    /// The maximum size of the answer's body, in bytes after decompression.
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

    /// The maximum size of the answer's head, in bytes.
    static let headBytesMax = 65_536
}
