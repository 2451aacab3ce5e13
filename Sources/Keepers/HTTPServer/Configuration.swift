/// The settings of a server. Every default is the number of `protocol.md`.
package struct Configuration: Sendable {
    /// Certificate and key of the server, both as PEM text.
    package struct TLS: Sendable {
        /// The certificate, followed by its chain.
        package var certificate: [UInt8]
        /// The private key.
        package var key: [UInt8]

        /// Memberwise initializer.
        package init(certificate: [UInt8], key: [UInt8]) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// The numeric address to listen on, IPv4 or IPv6.
    package var address = "127.0.0.1"
    /// The port; 0 lets the system choose one.
    package var port: UInt16 = 8080
    /// TLS, or `nil` for plain HTTP.
    package var tls: TLS?
    /// Threads that read, answer and write.
    package var threads = 2
    /// The maximum length of a body, in bytes as transferred. A longer one is answered with 413.
    package var bodyBytesMax = 1 << 20
    /// The longest body, in bytes, that is kept in memory without asking where it goes.
    package var shortBodyBytesMax = 16_384
    /// How many bytes of an overlong body are still read and discarded, so that a client that reads
    /// no answer while it sends can finish, and read the refusal.
    package static let drainedBytesMax = 4_194_304
    /// The maximum length of the request target, in bytes. A longer one is answered with 414.
    package var targetBytesMax = 2048
    /// Maximum number of connections.
    package var connectionsMax = 10_000
    /// Descriptors that the program needs for other things than connections.
    package var descriptorsReserved = 64
    /// Maximum number of connections from one address.
    package var connectionsPerAddressMax = 100
    /// How long the header of a request may take, in milliseconds.
    package var headerMilliseconds: Int64 = 10_000
    /// The base time limit of a body or a response, in milliseconds.
    package var bodyMilliseconds: Int64 = 10_000
    /// The additional time for each 64 KiB of a body or a response, in milliseconds.
    package var millisecondsPer64KiB: Int64 = 1_000
    /// The idle timeout between two requests, in milliseconds.
    package var idleMilliseconds: Int64 = 15_000
    /// Memory of one connection for its header, in bytes. A longer header is answered with 431.
    /// libmicrohttpd uses all of it after the first request, so this is the memory cost of an idle
    /// connection or a held poll.
    package var connectionMemoryBytes = 16_384

    /// The defaults.
    package init() {}
}

/// Why a server could not start.
package struct ServerError: Error, Equatable, CustomStringConvertible {
    /// What was attempted, such as `listen on 127.0.0.1:80`.
    package let operation: String
    /// The system's message.
    package let detail: String

    package var description: String { "cannot \(operation): \(detail)" }
}
