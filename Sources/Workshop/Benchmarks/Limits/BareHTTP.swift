import CMacrologMicroHTTPD
import MacrologPlatform

/// The barest libmicrohttpd server: reads a request's body and answers 64 bytes. The limit of what
/// any server on that library can do.
enum BareHTTP {
    /// The argument that makes this program run as that server until it is stopped.
    static let word = "--bare-http"

    static func run() throws {
        var settings = cmhd_settings()
        settings.flags =
            MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_USE_EPOLL.rawValue
            | MHD_USE_TURBO.rawValue
        settings.completed = { _, _, _, _ in }
        settings.access = { _, connection, _, _, _, _, uploaded, request in
            // libmicrohttpd calls this first with the header, then with pieces of the body, then
            // with no bytes: only then is the answer sent.
            if request?.pointee == nil {
                request?.pointee = UnsafeMutableRawPointer(bitPattern: 1)
                return .YES
            }
            if let uploaded, uploaded.pointee > 0 {
                uploaded.pointee = 0
                return .YES
            }
            return BareHTTP.answer(connection)
        }
        try serve(&settings)
    }

    static func answer(_ connection: OpaquePointer?) -> MHD_Result {
        let body = StaticBody.bytes
        let response = MHD_create_response_from_buffer(
            body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_PERSISTENT)
        defer { MHD_destroy_response(response) }
        return MHD_queue_response(connection, 200, response)
    }

    /// Listens on the loopback address, says where, and serves until the process is stopped.
    static func serve(_ settings: inout cmhd_settings) throws {
        // Glibc's SOCK_STREAM is an enum that Swift may not import; it is 1 everywhere.
        let listener = socket(AF_INET, 1, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16 in
                bind(listener, address, size)
                listen(listener, 128)
                getsockname(listener, address, &size)
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    UInt16(bigEndian: $0.pointee.sin_port)
                }
            }
        }
        settings.threads = UInt32(max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        settings.listen_socket = listener
        settings.connection_memory = 32_768
        settings.connections = 1_000
        settings.log = { _, _, _ in }
        settings.line = { _, _, _ in nil }
        settings.connection = { _, _, _, _ in }
        settings.unescape = { _, _, text in text.map { strlen($0) } ?? 0 }
        guard cmhd_start(&settings) != nil else { throw Wrong(description: "no bare server") }
        print("listening on http://127.0.0.1:\(port)")
        fflush(nil)
        while true { pause() }
    }

    /// 64 bytes that stay where they are.
    private enum StaticBody {
        nonisolated(unsafe) static let bytes: UnsafeRawBufferPointer = {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 8)
            bytes.initializeMemory(as: UInt8.self, repeating: 0x61)
            return UnsafeRawBufferPointer(bytes)
        }()
    }
}
