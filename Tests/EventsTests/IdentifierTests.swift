import MacrologEvents
import MacrologTestSupport
import Testing

/// Goal: an identifier reads and writes as RFC 9562 says, and sorts as its bytes do.
@Suite struct IdentifierTests {
    /// RFC 9562, appendix A.4.
    @Test func `version 5 gives the example of RFC 9562`() throws {
        let namespace = try #require(Identifier("6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
        let id = Identifier.v5(namespace: namespace, name: "www.example.com")
        #expect(id.description == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
    }

    /// Lengths around the block borders of SHA-1; computed with Python's uuid.uuid5.
    @Test(
        arguments: [
            (0, "4ebd0208-8328-5d69-8c44-ec50939c0967"),
            (38, "f3ddef67-6e5b-53ca-baa2-12b379ef6ced"),
            (39, "2f80c0d1-1c62-579f-8d68-e61ad5592c9b"),
            (40, "e56fd57a-7633-5e1d-8f80-70e05ac413e5"),
            (47, "a112377b-8258-5ef7-b5b0-d2540bc03abb"),
            (48, "83993b6c-dea9-55ca-be5b-9989c85943fc"),
            (49, "a0f0b33b-afbf-5cad-b334-d8140d5af575"),
            (111, "1a48738a-dc98-5032-bf56-974c361d949d"),
            (112, "0243b19e-8bd4-5b57-95a2-1fcacc3142a0"),
            (200, "ddcc691a-b8e2-53e5-b059-6a232874b2eb"),
        ] as [(Int, String)])
    func `version 5 agrees with another implementation`(length: Int, expected: String) throws {
        let namespace = try #require(Identifier("6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
        let name = String(repeating: "x", count: length)
        #expect(Identifier.v5(namespace: namespace, name: name).description == expected)
    }

    @Test func `version 7 keeps the time in front and says what it is`() {
        var dice = Dice(seed: 4)
        var previous = Identifier.v7(milliseconds: 0, random: &dice)
        for milliseconds in [1, 1_790_000_000_000, 1_790_000_000_001, 0xFFFF_FFFF_FFFF] as [Int64] {
            let id = Identifier.v7(milliseconds: milliseconds, random: &dice)
            #expect(previous < id)
            #expect(id.high >> 16 == UInt64(milliseconds))
            #expect(id.high >> 12 & 15 == 7 && id.low >> 62 == 2)
            previous = id
        }
        let random = Identifier.v4(random: &dice)
        #expect(random.high >> 12 & 15 == 4 && random.low >> 62 == 2)
    }

    @Test func `text and bytes read back`() {
        var dice = Dice(seed: 5)
        for _ in 0..<500 {
            let id = dice.identifier()
            #expect(Identifier(id.description) == id)
            #expect(Identifier(id.description.uppercased()) == id)
            #expect(Identifier(bytes: id.bytes) == id)
        }
    }

    @Test func `order is the order of bytes`() {
        var dice = Dice(seed: 6)
        for _ in 0..<500 {
            let (left, right) = (dice.identifier(), dice.identifier())
            #expect((left < right) == left.bytes.lexicographicallyPrecedes(right.bytes))
        }
        let (low, high) = (Identifier(high: 1, low: 1), Identifier(high: 1, low: .max))
        #expect(low < high && !(high < low) && !(low < low))
    }

    @Test(arguments: [
        "", "0190163d", "0190163d-8694-739b-aea5-966c26f8ad9",
        "0190163d-8694-739b-aea5-966c26f8ad911",
        "0190163d86-94-739b-aea5-966c26f8ad91", "0190163d-8694-739b-aea5-966c26f8ad9g",
        "0190163d-8694-739b-aea5_966c26f8ad91", "{190163d-8694-739b-aea5-966c26f8ad91}",
        "0190163d8694739baea5966c26f8ad91", "٠190163d-8694-739b-aea5-966c26f8ad9",
    ])
    func `other text is no identifier`(text: String) {
        #expect(Identifier(text) == nil)
    }

    @Test func `other numbers of bytes are no identifier`() {
        #expect(Identifier(bytes: Dice.some(15)) == nil)
        #expect(Identifier(bytes: Dice.some(17)) == nil)
        #expect(Identifier(bytes: []) == nil)
    }
}
