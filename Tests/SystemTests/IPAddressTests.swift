import MacrologSystem
import Testing

/// Goal: an address counts as public only where anyone in the Internet means the same host by it.
/// Method: the registries of special addresses, with the first and the last address of each block and its neighbours.
@Suite struct IPAddressTests {
    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.1", "169.253.255.255", "169.255.0.0", "172.15.255.255",
        "172.32.0.0", "192.0.1.255", "192.167.255.255", "192.169.0.0", "198.17.255.255",
        "198.20.0.0", "203.0.114.0", "223.255.255.255", "2001:4860:4860::8888", "2606:4700::1111",
        "2a00::1", "2001:200::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "3fff:1000::1",
    ])
    func `an address of the Internet is public`(text: String) throws {
        #expect(IPAddress.isPublic(try #require(IPAddress.bytes(of: text))))
    }

    @Test(arguments: [
        "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
        "127.0.0.1", "127.255.255.255", "169.254.0.0", "169.254.169.254", "172.16.0.0",
        "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.0.0",
        "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.7", "203.0.113.255",
        "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1", "100::1", "fc00::1", "fd12:3456::1", "fe80::1", "febf::1", "fec0::1",
        "ff02::1", "2001:db8::1", "2001::1", "2001:1ff:ffff::1", "2002:7f00:1::1", "3fff::1",
        "4000::1", "5f00::1",
    ])
    func `an address of a network, a link or a document is not`(text: String) throws {
        #expect(!IPAddress.isPublic(try #require(IPAddress.bytes(of: text))))
    }

    @Test func `what is no address is not public`() {
        for count in [0, 1, 3, 5, 15, 17] {
            #expect(!IPAddress.isPublic([UInt8](repeating: 0x22, count: count)))
        }
    }
}
