/// Which upload writes which blob, so that a file has one writer and is not deleted while it is
/// written.
import MacrologSystem
import Synchronization

/// One upload in progress: an open file that grows.
final class Upload: Sendable {
    private struct State: ~Copyable {
        /// `nil` once it is closed.
        var file: UnfinishedFile?
        var count: Int64
        var error: StoreError?
        var isSuperseded = false
    }

    let key: BlobKey
    let total: Int64
    private let state: Mutex<State>

    init(_ key: BlobKey, total: Int64, file: consuming UnfinishedFile, count: Int64) {
        self.key = key
        self.total = total
        state = Mutex(State(file: file, count: count))
    }

    /// Appends a piece, unless another upload has superseded this one.
    func write(_ bytes: UnsafeRawBufferPointer) {
        state.withLock { state in
            guard state.error == nil else { return }
            do throws(SystemError) {
                if try state.file?.write(bytes, at: state.count) != nil {
                    state.count += Int64(bytes.count)
                }
            } catch {
                state.error = StoreError(error, "write an upload")
            }
        }
    }

    /// Closes the file because another upload continues it.
    func supersede() {
        state.withLock { state in
            state.isSuperseded = true
            state.file = nil
        }
    }

    /// Closes the file. Returns the number of bytes, the error, and whether it is superseded.
    func end() -> (count: Int64, error: StoreError?, isSuperseded: Bool) {
        state.withLock { state in
            state.file = nil
            return (state.count, state.error, state.isSuperseded)
        }
    }
}

/// All uploads in progress.
final class Uploads: Sendable {
    private struct State {
        var running: [BlobKey: Upload] = [:]
        /// Blobs whose file is being completed or deleted; no other upload may touch it.
        var held: Set<BlobKey> = []
        /// Blobs that a shared storage should have, and does not.
        var missing: Set<BlobKey> = []
    }

    private let state = Mutex(State())
    let files: BlobFiles

    init(_ files: BlobFiles) { self.files = files }

    /// Begins an upload at a byte, superseding a running one.
    func begin(_ key: BlobKey, at first: Int64, total: Int64) throws(Problem) -> Upload {
        let result: Result<Upload, Problem> = state.withLock { state in
            guard !state.held.contains(key) else { return .failure(.busy) }
            // The bytes received for the older upload are kept and counted.
            state.running.removeValue(forKey: key)?.supersede()
            let there = files.unfinishedBytes(key)
            guard first == 0 || first == there else { return .failure(.expectedOffset(there)) }
            do throws(StoreError) {
                let file = try files.open(key, keeping: first)
                let upload = Upload(key, total: total, file: file, count: first)
                state.running[key] = upload
                return .success(upload)
            } catch {
                return .failure(error.problem)
            }
        }
        return try result.get()
    }

    /// The number of bytes still expected from a space's uploads in progress, except those of one
    /// blob.
    func expected(of space: Space, except key: BlobKey) -> Int64 {
        state.withLock { state in
            state.running.reduce(0) {
                $0 + ($1.key.space == space && $1.key != key ? $1.value.total : 0)
            }
        }
    }

    /// Ends an upload; the bytes received are kept.
    func end(_ upload: Upload) {
        state.withLock { if $0.running[upload.key] === upload { $0.running[upload.key] = nil } }
    }

    /// Ends an upload and locks its blob; false if another upload has superseded it.
    func hold(_ upload: Upload) -> Bool {
        state.withLock { state in
            guard state.running[upload.key] === upload else { return false }
            state.running[upload.key] = nil
            return state.held.insert(upload.key).inserted
        }
    }

    /// Locks a blob that is not being written; false if it is.
    func hold(_ key: BlobKey) -> Bool {
        state.withLock { $0.running[key] == nil && $0.held.insert(key).inserted }
    }

    func release(_ key: BlobKey) { state.withLock { _ = $0.held.remove(key) } }

    /// Notes whether a shared storage lacks a blob, so that a device may upload it again.
    func isMissing(_ key: BlobKey, _ isMissing: Bool) {
        state.withLock { state in
            if !isMissing {
                state.missing.remove(key)
            } else if state.missing.count < 10_000 {
                state.missing.insert(key)
            }
        }
    }

    func isMissing(_ key: BlobKey) -> Bool { state.withLock { $0.missing.contains(key) } }

    func isRunning(_ key: BlobKey) -> Bool { state.withLock { $0.running[key] != nil } }
}
