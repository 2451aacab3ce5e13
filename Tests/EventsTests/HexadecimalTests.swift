import MacrologEvents
import Testing

/// Goal: a hash has one text, whichever room writes it.
/// Method: each byte, beside Swift's own digits.
@Suite struct HexadecimalTests {
    @Test func `each byte has two digits, in lower case and in its order`() {
        let all = Array(UInt8.min...UInt8.max)
        #expect(hexadecimal(all) == hex(all))
        #expect(hexadecimal([0x0A, 0xF0]) == "0af0")
        #expect(hexadecimal([]) == "")
    }
}
