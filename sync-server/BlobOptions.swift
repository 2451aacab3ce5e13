/// Where photos are: the options of `serve`, and the storage that they make.
import MacrologArgumentParsing
import MacrologObjectStorage
import MacrologService
import MacrologSystem

enum BlobOptions {
    static let place = Parameter.option(
        "blobs", .text("PLACE"),
        "Keep photos in a bucket of a service that speaks S3, which several servers may share, instead of "
            + "the data folder: s3://bucket or s3://bucket/prefix.")
    static let endpoint = Parameter.option(
        "s3-endpoint", .text("URL"),
        "The service with that bucket, such as https://minio.example.org; otherwise that of AWS.")
    static let region = Parameter.option(
        "s3-region", .text("NAME"), otherwise: "us-east-1", "The region of that bucket.")
    static let credentials = Parameter.option(
        "s3-credentials", .file,
        "A file with the access key on its first line and the secret key on its second, which only its "
            + "owner may read; otherwise AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the environment."
    )

    /// The storage that the options name; `nil` for the data folder.
    ///
    /// - Parameter note: Receives why a request failed.
    static func storage(
        _ arguments: ParsedArguments, note: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(CommandError) -> S3Storage? {
        guard let text = arguments[place] else {
            let left = [endpoint.specification, credentials.specification]
                .first { !(arguments.typed($0.name) ?? []).isEmpty }
            guard let left else { return nil }
            throw CommandError(
                .usage, "sync-server: --\(left.name) goes with --blobs=s3://bucket/prefix.")
        }
        let address: S3Address
        do throws(S3AddressError) {
            address = try S3Address(
                text, endpoint: arguments[endpoint], region: arguments[region])
        } catch {
            throw CommandError(.usage, "sync-server: --blobs: \(error)")
        }
        guard !arguments.has(BackupOptions.folder) else {
            throw CommandError(
                .usage,
                """
                sync-server: copies hold no photos of a bucket, and would be incomplete. Leave out \
                --\(BackupOptions.folder.specification.name) or --blobs; copy the database with `backup`, and let the \
                service keep versions of the bucket.
                """)
        }
        return S3Storage(address, try keys(arguments), note: note)
    }

    /// Refuses a bucket that cannot be used, and another place for photos than the one that they are in.
    ///
    /// - Parameter notes: Whether the folder remembers the bucket from now on.
    static func check(
        _ storage: S3Storage?, for folder: DataFolder, notes: Bool = true
    ) throws(CommandError) {
        if let storage {
            do throws(StoreError) { try storage.check() } catch {
                guard case .failed(let detail) = error else {
                    throw CommandError(
                        .tempFail,
                        "sync-server: \(storage.place) does not answer now. Check --s3-endpoint, or try again."
                    )
                }
                throw CommandError(.unavailable, "sync-server: \(detail)")
            }
        }
        try folder.checkPlace(storage?.place, notes: notes)
    }

    private static func keys(_ arguments: ParsedArguments) throws(CommandError) -> S3Credentials {
        let names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]
        var words = names.compactMap { Environment[$0] }
        var place = names.joined(separator: " and ")
        if let path = arguments[credentials] {
            let text = String(decoding: try DataFolder.readKey(path), as: UTF8.self)
            words = text.split(whereSeparator: \.isWhitespace).map(String.init)
            place = path
        } else if words.isEmpty {
            throw CommandError(
                .noInput,
                """
                sync-server: --blobs needs a key. Write it into a file that only its owner may read, the access key \
                on the first line and the secret key on the second, and name that with --s3-credentials.
                """)
        }
        let isPlain = words.allSatisfy { word in
            !word.isEmpty && word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
        guard words.count == 2, isPlain else {
            throw CommandError(
                .dataErr,
                "sync-server: \(place): not an access key and a secret key. Write one on each of two lines."
            )
        }
        return S3Credentials(accessKey: words[0], secretKey: words[1])
    }
}

extension DataFolder {
    /// Where the photos of the database are, if not in this folder.
    private var placeFile: String { "\(path)/blobs.place" }

    /// Refuses another place for photos than the one that they are in.
    ///
    /// - Parameters:
    ///   - place: As ``S3Address`` writes it; `nil` for this folder.
    ///   - notes: Whether the folder remembers it from now on.
    func checkPlace(_ place: String?, notes: Bool) throws(CommandError) {
        let known: String?
        do throws(WholeFile.ReadError) {
            known = try WholeFile.read(placeFile, atMost: 4_096).map {
                String(decoding: $0, as: UTF8.self)
            }
        } catch {
            throw CommandError(.noInput, "sync-server: cannot read \(placeFile).")
        }
        guard known != place else { return }
        if let known {
            throw CommandError(
                .config,
                """
                sync-server: the photos of \(path) are in \(known). Start with --blobs=\(known), or copy the \
                objects to where you want them, and then correct or remove \(placeFile).
                """)
        }
        guard let place else { return }
        guard BlobFiles(of: database).all().isEmpty else {
            throw CommandError(
                .config,
                """
                sync-server: there are photos in \(database).blobs, and they would not be found in \(place). Copy the \
                folders in it, but for unfinished, into the bucket under the same names, move them away, and start \
                again; or leave out --blobs.
                """)
        }
        guard notes else { return }
        do throws(SystemError) {
            try WholeFile.replace(placeFile, with: Array(place.utf8))
        } catch {
            throw CommandError(.cantCreate, "sync-server: cannot write \(placeFile): \(error)")
        }
    }

    /// Has the photos where another folder has them, if that is elsewhere.
    func takePlace(from other: DataFolder) throws(CommandError) {
        guard other.hasBlobsElsewhere, !hasBlobsElsewhere else { return }
        let place = try Self.read(other.placeFile)
        do throws(SystemError) { try WholeFile.replace(placeFile, with: place) } catch {
            throw CommandError(.cantCreate, "sync-server: cannot write \(placeFile): \(error)")
        }
    }

    /// Whether the photos of the database are elsewhere.
    var hasBlobsElsewhere: Bool { Files.exists(placeFile) }

    /// Refuses what needs the photos in this folder if they are elsewhere.
    func requireOwnBlobs(_ what: String) throws(CommandError) {
        guard hasBlobsElsewhere else { return }
        throw CommandError(
            .usage,
            """
            sync-server: the photos of \(path) are in a bucket, and \(what) has no access to it. Use `backup FILE`, \
            which copies the database alone, and let the service keep versions of the bucket.
            """)
    }
}
