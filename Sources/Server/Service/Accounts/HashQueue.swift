/// Password hashing on one thread of low priority with a short queue, so that unauthenticated clients cannot use
/// more than one core and 64 MiB, and not even that while others need the core.
import MacrologCryptography
import MacrologSystem
import Synchronization

final class HashQueue: Sendable {
    /// The maximum number of waiting hashes.
    static let waitingMax = 8
    /// How long one may wait, in milliseconds.
    static let waitMax: Int64 = 2_000

    private struct Task: Sendable {
        let since: Int64
        let run: @Sendable () -> Void
        let refuse: @Sendable () -> Void
    }

    private let inbox = Inbox<Task>(capacity: HashQueue.waitingMax)
    private let cost: PasswordCost
    private let clock: @Sendable () -> Int64
    private let worker: Worker
    private let count = Atomic<Int>(0)

    /// A hash that no password matches, of the same cost as all others.
    private let dummy: [UInt8]
    /// A bcrypt hash that no password matches, of the greatest cost of those that there are; `nil` where
    /// there are none.
    private let bcryptDummy = Mutex<[UInt8]?>(nil)

    init(cost: PasswordCost, clock: @escaping @Sendable () -> Int64) {
        self.cost = cost
        self.clock = clock
        guard let dummy = Password.hash(randomBytes(32), cost: cost) else {
            preconditionFailure("no memory for a password's hash")
        }
        self.dummy = dummy
        worker = Worker.start { [inbox] in
            // Strangers may ask for hashes without end; pushes and pulls are not to wait for them.
            CallingThread.lowerPriority()
            while let tasks = inbox.take(atMost: 1) {
                for task in tasks {
                    clock() - task.since > HashQueue.waitMax ? task.refuse() : task.run()
                }
            }
        }
    }

    /// The number of hashes computed so far.
    var hashes: Int { count.load(ordering: .relaxed) }

    /// Hashes a password in its composed form; `nil` when the server is too busy.
    func hash(_ password: [UInt8], then done: @escaping @Sendable ([UInt8]?) -> Void) {
        submit(
            { [self] in
                count.add(1, ordering: .relaxed)
                done(Password.hash(Password.composed(password), cost: cost))
            }, refuse: { done(nil) })
    }

    /// The outcome of a check.
    enum Verdict: Sendable {
        case wrong
        /// `better` is a new hash if the old one has a different cost, or is of another form of the password.
        case right(better: [UInt8]?)
        case busy
    }

    /// From now on each check takes as long as one against this bcrypt hash and one of Argon2id.
    func expect(bcrypt hash: [UInt8]) {
        let dummy = Bcrypt.unmatched(like: hash)
        bcryptDummy.withLock {
            $0 = [$0 ?? dummy, dummy].max { Bcrypt.cost($0) < Bcrypt.cost($1) }
        }
    }

    /// Does what a check against a hash of the other kind would do, if there are bcrypt hashes: the time
    /// of an answer does not tell whose password is of an earlier system.
    private func balance(_ password: [UInt8], _ hash: [UInt8]) {
        guard let bcrypt = bcryptDummy.withLock({ $0 }) else { return }
        count.add(1, ordering: .relaxed)
        _ = Password.verify(password, hash: Bcrypt.isHash(hash) ? dummy : bcrypt)
    }

    /// Checks a password against a hash, or against the dummy if there is none, which takes as
    /// long.
    func verify(
        _ password: [UInt8], hash: [UInt8]?, then done: @escaping @Sendable (Verdict) -> Void
    ) {
        submit(
            { [self] in
                let composed = Password.composed(password)
                // A hash of an earlier version or system may be one of the password as it was typed. Both are
                // tried, also after the right one, and without an account: the time tells only how it was typed. That is twice the work for such a password.
                let forms = composed == password ? [password] : [composed, password]
                let areRight = forms.map { form in
                    count.add(1, ordering: .relaxed)
                    let isRight = Password.verify(form, hash: hash ?? dummy)
                    balance(form, hash ?? dummy)
                    return isRight
                }
                guard areRight.contains(true), let hash else { return done(.wrong) }
                let mustRehash = !areRight[0] || Password.needsRehash(hash, cost: cost)
                done(.right(better: mustRehash ? Password.hash(composed, cost: cost) : nil))
            }, refuse: { done(.busy) })
    }

    /// Finishes waiting work, and ends the thread.
    func close() {
        inbox.close()
        worker.join()
    }

    private func submit(
        _ run: @escaping @Sendable () -> Void, refuse: @escaping @Sendable () -> Void
    ) {
        if !inbox.put(Task(since: clock(), run: run, refuse: refuse)) { refuse() }
    }
}
