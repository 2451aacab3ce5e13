import MacrologHTTP
import Testing

/// Goal: the address a person types means one server, or is refused with a better one.
@Suite struct OriginTests {
    @Test(arguments: [
        ("https://sync.example.org", "https://sync.example.org"),
        ("HTTPS://Sync.Example.ORG/", "https://sync.example.org"),
        ("https://example.org:443", "https://example.org"),
        ("https://example.org:8443/a/b/", "https://example.org:8443/a/b"),
        ("https://example.org//a//b", "https://example.org/a/b"),
        ("https://[2001:DB8::1]:9", "https://[2001:db8::1]:9"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://a.localhost", "http://a.localhost"),
        ("http://127.0.0.1:80/x", "http://127.0.0.1/x"),
        ("http://127.255.0.10", "http://127.255.0.10"),
        ("http://[::1]", "http://[::1]"),
    ])
    func `an address is read`(text: String, written: String) throws {
        #expect(try Origin(text).description == written)
        #expect(try Origin(written) == Origin(text))
    }

    @Test func `an address has its parts`() throws {
        let origin = try Origin("https://[::1]:8443/a")
        #expect(origin.isSecure && origin.isLoopback)
        #expect(origin.host == "::1")
        #expect(origin.port == 8_443)
        #expect(origin.prefix == "/a")
    }

    @Test(
        arguments: [
            ("", .empty), ("example.org", .scheme), ("ftp://example.org", .scheme),
            ("https:/example.org", .scheme), ("http://example.org", .insecure),
            ("http://127.0.0.1.example.org", .insecure),
            ("http://localhost.example.org", .insecure),
            ("http://127.999.1.1", .insecure), ("http://127.0.0.256", .insecure),
            ("http://127.0.0.01", .insecure), ("http://127.00.0.1", .insecure),
            ("http://0127.0.0.1", .insecure), ("http://127.0.0", .insecure),
            ("http://127.0.0.1.", .insecure), ("http://127..0.1", .insecure),
            ("http://127.0.0.0001", .insecure), ("http://127.0.0.1a", .insecure),
            ("http://0x7f.0.0.1", .insecure), ("http://0x7f.1", .insecure),
            ("http://2130706433", .insecure), ("http://0.0.0.0", .insecure),
            ("http://128.0.0.1", .insecure), ("http://[::ffff:127.0.0.1]", .insecure),
            ("http://[::127.0.0.1]", .insecure), ("http://[0::1]", .insecure),
            ("http://[::]", .insecure), ("http://localhost.", .insecure),
            ("http://127.1", .insecure), ("http://10.0.0.1", .insecure), ("https://", .host),
            ("https:///path", .host), ("https://a b", .host), ("https://é.org", .host),
            ("https://-a", .host), ("https://[::1", .host), ("https://[::1]x", .host),
            ("https://[example]", .host), ("https://a\r\nb", .host), ("https://a\0", .host),
            ("https://u:p@example.org", .userInformation), ("https://a:", .port),
            ("https://a:0", .port), ("https://a:65536", .port), ("https://a:8x", .port),
            ("https://a/?q", .path), ("https://a/#f", .path), ("https://a/b/../c", .path),
            ("https://a/b c", .path),
        ] as [(String, OriginError.Code)])
    func `a wrong address is refused with its code`(
        text: String, reason: OriginError.Code
    ) {
        let error = #expect(throws: OriginError.self) { try Origin(text) }
        #expect(error?.code == reason)
        #expect(error?.hint.isEmpty == false)
    }

    @Test func `plain http beyond this computer needs permission`() throws {
        let origin = try Origin("http://10.0.0.1:8080", allowingInsecure: true)
        #expect(!origin.isLoopback)
        #expect(origin.description == "http://10.0.0.1:8080")
    }
}
