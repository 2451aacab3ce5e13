import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: JSON comes out exactly as it went in, and what is not JSON does not come in.
@Suite struct JSONTests {
    static let sample: JSON = [
        "name": "Crème \"brûlée\"\n\u{1}\\", "grams": 80, "exact": .number("80.250"), "none": nil,
        "tags": ["a", true, [], [:]], "z": -9_223_372_036_854_775_808,
    ]

    @Test func `objects keep their order`() {
        #expect(
            Self.sample.compact
                == #"{"name":"Crème \"brûlée\"\n\u0001\\","grams":80,"exact":80.250,"none":null,"#
                + #""tags":["a",true,[],{}],"z":-9223372036854775808}"#)
    }

    @Test func `pretty JSON is indented by two`() {
        #expect(
            (["a": [1, 2], "b": [:], "c": ["d": nil]] as JSON).pretty == """
                {
                  "a": [
                    1,
                    2
                  ],
                  "b": {},
                  "c": {
                    "d": null
                  }
                }
                """)
    }

    @Test func `what was written is read again`() throws {
        #expect(try JSON.parse(Self.sample.compact) == Self.sample)
        #expect(try JSON.parse(Self.sample.pretty) == Self.sample)
    }

    @Test(arguments: [
        ("null", JSON.null), (" true\n", true), ("0", 0), ("-1", -1), ("-0", .number("-0")),
        ("9223372036854775807", .integer(.max)),
        ("9223372036854775808", .number("9223372036854775808")),
        ("1.0", .number("1.0")), ("1e5", .number("1e5")), ("-1.25E-7", .number("-1.25E-7")),
        (#""\u00e9\ud83c\udf4e\/\b\f""#, "é🍎/\u{8}\u{C}"), ("[ ]", .array([])),
        ("{ }", .object([])),
        (#""\u0000""#, "\0"), ("[1 , 2]", .array([1, 2])), ("\"\u{7F}\"", "\u{7F}"),
    ])
    func `valid texts are read`(text: String, value: JSON) throws {
        #expect(try JSON.parse(text) == value)
    }

    @Test(arguments: [
        "", " ", "nul", "truex", "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x1", "NaN", "[1,]",
        "[1 2]", "[", "]", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "'a'", "\"",
        "\"\\x\"",
        "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"a\tb\"", "\"a\nb\"",
        "1 2", "[1]]", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "\u{FEFF}1", "1 // no",
        "\"\\",
        "\"\\u", "-01", "[\u{A0}1]",
    ])
    func `texts that are not JSON are refused`(text: String) {
        #expect(throws: JSONError.self) { try JSON.parse(text) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        for bytes: [UInt8] in [
            [0x22, 0xFF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22],
        ] {
            #expect(throws: JSONError.self) { try JSON.parse(bytes) }
        }
    }

    @Test func `keys are compared by their bytes`() throws {
        #expect(try JSON.parse("{\"\u{C5}\":1,\"\u{212B}\":2}").object?.count == 2)
        #expect(("Å" as JSON) != .string("\u{212B}"))
    }

    @Test func `nesting ends at sixty-four`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try JSON.parse(nested(65))
        #expect(throws: JSONError.self) { try JSON.parse(nested(66)) }
        #expect(throws: JSONError.self) { try JSON.parse(String(repeating: "[", count: 100_000)) }
    }

    @Test func `a mistake has its place`() {
        let error = #expect(throws: JSONError.self) { try JSON.parse("{\n  \"a\": 1\n  \"b\": 2}") }
        #expect(error?.description == "line 3, column 3: a comma or } is missing")
    }

    @Test func `random texts never crash the parser`() {
        var random = Dice(seed: 7)
        let alphabet = Array("{}[]\",:\\u0129eE+-.tfn \n\u{FF}".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int(random.next() % 24)).map { _ in
                alphabet[Int(random.next() % UInt64(alphabet.count))]
            }
            if let value = try? JSON.parse(bytes) {
                #expect((try? JSON.parse(value.compact)) == value, "seed 7, \(bytes)")
            }
        }
    }

    @Test func `what would move a cursor or turn text around is escaped, and reads the same`()
        throws
    {
        for scalar: Unicode.Scalar in [
            "\u{0}", "\u{1B}", "\u{7F}", "\u{80}", "\u{9B}", "\u{9F}", "\u{61C}", "\u{200E}",
            "\u{200F}",
            "\u{2028}", "\u{2029}", "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}",
        ] {
            let digits = String(scalar.value, radix: 16)
            let escaped = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            let value = JSON.string("é\(scalar)🍎")
            #expect(value.compact == "\"é\(escaped)🍎\"")
            #expect(try JSON.parse(value.compact) == value)
        }
        let plain = "~\u{A0}é\u{200B}\u{200D}\u{2027}\u{202F}\u{2065}\u{206A}🍎"
        #expect(JSON.string(plain).compact == "\"\(plain)\"")
    }

    @Test func `decimals are exact`() {
        #expect(JSON.decimal(80_250, scale: 3) == .number("80.25"))
        #expect(JSON.decimal(80_000, scale: 3) == 80)
        #expect(JSON.decimal(-5, scale: 1) == .number("-0.5"))
    }

    @Test func `members are found by their key`() {
        #expect(Self.sample["grams"]?.integer == 80)
        #expect(Self.sample["name"]?.string?.isEmpty == false)
        #expect(Self.sample["tags"]?.array?[1].bool == true)
        #expect(Self.sample["nothing"] == nil)
    }

    @Test(arguments: [
        (#"{"a": NaN}"#, "/a"), (#"{"items": [{"name": "x"}, {"a/b~": -}]}"#, "/items/1/a~1b~0"),
        (#"[1, 2, [3, 04]]"#, "/2/1"), (#"{"a": 1,}"#, ""), (#"{"a": {"b": 1, "b": 2}}"#, "/a"),
        ("", ""),
    ])
    func `a mistake names the member that it is in`(text: String, pointer: String) {
        do throws(JSONError) {
            _ = try JSON.parse(text)
            Issue.record("\(text) is read")
        } catch {
            #expect(error.pointer == pointer)
        }
    }
}
