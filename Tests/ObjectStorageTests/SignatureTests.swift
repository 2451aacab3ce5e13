import MacrologEvents
import MacrologHTTP
import MacrologObjectStorage
import MacrologWire
import Testing

/// Goal: requests are signed as the service computes it, and addresses and lists are read strictly.
/// Method: the examples of AWS's documentation ("Signature Calculations for the Authorization Header: Transferring
/// Payload in a Single Chunk"), whose key is published.
@Suite struct SignatureTests {
    private let signature = SignatureV4(
        S3Credentials(
            accessKey: "AKIAIOSFODNN7EXAMPLE",
            secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), region: "us-east-1")

    struct Example: Sendable {
        let request: HTTPRequest
        let body: String
        let names: String
        let signature: String
    }

    static let examples = [
        Example(
            request: HTTPRequest(
                method: "GET", path: "/test.txt", fields: [HTTPField("Range", "bytes=0-9")]),
            body: "", names: "host;range;x-amz-content-sha256;x-amz-date",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Example(
            request: HTTPRequest(
                method: "PUT", path: "/test%24file.text",
                fields: [
                    HTTPField("Date", "Fri, 24 May 2013 00:00:00 GMT"),
                    HTTPField("x-amz-storage-class", "REDUCED_REDUNDANCY"),
                ]), body: "Welcome to Amazon S3.",
            names: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Example(
            request: HTTPRequest(method: "GET", path: "/", query: "lifecycle"), body: "",
            names: "host;x-amz-content-sha256;x-amz-date",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Example(
            request: HTTPRequest(method: "GET", path: "/", query: "prefix=J&max-keys=2"), body: "",
            names: "host;x-amz-content-sha256;x-amz-date",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test(arguments: examples) func `a published request has its published signature`(
        _ example: Example
    ) {
        let fields = signature.fields(
            for: example.request, host: "examplebucket.s3.amazonaws.com",
            bodyHash: SHA256.hash(Array(example.body.utf8)), now: 1_369_353_600_000)
        #expect(fields.map(\.name) == ["x-amz-content-sha256", "x-amz-date", "authorization"])
        #expect(
            fields.last?.value
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                + "SignedHeaders=\(example.names), Signature=\(example.signature)")
    }

    @Test func `a value of a query is encoded`() {
        #expect(SignatureV4.encoded("aZ09-._~") == "aZ09-._~")
        #expect(SignatureV4.encoded("1/a b+=&Å") == "1%2Fa%20b%2B%3D%26%C3%85")
    }

    @Test func `an address of a bucket is read`() throws {
        let plain = try S3Address("s3://photos", endpoint: nil, region: "eu-central-1")
        #expect(plain.bucket == "photos" && plain.prefix == "")
        #expect(plain.host == "s3.eu-central-1.amazonaws.com")
        for text in ["s3://photos.of-us/a/B_2", "s3://photos.of-us/a/B_2/"] {
            let deep = try S3Address(text, endpoint: "http://127.0.0.1:9000", region: "us-east-1")
            #expect(deep.bucket == "photos.of-us" && deep.prefix == "a/B_2/")
            #expect(deep.host == "127.0.0.1:9000")
            #expect("\(deep)" == "s3://photos.of-us/a/B_2/")
        }
    }

    @Test(arguments: [
        ("photos", nil, "us-east-1", "s3://"), ("s3://", nil, "us-east-1", "3 to 63"),
        ("s3://UPPER", nil, "us-east-1", "3 to 63"), ("s3://abc/../x", nil, "us-east-1", "prefix"),
        ("s3://abc//x", nil, "us-east-1", "prefix"), ("s3://abc?x", nil, "us-east-1", "3 to 63"),
        ("s3://abc", nil, "us east", "region"),
        ("s3://abc", "http://example.org", "us-east-1", "https"),
        ("s3://abc", "example.org", "us-east-1", "https://"),
    ])
    func `a wrong address is a sentence`(
        _ text: String, _ endpoint: String?, _ region: String, _ said: String
    ) {
        let error = #expect(throws: S3AddressError.self) {
            try S3Address(text, endpoint: endpoint, region: region)
        }
        #expect(error?.description.contains(said) == true, "\(error?.description ?? "")")
    }

    @Test func `a list is read whole, or not at all`() throws {
        let text = """
            <?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated>
            <Contents><Key>1/a</Key><LastModified>2026-11-24T22:27:16.000Z</LastModified></Contents>
            <Contents><Key>x&amp;lt;</Key><LastModified>2024-02-29T00:00:00.5Z</LastModified></Contents>
            <NextContinuationToken>a&lt;b</NextContinuationToken></ListBucketResult>
            """
        let page = try #require(S3Listing(Array(text.utf8)))
        #expect(page.objects.map(\.name) == ["1/a", "x&lt;"])
        #expect(page.objects.map(\.written) == [1_795_559_236_000, 1_709_164_800_000])
        #expect(page.next == "a<b")
        for count in 0..<text.utf8.count {
            #expect(S3Listing(Array(text.utf8.prefix(count))) == nil)
        }
        #expect(S3Listing.milliseconds("2026-13-24T22:27:16Z") == nil)
        #expect(S3Listing.milliseconds("1970-01-01T00:00:01Z") == 1_000)
    }
}
