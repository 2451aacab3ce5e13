/// `PUT /v1/blobs/{sha256}`: receives a blob piece by piece (`protocol.md` §6).
import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologJSON

extension SyncServer {
    /// Receives a blob, or what an unfinished upload still lacks.
    func upload(_ session: Session, _ call: Call) throws(Problem) -> BodySink {
        let (request, key) = (call.request, try blobKey(session, call))
        guard request.field("content-encoding").map({ $0 == "identity" }) ?? true else {
            throw .mediaType("sent as it is, not compressed")
        }
        let part = try UploadPart(request)
        let limit = Int64(Limits.blobBytesMax)
        // Whether a shared storage has what a row names is known when it was asked, on another thread.
        let isShared = uploads.files.isShared
        let isKnown = try (isShared ? recordedBytes(key) : wholeBytes(key)) != nil
        if isKnown, !isShared {
            return BodySink(
                bytesMax: limit, take: { _ in },
                finish: { $0(HTTPResponse(status: 204, fields: [key.tag])) },
                cancel: {})
        }
        let used = try usedBytes(of: key.space) + uploads.expected(of: key.space, except: key)
        guard isKnown || used + part.total <= settings.blobQuota else { throw .quota }
        dropOldestUploads(of: key)
        let upload = try uploads.begin(key, at: part.first, total: part.total)
        return BodySink(
            bytesMax: limit, take: { upload.write($0) },
            finish: { [self] answer in
                // An account that was deleted meanwhile has neither these bytes nor room for them.
                let reply: Answer = { response in
                    let isRefused = response.status >= 400 && session.isRevoked
                    answer(isRefused ? Problem.unauthorized.response : response)
                }
                // Hashing and renaming a blob waits for the disk.
                let isQueued = blobWork.put(key) { self.finish(upload, reply) }
                if !isQueued {
                    uploads.end(upload)
                    reply(Problem.busy.response)
                }
            },
            cancel: { [uploads] in
                _ = upload.end()
                uploads.end(upload)
            })
    }

    /// All announced bytes have arrived: completes the blob if its hash is right.
    private func finish(_ upload: Upload, _ reply: @escaping Answer) {
        let (count, error, isSuperseded) = upload.end()
        let key = upload.key
        if isSuperseded { return reply(Problem.supersededUpload.response) }
        if let error {
            uploads.end(upload)
            return reply(refuse(error))
        }
        if uploads.files.isShared {
            do throws(Problem) {
                if try wholeBytes(key) != nil {
                    uploads.end(upload)
                    dropUpload(key)
                    return reply(HTTPResponse(status: 204, fields: [key.tag]))
                }
            } catch {
                uploads.end(upload)
                return reply(answer(error))
            }
        }
        guard count >= upload.total else {
            uploads.end(upload)
            return reply(
                HTTPResponse(status: 202, fields: [HTTPField("upload-offset", "\(count)")]))
        }
        guard uploads.hold(upload) else { return reply(Problem.supersededUpload.response) }
        do throws(StoreError) {
            guard count == upload.total, try uploads.files.hashUnfinished(key) == key.name else {
                uploads.files.removeUnfinished(key)
                uploads.release(key)
                return reply(Problem.wrongHash.response)
            }
            try uploads.files.complete(key)
            uploads.isMissing(key, false)
        } catch {
            uploads.release(key)
            return reply(refuse(error))
        }
        store.keep(key, bytes: count, quota: settings.blobQuota, now: clock()) { [self] result in
            if case .success(false) = result { uploads.files.remove(key) }
            // Before the answer, after which the same blob may come again.
            uploads.release(key)
            switch result {
            case .success(true): reply(HTTPResponse(status: 201, fields: [key.tag]))
            case .success(false): reply(Problem.quota.response)
            case .failure(let error): reply(refuse(error))
            }
        }
    }

    /// Deletes the oldest unfinished uploads of an account if it has too many.
    private func dropOldestUploads(of key: BlobKey) {
        let others = uploads.files.unfinished(of: key.space).filter { $0.key != key }
        let tooMany = others.count + 1 - BlobLimits.unfinishedMax
        guard tooMany > 0 else { return }
        for old in others.sorted(by: { $0.written < $1.written }).prefix(tooMany) {
            dropUpload(old.key)
        }
    }

    /// Deletes an unfinished upload that is not in progress.
    func dropUpload(_ key: BlobKey) {
        guard uploads.hold(key) else { return }
        uploads.files.removeUnfinished(key)
        uploads.release(key)
    }

    private func usedBytes(of space: Space) throws(Problem) -> Int64 {
        do throws(StoreError) {
            return try store.blobBytes(of: space)
        } catch {
            throw error.problem
        }
    }
}

extension Problem {
    static let blobTooLarge = Problem(
        .tooLarge, "A blob has at most \(Limits.blobBytesMax) bytes; send a smaller one.")
    static let badContentRange = malformed(
        "Content-Range must be bytes first-last/total of this body.")
    fileprivate static let quota = Problem(
        .quota,
        "Your photos have filled the room that this server gives you; nothing is lost, and "
            + "everything else still works. Ask the server's operator for more room.")
    fileprivate static let wrongHash = Problem(
        .wrongHash, "The bytes are not those of the name; send them again.")
    fileprivate static let supersededUpload = Problem(
        .superseded, "A newer upload of this blob has taken the place of this one.")

    static func expectedOffset(_ offset: Int64) -> Problem {
        Problem(
            .expectedOffset, "The upload continues at byte \(offset); send from there.",
            members: [JSON.Member("offset", .integer(offset))])
    }
}
