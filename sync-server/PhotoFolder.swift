/// The folder of photos that all servers with one `--store` share. A mark in it says whose it is: without one a folder
/// that is not mounted would look like one whose photos are lost.
import MacrologArgumentParsing
import MacrologPostgreSQL
import MacrologService
import MacrologSystem

struct PhotoFolder {
    let path: String
    private let addresses: [PostgreSQLAddress]

    /// The folder that the options name, or that of --data; `nil` if photos are in a bucket, or in the data folder of a
    /// server with SQLite.
    init?(_ arguments: ParsedArguments) throws(CommandError) {
        let stores = try StoreOptions.stores(arguments)
        guard !stores.isEmpty, arguments[BlobOptions.place] == nil else { return nil }
        path = arguments[StoreOptions.files] ?? arguments[Serve.data]
        addresses = stores.map(\.address)
    }

    private var mark: String { "\(path)/server.db.blobs-of" }

    /// Refuses a folder that cannot be used, or is another one. Changes nothing.
    ///
    /// - Parameter secrets: `nil` if there are none yet.
    func check(_ secrets: Secrets?) throws(CommandError) {
        let status: FileStatus?
        do throws(SystemError) { status = try FileStatus.ifThere(Files.wholePath(path)) } catch {
            throw unusable("\(error)")
        }
        guard let status else {
            let parent = Files.folder(of: path)
            guard Files.exists(parent) else { throw unusable("there is no folder \(parent)") }
            return try refuseUnmarked()
        }
        guard status.isFolder else { throw unusable("it is no folder") }
        guard Files.isWritable(path) else { throw unusable("this user may not write there") }
        let found: [UInt8]?
        do throws(WholeFile.ReadError) { found = try WholeFile.read(mark, atMost: 256) } catch {
            throw unusable("\(mark) cannot be read")
        }
        guard let found else {
            // Of a version before there were marks.
            return BlobFiles(of: "\(path)/server.db").hasAny ? () : try refuseUnmarked()
        }
        // The operator has made an empty one: the photos are lost.
        guard let secrets, !found.isEmpty else { return }
        guard found.elementsEqual(Self.text(secrets)) else {
            throw CommandError(
                .config,
                """
                sync-server: \(path) has the photos of another service. Name that of this one with --store-files.
                """)
        }
    }

    /// Marks the folder, which was checked.
    func take(_ secrets: Secrets) throws(CommandError) {
        guard FileStatus(of: mark)?.bytes ?? 0 == 0 else { return }
        do throws(SystemError) {
            // Several nodes may start at once, in one folder.
            var whole = try WholeFile(mark)
            try whole.write(Self.text(secrets))
            try whole.complete()
        } catch {
            throw unusable("\(error)")
        }
    }

    private static func text(_ secrets: Secrets) -> [UInt8] {
        Array("\(PostgreSQLServerStore.folderMark(secrets))\n".utf8)
    }

    /// Refuses a folder without a mark, and without any photo, of a database that knows some. It may be mounted later.
    private func refuseUnmarked() throws(CommandError) {
        for address in addresses {
            let hasPhotos: Bool
            do throws(PostgreSQLError) {
                hasPhotos = try PostgreSQLServerStore.hasPhotos(address)
            } catch {
                throw StoreOptions.sentence(error)
            }
            guard hasPhotos else { continue }
            throw CommandError(
                .tempFail,
                """
                sync-server: \(address.summary) knows photos, and \(path) has none, nor the file \(mark). Mount the \
                folder that all servers share, or name it with --store-files. If the photos are lost, make that file, \
                empty, and start again: devices that have them send them again.
                """)
        }
    }

    private func unusable(_ detail: String) -> CommandError {
        CommandError(
            .cantCreate,
            "sync-server: cannot use the folder of photos \(path): \(detail). It must belong to the server's user."
        )
    }
}
