/// The certificate and the key of a server, which can be exchanged while it runs.
import CMacrologMicroHTTPD
import Synchronization

final class Identity: Sendable {
    /// A `cmhd_identity`, or 0 without TLS. Earlier ones stay valid for the connections that use them.
    private let address = Atomic<UInt>(0)

    /// Reads both and uses them from now on.
    func set(_ tls: Configuration.TLS) throws(ServerError) {
        var reason: UnsafePointer<CChar>?
        let read = cmhd_identity_read(
            tls.certificate, tls.certificate.count, tls.key, tls.key.count, &reason)
        guard let read else {
            let detail = reason.map { String(cString: $0) } ?? "they are not valid"
            throw ServerError(operation: "use the certificate and its key (PEM)", detail: detail)
        }
        address.store(UInt(bitPattern: read), ordering: .releasing)
    }

    /// The current one.
    var current: UnsafePointer<cmhd_identity>? {
        UnsafePointer(bitPattern: address.load(ordering: .acquiring))
    }
}
