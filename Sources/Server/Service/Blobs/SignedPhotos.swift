/// Photos for programs that know no events: kept as the account's blobs, and shown at addresses that work for
/// ten to eleven minutes without a token.
import MacrologEvents
package import MacrologHTTP
import MacrologImages
import MacrologCryptography
import MacrologSystem

extension SyncServer {
    /// How long an address works at least, in milliseconds.
    package static let photoAddressMilliseconds: Int64 = 600_000
    /// How long the address of a photo stays the same at most, in milliseconds.
    private static let addressStepMilliseconds: Int64 = 60_000
    /// Bytes of what an address is signed over, and of its signature.
    private static let signedBytes = 80

    /// The last part of an address of a blob, which shows it to anyone until it expires, and nothing
    /// else: number of the account, time, name, and a keyed digest of all three.
    ///
    /// - Parameter name: The SHA-256 of the bytes.
    package func signedPhoto(_ name: [UInt8], of caller: Caller) -> (text: String, expires: Int64) {
        // A whole minute, so that what shows the address has the same entity tag for a while.
        let step = Self.addressStepMilliseconds
        let least = clock() + Self.photoAddressMilliseconds
        let expires = (least + step - 1) / step * step
        let head = Self.bigEndian(caller.space) + Self.bigEndian(expires) + name
        let signed = head + secrets.digest(ofPhoto: caller.account.bytes + head)
        return (String(decoding: Base64URL.encode(signed), as: UTF8.self), expires)
    }

    /// The response to a request with such an address. Wrong and expired look the same.
    package func photo(signed text: String, for request: HTTPRequest) throws(Problem)
        -> HTTPResponse
    {
        let network = Network.key(of: Network.address(of: request, proxies: settings.proxies))
        try limiters[.openByNetwork]?.charge(network, site: Network.site(of: network), now: clock())
        guard let signed = Base64URL.decode(text.utf8), signed.count == Self.signedBytes else {
            throw .notFound
        }
        let head = Array(signed[..<48])
        let (space, expires) = (Self.number(head[..<8]), Self.number(head[8..<16]))
        guard (1...Place.spaceMax).contains(space), clock() < expires,
            let account = try? store.account(of: space), !account.isDisabled,
            isEqualInConstantTime(
                secrets.digest(ofPhoto: account.name.bytes + head), Array(signed[48...]))
        else { throw .notFound }
        let key = BlobKey(space: space, name: Array(head[16...]))
        var response = try blob(key, for: request)
        guard response.status < 300 || response.status == 304 else { return response }
        let type = try kind(of: key)?.mediaType
        // What is no picture is not shown, whatever a device has sent.
        let replaced =
            ["content-type", "cache-control"] + (type == nil ? [] : ["content-disposition"])
        response.fields.removeAll { replaced.contains($0.name) }
        let seconds = max(1, (expires - clock()) / 1_000)
        response.fields += [
            HTTPField("content-type", type ?? "application/octet-stream"),
            HTTPField("cache-control", "private, max-age=\(seconds)"),
            HTTPField("x-content-type-options", "nosniff"),
            HTTPField("content-security-policy", "default-src 'none'; sandbox"),
            HTTPField("referrer-policy", "no-referrer"),
        ]
        return response
    }

    /// The length in bytes and the media type of a photo that is here whole; `nil` if it is not.
    package func photo(_ name: [UInt8], of caller: Caller) throws(Problem) -> (
        bytes: Int64, type: String?
    )? {
        let key = BlobKey(space: caller.space, name: name)
        guard let bytes = try wholeBytes(key) else { return nil }
        return (bytes, try kind(of: key)?.mediaType)
    }

    private func kind(of key: BlobKey) throws(Problem) -> ImageFormat? {
        do throws(StoreError) {
            let bytes = try store.blob(key) ?? 0
            let beginning = try uploads.files.read(key, 0..<min(64, bytes), of: bytes)
            return ImageFormat(magic: beginning ?? [])
        } catch {
            throw error.problem
        }
    }

    private static func bigEndian(_ number: Int64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
