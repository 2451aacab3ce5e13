/// Closes slow sockets, and wakes threads that overlook a request: a thread that checks every connection.
///
/// libmicrohttpd's own timeout restarts with every byte, so a peer that sends one byte every three
/// seconds would stay connected for ever. After `shutdown` the connection's thread reads the end of
/// the stream.
import CMacrologMicroHTTPD
import MacrologPlatform
import Synchronization
import MacrologSystem

final class Reaper: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())
    private let intervalMicroseconds: UInt32

    /// Checks often enough to be late by at most an eighth of the shortest deadline.
    init(_ configuration: Configuration) {
        let shortest = min(
            configuration.headerMilliseconds, configuration.bodyMilliseconds,
            configuration.idleMilliseconds)
        intervalMicroseconds = UInt32(clamping: min(max(shortest / 8, 5), 100) * 1_000)
    }

    /// Starts the thread, which ends after ``stop()``.
    func start() {
        Worker.start { [self] in while reap() { usleep(intervalMicroseconds) } }.detach()
    }

    func stop() {
        state.withLock {
            $0.isStopped = true
            $0.connections = [:]
        }
    }

    func add(_ connection: Connection) {
        state.withLock { $0.connections[ObjectIdentifier(connection)] = connection }
    }

    /// Must be called before the descriptor is closed, so that a reused descriptor is never shut
    /// down.
    func remove(_ connection: Connection) {
        state.withLock { $0.connections[ObjectIdentifier(connection)] = nil }
    }

    /// Whether a client may be in the middle of an exchange on any connection.
    func isInUse(idleMilliseconds: Int64) -> Bool {
        let now = SystemClock.monotonicMilliseconds
        return state.withLock { state in
            state.connections.values.contains {
                $0.isInUse(now: now, idleMilliseconds: idleMilliseconds)
            }
        }
    }

    /// Answers the requests of the calling thread that libmicrohttpd is about to refuse with two
    /// heads.
    func refuseBadLengths() {
        state.withLock { state in
            for connection in state.connections.values { connection.refuseBadLength() }
        }
    }

    /// Shuts every socket down, and returns how many are still open.
    func shutdownAll() -> Int {
        state.withLock { state in
            for connection in state.connections.values {
                shutdown(connection.descriptor, Int32(SHUT_RDWR))
            }
            return state.connections.count
        }
    }

    /// Shuts down connections past their deadline, and wakes the threads of those with unread bytes; returns false when
    /// the thread must end.
    private func reap() -> Bool {
        let now = SystemClock.monotonicMilliseconds
        return state.withLock { state in
            for connection in state.connections.values {
                if connection.deadline.load(ordering: .relaxed) <= now {
                    shutdown(connection.descriptor, Int32(SHUT_RDWR))
                    connection.deadline.store(.max, ordering: .relaxed)
                } else {
                    connection.wakeReader()
                }
            }
            return !state.isStopped
        }
    }
}
